"""Studies with pairings: the files that ask for them, the run that fills them, the chapter that
shows them.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic_study
from babelscope.analyses.faithfulness.pairings import (
    CELL,
    csv,
    specifications,
    split_setting,
)
from babelscope.analyses.faithfulness.pairings_section import top
from babelscope.analyses.faithfulness.tables import tables
from babelscope.display.curve import LEGEND, curve_figure, curve_svg
from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.load import Model
from babelscope.reporting.build import report
from babelscope.stats.specifications import specification_curve
from babelscope.store import Store, open_store, read, read_study, write_study
from babelscope.study.config import (
    Study,
    parse_study,
)
from babelscope.study.config import read_study as read_file
from babelscope.study.grid import blocks, planned
from babelscope.study.run import run
from babelscope.training.models import (
    trained_name,
)
from babelscope.training.spec import (
    TrainSpec,
)
from babelscope.types import Example

STUDIES = Path(__file__).parents[3] / "studies"
TRAIN = {
    "languages": ["en", "hi"], "separately": True, "architecture": "bert", "layers": 1,
    "width": 32, "vocabulary": 600, "examples": 60, "dev_examples": 10, "learning_rate": 1e-3,
    "epochs": 1, "batch": 8,
}  # fmt: skip
STUDY: dict[str, Any] = {
    "name": "paired",
    "tasks": [
        {"name": "sentiment", "data": {"builtin": "sentiment", "examples": 6}},
        {"name": "topic", "data": {"builtin": "topic", "examples": 6, "languages": ["en"]}},
    ],
    "languages": ["en", "hi"],
    "models": [{"name": "multi", "train": TRAIN | {"layers": 2}}, {"name": "mono", "train": TRAIN}],
    "methods": ["random", "attention", "input_x_gradient"],
    "faithfulness": {
        "pairings": [{"multilingual": "multi", "monolingual": "mono"}],
        "metrics": [
            "normalised_comprehensiveness",
            "sufficiency",
            {"name": "sufficiency", "options": {"unit": "token"}},
        ],
        "samples": 3,
    },
}


def changed(**fields: Any) -> dict[str, Any]:
    """The study with other fields; `pairings` belong to its faithfulness block."""
    block = STUDY["faithfulness"] | {
        name: fields.pop(name) for name in ("pairings",) if name in fields
    }
    return STUDY | fields | {"faithfulness": block}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"pairings": [{"multilingual": "multl", "monolingual": "mono"}]},
            "a pairing names the model 'multl'; did you mean 'multi'",
        ),
        (
            {"pairings": [{"multilingual": "multi", "monolingual": []}]},
            "faithfulness.pairings.0.monolingual",
        ),
        (
            {"models": [{"name": "multi", "train": TRAIN | {"languages": ["en"]}}], "pairings": []},
            "'hi', which 'train' does not",
        ),
        (
            {"models": [{"name": "multi", "train": TRAIN | {"base": {"en": "a"}}}], "pairings": []},
            "no base for 'hi'; given: en",
        ),
        (
            {
                "models": [
                    {
                        "name": "multi",
                        "train": TRAIN | {"separately": False, "base": {"en": "a", "hi": "b"}},
                    }
                ],
                "pairings": [],
            },
            "needs 'separately: true'",
        ),
        (
            {"tasks": [{"name": "t", "data": {"builtin": "topic", "languages": ["de"]}}]},
            "'de', which the study does not have",
        ),
    ],
)
def test_what_does_not_fit_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_study(changed(**fields))
    assert said in str(caught.value)


def test_a_model_per_language_is_resolved_and_keeps_the_names_of_cached_models() -> None:
    both = TrainSpec(languages=["en", "hi"], separately=True, base={"en": "one", "hi": "two"})
    assert (both.of("hi").languages, both.of("hi").base, both.of("hi").separately) == (
        ["hi"],
        "two",
        False,
    )
    alone = TrainSpec(languages=["hi"], base="two")
    assert both.of("hi") == alone
    assert alone.of("en") is alone
    assert trained_name(both.of("hi"), [], [], 0) == trained_name(alone, [], [], 0)


@pytest.mark.slow
def test_the_full_study_is_the_published_one() -> None:
    """15 tasks in five languages, five models, three of the five seeds; ten monolingual
    checkpoints; and beyond the paper two of large size, in English and Chinese. No model is loaded
    for this.
    """
    study = read_file(STUDIES / "mono-vs-multi.yaml")
    grid = blocks(study)
    units = {(one.task.name, *one.languages) for one in grid}
    assert len(units) == 15
    assert {
        lang: sum(unit[1] == lang for unit in units) for lang in study.languages
    } == dict.fromkeys(study.languages, 3)
    assert len(grid) == (15 * 5 + 2 * 3) * 3
    bases = {one.model.train.of(one.languages[0]).base for one in grid if one.model.train}
    assert len(bases) == 3 + 10 + 2
    assert {
        "google-bert/bert-base-multilingual-uncased",
        "FacebookAI/xlm-roberta-large",
        "flax-community/roberta-hindi",
    } < bases
    spec = study.analyses["faithfulness"]
    assert all(
        len(planned(study, one)) == (5 + spec.samples) * (1 + len(spec.metrics)) for one in grid
    )


def test_options_of_methods_are_choices_of_the_curve() -> None:
    assert split_setting("attention") == ("attention", "as given")
    assert split_setting("integrated_gradients[baseline=zero,nodes=8]") == (
        "integrated_gradients", "baseline=zero,nodes=8",
    )  # fmt: skip


def test_the_small_study_has_the_same_design() -> None:
    full, small = (read_file(STUDIES / f"mono-vs-multi{size}.yaml") for size in ("", "-small"))
    assert [one.name for one in small.methods] == [one.name for one in full.methods]
    metrics = [
        {one.name for one in study.analyses["faithfulness"].metrics} for study in (small, full)
    ]
    assert metrics[1] - metrics[0] == {"released_sufficiency", "released_comprehensiveness"}
    assert metrics[0] < metrics[1]
    assert all(one.train and one.train.separately for one in small.models)
    assert all(one.data.builtin for one in small.tasks)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Store]:
    folder = tmp_path_factory.mktemp("paired")
    study = parse_study(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BABELSCOPE_CACHE", str(tmp_path_factory.getbasetemp() / "models-of-pairings"))
        outcome = run(study, folder / "store")
    assert outcome.failed == ()
    assert outcome.filled == 2 * 3 * (3 + 2) * (1 + 3), (
        "2 models, 3 units, 3 draws and 2 methods, each with 3 metrics"
    )
    return study, open_store(folder / "store")


@pytest.mark.training
def test_each_language_has_its_own_model_and_each_draw_its_own_scores(
    filled: tuple[Study, Store],
) -> None:
    study, store = filled
    said = read_study(store)
    for one in said["models"]:
        assert len(set(one["fingerprint"].split(", "))) == 3, "one for each task and language"
        assert (one["spec"], one["seed"]) == (one["name"], 0)
    rows = read(store, "attributions").to_pandas()
    chance = rows[rows["method"] == "random"]
    assert set(chance.groupby(["model", "task", "lang", "id"]).size()) == {
        study.analyses["faithfulness"].samples
    }
    assert set(chance["seed"]) == {0, 1000, 2000}
    assert (
        chance["scores"].map(tuple).groupby([chance["model"], chance["id"]]).nunique().min()
        == study.analyses["faithfulness"].samples
    )
    assert set(rows[rows["task"] == "topic"]["lang"]) == {"en"}


@pytest.mark.training
def test_the_comparisons_are_those_of_the_stored_values(filled: tuple[Study, Store]) -> None:
    """One cell by hand: values less floors, on the texts that both models get right; a lower
    sufficiency counts as more.
    """
    _, store = filled
    found = tables(store, read_study(store)).pairs
    assert found is not None
    assert dict(found.main) == {
        "normalised_comprehensiveness": "normalised_comprehensiveness",
        "sufficiency[unit=word]": "sufficiency",
    }
    table = pd.read_csv(StringIO(csv(found)))
    assert len(table) == 3 * 2 * 3, "3 units, 2 methods, 3 metrics and settings"
    assert (table["difference"].isna() == (table["n"] == 0)).all(), (
        "a cell without a common text is listed, without a number"
    )
    rows, said = read(store, "measures").to_pandas(), read(store, "attributions").to_pandas()
    wanted = {"task": "sentiment", "lang": "hi"}
    right = said[
        (said["task"] == "sentiment") & (said["lang"] == "hi") & (said["label"] == said["gold"])
    ]
    both = set(right[right["model"] == "multi"]["id"]) & set(right[right["model"] == "mono"]["id"])
    mine = rows[
        (rows["task"] == "sentiment")
        & (rows["lang"] == "hi")
        & rows["id"].isin(both)
        & (rows["metric"] == "sufficiency")
    ]
    mine = mine[mine["options"].str.contains('"unit":"token"')]
    means = mine.groupby(["model", "id", "method"])["value"].mean().unstack("method")
    above = -(means["attention"] - means["random"])
    cell = table[(table[list(wanted)] == pd.Series(wanted)).all(axis=1)]
    cell = cell[(cell["method"] == "attention") & (cell["metric"] == "sufficiency[unit=token]")]
    assert cell["n"].tolist() == [len(both)]
    assert cell["difference"].item() == pytest.approx(above["multi"].mean() - above["mono"].mean())
    assert cell["accuracy_multilingual"].item() == pytest.approx(
        right[right["model"] == "multi"]["id"].nunique() / 6
    )


@pytest.mark.training
def test_specifications_are_every_way_to_ask(filled: tuple[Study, Store]) -> None:
    _, store = filled
    found = tables(store, read_study(store)).pairs
    assert found is not None
    kinds, curve = specifications(found, found.pairings[0])
    assert len(kinds) == len(curve.effects) == 2 * 3 * 2 * 2, (
        "methods, metrics and settings, forms, texts"
    )
    assert not kinds.duplicated().any()
    one = kinds[
        (kinds == ["attention", "sufficiency", "unit=token", "plain", "all"]).all(axis=1)
    ].index[0]
    rows = found.table[
        (found.table["method"] == "attention")
        & (found.table["metric"] == "sufficiency[unit=token]")
    ]
    assert curve.effects[one].mean == pytest.approx(
        (rows["multilingual"] - rows["monolingual"]).mean()
    )


@pytest.mark.training
def test_the_report_has_the_chapter_and_the_file(
    filled: tuple[Study, Store], tmp_path: Path
) -> None:
    _, store = filled
    page = report(store.path, tmp_path).read_text("utf-8")
    assert 'id="pairings"' in page
    assert page.count('data-name="specifications"') == 1
    assert (tmp_path / "disparities.csv").read_text("utf-8").startswith(",".join(CELL))
    assert "disparities.csv" in page
    again = tmp_path / "again"
    report(store.path, again)
    assert (again / "index.html").read_bytes() == (tmp_path / "index.html").read_bytes()


def paired_synthetic(folder: Path) -> Store:
    """The made-up store with its hostile text, its models declared a pairing."""
    store = synthetic_study.store(folder, groups=8)
    said = read_study(store)
    models = [one | {"spec": one["name"], "seed": 0} for one in said["models"]]
    block = said["analyses"]["faithfulness"] | {
        "pairings": [{"multilingual": "multi", "monolingual": ["mono-en", "mono-hi"]}]
    }
    write_study(store, said | {"models": models, "analyses": {"faithfulness": block}})
    return store


@pytest.mark.slow
def test_monolingual_models_by_language_and_hostile_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "babelscope.analyses.faithfulness.pairings_section.SHOWN", len(synthetic_study.SENTENCES)
    )
    store = paired_synthetic(tmp_path / "store")
    found = tables(store, read_study(store)).pairs
    assert found is not None
    assert set(found.table["lang"]) == {"en", "hi"}, "where a counterpart reads"
    page = report(store.path, tmp_path / "page").read_text("utf-8")
    chapter = page.split('id="pairings"')[1].split("</section>")[0]
    assert synthetic_study.SCRIPT not in chapter
    assert html.escape(synthetic_study.SCRIPT) in chapter
    assert len(re.findall(r'<p dir="auto" lang="hi">', chapter)) >= 3
    assert "multi − mono-en, mono-hi" in chapter


def test_a_study_without_pairings_has_no_chapter(tmp_path: Path) -> None:
    store = synthetic_study.store(tmp_path / "store", groups=4)
    assert tables(store, read_study(store)).pairs is None
    assert 'id="pairings"' not in report(store.path, tmp_path / "page").read_text("utf-8")
    assert not (tmp_path / "page" / "disparities.csv").exists()


def test_explanations_of_one_text_do_not_share_their_erasures(bert: Model) -> None:
    """Within one call metrics share what they erase: the same numbers as one by one, and other
    scores erase other words.
    """
    example = Example("e", ("the food was not good but the room was lovely",), "en")
    (one,) = explain(bert, example, "attention")
    two = replace(one, method="reversed", word_scores=tuple(-score for score in one.word_scores))
    names = ("comprehensiveness", "sufficiency", "normalised_sufficiency")
    whole = {(row.method, row.metric): row.value for row in measure(bert, [one, two], names)}
    alone = {
        (each.method, name): measure(bert, [each], name)[0].value
        for each in (one, two)
        for name in names
    }
    assert whole == pytest.approx(alone, nan_ok=True)
    assert whole["attention", "comprehensiveness"] != whole["reversed", "comprehensiveness"]


def test_top_words() -> None:
    assert top(["a", "b", "c"], [0.1, 0.3, 0.2]) == ["b"]
    assert top(list("abcdef"), [1.0, 0.0, 0.0, 0.0, 0.0, 2.0]) == ["a", "f"], (
        "two of six, in the order of the text"
    )
    assert top(["a", "b"], [1.0, 1.0]) == ["a"]
    assert top(["a", "b"], [float("nan"), -1.0]) == ["b"]


def test_pictures_mark_everything_that_is_defined() -> None:
    draw = np.random.default_rng(0)
    made = draw.standard_normal((6, 20))
    made[2] = np.nan
    curve = specification_curve(made, [f"g{at}" for at in range(20)])
    kinds = pd.DataFrame({"method": ["<b>", "x"] * 3, "form": ["above"] * 3 + ["plain"] * 3})
    svg = curve_svg(kinds, curve, "a & b")
    assert svg.count('class="mark ') == 5 + len(LEGEND)
    assert "<b>" not in svg
    assert "a &amp; b" in svg
    rows = curve_figure(kinds, curve, "a & b").rows
    assert [row["effect"] for row in rows] == pytest.approx(sorted(np.delete(made.mean(1), 2)))
