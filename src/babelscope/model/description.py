"""What a model is, in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelscope.model.transformer import Model

SHOWN = 6
"""Labels that are listed by name."""


def describe(model: Model) -> str:
    """Architecture, task, labels, languages of the fine-tuning if known, precision and memory.

    BertForSequenceClassification (text-classification); 2 labels: no, yes; fine-tuned on en;
    float32; 16 MB on cpu
    """
    if model.row.reads_text:
        return f"a function of texts to {model.hf.outputs}; {_labels(model)}"
    parts = [f"{type(model.hf).__name__} ({model.task})", _labels(model)]
    languages = tuned_languages(str(getattr(model.hf, "name_or_path", "")))
    if languages:
        parts.append(f"fine-tuned on {', '.join(languages)}")
    return "; ".join([part for part in (*parts, _precision(model), _memory(model)) if part])


def tuned_languages(folder: str) -> tuple[str, ...]:
    """The languages in the training.json of a model that was fine-tuned here; none if unknown."""
    try:
        record = json.loads((Path(folder) / "training.json").read_text("utf-8"))
        return tuple(str(lang) for lang in record["languages"]) if folder else ()
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _labels(model: Model) -> str:
    if model.generates and not model.verbalizer:
        return f"next token of {len(model.labels)}"
    labels = model.labels
    if not labels:
        return ""
    rest = ", ..." if len(labels) > SHOWN else ""
    count = "1 label" if len(labels) == 1 else f"{len(labels)} labels"
    return f"{count}: {', '.join(labels[:SHOWN])}{rest}"


def _precision(model: Model) -> str:
    names = {
        str(weight.dtype).removeprefix("torch.")
        for weight in model.hf.parameters()
        if weight.dtype.is_floating_point
    }
    return " and ".join([*sorted(names), *(["quantized"] if model.quantized else [])])


def _memory(model: Model) -> str:
    tensors = {id(each): each for each in (*model.hf.parameters(), *model.hf.buffers())}
    size = sum(each.numel() * each.element_size() for each in tensors.values())
    amount = f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
    placed = getattr(model.hf, "hf_device_map", None) or {}
    devices = {str(each) for each in placed.values()} | {
        str(each.device) for each in tensors.values() if each.device.type != "meta"
    }
    return f"{amount} on {', '.join(sorted(devices))}"
