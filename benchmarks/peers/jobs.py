"""What is explained: a file that every process reads, ours too. Ours writes token ids, targets and
units into it, so that a peer that takes ids has them, and a peer that takes strings can be checked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor

from babelscope.files import write_text
from babelscope.model import inference
from babelscope.model.encode import encode_readable
from babelscope.model.erase import default_operator, erase
from babelscope.model.load import Model, load
from babelscope.model.targets import predicted, value
from babelscope.types import Encoded, Example
from benchmarks import decoders, material

TEXTS = 8
WORDS = range(7, 15)
CHARACTERS = range(8, 21)
"""Short texts, by words that blanks separate; Chinese ones by characters."""
PACKAGES = ("torch", "transformers")
DECODER = material.PROMPTED
"""The decoder is explained without a prompt: the next token after the text."""


def blanks(text: str, lang: str) -> tuple[tuple[int, int], ...]:
    """The spans of the units that perturbing methods erase: words between blanks, in Chinese
    characters.
    """
    if lang == "zh":
        return tuple((at, at + 1) for at, sign in enumerate(text) if not sign.isspace())
    spans, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        spans.append((at, at + len(word)))
        at += len(word)
    return tuple(spans)


def short(examples: Sequence[Example], count: int) -> list[Example]:
    """The first texts of a suitable length, with their units."""
    rows = []
    for example in examples:
        text = " ".join(example.texts[0].split())
        spans = blanks(text, example.lang)
        if len(spans) in (CHARACTERS if example.lang == "zh" else WORDS):
            rows.append(replace(example, texts=(text,), units=(("blank", (spans,)),)))
    return rows[:count]


def models() -> list[tuple[str, Model, list[Example]]]:
    """The classifiers that are here, and the decoder. The texts of the multilingual one are in
    languages that put blanks between words.
    """
    sides = []
    for name, model, _ in material.classifiers():
        if name == material.material().model:
            each = [
                short(material.examples(lang, "test"), TEXTS) for lang in ("en", "es", "hi", "ar")
            ]
            rows = [row for group in zip(*each) for row in group][:TEXTS]
        else:
            rows = short(material.examples(material.REAL[name], "test"), TEXTS)
        sides.append((name, model, rows))
    weights = material._weights(DECODER)
    if weights is not None and material.material().real:
        rows = short(decoders.texts("sentiment", material.SHARED / "data", "en", 200), TEXTS)
        sides.append((DECODER, load(weights, name=DECODER, dtype="float32"), rows))
    return sides


def job(name: str, model: Model, examples: Sequence[Example], source: Path) -> dict[str, Any]:
    """As JSON."""
    encoded, skipped = encode_readable(model, examples, part="all", long="truncate", unit="blank")
    if skipped:
        raise ValueError(f"{name}: {len(skipped)} texts cannot be read")
    outputs = inference.outputs(model, [inference.query(row) for row in encoded])
    operator = default_operator(model)
    masks = {"mask": model.tokenizer.mask_token_id, "unk": model.tokenizer.unk_token_id}
    mask = masks.get(operator)
    return {
        "model": name, "folder": str(source), "decoder": bool(model.generates),
        "architecture": type(model.hf).__name__,
        "first": -1 if model.generates else model.first_position,
        "mask": model.tokenizer.pad_token_id if mask is None else mask,
        "pad": model.tokenizer.pad_token_id, "operator": operator,
        "texts": [
            text(row, predicted(model, row, output).index, difference(model, row, output))
            for row, output in zip(encoded, outputs)
        ],
    }  # fmt: skip


def difference(model: Model, row: Encoded, output: Tensor) -> float:
    """F(x) - F(b), F the explained logit, b the text with padding tokens in place of its content:
    what complete scores sum to. NaN without a padding token.
    """
    target = predicted(model, row, output)
    if model.tokenizer.pad_token_id is None:
        return math.nan
    baseline = erase(model, row, row.content, "pad")
    if baseline is None:
        return math.nan
    (reference,) = inference.outputs(model, [baseline])
    return float(value(model, output, target) - value(model, reference, target))


def text(row: Encoded, target: int, change: float) -> dict[str, Any]:
    """`unit` is the unit of each content token, `difference` the change from the baseline."""
    if row.units is None:
        raise ValueError(f"{row.example.id} has no units")
    return {
        "text": row.example.texts[0], "lang": row.example.lang, "ids": row.ids.tolist(),
        "content": row.content.tolist(), "target": target, "difference": change,
        "unit": row.units.index[row.content].tolist(),
        "spans": [list(span) for span in row.units.offsets],
    }  # fmt: skip


def write(place: Path, described: dict[str, Any], packages: Sequence[str]) -> Path:
    write_text(place, json.dumps({**described, "packages": [*PACKAGES, *packages]}))
    return place
