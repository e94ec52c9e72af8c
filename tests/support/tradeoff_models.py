"""Tiny checkpoints and texts for studies of trade-offs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForMaskedLM

from babelscope.data import builtin
from babelscope.types import Example
from conftest import tiny

LABELS = ("mixed", "negative", "positive")
LANGS = ("en", "hi")
Texts = dict[str, dict[str, list[Example]]]


def checkpoints(root: Path, classes: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Untrained models as checkpoints, by name with their classes; "base" has a language model
    head.
    """
    folders = {}
    for at, (name, labels) in enumerate(classes.items()):
        model = tiny("bert", tuple(labels))
        torch.manual_seed(at)
        hf = type(model.hf)(model.hf.config)
        if name == "base":
            hf = AutoModelForMaskedLM.from_config(model.hf.config)
        hf.float().save_pretrained(root / name)
        model.tokenizer.save_pretrained(root / name)
        folders[name] = str(root / name)
    return folders


def texts(many: int = 12) -> Texts:
    """Built-in reviews in both languages, labelled in turn with three classes."""
    splits: Texts = {}
    for split in ("test", "dev", "train"):
        splits[split] = {}
        for lang in LANGS:
            rows = builtin.read("sentiment", lang, split, many)
            splits[split][lang] = [
                replace(row, label=LABELS[at % 3]) for at, row in enumerate(rows)
            ]
    return splits


def write_texts(
    folder: Path, splits: Mapping[str, Mapping[str, Sequence[Example]]]
) -> dict[str, Any]:
    """The texts as files, and the data of a task that reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, by_lang in splits.items():
        for lang, rows in by_lang.items():
            lines = [_line(row) for row in rows]
            (folder / f"{split}-{lang}.jsonl").write_text("".join(lines), "utf-8")
    names = {"test": "file", "dev": "dev_file", "train": "train_file"}
    return {names[split]: str(folder / f"{split}-{{lang}}.jsonl") for split in splits} | {
        "examples": None
    }


def _line(row: Example) -> str:
    fields = {
        "id": row.id,
        "group": row.group,
        "lang": row.lang,
        "text": row.texts[0],
        "label": row.label,
    }
    return (
        json.dumps(
            fields | ({"pair": row.texts[1]} if len(row.texts) == 2 else {}), ensure_ascii=False
        )
        + "\n"
    )


def study_values(
    folders: Mapping[str, str],
    data: Mapping[str, Any],
    names: Sequence[str] = ("en-0", "en-1", "hi-0", "hi-1"),
    *,
    languages: Sequence[str] = LANGS,
    block: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A study of checkpoints that are called LANG-SEED, with the base where there is one."""
    stated = {name: {"language": name[:2], "seed": int(name[3:])} for name in names}
    base = {"base": folders["base"]} if "base" in folders else {}
    return {
        "name": "tradeoffs",
        "tasks": [{"name": "reviews", "data": dict(data)}],
        "languages": list(languages),
        "models": [{"name": name, "source": folders[name]} for name in names],
        "tradeoffs": {"stated": stated, **base, **(block or {})},
    }
