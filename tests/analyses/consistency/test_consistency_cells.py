"""Translations compared by a study: explained for the source's class, scored from the store, found
again.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from babelscope import corpus
from babelscope.analyses.block import Place
from babelscope.analyses.consistency.comparisons import score_pairs
from babelscope.analyses.consistency.gold_links import in_links
from babelscope.analyses.consistency.pairs import Settings
from babelscope.analyses.consistency.ribbons import make_ribbon, ribbon_chart
from babelscope.analyses.consistency.section import section
from babelscope.analyses.consistency.stored_pairs import SCORE
from babelscope.analyses.consistency.summary import summarise
from babelscope.analyses.consistency.tables import Tables, chosen_pairs, tables
from babelscope.analyses.consistency.translations import unit_scores_of
from babelscope.data.independence import clusters
from babelscope.errors import InputError
from babelscope.reporting.build import report
from babelscope.store import cells, open_store, read, read_attributions, read_study
from babelscope.study.config import parse_study
from babelscope.study.grid import blocks, planned, progress_of
from babelscope.study.run import run
from babelscope.training.small import make
from babelscope.types import UnitScores

LANGS = ("en", "es", "hi")
TRAIN = {
    "architecture": "bert", "layers": 1, "width": 32, "vocabulary": 600, "examples": 200,
    "dev_examples": 10, "learning_rate": 5e-3, "epochs": 6, "batch": 8,
}  # fmt: skip


def study(**changed: Any) -> dict[str, Any]:
    """Two models, each trained in one language, compared by gold links."""
    values = {
        "name": "small",
        "tasks": [
            {"name": "topic", "data": {"builtin": "topic", "examples": 8}, "target": "source"}
        ],
        "languages": list(LANGS),
        "models": [
            {"name": lang, "train": {**TRAIN, "languages": [lang]}} for lang in ("en", "hi")
        ],
        "methods": ["occlusion"],
        "consistency": {
            "gold": True,
            "norms": ["abs", "signed"],
            "untrained": True,
            "permutations": 5,
        },
    }
    return {**values, **changed}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled store; the planned places are those of the store, and a second run computes
    nothing.
    """
    folder = tmp_path_factory.mktemp("compared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BABELSCOPE_CACHE", str(tmp_path_factory.getbasetemp() / "models-of-studies"))
        texts = [
            text
            for lang in LANGS
            for row in corpus.read("topic", lang, "train", 40)
            for text in row.texts
        ]
        labels = sorted({str(row.label) for row in corpus.read("topic", "en", "train", 60)})
        base = str(make(folder / "base", "bert", texts, labels, layers=1, width=32, vocabulary=900))
        models = [{**one, "train": {**one["train"], "base": base}} for one in study()["models"]]
        asked = parse_study(study(models=models))
        first = run(asked, folder / "s")
        assert (first.filled, first.failed) == (2 * (3 + 1), ())
        before = content(folder / "s")
        again = run(asked, folder / "s")
        assert (again.filled, again.found) == (0, 8)
        assert content(folder / "s") == before
        store = open_store(folder / "s")
        assert all(row["done"] == row["planned"] for row in progress_of(asked, store))
        stored = {Place(**manifest["place"]) for manifest in cells(store)}
        assert stored == {place for block in blocks(asked) for place in planned(asked, block)}
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def units(folder: Path, model: str) -> list[UnitScores]:
    rows = [one for one in read_attributions(open_store(folder / "s")) if one.model == model]
    return unit_scores_of(rows, [0.5] * len(rows))


def examples() -> list[Any]:
    return [row for lang in LANGS for row in corpus.read("topic", lang, "test", 8)]


def shown(folder: Path) -> Tables:
    store = open_store(folder / "s")
    found = tables(store, read_study(store))
    assert found is not None
    return found


@pytest.mark.training
def test_stored_pairs_are_those_of_the_stored_explanations(filled: Path) -> None:
    settings = Settings(permutations=5)
    expected = {
        (pair.id, pair.lang): pair
        for pair in score_pairs(units(filled, "hi"), "hi", in_links(examples()), settings=settings)
    }
    table = read(open_store(filled / "s"), "pairs").to_pandas()
    mine = table[(table["model"] == "hi") & (table["norm"] == "abs")]
    assert set(mine["source"]) == {"hi"}, "the source is the model's own language"
    assert set(mine["lang"]) == {"en", "es"}
    assert len(mine) == 2 * 8
    cluster = clusters(examples())
    for row in mine.itertuples():
        pair = expected[row.id, row.lang]
        for name in (*SCORE[:-1], "ceil", "lift", "kappa"):
            assert getattr(row, name) == pytest.approx(
                getattr(pair.score, name), abs=1e-12, nan_ok=True
            ), name
        assert row.c_mis == pytest.approx(pair.c_mis, abs=1e-12, nan_ok=True)
        np.testing.assert_allclose(row.earned_s, pair.score.earned_s, atol=1e-12)
        assert row.flow_weight @ row.flow_similarity == pytest.approx(row.c), (
            "C is what the flow earns"
        )
        assert (row.prediction_s, row.prediction_t, row.gold_t) == (
            pair.prediction_s,
            pair.prediction_t,
            pair.gold_t,
        )
        assert 0 < row.confidence_t <= 1
        assert row.cluster == cluster[row.id]
        assert (row.centred, isnan(row.mean_cosine)) == (False, True), "gold links are no space"
    assert np.isfinite(mine["c_rand"]).all()


@pytest.mark.training
def test_confidence_is_the_probability_of_the_prediction_not_of_the_target(filled: Path) -> None:
    rows = read_attributions(open_store(filled / "s"))
    table = read(open_store(filled / "s"), "pairs").to_pandas()
    known = {(one.model, one.group, one.lang): one for one in rows}
    compared = 0
    for row in table.itertuples():
        one = known[row.model, row.id, row.lang]
        if one.target == one.label:
            assert row.confidence_t == pytest.approx(one.probability, abs=1e-6)
        else:
            compared += 1
            assert row.confidence_t > one.probability
    assert compared, "nothing is tested if every target is the prediction"


@pytest.mark.training
def test_tables_come_from_the_store_alone(filled: Path) -> None:
    """The lines are those of the pairs before they were stored; nothing of torch is imported to
    read them.
    """
    found = shown(filled)
    assert [(one.origin.model, one.comparison.settings.norm) for one in found.results] == [
        ("en", "abs"), ("en", "signed"), ("hi", "abs"), ("hi", "signed"),
    ]  # fmt: skip
    last = found.results[2]
    settings = Settings(permutations=5)
    pairs = score_pairs(
        units(filled, "hi"), "hi", in_links(examples()), targets=["en", "es"], settings=settings
    )
    for line, expected in zip(last.comparison.lines, summarise(pairs)):
        for name in ("c", "c_unif", "c_perm", "c_mis", "ceil", "lift"):
            assert line.means[name].mean == pytest.approx(expected.means[name].mean, abs=1e-12)
        assert line.kappa.mean == pytest.approx(expected.kappa.mean, abs=1e-9)
        assert (line.reasons, line.without_kappa) == (expected.reasons, expected.without_kappa)
    assert [row.of for each in found.sensitivity for row in each.rows] == [2, 2, 2, 2], "two norms"
    assert [one.comparison.source for one in found.matrices[0].results] == ["en", "hi"]
    assert asdict(found.results[0].comparison.settings)["permutations"] == 5


@pytest.mark.training
def test_ribbons_are_redrawn_from_the_store(filled: Path) -> None:
    found = shown(filled)
    assert len(found.ribbons) == 2 * 2 * 3, (
        "two models, two languages, the highest, middle and lowest lift"
    )
    texts = {(row.id, row.lang): row for row in units(filled, "en")}
    settings, compare = Settings(permutations=5), in_links(examples())
    scored = {
        (pair.id, pair.lang): pair
        for pair in score_pairs(list(texts.values()), "en", compare, settings=settings)
    }
    for ribbon, chosen in zip(found.ribbons, chosen_pairs(found.results[0].comparison)):
        pair = scored[chosen.id, chosen.lang]
        one, two = texts[pair.id, "en"], texts[pair.id, pair.lang]
        assert pair.flow is not None
        everything = np.ones(len(one.units), bool), np.ones(len(two.units), bool)
        assert ribbon_chart(ribbon) == ribbon_chart(
            make_ribbon(one, two, pair.score, pair.flow, everything)
        )


@pytest.mark.training
def test_translations_are_explained_for_the_source_s_class(filled: Path) -> None:
    rows = read_attributions(open_store(filled / "s"))
    said = {(one.model, one.group): one.label for one in rows if one.lang == one.model}
    assert all(one.target == said[one.model, one.group] for one in rows)
    assert any(one.target != one.label for one in rows), (
        "nothing is tested if no prediction differs"
    )


@pytest.mark.training
def test_the_report_shows_c_with_its_nulls(filled: Path) -> None:
    page = report(filled / "s", filled / "page").read_text("utf-8")
    answer = section(shown(filled)).answer
    assert answer.partition(":")[0] in ("Yes", "Partly", "No", "Open")
    assert "comparisons of a language with its source (lift" in answer
    assert str(answer) in page
    for name in ("C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift", "kappa", "accuracy"):
        assert f'<th scope="col">{name}</th>' in page
    assert "Does it depend on the norm and the space?" in page
    assert page.count('data-name="ribbon-') == 12
    assert "<details>\n<summary>en · topic · occlusion · en to others · norm signed" in page
    lines = (filled / "page" / "consistency.csv").read_text("utf-8").splitlines()
    assert len(lines) == 1 + 4 * 2
    assert (
        len((filled / "page" / "consistency_pairs.csv").read_text("utf-8").splitlines())
        == 1 + 4 * 2 * 8
    )


def test_reading_pairs_does_not_load_torch() -> None:
    room = "babelscope.analyses.consistency"
    script = f"import {room}.section, {room}.tables, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"consistency": {"gold": True}, "source": "fr"},
            "^the study: 'source' names the language 'fr', which the study does not have",
        ),
        ({"consistency": {"gold": True, "encoder": "x"}}, "leave the other spaces out"),
        ({"consistency": {"norms": ["l2"]}}, "no norm 'l2'"),
        ({"consistency": {"unknown": "guess"}}, "unknown 'guess' is not one of"),
        ({"consistency": {"source": "en"}}, "there is no such field"),
        ({"consistency": {}, "sources": "en"}, "did you mean 'source'"),
        ({"models": [{"name": "x", "source": "y"}]}, "model 'x' is not trained on exactly one"),
        (
            {"models": [{"name": "x", "source": "y", "trained_on": ["en", "es"]}]},
            "model 'x' is not trained on exactly one",
        ),
        (
            {
                "models": [
                    {"name": "x", "train": TRAIN | {"languages": ["en"]}, "trained_on": ["en"]}
                ]
            },
            "for an existing model",
        ),
        ({"methods": []}, "consistency needs explanations"),
        (
            {"tasks": [{"name": "t", "data": {"builtin": "topic"}, "target": "food"}]},
            "compared for the target 'source'",
        ),
        (
            {"tasks": [{"name": "t", "data": {"corpus": "xnli"}}]},
            "only built-in corpora have gold links",
        ),
        (
            {
                "languages": ["en"],
                "models": [{"name": "m", "train": TRAIN | {"languages": ["en"]}}],
            },
            "and another language",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_runs(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        parse_study(study(**change))


def test_a_model_says_what_it_was_trained_on() -> None:
    values = study(models=[{"name": "x", "source": "y", "trained_on": ["hi"]}])
    (block,) = blocks(parse_study(values))
    assert block.request.source_of(block.model) == "hi"
    assert (
        parse_study(study(consistency={"norms": "all"})).analyses["consistency"].norms[0] == "abs"
    )
