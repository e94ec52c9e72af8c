"""How complete DeepLIFT is on every architecture, here and in Captum."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.timing import table
from captum.attr import DeepLift

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from babelscope.data.formats.lists import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.methods.gradient import displacement
from babelscope.model.encode import encode
from babelscope.model.load import Model
from zoo import MODELS, build, main_task

TEXT = "the food was not good but the room was lovely"


class Logit(torch.nn.Module):
    """One logit of the model as a function of its word embeddings: what Captum can be given."""

    def __init__(self, model: Model, index: int) -> None:
        super().__init__()
        self.hf, self.index, self.last = model.hf, index, model.reads_last_token

    def forward(self, embedded: torch.Tensor) -> torch.Tensor:
        logits = self.hf(
            inputs_embeds=embedded, attention_mask=torch.ones(embedded.shape[:2], dtype=torch.long)
        ).logits
        return (
            logits[:, -1 if self.last else 0, self.index]
            if logits.ndim == 3
            else logits[:, self.index]
        )


def captum(model: Model, index: int, baseline: str) -> tuple[float, float]:
    """Its gap, and the difference that it should explain."""
    (row,) = encode(model, as_examples(TEXT))
    e = model.embeddings(torch.from_numpy(row.ids))[None].detach()
    reference = e - displacement(model, row, baseline)[None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = DeepLift(Logit(model, index)).attribute(e.requires_grad_(True), reference)
    f = Logit(model, index)
    with torch.no_grad():
        difference = float((f(e) - f(reference)).detach())
    return abs(float(scores.detach().sum()) - difference), difference


def line(name: str) -> list[str]:
    model = build(name, main_task(name))
    model.hf.float()
    (one,) = explain(model, TEXT, "deeplift")
    wanted = one.value - (one.reference_value or 0.0)
    gap = abs(float(np.sum(one.scores)) - wanted)
    cells: list[Any] = [name, f"{wanted:.3f}", f"{gap:.0e}"]
    try:
        theirs, difference = captum(model, one.target_index, "pad")
        cells.append(
            f"{theirs:.1e}"
            if abs(difference - wanted) < 1e-3
            else f"{theirs:.1e} (of {difference:.3f})"
        )
    except Exception as error:  # whatever another package raises is the result
        cells.append(f"{type(error).__name__}: {str(error).splitlines()[0][:60]}")
    return cells


def page() -> str:
    lines = [line(name) for name in MODELS]
    worst = max(lines, key=lambda cells: float(cells[2]))
    head = ["architecture", "F(x) - F(reference)", "gap, babelscope", "gap, Captum"]
    return f"""# DeepLIFT, complete or not

DeepLIFT's scores sum to the difference between the value of a text and that of its reference. Two-layer models of every
architecture, random weights, biases not 0, float32, one sentence, padding as the reference. This page is written by `python -m
experiments deeplift`.

{table(head, lines)}

The largest gap of ours is {worst[2]} ({worst[0]}). Captum's `DeepLift` replaces the slopes of ten kinds of torch modules;
functions (softmax, GELU written as a function), norms and products keep their gradients, so it returns another quantity.
"""
