"""The designs of the XNLI and PAWS-X studies on real rows that include the bad ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from babelscope.analyses.consistency.tables import tables as consistency_tables
from babelscope.analyses.faithfulness.tables import tables as faithfulness_tables
from babelscope.data.corpora import CORPORA, read
from babelscope.reporting.build import report
from babelscope.store import open_store, read_study
from babelscope.study.config import parse_study
from babelscope.study.run import Outcome, run
from babelscope.training.small import make

WINDOWS = {
    ("xnli", "test"): range(1565, 1583),
    ("pawsx", "test"): range(85, 105),
    ("pawsx", "dev"): range(821, 833),
}
"""Rows of each file, from 1. XNLI: 1573 to 1575 have U+0008 in Chinese. PAWS-X test: 85 and 91
are not translated to French, others not to other languages; dev: 824 has U+001C in Korean. Of so
few rows these are more than 5 %."""


def write_windows(data: Path, folder: Path, corpus: str) -> None:
    """The files of a corpus with these rows alone."""
    (folder / corpus).mkdir()
    for (name, split), window in WINDOWS.items():
        for lang in CORPORA[corpus].languages if name == corpus else ():
            with gzip.open(
                data / corpus / f"{split}-{lang}.tsv.gz", "rt", encoding="utf-8"
            ) as file:
                header, *lines = file.read().split("\n")
            kept = [lines[number - 1] for number in window]
            text = "\n".join([header, *kept, ""])
            (folder / corpus / f"{split}-{lang}.tsv").write_text(text, "utf-8")


def study(folder: Path, corpus: str, split: str) -> dict[str, Any]:
    """Every language with English as the source, as in studies/ccta-CORPUS.yaml; a tiny model."""
    rows = [row for lang in CORPORA[corpus].languages for row in texts(folder, corpus, split, lang)]
    labels = list(CORPORA[corpus].labels)
    model = folder / f"{corpus}-{split}-model"
    every = [text for row in rows for text in row.texts]
    make(model, "xlm-roberta", every, labels, layers=1, width=32, vocabulary=2000)
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, "untrained": False}))
    langs = ["en", *(lang for lang in CORPORA[corpus].languages if lang != "en")]
    data = {"corpus": corpus, "folder": str(folder), "split": split, "examples": None}
    return {
        "name": f"consistency on {corpus}",
        "tasks": [{"name": corpus, "data": data, "target": "source"}],
        "languages": langs,
        "models": [{"name": "tiny", "source": str(model), "trained_on": ["en"]}],
        "methods": ["gradient_norm"],
        "source": "en",
        "max_skipped": 0.2,
        "consistency": {"permutations": 2},
        "faithfulness": {"metrics": ["comprehensiveness"]},
    }


def texts(folder: Path, corpus: str, split: str, lang: str) -> list[Any]:
    return list(read(corpus, folder, lang=lang, split=split, bad_rows=True))


def check(folder: Path, values: dict[str, Any], outcome: Outcome, rows: int) -> None:
    """Values for every language, all from the same texts: those of which no row was skipped."""
    assert outcome.failed == ()
    groups = {row.group for row in outcome.skipped}
    opened = open_store(outcome.store, create=False)
    shown = read_study(opened)
    means = faithfulness_tables(opened, shown)
    compared = consistency_tables(opened, shown)
    assert means is not None
    assert compared is not None
    cells = means.summary.cells
    assert {place[1] for place in cells} == set(values["languages"])
    assert {mean.n + mean.undefined for mean in cells.values()} == {rows - len(groups)}
    (result,) = compared.results
    assert [line.lang for line in result.comparison.lines] == values["languages"][1:]
    assert all(line.means["c"].n > 0 for line in result.comparison.lines)
    page = report(outcome.store, folder / "page").read_text("utf-8")
    assert all(row.id in page for row in outcome.skipped[:10])


@pytest.mark.slow
def test_xnli_with_its_control_characters(shared: Path, tmp_path: Path) -> None:
    write_windows(shared / "data", tmp_path, "xnli")
    values = study(tmp_path, "xnli", "test")
    outcome = run(parse_study(values), tmp_path / "store")
    # rows 1573 to 1575 are numbers 9 to 11 of the window, which starts at 1565
    assert {(row.id, row.reason, row.total) for row in outcome.skipped} == {
        (f"xnli-test-{number}-zh", "control", 18) for number in (9, 10, 11)
    }
    check(tmp_path, values, outcome, 18)


@pytest.mark.slow
@pytest.mark.parametrize("split", ["test", "dev"])
def test_pawsx_with_its_untranslated_rows(shared: Path, tmp_path: Path, split: str) -> None:
    write_windows(shared / "data", tmp_path, "pawsx")
    values = study(tmp_path, "pawsx", split)
    outcome = run(parse_study(values), tmp_path / "store")
    assert {row.reason for row in outcome.skipped} == (
        {"untranslated"} if split == "test" else {"untranslated", "control"}
    )
    window = WINDOWS["pawsx", split]
    if split == "test":
        french = [int(row.id.split("-")[2]) for row in outcome.skipped if row.lang == "fr"]
        assert sorted(number + window.start - 1 for number in french) == [85, 91]
    else:
        (control,) = (row for row in outcome.skipped if row.reason == "control")
        assert control.id == f"pawsx-dev-{824 - window.start + 1}-ko"
    check(tmp_path, values, outcome, len(window))
