"""Label maps, filters, answers and other sources of training rows, in files and on a mirror."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest

from babelscope.data.examples import examples, usable_and_dropped
from babelscope.data.formats import hub
from babelscope.data.formats.answers import answer_span
from babelscope.data.formats.row_cache import cached_rows
from babelscope.data.formats.tables import read
from babelscope.data.selection import describe_dropped
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.hub import MIRROR

STARS = {"1": "negative", "2": "negative", "4": "positive", "5": "positive"}
ROWS = [
    {"text": f"text {number}", "lang": "en", "label": number % 5 + 1, "kind": "ab"[number % 2]}
    for number in range(20)
]


@pytest.fixture
def file(tmp_path: Path) -> str:
    place = tmp_path / "reviews.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return str(place)


def data(file: str, in_file: bool, **fields: Any) -> DataSpec:
    return DataSpec(file=file, **fields) if in_file else DataSpec(rows=ROWS, **fields)


@pytest.mark.parametrize("in_file", [True, False])
def test_a_label_map_drops_what_it_does_not_name(file: str, in_file: bool) -> None:
    """Four of twenty rows have three stars; the others come before the count is taken."""
    spec = data(file, in_file, labels=STARS, examples=None)
    part, dropped = usable_and_dropped(spec, "en", labelled=True)
    assert [row.label for row in part.rows] == [
        STARS[str(n % 5 + 1)] for n in range(20) if n % 5 != 2
    ]
    assert dropped == {"3": 4}
    assert part.skipped == ()
    assert describe_dropped(dropped) == "4 rows left out by the label map: 3 (4)"
    first = examples(data(file, in_file, labels=STARS, examples=3), "en")
    assert [row.texts[0] for row in first] == ["text 0", "text 1", "text 3"]


@pytest.mark.parametrize("in_file", [True, False])
def test_filters_keep_the_numbers_of_rows(file: str, in_file: bool) -> None:
    rows = examples(data(file, in_file, where={"kind": "b", "label": [1, 2]}), "en")
    # Odd numbers whose remainder by 5 is 0 or 1: 1, 5, 11, 15; rows are numbered from 1
    assert [row.id for row in rows] == ["2", "6", "12", "16"]
    with pytest.raises(InputError, match="names the column 'stars'; there are: text, lang"):
        examples(data(file, in_file, where={"stars": 5}), "en")


def test_filters_and_maps_belong_to_sources_with_columns() -> None:
    with pytest.raises(ValueError, match="'where' names columns"):
        DataSpec(builtin="topic", where={"a": 1})
    with pytest.raises(ValueError, match="'revision' and 'data_dir' belong to"):
        DataSpec(file="rows.csv", data_dir="en")
    with pytest.raises(ValueError, match="'train_hub' is for a 'corpus', a 'file' or"):
        DataSpec(builtin="topic", train_hub="org/name")
    # Labels of the built-in corpus can be renamed
    rows = examples(DataSpec(builtin="sentiment", labels={"positive": "1"}, examples=20), "en")
    assert {row.label for row in rows} == {"1"}


@pytest.mark.parametrize(
    ("answers", "span"),
    [
        ({"text": ["hotel"], "answer_start": [4]}, (4, 9)),
        ([{"text": "hotel", "answer_start": 4}], (4, 9)),
        ({"text": ["Hotel", "good"], "answer_start": [4, 17]}, (17, 21)),
        ({"text": [], "answer_start": []}, None),
        ({"text": ["hotel"], "answer_start": [3]}, None),
        ({"text": np.array(["hotel"]), "answer_start": np.array([4])}, (4, 9)),
        ([{"text": "hotel", "answer_start": np.int64(4)}], (4, 9)),
        ({"text": "hotel", "answer_start": 4}, (4, 9)),
        ({"text": ["hotel"]}, None),
        (None, None),
        ("hotel", None),
    ],
)
def test_answers_as_in_squad(answers: Any, span: tuple[int, int] | None) -> None:
    """The first answer that is where it says to be; none of an unanswerable question."""
    assert answer_span("the hotel is not good", answers) == span


def test_files_in_the_json_of_squad_are_read_by_their_ending(tmp_path: Path) -> None:
    question = {"id": "q1", "question": "what?", "answers": [{"text": "hotel", "answer_start": 4}]}
    paragraph = {"context": "the hotel is good", "qas": [question]}
    place = tmp_path / "squad.json"
    place.write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}), "utf-8")
    (row,) = read(place, lang="en")
    assert (row.texts, row.answer, row.lang) == (("what?", "the hotel is good"), (4, 9), "en")
    rows = tmp_path / "rows.jsonl"
    flat = {"question": "what?", "context": "the hotel is good"}
    rows.write_text(
        json.dumps(flat | {"answers": {"text": ["hotel"], "answer_start": [4]}}), "utf-8"
    )
    assert read(rows)[0].answer == (4, 9)


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two data sets: one with a folder for each language, and one to train on."""
    for name, folder, lang in (
        ("org/test", "en", "en"),
        ("org/test", "hi", "hi"),
        ("org/more", "", "xx"),
    ):
        place = tmp_path / "datasets" / name / folder / "test.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        columns = {"text": [f"{lang} {n}" for n in range(4)], "label": ["a", "b", "a", "b"]}
        datasets.Dataset.from_dict(columns).to_parquet(str(place))
    monkeypatch.setenv(MIRROR, str(tmp_path))
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)


@pytest.mark.usefixtures("tables")
def test_folders_and_other_data_sets_of_the_hub() -> None:
    spec = DataSpec(
        hub="org/test", data_dir="{lang}", train_hub="org/more", train_split="test",
        dev_split="test", where={"label": "a"},
    )  # fmt: skip
    assert [row.texts[0] for row in examples(spec, "hi")] == ["hi 0", "hi 2"]
    assert [row.id for row in examples(spec, "hi")] == ["1", "3"]
    # One split serves both: the first of twenty rows is for selection
    assert [row.texts[0] for row in examples(spec, "hi", "train", 9)] == ["xx 2"]
    assert [row.texts[0] for row in examples(spec, "hi", "dev", 9)] == ["xx 0"]


def test_rows_of_the_hub_are_fetched_once(tmp_path: Path) -> None:
    """Readings of 3, 5, 2 and all of 8 rows fetch 8 rows in all; the last ones none at all."""
    fetched: list[int] = []

    def fetch(start: int) -> Iterator[dict[str, Any]]:
        for number in range(start, 8):
            fetched.append(number)
            yield {"text": f"t{number}", "label": number, "list": ["a", None]}

    expected = list(fetch(0))
    fetched.clear()
    for count in (3, 5, 2, 8, 9, 9):
        rows = cached_rows(tmp_path / "rows", fetch)
        assert list(islice(rows, count)) == expected[:count]
        rows.close()
    assert fetched == list(range(8))


def test_a_reading_that_fails_keeps_what_it_has(tmp_path: Path) -> None:
    def fetch(start: int) -> Iterator[dict[str, Any]]:
        yield {"text": "first"}
        raise InputError("the connection was lost")

    with pytest.raises(InputError, match="lost"):
        list(cached_rows(tmp_path / "rows", fetch))
    assert list(islice(cached_rows(tmp_path / "rows", fetch), 1)) == [{"text": "first"}]
    assert not (tmp_path / "rows" / "complete").exists()


@pytest.mark.usefixtures("tables")
def test_the_second_model_reads_the_rows_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name of the hub is streamed once for each commit."""
    monkeypatch.delenv(MIRROR)
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    calls: list[str] = []
    load = datasets.load_dataset

    def streamed(place: str, *args: Any, **options: Any) -> Any:
        calls.append(place)
        return load(str(tmp_path / "datasets" / place), *args, **{**options, "revision": None})

    monkeypatch.setattr(datasets, "load_dataset", streamed)
    commits = {"main": "a" * 40}
    monkeypatch.setattr(hub, "_commit", lambda name, revision: commits.get("main"))
    first = list(hub.read("org/more"))
    assert list(hub.read("org/more")) == first
    assert calls == ["org/more"]
    commits.clear()  # without a network, the commit that was read last
    assert list(hub.read("org/more")) == first
    commits["main"] = "b" * 40
    assert list(hub.read("org/more")) == first
    assert calls == ["org/more"] * 2
