"""Files of texts: every format, every fault with its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.data.formats import hub
from babelscope.data.formats.tables import read, stream
from babelscope.errors import InputError

ROWS = [
    {"id": "a", "text": 'said "no", twice', "label": "negative", "lang": "en", "group": "g"},
    {"id": "b", "text": "अच्छा था", "label": "positive", "lang": "hi", "group": "g"},
]


def write(folder: Path, ending: str) -> Path:
    file = folder / f"rows{ending}"
    if ending == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), file)
    elif ".jsonl" in ending:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
        file.write_bytes(gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode())
    elif ending == ".csv":
        file.write_text(
            'id,text,label,lang,group\na,"said ""no"", twice",negative,en,g\nb,अच्छा '
            "था,positive,hi,g\n",
            "utf-8",
        )
    else:
        file.write_text(
            'id\ttext\tlabel\tlang\tgroup\na\tsaid "no", twice\tnegative\ten\tg\nb\tअच्छा '
            "था\tpositive\thi\tg\n",
            "utf-8",
        )
    return file


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".csv", ".tsv", ".parquet"])
def test_every_format_gives_the_same_examples(tmp_path: Path, ending: str) -> None:
    first, second = read(write(tmp_path, ending))
    assert (first.id, first.texts, first.label, first.lang, first.group) == (
        "a",
        ('said "no", twice',),
        "negative",
        "en",
        "g",
    )
    assert (second.texts, second.lang) == (("अच्छा था",), "hi")


def test_columns_are_mapped_and_pairs_found(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"premise": "a b", "hypothesis": "c", "gold_label": 2}\n')
    (row,) = read(file, columns={"label": "gold_label"}, lang="en")
    assert (row.id, row.texts, row.label, row.lang, row.group) == (
        "1",
        ("a b", "c"),
        "2",
        "en",
        "1",
    )
    with pytest.raises(InputError, match="no column 'gold'"):
        read(file, columns={"label": "gold"})
    with pytest.raises(InputError, match="no field 'lable'"):
        read(file, columns={"lable": "gold_label"})


def test_gold_is_read_under_its_names(tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    gold = {"words": [[[0, 3], [4, 8]]], "rationale": [[0, 1]], "heads": [[2, 0]],
            "relations": [["nsubj", "root"]],
            "concepts": [[["ann"], []]], "answer": [4, 8]}  # fmt: skip
    file.write_text(json.dumps({"text": "Ann sang", **gold}) + "\n")
    (row,) = read(file)
    assert (row.words, row.rationale, row.heads) == (
        (((0, 3), (4, 8)),),
        ((False, True),),
        ((2, 0),),
    )
    assert (row.relations, row.concepts, row.answer) == (
        (("nsubj", "root"),),
        ((("ann",), ()),),
        (4, 8),
    )
    (tmp_path / "gold.csv").write_text("text,answer\nAnn sang,whatever\n")
    assert read(tmp_path / "gold.csv")[0].answer is None, "in a CSV it is a column like any other"


def test_a_stream_reaches_a_fault_when_it_comes(tmp_path: Path) -> None:
    file = tmp_path / "late.jsonl"
    file.write_text('{"text": "a"}\n{"text": 3}\n')
    rows = stream(file)
    assert next(rows).texts == ("a",)
    with pytest.raises(InputError, match="line 2, field text"):
        next(rows)
    with pytest.raises(InputError, match="there is no file"):
        stream(tmp_path / "absent.jsonl")


def test_hub_data_sets_are_streamed_and_their_labels_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    kinds = {"review": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])}
    made = datasets.Dataset.from_dict(
        {"review": ["a b", "c", "d"], "label": [1, 0, -1]}, features=datasets.Features(kinds)
    )
    made.to_parquet(str(tmp_path / "train.parquet"))
    rows = list(hub.read(str(tmp_path), split="train", columns={"text": "review"}, lang="en"))
    assert [(row.id, row.texts, row.label) for row in rows] == [
        ("1", ("a b",), "yes"),
        ("2", ("c",), "no"),
        ("3", ("d",), None),
    ]
    assert {row.lang for row in rows} == {"en"}
    with pytest.raises(InputError, match=r"line 1.*no text") as caught:
        list(hub.read(str(tmp_path), split="train"))
    assert "\n" not in str(caught.value)
    for name, split in ((str(tmp_path), "nothing"), ("nobody/nothing", "test")):
        with pytest.raises(InputError, match="cannot be read from the Hugging Face hub") as caught:
            hub.read(name, split=split)
        assert "\n" not in str(caught.value)


@given(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(lambda text: text.strip())
)
@settings(max_examples=50, deadline=None)
def test_any_text_survives_jsonl(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("t") / "rows.jsonl"
    file.write_text(json.dumps({"text": text}) + "\n", "utf-8")
    assert read(file)[0].texts == (text,)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"text": 3}\n', "line 1, field text: a value of type int; expected a text"),
        ("a.jsonl", b"[1]\n", "line 1: a JSON list; expected an object"),
        ("a.jsonl", b'\xff{"text": "a"}\n', "cannot be read"),
        ("a.jsonl.gz", gzip.compress(b'{"text": "a"}\n', mtime=0)[:-9], "cannot be read"),
        ("a.jsonl.gz", b"not gzip", "cannot be read"),
        ("a.parquet", b"not parquet", "not a readable Parquet file"),
        ("a.csv", b'text,label\n"open,b\n', "line"),
        ("a.tsv", b"text\tlabel\na\n", "line 2: 1 columns, but the header has 2"),
    ],
    ids=["number", "list", "latin", "truncated", "no gzip", "no parquet", "open quote", "columns"],
)
def test_faults_are_named_with_their_place(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name)
