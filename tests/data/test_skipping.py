"""Which rows are skipped, for which reason, and how many are too many."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from babelscope.data.corpora import read as read_corpus
from babelscope.data.formats.tables import read
from babelscope.data.skipping import REASONS, check_skipped, describe, paired, partition
from babelscope.data.texts import check_text
from babelscope.errors import BadRow, InputError
from babelscope.types import Example, SkippedRow

GOOD = [Example(f"good-{number}", ("a text", "another"), "en", label="yes") for number in range(9)]
BAD = {
    "control": Example("c", ("a\x08b", "x"), "en", label="yes"),
    "surrogate": Example("s", ("a \ud800", "x"), "en", label="yes"),
    "blank": Example("b", (" \u3000", "\n"), "en", label="yes"),
    "blank side": Example("h", ("a", ""), "en", label="yes"),
    "untranslated": Example("u", ("NS", "x"), "en", label="yes"),
    "label": Example("l", ("a", "x"), "en", label="maybe"),
}


@pytest.mark.parametrize("reason", BAD)
def test_a_bad_row_is_left_out_with_its_reason(reason: str) -> None:
    bad = BAD[reason]
    rows, skipped = partition([*GOOD[:4], bad, *GOOD[4:]], labels=("yes", "no"))
    assert rows == GOOD
    assert [(row.id, row.lang, row.reason) for row in skipped] == [(bad.id, "en", reason)]
    assert partition(rows, labels=("yes", "no")) == (GOOD, ())


def test_a_single_text_among_pairs_has_one_blank_side() -> None:
    """Tables give a blank cell as no text. Where single texts are no exception, they stay."""
    alone = Example("alone", ("a text",), "en", label="yes")
    assert [row.reason for row in partition([*GOOD, alone]).skipped] == ["blank side"]
    assert partition([GOOD[0], alone]).rows == [GOOD[0], alone]
    nothing = Example("nothing", ("",), "en", label="yes")
    assert [row.reason for row in partition([*GOOD, nothing]).skipped] == ["blank"]


def test_labels_are_needed_or_not() -> None:
    missing = Example("m", ("a", "b"), "en")
    withheld = Example("w", ("a", "b"), "en", label="-1")
    assert partition([*GOOD, missing]).rows == [*GOOD, missing]
    assert [row.reason for row in partition([*GOOD, missing], labelled=True).skipped] == [
        "unlabelled"
    ]
    assert [row.reason for row in partition([*GOOD, withheld]).skipped] == ["label"]
    assert partition([withheld] * 3).rows == [withheld] * 3, "a split without any label is no fault"
    answered = Example("a", ("q", "an answer"), "en", answer=(3, 9))
    assert partition([answered], labelled=True).rows == [answered]


def test_translations_of_a_skipped_row_are_left_out() -> None:
    rows = [Example(f"{lang}-{n}", ("x",), lang, f"g{n}") for lang in ("en", "hi") for n in (1, 2)]
    skipped = [SkippedRow("hi-1", "g1", "hi", "blank", "")]
    assert [row.id for row in paired(rows, skipped)] == ["en-2", "hi-2"]


def test_the_share_that_may_be_skipped() -> None:
    """1 of 20 is 5 %, which is allowed; 1 of 19 is more. Strict refuses any; and so does a single
    row that is all there is, in its own words.
    """
    row = SkippedRow("r-7", "r-7", "en", "control", "the text holds U+0008")
    check_skipped([row], 20)
    check_skipped([row], 2, most=0.5)
    with pytest.raises(InputError) as caught:
        check_skipped([row], 19)
    assert str(caught.value) == (
        "1 of 19 rows skipped: 1 with a control character (r-7); more than 0.05 of the rows is too "
        "many (max_skipped); the first: r-7: the text holds U+0008"
    )
    for total, strict in ((1, False), (10_000, True)):
        with pytest.raises(BadRow, match=r"^r-7: the text holds U\+0008$"):
            check_skipped([row], total, strict=strict)


def test_the_summary_counts_and_names() -> None:
    skipped = [SkippedRow(f"z{n}", "", "zh", "control", "") for n in range(4)]
    skipped.append(SkippedRow("e1", "", "en", "blank", ""))
    assert describe(skipped, 5010) == (
        "5 of 5,010 rows skipped: 1 with a blank text (e1), 4 with a control character "
        "(z0, z1, z2, ...)"
    )
    assert describe(skipped[:1]) == "1 row skipped: 1 with a control character (z0)"
    assert {row.reason for row in skipped} <= set(REASONS)


def test_an_error_about_a_row_crosses_processes() -> None:
    with pytest.raises(BadRow) as caught:
        check_text(BAD["control"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.row) == (str(caught.value), caught.value.row)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"text": "a", "id": "1"}\n{"text": "", "id": "2", "label": "x"}\n'),
        ("a.jsonl", '{"text": "a", "id": "1"}\n{"text": null, "id": "2", "label": "x"}\n'),
        ("a.csv", "id,text,label\n1,a,\n2,,x\n"),
        ("a.tsv", "id\ttext\tlabel\n1\ta\t\n2\t \tx\n"),
    ],
)
def test_blank_rows_of_files_are_read_and_skipped_later(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    rows = read(tmp_path / name)
    assert [(row.id, row.label) for row in rows] == [("1", None), ("2", "x")]
    assert [(row.id, row.reason) for row in partition(rows).skipped] == [("2", "blank")]


def test_bad_rows_of_a_corpus_are_read_where_they_can_be_skipped(tmp_path: Path) -> None:
    rows = ("a\tb\t1", "\tb\t0", "a\tb\t2", "a\tNS\t0", "a\tb\t")
    text = "\n".join(["sentence1\tsentence2\tlabel", *rows, ""])
    (tmp_path / "test-de.tsv").write_text(text, "utf-8")
    with pytest.raises(InputError, match="line 3, field sentence1: nothing"):
        list(read_corpus("pawsx", tmp_path, lang="de"))
    every = list(read_corpus("pawsx", tmp_path, lang="de", bad_rows=True))
    labels = ("different", "paraphrase")
    good, skipped = partition(every, labels=labels, labelled=True)
    assert [row.id for row in good] == ["pawsx-test-1-de"]
    assert [(row.group, row.reason) for row in skipped] == [
        ("pawsx-test-2", "blank side"),
        ("pawsx-test-3", "label"),
        ("pawsx-test-4", "untranslated"),
        ("pawsx-test-5", "unlabelled"),
    ]
