"""Every kind of input that people arrive with: the same two labelled rows as data, and the same
model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from babelscope.types import Example

ROWS = [
    {"text": "the food was good", "label": "positive", "lang": "en"},
    {"text": "the room was not lovely", "label": "negative", "lang": "en"},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
QUESTION = {
    "data": [{"paragraphs": [{
        "context": "the food was good",
        "qas": [{"id": "1", "question": "what was good?",
                 "answers": [{"text": "food", "answer_start": 4}]}],
    }]}]
}  # fmt: skip


def data_kinds(folder: Path) -> dict[str, Any]:
    """The rows as each kind of data, under the name that the documentation has for it."""
    hub = datasets.Dataset.from_dict(COLUMNS)
    files = {
        ".jsonl": "\n".join(map(json.dumps, ROWS)),
        ".csv": pd.DataFrame(ROWS).to_csv(index=False),
        ".tsv": pd.DataFrame(ROWS).to_csv(index=False, sep="\t"),
        ".json": json.dumps(QUESTION),
    }
    for ending, text in files.items():
        (folder / f"rows{ending}").write_text(text)
    pq.write_table(pa.table(COLUMNS), folder / "rows.parquet")
    paths = {
        f"`Path` of a {ending} file": folder / f"rows{ending}" for ending in (*files, ".parquet")
    }
    return {
        "a string": ROWS[0]["text"],
        "a list of strings": [row["text"] for row in ROWS],
        "a pair in a tuple": (ROWS[0]["text"], ROWS[1]["text"]),
        "`Example`s": [Example(str(at), (row["text"],), "en", label=row["label"])
                       for at, row in enumerate(ROWS)],
        "a dict (one row)": ROWS[0],
        "a list of dicts": ROWS,
        "a pandas DataFrame": pd.DataFrame(ROWS),
        "a polars DataFrame": pl.DataFrame(ROWS),
        "an Arrow table": pa.table(COLUMNS),
        "`datasets.Dataset`": hub,
        "`datasets.DatasetDict`": datasets.DatasetDict(train=hub, test=hub),
        "`datasets.IterableDataset`": hub.to_iterable_dataset(),
        **paths,
        "the name of a file, as a string": str(folder / "rows.csv"),
    }  # fmt: skip


def model_kinds(folder: Path, model: Any) -> dict[str, Any]:
    """The model as each kind of source."""
    import transformers

    pipeline = transformers.pipeline(
        "text-classification", model=model.hf, tokenizer=model.tokenizer
    )
    return {
        "a loaded model": model,
        "a folder": str(folder),
        "`Path` of a folder": folder,
        "a hub id (or from a mirror)": "tests/tiny",
        "a transformers pipeline": pipeline,
        "a (model, tokenizer) pair": (model.hf, model.tokenizer),
        "a function of texts": lambda texts: [[0.5, 0.5]] * len(texts),
    }
