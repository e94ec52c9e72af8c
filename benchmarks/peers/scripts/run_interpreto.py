"""Interpreto, all texts in one call in batches of 64. Its gradient methods give means of absolute
values over the embedding's dimensions, and its integrated gradients start at zero.
"""

from __future__ import annotations

from typing import Any

import plain
import torch
from interpreto import Granularity
from interpreto.attributions import IntegratedGradients, KernelShap, Lime, Occlusion, Saliency
from serve import Job, Method, Scores, serve

PERTURBATIONS = {"steps": "n_perturbations", "samples": "n_perturbations"}


def method(kind: Any, **fixed: Any) -> Method:
    """`fixed` are options of the explainer's constructor."""

    def scores(model: plain.Plain, texts: list[Job], options: dict[str, Any]) -> Scores:
        counts = {
            PERTURBATIONS[key]: value for key, value in options.items() if key in PERTURBATIONS
        }
        explainer = kind(
            model.hf,
            model.tokenizer,
            batch_size=64,
            granularity=Granularity.TOKEN,
            **fixed,
            **counts,
        )
        targets = [torch.tensor([text["target"]]) for text in texts]
        explained = explainer.explain([text["text"] for text in texts], targets=targets)
        return [list(each.attributions.reshape(-1)) for each in explained]

    return scores


METHODS: dict[str, Method] = {
    "input_x_gradient": method(Saliency),
    "gradient_norm": method(Saliency, input_x_gradient=False),
    "integrated_gradients": method(IntegratedGradients),
    "occlusion": method(Occlusion),
    "lime": method(Lime),
    "kernel_shap": method(KernelShap),
}

if __name__ == "__main__":
    serve(plain.load, lambda: METHODS)
