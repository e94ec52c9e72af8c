"""Seconds and tokens per explanation by method and number of samples."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from babelscope import options
from babelscope.methods.explain import explain
from babelscope.model.load import Model, load
from babelscope.training.small import make
from babelscope.types import Example
from experiments.review_models import LABELS, reviews

DESIGN = {"design": "fixed(3)", "score": "lin"}


class Spec(options.Spec):
    folder: Path
    part: str
    texts: int
    vocabulary: int
    models: list[tuple[int, int, list[int]]]
    sampled: list[str]
    others: list[str]
    published: dict[int, list[float]]


def values(spec: Spec) -> dict[str, Any]:
    rows = reviews(spec.folder, spec.part)
    tables = []
    for layers, width, samples in spec.models:
        with tempfile.TemporaryDirectory() as folder:
            texts = [row.texts[0] for row in rows]
            make(folder, "bert", texts, list(LABELS), layers=layers, width=width,
                 vocabulary=spec.vocabulary)  # fmt: skip
            model = load(folder, allow_untrained_head=True)
        tables.append((layers, width, timed(spec, model, rows[: spec.texts], samples)))
    return {"spec": spec, "tables": tables}


def timed(
    spec: Spec, model: Model, texts: list[Example], samples: list[int]
) -> list[tuple[str, str, float, float]]:
    """Method, samples, processor seconds and tokens read, per text; methods at their defaults, too."""
    plan: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in (*spec.others, *spec.sampled)]
    for count in samples:
        designs = {name: DESIGN if name == "slalom" else {} for name in spec.sampled}
        plan += [(name, {**designs[name], "samples": count}) for name in spec.sampled]
    lines = []
    for name, chosen in plan:
        begin, tokens = time.process_time(), model.inference.tokens
        explain(model, texts, name, quantity="log_odds", options=chosen)
        taken = (time.process_time() - begin) / len(texts)
        read = (model.inference.tokens - tokens) / len(texts)
        lines.append((name, str(chosen.get("samples", "default")), taken, read))
    return lines
