"""DeepLIFT of Captum on the logit of a transformer."""

from __future__ import annotations

import warnings

import torch
from captum.attr import DeepLift

from babelscope.data.formats.in_memory import as_examples
from babelscope.methods.gradient import displacement
from babelscope.model.encode import encode
from babelscope.model.load import Model


class Logit(torch.nn.Module):
    """One logit of the model as a function of its word embeddings, as Captum takes it."""

    def __init__(self, model: Model, index: int) -> None:
        super().__init__()
        self.hf, self.index, self.place = model.hf, index, -1 if model.reads_last_token else 0

    def forward(self, embedded: torch.Tensor) -> torch.Tensor:
        mask = torch.ones(embedded.shape[:2], dtype=torch.long)
        logits = self.hf(inputs_embeds=embedded, attention_mask=mask).logits
        return (logits[:, self.place] if logits.ndim == 3 else logits)[:, self.index]


def captum_gap(model: Model, index: int, text: str, baseline: str, expected: float) -> str:
    """Captum's gap; with the difference that it explains where that is another."""
    logit = Logit(model, index)
    (row,) = encode(model, as_examples(text))
    e = model.embeddings(torch.from_numpy(row.ids))[None].detach()
    reference = e - displacement(model, row, baseline)[None]
    difference = float((logit(e) - logit(reference)).detach())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = DeepLift(logit).attribute(e.requires_grad_(True), reference)
    gap = f"{abs(float(scores.detach().sum()) - difference):.1e}"
    return gap if abs(difference - expected) < 1e-3 else f"{gap} (of {difference:.3f})"
