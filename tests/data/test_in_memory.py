"""Rows and tables in memory become examples by their columns, or are refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from babelscope.data.formats.in_memory import as_examples
from babelscope.data.formats.tables import read
from babelscope.errors import InputError
from babelscope.types import Example

COLUMNS = {"sentence1": ["a", "b"], "sentence2": ["c", "d"], "label": ["x", None],
           "lang": ["en", "fr"]}  # fmt: skip
PAIRS = [
    Example("1", ("a", "c"), "en", "1", "x"),
    Example("2", ("b", "d"), "fr", "2", None),
]


def polars_like(columns: dict[str, list[Any]]) -> Any:
    """A table of another package: it has columns and speaks Arrow, nothing else."""

    class Table:
        columns: tuple[str, ...] = ()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(columns).__arrow_c_stream__(requested_schema)

    return Table()


@pytest.mark.parametrize(
    "data",
    [
        [dict(zip(COLUMNS, row)) for row in zip(*COLUMNS.values())],
        COLUMNS,
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=["p", "q"]),
        pa.table(COLUMNS),
        pa.table(COLUMNS).to_reader(),
        {name: np.array(values) for name, values in COLUMNS.items()},
        {name: pd.Series(values) for name, values in COLUMNS.items()},
        datasets.Dataset.from_dict(COLUMNS),
        datasets.Dataset.from_dict(COLUMNS).with_format("pandas"),
        polars_like(COLUMNS),
    ],
    ids=[
        "list",
        "columns",
        "pandas",
        "pandas with an index",
        "arrow",
        "arrow reader",
        "arrays",
        "series",
        "datasets",
        "datasets as pandas",
        "other",
    ],
)
def test_rows_of_every_kind_are_the_same_examples(data: Any) -> None:
    assert as_examples(data, "de") == PAIRS


def test_a_mapping_is_one_row() -> None:
    assert as_examples({"text": "a", "id": 7}, "en") == [Example("7", ("a",), "en")]
    assert as_examples({"question": "a?", "context": "b"})[0].texts == ("a?", "b")
    assert as_examples({"premise": "a", "hypothesis": "b"})[0].texts == ("a", "b")


def test_numbers_of_classes_become_their_names() -> None:
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])}
    )
    rows = datasets.Dataset.from_dict({"text": ["a", "b"], "label": [1, -1]}, features=features)
    assert [row.label for row in as_examples(rows)] == ["yes", None]


@pytest.mark.parametrize("column", [pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]])])
def test_a_column_of_arrow_is_texts(column: Any) -> None:
    assert [row.texts for row in as_examples(column)] == [("a",), ("b",)]


def test_empty_cells_of_a_table_are_blank_texts_and_missing_labels() -> None:
    """They are skipped where they would be used, as the blank rows of a file; classes that pandas
    holds as 1.0 because a cell is empty keep their names."""
    frame = pd.DataFrame({"text": ["a", None, "c"], "label": [1, None, 0]})
    for data in (frame, frame.to_dict("records"), frame.to_dict("list")):
        rows = as_examples(data)
        assert [row.texts[0] for row in rows] == ["a", "", "c"]
        assert [row.label for row in rows] == ["1", None, "0"]
    assert as_examples({"text": "a", "label": 2.5})[0].label == "2.5"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pd.DataFrame({"review": ["a"], "stars": [1]}), "found the columns review, stars"),
        ({"review": "a"}, "found the columns review"),
        ([{"text": "a"}, {"text": 3}], "row 2 of the data, column text: a value of type int"),
        ({"text": ["a", "b"], "lang": "en"}, "a value of type list"),
        ({"text": ["a", "b"], "label": [1]}, "different lengths: text 2, label 1"),
        ({"text": "a", "lang": "english"}, "did you mean 'en'"),
        ({"text": "a", "label": "\ud800"}, "lone surrogate"),
        (pd.DataFrame({"text": ["a", 3]}), "mixed types"),
        (
            pd.DataFrame([["a", "b"]], columns=["text", "text"]),
            "the table cannot be read: Duplicate column names",
        ),
        ({"label": "long but known", "texxt": "a", "note": "longer"}, "--column text=texxt,"),
        ({"stars": 5, "title": "a", "review_body": "longer"}, "--column text=review_body,"),
        ({"stars": 5}, "--column text=COLUMN,"),
        (pd.DataFrame({"text": []}), "there is no text"),
        (None, "cannot read texts from NoneType"),
        (b"text", "cannot read texts from bytes"),
        ([3], "item 1 is neither"),
        ({"text": 3}, "row 1 of the data, column text: a value of type int; expected a text"),
        ({"a", "b"}, "a set has no order"),
        (("a", "b", "c"), "item 1 is a tuple of 3 texts; a pair of texts is a tuple of two"),
        ("reviews.csv", "give babelscope.read('reviews.csv')"),
        ("hub:org/name/en/test", "give babelscope.data.sources.rows('hub:org/name/en/test')"),
    ],
)
def test_what_holds_no_text_is_refused_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        as_examples(data)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_texts_that_mention_a_file_are_texts() -> None:
    for text in ("I lost reviews.csv", "hub: it was closed", "reviews.csv is gone"):
        assert as_examples(text)[0].texts == (text,)


def test_a_language_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean 'en'"):
        as_examples("a text", "english")


@pytest.mark.parametrize("form", [None, "torch", "numpy", "pandas", "arrow"])
def test_the_format_of_a_data_set_changes_no_row(form: str | None) -> None:
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])}
    )
    data = datasets.Dataset.from_dict({"text": ["a", "b"], "label": [1, -1]}, features=features)
    assert [row.label for row in as_examples(data.with_format(form))] == ["yes", None]


def test_filters_compare_numbers_by_their_value() -> None:
    """A column of pandas with gaps holds 5.0 for 5."""
    frame = pd.DataFrame({"text": ["a", "b", "c"], "stars": [5, None, 3]})
    assert frame["stars"].dtype == float
    assert [row.texts[0] for row in read(frame, where={"stars": [1, 5]})] == ["a"]
    assert [row.texts[0] for row in read(frame, where={"stars": 3.0})] == ["c"]


def test_filters_that_leave_nothing_say_so(tmp_path: Path) -> None:
    rows = [{"text": "a", "stars": 3}]
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(rows[0]), "utf-8")
    line = r"no row has the values that the filter 'where' names \(stars: 1, 5\)$"
    for data in (rows, file):
        with pytest.raises(InputError, match=line):
            read(data, where={"stars": [1, 5]})


@pytest.mark.parametrize("option", [{"columns": {"text": "body"}}, {"where": {"stars": 1}}])
def test_column_maps_and_filters_of_what_has_no_columns_are_refused(
    tmp_path: Path, option: Any
) -> None:
    for data in (["a text"], PAIRS):
        with pytest.raises(
            InputError, match=r"^columns and where are for rows with columns; found"
        ):
            read(data, **option)
    (tmp_path / "squad.json").write_text('{"data": []}', "utf-8")
    with pytest.raises(InputError, match=r"has no effect on the JSON of SQuAD$"):
        read(tmp_path / "squad.json", **option)


def test_rows_in_a_json_array_are_refused_with_the_format_for_rows(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text('[{"text": "a"}]', "utf-8")
    with pytest.raises(InputError, match=r"rows are \.jsonl, an object per line"):
        read(file)
