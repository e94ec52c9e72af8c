"""A model that forgets what it has learned, part by part from the top down: the ground of the
randomisation test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from babelscope.model.load import Model
from babelscope.random import keyed


@dataclass(frozen=True, slots=True)
class Part:
    """Weights that are shuffled together, by their names in the model."""

    name: str
    weights: tuple[str, ...]


def parts(model: Model, most: int = 6) -> list[Part]:
    """All weights of a model in at most `most` parts, the head first and the embeddings last.

    A layer is an entry of a list of modules that has one entry per layer (or group of layers that
    share their weights); lists of one module are one stack. The head is what lies outside of the
    body that Hugging Face names, and what follows the layers in the body; the embeddings are what
    precedes them, and the table of word embeddings wherever it is. Neighbouring layers are joined
    where there are too many.

    *Laws*: every weight is in exactly one part; the embeddings are in the last and the classes'
    weights in the first; layers come in falling order.
    """
    config = model.hf.config.get_text_config()
    count = getattr(config, "num_hidden_layers", 0)
    sizes = {count, getattr(config, "num_hidden_groups", count)}
    lists = [path for path, module in model.hf.named_modules() if _stack(module, sizes)]
    body = {id(weight) for weight in model.hf.base_model.parameters()}
    table = () if model.unseen_embeddings else model.embeddings.parameters()
    words = {id(weight) for weight in table}
    layers: dict[tuple[str, int], list[str]] = {}
    before: list[str] = []
    head: list[str] = []
    for name, weight in model.hf.named_parameters():
        stack = next((path for path in lists if name.startswith(f"{path}.")), None)
        if stack is not None:
            place = int(name[len(stack) + 1 :].partition(".")[0])
            layers.setdefault((stack.rpartition(".")[0], place), []).append(name)
        else:
            (before if id(weight) in words or (id(weight) in body and not layers) else head).append(
                name
            )
    if not layers:
        return [Part("all weights", (*head, *before))]
    ends = [Part("head", tuple(head))] if head else []
    return [
        *ends,
        *_joined(layers, most - 2),
        *([Part("embeddings", tuple(before))] if before else []),
    ]


@contextmanager
def shuffled(model: Model, gone: Sequence[Part], seed: int) -> Iterator[None]:
    """Within, the numbers of each of these weights are in a random order; restored to the bit on
    exit.

        w'_i = w_{pi(i)},   pi a permutation of the tensor's places, keyed to the seed and the
          weight's name

    *Laws*: every tensor keeps its numbers, so its mean, its deviation and its extremes; one seed
    gives one order, whatever else is shuffled; other weights are untouched; restored to the bit,
    also after an exception.
    *Left open by the paper*: it samples from each architecture's initialiser, which changes the
    scale of trained weights and needs a rule for each architecture; a shuffled tensor keeps the
    scale of the trained one. Source: Adebayo et al. 2018, section 3.1, cascading randomisation.
    """
    known = dict(model.hf.named_parameters())
    names = [name for part in gone for name in part.weights]
    kept = {name: known[name].detach().clone() for name in names}
    with model.inference.without_cache():  # what is in it is of the trained model
        try:
            for name in names:
                order = keyed("shuffled", seed, name).permutation(kept[name].numel())
                flat = kept[name].reshape(-1)[torch.from_numpy(order).to(kept[name].device)]
                _write(known[name], flat.view_as(kept[name]))
            yield
        finally:
            for name in names:
                _write(known[name], kept[name])


def _stack(module: Any, sizes: set[int]) -> bool:
    return isinstance(module, torch.nn.ModuleList) and len(module) > 0 and len(module) in sizes


def _joined(layers: dict[tuple[str, int], list[str]], most: int) -> list[Part]:
    """The layers from the last to the first, neighbours joined into at most so many parts of
    almost equal size.
    """
    names = list(reversed(layers))
    stacks = {stack for stack, _ in names}
    count = min(len(names), max(1, most))
    listed = []
    for place in range(count):
        joined = names[place * len(names) // count : (place + 1) * len(names) // count]
        shown = [
            f"{stack.rpartition('.')[2]} {layer + 1}" if len(stacks) > 1 else str(layer + 1)
            for stack, layer in joined
        ]
        name = f"layer {shown[0]}" if len(shown) == 1 else f"layers {shown[0]} to {shown[-1]}"
        listed.append(Part(name, tuple(weight for key in joined for weight in layers[key])))
    return listed


def _write(weight: Any, numbers: torch.Tensor) -> None:
    """In place and counted as a change, so that whatever was derived from the weight is derived
    again.
    """
    with torch.no_grad():
        weight.copy_(numbers)
