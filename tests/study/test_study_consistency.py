"""Translations compared by a study: explained for the source's class, scored from the store, found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from babelscope.analyses.consistency.named_spaces import in_links
from test_study import STUDY, cache, content

from babelscope import corpus
from babelscope.analyses.consistency.cells import MEASURED
from babelscope.analyses.consistency.pairs import Settings, score
from babelscope.display.numbers import (
    spoken,
)
from babelscope.errors import InputError
from babelscope.reporting.build import report
from babelscope.store import open_store, read, read_attributions
from babelscope.study.config import parse_study
from babelscope.study.grid import progress_of
from babelscope.study.run import run
from babelscope.training.small import make
from babelscope.types import UnitScores

__all__ = ["cache"]
LANGS = ("en", "es", "hi")


def study(**changed: Any) -> dict[str, Any]:
    """Two models, each trained in one language, compared by gold links."""
    train = {**STUDY["models"][0]["train"], "examples": 200, "epochs": 6, "learning_rate": 5e-3}
    asked = {
        **STUDY,
        "tasks": [{"name": "topic", "data": {"builtin": "topic", "examples": 8}, "target": "source"}],
        "languages": list(LANGS),
        "models": [{"name": lang, "train": {**train, "languages": [lang]}} for lang in ("en", "hi")],
        "methods": ["occlusion"],
        "metrics": [],
        "consistency": {"gold": True, "norms": ["abs", "signed"], "untrained": True, "draws": 5},
    }
    return {**asked, **changed}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BABELSCOPE_CACHE", str(tmp_path_factory.getbasetemp() / "models-of-studies"))
        texts = [text for lang in LANGS for row in corpus.read("topic", lang, "train", 40) for text in row.texts]
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
        assert all(row["explained"] + row["measured"] == row["planned"] for row in progress_of(asked, open_store(folder / "s")))
    return folder


@pytest.mark.training
def test_the_measures_are_those_of_the_stored_explanations(filled: Path) -> None:
    store = open_store(filled / "s")
    rows = [UnitScores(one.group, one.lang, one.words, one.word_scores, one.word_segment, one.label, one.gold)
            for one in read_attributions(store) if one.model == "hi"]  # fmt: skip
    gold = [row for lang in LANGS for row in corpus.read("topic", lang, "test", 8)]
    expected = {(pair.id, pair.lang): pair for pair in score(rows, "hi", in_links(gold), settings=Settings(draws=5))}
    table = read(store, "measures").to_pandas()
    assert set(table["metric"]) == set(MEASURED)
    mine = table[(table["model"] == "hi") & table["options"].str.contains('"norm":"abs"')]
    assert set(mine["lang"]) == {"en", "es"}, "the source is the model's own language"
    assert len(mine) == 7 * 2 * 8
    for row in mine.itertuples():
        pair = expected[row.id, row.lang]
        if row.metric in ("C", "C_perm", "lift", "ceil"):
            assert row.value == pytest.approx(getattr(pair.found, row.metric.lower()), abs=1e-12)
    assert np.isfinite(mine[mine["metric"] == "C_rand"]["value"]).all()


@pytest.mark.training
def test_translations_are_explained_for_the_source_s_class(filled: Path) -> None:
    rows = read_attributions(open_store(filled / "s"))
    said = {(one.model, one.group): one.label for one in rows if one.lang == one.model}
    assert all(one.target == said[one.model, one.group] for one in rows)
    assert any(one.target != one.label for one in rows), "nothing is tested if no prediction differs"


@pytest.mark.training
def test_the_report_shows_c_with_its_nulls(filled: Path) -> None:
    page = report(filled / "s", filled / "page").read_text("utf-8")
    for name, summary in MEASURED.items():
        assert summary.capitalize() in page
        assert f"{spoken(name)}[norm=abs]".capitalize() in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"consistency": None}, "the target 'source' needs 'consistency'"),
        ({"consistency": {"source": "fr"}}, "not studied in its source 'fr'"),
        ({"consistency": {"gold": True, "encoder": "x"}}, "leave the other spaces out"),
        ({"consistency": {"norms": ["l2"]}}, "no norm 'l2'"),
        ({"consistency": {"sources": "en"}}, "did you mean 'source'"),
        ({"models": [{"name": "x", "source": "y"}]}, "model 'x' is not trained here in one language"),
        ({"tasks": [{"name": "t", "data": {"builtin": "topic"}, "target": "food"}]}, "compared for the target 'source'"),
        ({"tasks": [{"name": "t", "data": {"corpus": "xnli"}}]}, "only built-in corpora have gold links"),
        ({"languages": ["en"], "models": [STUDY["models"][0] | {"languages": ["en"]}], "consistency": {"source": "en"}},
         "and another language"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_before_anything_runs(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_study(study(**change))
