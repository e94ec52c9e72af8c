"""What is written comes back: read(write(x)) == x for any text and any gold."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.data.formats.export import write
from babelscope.data.formats.tables import read, stream
from babelscope.errors import InputError
from babelscope.types import Example

HARD = (
    "\u2028",
    "\u2029",
    "\x85",
    '"',
    '""',
    "'",
    ",",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\\",
    "\ufeff",
    "\u202e",
    "\u200f",
    "👩‍👩‍👧",
    "é",
    "\x1c",
)
TEXT = st.lists(
    st.one_of(
        st.sampled_from(HARD),
        st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00")),
    ),
    max_size=8,
).map("".join)
FULL = TEXT.filter(bool)


@st.composite
def examples(draw: st.DrawFn, gold: bool = True) -> dict[str, Any]:
    """The fields of an example: it is made in the test, since checking its types inside a strategy
    uses random numbers.
    """
    texts = tuple(draw(st.lists(FULL, min_size=1, max_size=2)))
    parts: dict[str, Any] = {}
    if gold and draw(st.booleans()):
        words = tuple(draw(_words(text)) for text in texts)
        parts["words"] = words
        parts["rationale"] = draw(
            st.none() | st.tuples(*(st.tuples(*(st.booleans() for _ in each)) for each in words))
        )
        parts["relations"] = draw(
            st.none() | st.tuples(*(st.tuples(*(TEXT for _ in each)) for each in words))
        )
        names = st.lists(TEXT, max_size=2).map(tuple)
        parts["concepts"] = draw(
            st.none() | st.tuples(*(st.tuples(*(names for _ in each)) for each in words))
        )
        chain = tuple(
            tuple(range(len(each))) for each in words
        )  # every word hangs on the one before it
        parts["heads"] = draw(st.sampled_from((None, chain)))
    if gold and draw(st.booleans()):
        start = draw(st.integers(0, len(texts[-1]) - 1))
        parts["answer"] = (start, draw(st.integers(start + 1, len(texts[-1]))))
    names = {
        "id": draw(FULL),
        "lang": draw(st.sampled_from(["en", "hin", "zh-Hans", "pt-BR", "und"])),
        "group": draw(TEXT),
        "label": draw(st.none() | FULL),
    }
    return {**names, "texts": texts, **parts}


@st.composite
def _words(draw: st.DrawFn, text: str) -> tuple[tuple[int, int], ...]:
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    return tuple(pairwise(cuts))


def unique(fields: list[dict[str, Any]]) -> list[Example]:
    return list({(row["id"], row["lang"]): Example(**row) for row in fields}.values())


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
@given(fields=st.lists(examples(), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, ending: str, fields: list[dict[str, Any]]
) -> None:
    rows = unique(fields)
    file = tmp_path_factory.mktemp("export") / f"rows{ending}"
    assert write(rows, file) == len(rows)
    assert read(file) == rows
    assert list(stream(file)) == rows


@given(fields=st.lists(examples(gold=False), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_csv_keeps_texts_and_labels(
    tmp_path_factory: pytest.TempPathFactory, fields: list[dict[str, Any]]
) -> None:
    rows = unique(fields)
    file = tmp_path_factory.mktemp("export") / "rows.csv.gz"
    write(rows, file)
    assert read(file) == rows


@given(fields=st.lists(examples(gold=False), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_tsv_keeps_them_or_refuses(
    tmp_path_factory: pytest.TempPathFactory, fields: list[dict[str, Any]]
) -> None:
    rows = unique(fields)
    file = tmp_path_factory.mktemp("export") / "rows.tsv"
    cells = [
        cell for row in rows for cell in (row.id, row.lang, row.group, row.label or "", *row.texts)
    ]
    if any(mark in cell for cell in cells for mark in "\t\n\r"):
        with pytest.raises(InputError, match="a TSV cannot hold a tab"):
            write(rows, file)
        assert not file.exists()
    else:
        write(rows, file)
        assert read(file) == rows


def test_gold_is_left_out_of_csv(tmp_path: Path) -> None:
    one = Example("1", ("a b",), "en", "g", "x", words=(((0, 1),),), rationale=((True,),))
    write([one], tmp_path / "a.csv")
    assert read(tmp_path / "a.csv") == [replace(one, words=None, rationale=None)]


def test_builtin_examples_come_back_with_all_gold(tmp_path: Path) -> None:
    from babelscope import corpus

    for name in corpus.CORPORA:
        rows = [row for lang in ("en", "ar", "zh") for row in corpus.read(name, lang, "test", 20)]
        assert rows[0].concepts
        assert rows[0].heads
        for ending in ("jsonl", "parquet"):
            write(rows, tmp_path / f"{name}.{ending}")
            assert read(tmp_path / f"{name}.{ending}") == rows


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    def broken() -> Iterator[Example]:
        yield Example("1", ("a",))
        raise InputError("the source ends here")

    for name in ("a.jsonl", "a.jsonl.gz", "a.parquet", "a.csv"):
        file = tmp_path / name
        file.write_bytes(b"old")
        with pytest.raises(InputError, match="ends here"):
            write(broken(), file)
        assert file.read_bytes() == b"old"
        file.unlink()
        assert not list(tmp_path.iterdir()), "nothing else is left"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([Example("1", ("a\ud83d",))], "'1' cannot be written: it holds a lone surrogate"),
        ([Example("1", ("",))], "'1' cannot be written: texts: no text"),
        ([Example("1", ("a", ""))], "'1' cannot be written: an empty id, label, language or text"),
        ([Example("1", ("a",), label="")], "'1' cannot be written: an empty id"),
        (
            [Example("1", ("a",), rationale=((True,),))],
            "'1' cannot be written: rationale: no words",
        ),
        ([Example("1", ("a",)), Example("1", ("b",))], "the id '1' occurs twice"),
    ],
)
@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_what_would_not_come_back_is_refused(
    tmp_path: Path, rows: list[Example], message: str, ending: str
) -> None:
    with pytest.raises(InputError) as caught:
        write(rows, tmp_path / f"a{ending}")
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_endings_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the ending must be one of"):
        write([], tmp_path / "a.parquet.gz")
    with pytest.raises(InputError, match="the ending must be one of"):
        write([], tmp_path / "a.txt")
    with pytest.raises(InputError, match="there is no folder"):
        write([], tmp_path / "no" / "a.jsonl")
    rows = [Example(str(at), (f"text {at}",)) for at in range(2500)]
    write(rows, tmp_path / "a.jsonl.gz")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).count(b"\n") == 2500
    write(rows, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == rows, "more than one batch"
