"""What a GPU gives: are its explanations those of the processor, and how fast are they? To be run
by whoever has one; the JSON file can be sent back.

    python -m benchmarks.gpu gpu.json [DEVICE] [MODEL]

DEVICE is cuda by default; with cpu it shows that the script runs. MODEL is a folder or a hub id, by
default the packaged English model, which is too small to be fast on a GPU.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from babelscope import corpus
from babelscope.methods.explain import explain
from babelscope.model.load import Model, load
from babelscope.model.memory import available
from babelscope.types import Attribution, Example

METHODS = ("input_x_gradient", "attnlrp", "integrated_gradients", "occlusion")
PRECISIONS = {"float32": 1e-3, "bfloat16": 2e-1}
"""How far scores may be from those of the processor in float32, as a share of the largest."""
TEXTS = 64
SMALL = 256
"""Tokens in a batch that is small: batches of any size give the same scores."""


def gap(first: Sequence[Attribution], second: Sequence[Attribution]) -> float:
    """The largest difference of a score, as a share of the largest score of its text."""
    pairs = [(np.array(a.scores), np.array(b.scores)) for a, b in zip(first, second, strict=True)]
    return max(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-12)) for a, b in pairs)


def timed(
    model: Model, texts: list[Example], method: str, target: str
) -> tuple[list[Attribution], float]:
    """The explanations of one class, and seconds of a second call: the first one warms up."""
    explain(model, texts, method, target=target)
    begin = time.perf_counter()
    attributions = list(explain(model, texts, method, target=target))
    return attributions, time.perf_counter() - begin


def row(
    model: Model, texts: list[Example], reference: Sequence[Attribution], method: str, limit: float
) -> dict[str, Any]:
    """One method on the device, compared with the processor and with small batches."""
    target, on_cuda = reference[0].target, model.device.type == "cuda"
    if on_cuda:
        torch.cuda.reset_peak_memory_stats(model.device)
    attributions, seconds = timed(model, texts, method, target)
    peak = torch.cuda.max_memory_allocated(model.device) if on_cuda else None
    budget, model.inference.budget = model.inference.budget, SMALL
    small = list(explain(model, texts, method, target=target))
    model.inference.budget = budget
    gaps = {"cpu": gap(reference, attributions), "small batches": gap(attributions, small)}
    return {
        "method": method, "seconds": round(seconds, 4), "gap": gaps, "peak bytes": peak,
        "within": all(each <= limit for each in gaps.values()),
    }  # fmt: skip


def report(source: str, device: str, count: int = TEXTS) -> dict[str, Any]:
    """All methods in all precisions."""
    texts = corpus.sentiment("en", "test", count)
    rows = []
    cpu = load(source, device="cpu", dtype="float32")
    target = explain(cpu, texts[:1], "random")[0].target
    for method in METHODS:
        reference, seconds = timed(cpu, texts, method, target)
        for precision, limit in PRECISIONS.items():
            model = load(source, device=device, dtype=precision)
            measured = row(model, texts, reference, method, limit)
            rows.append({"precision": precision, "cpu seconds": round(seconds, 4)} | measured)
            print(json.dumps(rows[-1]), flush=True)
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else platform.machine()
    return {
        "device": device, "name": name, "free bytes": available(torch.device(device)),
        "versions": {each: version(each) for each in ("torch", "transformers")},
        "model": source, "texts": len(texts), "rows": rows,
    }  # fmt: skip


def main(file: str, device: str = "cuda", source: str = "demo-en") -> None:
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise SystemExit("no GPU is visible; name another device: python -m benchmarks.gpu F cpu")
    Path(file).write_text(json.dumps(report(source, device), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
