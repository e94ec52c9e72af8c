"""The checker: each fault with its file, line, field, what was found and expected; and
it goes on.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelscope import corpus
from babelscope.data.check import TASKS, check, examine
from babelscope.data.formats import conllu
from babelscope.data.formats.export import write
from babelscope.data.formats.problems import Problem
from babelscope.data.formats.tables import read
from babelscope.errors import InputError

GOOD = {"text": "a b c", "label": "positive"}
PAIR = {"text": "who sang?", "pair": "Ann sang."}
WORDS = {"words": [[[0, 1], [2, 3], [4, 5]]]}


def rows(folder: Path, *given: Mapping[str, Any]) -> Path:
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in given), "utf-8")
    return file


@pytest.mark.parametrize(
    ("task", "row", "field", "found", "expected"),
    [
        ("sentiment", {"text": "a", "label": "good"}, "label", "'good'", "negative, positive"),
        (
            "nli",
            {**PAIR, "label": "maybe"},
            "label",
            "'maybe'",
            "entailment, neutral, contradiction",
        ),
        ("paraphrase", {**PAIR, "label": "1"}, "label", "'1'", "different, paraphrase"),
        (
            "nli",
            {"text": "a", "label": "neutral"},
            "pair",
            "the pair is missing",
            "premise and hypothesis",
        ),
        (
            "paraphrase",
            {"text": "a", "label": "different"},
            "pair",
            "the pair is missing",
            "sentence",
        ),
        ("reading", {"text": "a"}, "pair", "the pair is missing", "question and context"),
        ("sentiment", {**PAIR, "label": "positive"}, "pair", "two texts", "text"),
        ("topic", {"label": "x"}, "", "no text", "a text"),
        ("topic", {"text": "", "label": "x"}, "", "no text", "a text"),
        ("topic", {"text": " \u3000"}, "text", "only white space", "a clean text"),
        ("topic", {"text": 3}, "text", "type int", "a text"),
        ("topic", {"text": "a\x07"}, "text", "control character U+0007", "remove it"),
        (
            "reading",
            {"text": "a", "pair": "b\x1b"},
            "pair",
            "control character U+001B",
            "remove it",
        ),
        ("topic", {"text": "a \ud83d"}, "text", "lone surrogate U+D83D", "UTF-8"),
        ("reading", {**PAIR, "answer": [4, 99]}, "answer", "[4, 99]", "within the 9 characters"),
        ("reading", {**PAIR, "answer": [4, 4]}, "answer", "[4, 4]", "within the 9 characters"),
        ("reading", {**PAIR, "answer": "Ann"}, "answer", "'Ann'", "[start, end]"),
        (
            "topic",
            {"text": "a b c", **WORDS, "rationale": [[1, 0]]},
            "rationale",
            "2 values for text 1",
            "its 3 words",
        ),
        (
            "topic",
            {"text": "a b c", **WORDS, "heads": [[0, 1, 1, 1]]},
            "heads",
            "4 values for text 1",
            "its 3 words",
        ),
        (
            "topic",
            {"text": "a b c", **WORDS, "heads": [[0, 1, 4]]},
            "heads",
            "word 3 has the head 4",
            "trees",
        ),
        (
            "topic",
            {"text": "a b c", **WORDS, "heads": [[0, 3, 2]]},
            "heads",
            "word 2 is its own ancestor",
            "trees",
        ),
        (
            "topic",
            {"text": "a b c", **WORDS, "relations": [["x"]]},
            "relations",
            "1 values for text 1",
            "its 3 words",
        ),
        (
            "topic",
            {"text": "a b c", **WORDS, "concepts": [[], []]},
            "concepts",
            "2 lists",
            "each of the 1 texts",
        ),
        (
            "topic",
            {"text": "a b c", "rationale": [[1, 0, 0]]},
            "rationale",
            "no words",
            "the field words",
        ),
        ("topic", {"text": "a b c", "words": [[[0, 9]]]}, "words", "[0, 9]", "within the text"),
        (
            "topic",
            {"text": "a b c", "words": [[[2, 3], [0, 1]]]},
            "words",
            "[0, 1]",
            "one after the other",
        ),
        ("topic", {"text": "a b c", "words": [[0, 1]]}, "words", "[[0, 1]]", "[start, end]"),
    ],
)
def test_faults_of_a_row(
    tmp_path: Path, task: str, row: Mapping[str, Any], field: str, found: str, expected: str
) -> None:
    sound = {**(PAIR if len(TASKS[task].texts) == 2 else {"text": "a"}), "id": "sound"}
    if row.get("label"):
        sound["label"] = (TASKS[task].labels or ("x",))[0]
    file = rows(tmp_path, sound, row, {**sound, "id": "sound too"})
    count, (problem,) = examine(file, task)
    assert (problem.file, problem.line, problem.field) == (str(file), 2, field)
    assert found in problem.found
    assert expected in problem.expected
    assert count >= 2, "it goes on"
    assert str(problem).startswith(f"{file}, line 2")


@pytest.mark.parametrize("task", TASKS)
def test_a_sound_file_has_no_problem(tmp_path: Path, task: str) -> None:
    texts = PAIR if len(TASKS[task].texts) == 2 else {"text": "a"}
    label = {"label": TASKS[task].labels[-1]} if TASKS[task].labels else {}
    assert examine(rows(tmp_path, {**texts, **label}, {**texts, **label}), task) == (2, [])


def test_the_builtin_corpora_are_sound(tmp_path: Path) -> None:
    for name in corpus.CORPORA:
        write(
            [row for lang in corpus.LANGUAGES for row in corpus.read(name, lang, "dev", 30)],
            tmp_path / f"{name}.jsonl",
        )
        assert examine(tmp_path / f"{name}.jsonl", name) == (30 * len(corpus.LANGUAGES), [])


def test_it_finds_all_and_sorts_them(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_bytes(
        b'{"text": "a", "label": "positive"}\n{"text": \n\n{"text": "caf\xe9", "label": '
        b'"positive"}\n'
        b'{"text": "b", "label": "odd"}\n[1]\n{"text": "c"}\n'
    )
    found = check(file, "sentiment")
    assert [(one.line, one.field) for one in found] == [
        (2, ""),
        (4, ""),
        (5, "label"),
        (6, ""),
        (7, "label"),
    ]
    assert "broken JSON" in found[0].found
    assert found[1] == Problem(
        str(file), 4, "", "cannot be read: byte 0xe9 at position 13 is not UTF-8", "text in UTF-8"
    )
    assert "since other rows have one" in found[4].expected


def test_repeated_ids_and_missing_translations(tmp_path: Path) -> None:
    base = {"text": "a", "label": "positive"}
    file = rows(
        tmp_path,
        {**base, "id": "1", "lang": "en", "group": "g1"},
        {**base, "id": "1", "lang": "hi", "group": "g1"},
        {**base, "id": "2", "lang": "en", "group": "g2"},
        {**base, "id": "2", "lang": "en", "group": "g1"},
    )
    group, twice = check(file, "sentiment")
    assert (group.line, group.field, group.found, group.expected) == (
        3,
        "group",
        "group 'g2' in en only",
        "it in hi too",
    )
    assert (twice.line, twice.field, twice.found) == (
        4,
        "id",
        "the id '2' occurs twice for language 'en'",
    )
    apart = rows(tmp_path, {**base, "id": "1", "lang": "en"}, {**base, "id": "2", "lang": "hi"})
    assert check(apart, "sentiment") == [], "languages that share no group are not parallel"


@pytest.mark.parametrize(
    ("name", "content", "line", "found"),
    [
        (
            "a.tsv",
            b"text\tlabel\na\tpositive\nb\nc\tpositive\n",
            3,
            "1 columns, but the header has 2",
        ),
        (
            "a.csv",
            b"text,label\na,positive\nb,positive,x\nc,positive\n",
            3,
            "3 columns, but the header has 2",
        ),
        ("a.csv", b'text,label\na,positive\nb,"x"y\nc,positive\n', 3, "expected after"),
        (
            "a.csv",
            b"text,label\na,positive\ncaf\xe9,positive\nc,positive\n",
            3,
            "byte 0xe9 at position 3 is not UTF-8",
        ),
        (
            "a.tsv",
            b"text\tlabel\na\tpositive\n\xff\tpositive\nc\tpositive\n",
            3,
            "byte 0xff at position 0 is not UTF-8",
        ),
        ("a.parquet", b"PAR1 not", 0, "not a readable Parquet file"),
        ("a.jsonl", b"", 0, "no row"),
        ("a.json", b'{"data": 3', 1, "broken JSON"),
        ("a.json", b"[]", 0, "no such member"),
        ("a.json", b'{"data": 3}', 0, "a int"),
        ("a.tsv", b"id\ttext\tlabel\n1\ta\tpositive\n\tb\tpositive\n4\t\tpositive\n", 4, "no text"),
    ],
    ids=[
        "short row",
        "long row",
        "quote",
        "latin csv",
        "latin tsv",
        "parquet",
        "empty",
        "json",
        "no squad",
        "no articles",
        "empty cells",
    ],
)
def test_faults_of_a_format(
    tmp_path: Path, name: str, content: bytes, line: int, found: str
) -> None:
    (tmp_path / name).write_bytes(content)
    count, (problem,) = examine(tmp_path / name, "sentiment")
    assert (problem.file, problem.line) == (str(tmp_path / name), line)
    assert found in problem.found
    assert problem.expected
    assert count >= 2 or line < 2, "it goes on"


def test_a_truncated_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": str(at), "text": f"text {at * 7919}", "label": "positive"})
        for at in range(5000)
    ]
    packed = gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)
    file = tmp_path / "cut.jsonl.gz"
    file.write_bytes(packed[: len(packed) // 2])
    count, (problem,) = examine(file, "sentiment")
    assert 1000 < count < 4000
    assert problem.line == count + 1
    assert "end-of-stream marker" in problem.found
    assert problem.expected == "a complete gzip file"
    with pytest.raises(InputError, match=rf"cut\.jsonl\.gz, line {count + 1}: cannot be read"):
        read(file)
    (tmp_path / "no.jsonl.gz").write_bytes(b"plain")
    (problem,) = check(tmp_path / "no.jsonl.gz", "sentiment")
    assert "not a gzipped file" in problem.found


def test_parquet_rows_are_numbered(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist([GOOD, {**GOOD, "label": "odd"}]), tmp_path / "a.parquet")
    (problem,) = check(tmp_path / "a.parquet", "sentiment")
    assert (problem.line, problem.field, problem.found) == (2, "label", "'odd'")


def test_squad_spans(tmp_path: Path) -> None:
    wrong = {"id": "a", "question": "Who?", "answers": [{"text": "Ann", "answer_start": 4}]}
    data = [
        {
            "paragraphs": [
                {
                    "context": "Ann sang.",
                    "qas": [
                        wrong,
                        {**wrong, "answers": []},
                        {"id": "c"},
                        {**wrong, "answers": ["x"]},
                    ],
                }
            ]
        }
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"data": data}))
    found = {problem.field: problem for problem in check(file, "reading")}
    place = "data[0].paragraphs[0].qas"
    assert set(found) == {
        f"{place}[0].answers[0]",
        f"{place}[1].answers",
        "id",
        f"{place}[2]",
        f"{place}[3]",
    }
    assert "the answer 'Ann' in the context" in found[f"{place}[0].answers[0]"].expected


TREE = [
    "# sent_id = 1",
    "# text = a b c",
    "1\ta\t_\t_\t_\t_\t2\tdep\t_\t_",
    "2\tb\t_\t_\t_\t_\t0\troot\t_\t_",
    "3\tc\t_\t_\t_\t_\t2\tdep\t_\t_",
    "",
]


@pytest.mark.parametrize(
    ("change", "line", "field", "found"),
    [
        ({2: "1\ta\t_\t_\t_\t_\t2\tdep\t_"}, 3, "", "9 columns"),
        ({4: "3\tc\t_\t_\t_\t_\t0\troot\t_\t_"}, 5, "HEAD", "2 roots"),
        ({3: "2\tb\t_\t_\t_\t_\t1\tdep\t_\t_"}, 3, "HEAD", "0 roots"),
        ({4: "3\tc\t_\t_\t_\t_\t4\tdep\t_\t_"}, 5, "HEAD", "4"),
        ({4: "3\tc\t_\t_\t_\t_\t-1\tdep\t_\t_"}, 5, "HEAD", "'-1'"),
        (
            {2: "1\ta\t_\t_\t_\t_\t3\tdep\t_\t_", 4: "3\tc\t_\t_\t_\t_\t1\tdep\t_\t_"},
            1,
            "HEAD",
            "own ancestor",
        ),
        ({4: "2\tc\t_\t_\t_\t_\t2\tdep\t_\t_"}, 5, "ID", "2"),
        ({4: "4\tc\t_\t_\t_\t_\t2\tdep\t_\t_"}, 5, "ID", "4"),
        ({4: "x\tc\t_\t_\t_\t_\t2\tdep\t_\t_"}, 5, "ID", "'x'"),
        ({3: "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_"}, 4, "ID", "1-2"),
        ({2: "1-4\ta\t_\t_\t_\t_\t_\t_\t_\t_\n" + TREE[2]}, 3, "ID", "a range to 4"),
        (
            {
                2: "1-2\ta\t_\t_\t_\t_\t_\t_\t_\t_\n" + TREE[2],
                3: "2-3\tb\t_\t_\t_\t_\t_\t_\t_\t_\n" + TREE[3],
            },
            5,
            "ID",
            "2-3",
        ),
        ({4: "3\td\t_\t_\t_\t_\t2\tdep\t_\t_"}, 5, "FORM", "'d', where the text continues 'c'"),
        ({1: "# note = x"}, 1, "# text", "nothing"),
        ({0: "# sent_id = 0"}, 8, "id", "occurs twice"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_trees(tmp_path: Path, change: dict[int, str], line: int, field: str, found: str) -> None:
    changed = [change.get(at, text) for at, text in enumerate(TREE)]
    sound = [text.replace("sent_id = 1", "sent_id = 0") for text in TREE]
    file = tmp_path / "a.conllu"
    file.write_text("\n".join([*changed, "", *sound, ""]), "utf-8")
    problem, *more = check(file, "syntax")
    assert not more
    assert (problem.file, problem.line, problem.field) == (str(file), line, field)
    assert found in problem.found
    assert problem.expected
    if field != "id":
        with pytest.raises(InputError, match=rf"a\.conllu, line {line}"):
            list(conllu.read(file, "x", "p"))


def test_what_was_asked_wrongly_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no task 'nil'; there are: sentiment"):
        check(tmp_path, "nil")
    with pytest.raises(InputError, match="there is no file"):
        check(tmp_path / "a.jsonl", "nli")
    with pytest.raises(InputError, match=r"the ending '\.xlsx' is not one of \.jsonl"):
        check(tmp_path / "a.xlsx", "nli")
