"""Every kind of input that people arrive with: the same two labelled rows as data, and the same
model.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import babelscope
from babelscope.data.formats import hub
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


def data_kinds(folder: Path, model: Any) -> dict[str, Any]:
    """The rows as each kind of data, under the name that the documentation has for it."""
    data = datasets.Dataset.from_dict(COLUMNS)
    frame = pd.DataFrame(ROWS)
    odd = frame.rename(columns={"text": "Review body", "label": "stars", "lang": "Language"})
    columns = {"text": "Review body", "label": "stars", "lang": "Language"}
    return {
        "a string": ROWS[0]["text"],
        "a list of strings": [row["text"] for row in ROWS],
        "a pair in a tuple": (ROWS[0]["text"], ROWS[1]["text"]),
        "`Example`s": [Example(str(at), (row["text"],), "en", label=row["label"])
                       for at, row in enumerate(ROWS)],
        "a dict (one row)": ROWS[0],
        "a list of dicts": ROWS,
        "a generator of dicts": Fresh(lambda: (dict(row) for row in ROWS)),
        "a dict of columns": COLUMNS,
        "a NumPy array of texts": frame["text"].to_numpy(dtype=str),
        "a pandas Series of texts": frame["text"],
        "a pandas DataFrame": frame,
        "a DataFrame with other column names": odd,
        "the same through `read(data, columns={...})`": babelscope.read(odd, columns=columns),
        "a polars DataFrame": pl.DataFrame(ROWS),
        "a polars LazyFrame": pl.LazyFrame(ROWS),
        "an Arrow table": pa.table(COLUMNS),
        "an Arrow column": pa.chunked_array([COLUMNS["text"]]),
        "`datasets.Dataset`": data,
        "`datasets.DatasetDict`": datasets.DatasetDict(train=data, test=data),
        "`datasets.IterableDataset`": data.to_iterable_dataset(),
        **file_kinds(folder),
        "the name of a file, as a string": str(folder / "rows.csv"),
        "rows of the hub (or of a mirror)":
            Fresh(lambda: hub.read("tests/reviews", "en", "train")),
        "explanations": babelscope.explain(model, ROWS, "occlusion"),
    }  # fmt: skip


class Fresh:
    """What can be used once only: each use gets a new one."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def fresh(data: Any) -> Any:
    return data.make() if isinstance(data, Fresh) else data


def file_kinds(folder: Path) -> dict[str, Path]:
    """The rows as files, and as a data set of a mirror."""
    files = {
        ".jsonl": "\n".join(map(json.dumps, ROWS)),
        ".csv": pd.DataFrame(ROWS).to_csv(index=False),
        ".tsv": pd.DataFrame(ROWS).to_csv(index=False, sep="\t"),
        ".json": json.dumps(QUESTION),
    }
    for ending, text in files.items():
        (folder / f"rows{ending}").write_text(text)
    pq.write_table(pa.table(COLUMNS), folder / "rows.parquet")
    return {
        f"`Path` of a {ending} file": folder / f"rows{ending}" for ending in (*files, ".parquet")
    }


def write_hub_rows(mirror: Path) -> None:
    """The rows as the data set tests/reviews of a mirror, configuration en, split train."""
    folder = mirror / "datasets" / "tests" / "reviews"
    (folder / "en").mkdir(parents=True)
    pq.write_table(pa.table(COLUMNS), folder / "en" / "train-00000-of-00001.parquet")
    card = "configs:\n- config_name: en\n  data_files:\n  - {split: train, path: en/train-*}"
    (folder / "README.md").write_text(f"---\n{card}\n---\n")


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
        "a folder with an adapter of peft": str(adapter(folder)),
        "a transformers pipeline": pipeline,
        "a (model, tokenizer) pair": (model.hf, model.tokenizer),
        "a model without its tokenizer": model.hf,
        "a classifier of scikit-learn": classifier(),
        "a function through `from_function`": babelscope.from_function(
            half, labels=["negative", "positive"]
        ),
        "a function of texts": half,
    }


def adapter(folder: Path) -> Path:
    """A folder with LoRA's matrices alone, which names the model as its base."""
    import peft
    from transformers import AutoModelForSequenceClassification

    base = AutoModelForSequenceClassification.from_pretrained(folder)
    config = peft.LoraConfig(
        task_type=peft.TaskType.SEQ_CLS, r=2, target_modules=["query"], init_lora_weights=False
    )
    lora = folder.parent / "lora"
    peft.get_peft_model(base, config).save_pretrained(str(lora))
    return lora


def half(texts: list[str]) -> list[list[float]]:
    return [[0.5, 0.5]] * len(texts)


def classifier() -> Any:
    """A fitted pipeline from texts to labels."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(
        [row["text"] for row in ROWS], [row["label"] for row in ROWS]
    )
