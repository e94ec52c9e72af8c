"""Every page of docs/results has an experiment, and every experiment's file is valid."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest
from experiments import files, tradeoff_rows
from experiments.__main__ import NAMES
from experiments.study_sets import Cut, cut_folder, write_cuts

from babelscope import corpus
from babelscope.data.examples import examples
from babelscope.data.spec import DataSpec

LINES = 60
"""The most that turns the results of an experiment into what its page shows."""


def test_every_page_has_an_experiment() -> None:
    assert {path.stem for path in files.PAGES.glob("*.md")} == set(NAMES)


@pytest.mark.parametrize("name", files.NAMES)
@pytest.mark.parametrize("size", [None, "pilots", "full"])
def test_its_file_is_valid(name: str, size: str | None) -> None:
    assert files.parsed(name, size) is not None


@pytest.mark.parametrize("name", files.NAMES)
def test_an_experiment_is_short_and_has_a_page(name: str) -> None:
    source = files.HERE / f"{name.replace('-', '_')}.py"
    assert len(source.read_text("utf-8").splitlines()) <= LINES
    assert (files.HERE / "templates" / f"{name}.md.j2").is_file()


def test_a_cut_is_some_rows_of_a_corpus_in_each_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The built-in corpus starts with the same examples whatever their number, so that rows 2 to 4
    of five are rows 2 to 4 of any."""
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path))
    cut = Cut(source="topic/{lang}/dev/5", languages=["en", "hi"], start=2, stop=4)
    write_cuts({"part": cut}, tmp_path)
    for lang in ("en", "hi"):
        data = DataSpec(file=str(cut_folder() / "part-{lang}.jsonl"))
        assert examples(data, lang) == corpus.read("topic", lang, "dev", 4)[2:]


def test_rows_that_cannot_be_read_or_have_no_label_are_not_in_a_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    lines = ["sentence1\tsentence2\tlabel", "a\tb\t1", "a\b\tc\t0", "a\td\t", "a\te\t0"]
    (tmp_path / "test-en.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    write_cuts({"part": Cut(source="pawsx/{lang}/test", languages=["en"])}, tmp_path)
    rows = examples(DataSpec(file=str(cut_folder() / "part-{lang}.jsonl")), "en")
    assert [row.texts for row in rows] == [("a", "b"), ("a", "e")]


def test_rows_of_trade_offs_average_what_is_defined_over_other_languages() -> None:
    """By hand: (0.2 + 0.4) / 2 = 0.3 over es and zh, nothing of hi, whose value is undefined."""
    table = {"value": [[0.1, None]], "low": [[0.0, None]], "high": [[0.2, None]]}
    assert tradeoff_rows.interval(table, 0, 0) == (0.1, 0.0, 0.2)
    assert all(map(isnan, tradeoff_rows.interval(table, 0, 1)))
    cells = [("en", 0.9), ("es", 0.2), ("zh", 0.4), ("hi", None)]
    rows = [{"source": "en", "target": target, "value": value} for target, value in cells]
    other = {"source": "es", "target": "en", "value": 0.7}
    own, others = tradeoff_rows.split([*rows, other], "en")
    assert tradeoff_rows.average([row["value"] for row in own]) == pytest.approx(0.9)
    assert tradeoff_rows.average([row["value"] for row in others]) == pytest.approx(0.3)
    assert isnan(tradeoff_rows.average([None]))
