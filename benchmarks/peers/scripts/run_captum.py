"""Captum on prepared token ids: gradients in padded batches, perturbations text by text, 64 at a
time. Position ids are explicit, because those that RoBERTa derives from the ids shift at a baseline
of padding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plain
import torch
from captum.attr import (
    FeatureAblation,
    KernelShap,
    LayerDeepLift,
    LayerGradientXActivation,
    LayerIntegratedGradients,
    Lime,
    ShapleyValueSampling,
)
from captum.attr._core.lime import get_exp_kernel_similarity_function
from serve import Job, Method, Scores, serve

Tables = Callable[[plain.Plain, Any, list[Job], dict[str, Any]], torch.Tensor]
AT_ONCE = 64


class Called(torch.nn.Module):
    """The model as a module from ids to logits, as DeepLIFT needs it."""

    def __init__(self, model: plain.Plain) -> None:
        super().__init__()
        self.hf, self.model = model.hf, model

    def forward(self, ids: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
        places = (attended.cumsum(dim=1) - 1).clamp(min=0) + max(self.model.first, 0)
        return plain.logits(self.model, ids, attended, position_ids=places)


def baseline(model: plain.Plain, ids: torch.Tensor, texts: list[Job], token: int) -> torch.Tensor:
    """The ids with that token at the content."""
    erased = ids.clone()
    for row, text in enumerate(texts):
        start = ids.shape[1] - len(text["ids"]) if model.first < 0 else 0
        places = start + torch.tensor(text["content"]).nonzero()[:, 0]
        erased[row, places] = token
    return erased


def batched(tables: Tables) -> Method:
    """A score for each content token from tables of (text, token, dimension)."""

    def scores(model: plain.Plain, texts: list[Job], options: dict[str, Any]) -> Scores:
        rows: Scores = [[] for _ in texts]
        for group in plain.batches(texts):
            some = [texts[at] for at in group]
            table = tables(model, plain.padded(model, some), some, options).detach()
            for at, row in zip(group, table):
                count = len(texts[at]["ids"])
                rows[at] = plain.content(
                    texts[at], row[-count:] if model.first < 0 else row[:count]
                )
        return rows

    return scores


def input_x_gradient(
    model: plain.Plain, batch: Any, texts: list[Job], options: dict[str, Any]
) -> torch.Tensor:
    method = LayerGradientXActivation(Called(model), model.hf.get_input_embeddings())
    target = [text["target"] for text in texts]
    return method.attribute(batch[0], target=target, additional_forward_args=(batch[1],)).sum(-1)


def gradient_norm(
    model: plain.Plain, batch: Any, texts: list[Job], options: dict[str, Any]
) -> torch.Tensor:
    layer = model.hf.get_input_embeddings()
    method = LayerGradientXActivation(Called(model), layer, multiply_by_inputs=False)
    target = [text["target"] for text in texts]
    return method.attribute(batch[0], target=target, additional_forward_args=(batch[1],)).norm(
        dim=-1
    )


def integrated(
    model: plain.Plain, batch: Any, texts: list[Job], options: dict[str, Any]
) -> torch.Tensor:
    """A number of steps; or from 8 on twice as many until no token of the batch changes by more
    than the tolerance, what a user does who does not know the truth."""
    method = LayerIntegratedGradients(Called(model), model.hf.get_input_embeddings())
    ids, attended = batch

    def after(steps: int) -> torch.Tensor:
        table = method.attribute(
            ids, baseline(model, ids, texts, model.pad), target=[text["target"] for text in texts],
            additional_forward_args=(attended,), n_steps=steps, method="gausslegendre",
            internal_batch_size=max(len(ids), 1024 // ids.shape[1]),
        )  # fmt: skip
        return table.detach().sum(-1)

    if "steps" in options:
        return after(options["steps"])
    steps, before, table = 16, after(8), after(16)
    while (table - before).abs().max() > options["tolerance"] and steps < 512:
        steps, before, table = 2 * steps, table, after(2 * steps)
    return table


def deeplift(
    model: plain.Plain, batch: Any, texts: list[Job], options: dict[str, Any]
) -> torch.Tensor:
    method = LayerDeepLift(Called(model), model.hf.get_input_embeddings())
    ids, attended = batch
    return method.attribute(
        ids, baseline(model, ids, texts, model.pad), target=[text["target"] for text in texts],
        additional_forward_args=(attended,),
    ).sum(-1)  # fmt: skip


def perturbed(attribute: Callable[..., torch.Tensor]) -> Method:
    """Text by text: every content token is a feature, special tokens together are another one."""

    def scores(model: plain.Plain, texts: list[Job], options: dict[str, Any]) -> Scores:
        rows = []
        for text in texts:
            ids = torch.tensor([text["ids"]])
            kept = torch.tensor([text["content"]])
            features = torch.where(kept, kept.cumsum(dim=1), 0)
            table = attribute(
                Called(model), ids, options,
                baselines=baseline(model, ids, [text], model.mask), target=text["target"],
                additional_forward_args=(torch.ones_like(ids),), feature_mask=features,
                perturbations_per_eval=AT_ONCE,
            )  # fmt: skip
            rows.append(plain.content(text, table[0]))
        return rows

    return scores


def occlusion(call: Any, ids: torch.Tensor, options: dict[str, Any], **rest: Any) -> torch.Tensor:
    return FeatureAblation(call).attribute(ids, **rest)


def lime(call: Any, ids: torch.Tensor, options: dict[str, Any], **rest: Any) -> torch.Tensor:
    """Captum's LIME with the kernel of the released program; it draws every token by a coin."""
    near = get_exp_kernel_similarity_function("cosine", kernel_width=0.25)
    method = Lime(call, similarity_func=near)
    return method.attribute(ids, n_samples=options["samples"], **rest)


def kernel(call: Any, ids: torch.Tensor, options: dict[str, Any], **rest: Any) -> torch.Tensor:
    return KernelShap(call).attribute(ids, n_samples=options["samples"], **rest)


def sampling(call: Any, ids: torch.Tensor, options: dict[str, Any], **rest: Any) -> torch.Tensor:
    return ShapleyValueSampling(call).attribute(ids, n_samples=options["orders"], **rest)


METHODS: dict[str, Method] = {
    "input_x_gradient": batched(input_x_gradient),
    "gradient_norm": batched(gradient_norm),
    "integrated_gradients": batched(integrated),
    "deeplift": batched(deeplift),
    "occlusion": perturbed(occlusion),
    "lime": perturbed(lime),
    "kernel_shap": perturbed(kernel),
    "permutation_shapley": perturbed(sampling),
}

if __name__ == "__main__":
    serve(plain.load, lambda: METHODS, plain.prepared)
