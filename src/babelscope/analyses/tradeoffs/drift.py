"""What fine-tuning did to the weights themselves, and to the language model that they came from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model import activations, inference
from babelscope.model.encode import encode_readable
from babelscope.model.language_models import load_language_model
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Example, WeightDrift

MASKED = 0.15
"""The share of content tokens that are masked, at least one per text."""


def weight_drift(base: Model, tuned: Model) -> list[WeightDrift]:
    """How far the weights moved, part by part.

        drift_p = ||theta_p - theta0_p|| / ||theta0_p||,   over all weights of part p that both
          models
        have, the head left out

    theta0 are the weights of `base`, theta those of `tuned`.

    *Laws*: a model has not moved from itself; scaling all weights by 1 + d is a drift of d in every
    part; what was frozen adds nothing (positions and norms are embeddings too, and move where only
    word embeddings are frozen).
    Source: the relative distance of Neyshabur et al. 2020, per layer.
    """
    before, after = (_encoder(model) for model in (base, tuned))
    shared = [name for name in before if name in after and before[name].shape == after[name].shape]
    if not shared:
        raise UnsupportedModel(
            f"{tuned.name} shares no weights with {base.name}: it was not fine-tuned from it; give "
            "the base that it was"
        )
    moved: dict[str, float] = {}
    size: dict[str, float] = {}
    for name in shared:
        part = _part(name)
        moved[part] = moved.get(part, 0.0) + float(
            ((after[name] - before[name]).double() ** 2).sum()
        )
        size[part] = size.get(part, 0.0) + float((before[name].double() ** 2).sum())
    ordered = [part for part in sorted(size, key=_order) if size[part] > 0]
    return [WeightDrift(part, float(np.sqrt(moved[part] / size[part]))) for part in ordered]


def language_loss(base: str, tuned: Model | None, examples: Sequence[Example]) -> list[float]:
    """The loss of a language model on each text, in nats: the base's own head on the (fine-tuned)
    model.

        encoder:  mean over masked positions of -log q(token | rest),   positions sampled once per
          text:
                  the same for every model
        decoder:  sum over tokens of -log q(token | those before) / bytes of the text that was
          read, in UTF-8

    A fine-tuned model that forgot its languages has a larger loss than the base (`tuned` None). Per
    byte and not per token, because tokenizers segment languages into tokens of different lengths; a
    first token without predecessors is not counted.

    A text that the base cannot read has none: NaN.

    *Laws*: the base's own weights put back give the base's loss; the same text has the same masks
    in any batch and model; a decoder's is the sum of its library's own token losses over the bytes.
    """
    writer, masked = load_language_model(base)
    if tuned is not None:
        state = writer.hf.base_model.state_dict()
        shared = {name: weight for name, weight in _encoder(tuned).items() if name in state}
        fitting = {
            name: weight for name, weight in shared.items() if state[name].shape == weight.shape
        }
        if not fitting:
            raise UnsupportedModel(
                f"{tuned.name} shares no weights with {base}: it was not fine-tuned from it; give "
                "the base that it was"
            )
        writer.hf.base_model.load_state_dict(state | fitting)
    rows, _ = encode_readable(writer, examples, task=False)
    losses = _masked_losses(writer, rows) if masked else _causal_losses(writer, rows)
    known = {(row.example.id, row.example.lang): loss for row, loss in zip(rows, losses)}
    return [known.get((row.id, row.lang), nan) for row in examples]


def _masked_losses(writer: Model, rows: Sequence[Encoded]) -> list[float]:
    chosen = [_places(row) for row in rows]
    queries = []
    for row, places in zip(rows, chosen):
        ids = row.ids.copy()
        ids[places] = writer.tokenizer.mask_token_id
        queries.append(inference.Query(ids, row.types))

    def loss(at: int, logits: Float[Tensor, "token vocabulary"]) -> float:
        return float(_surprise(logits, chosen[at], rows[at].ids[chosen[at]]).mean())

    return list(activations.token_logits(writer, queries, loss))


def _causal_losses(writer: Model, rows: Sequence[Encoded]) -> list[float]:
    def loss(at: int, logits: Float[Tensor, "token vocabulary"]) -> float:
        places = np.flatnonzero(rows[at].content)
        places = places[places > 0]
        return float(_surprise(logits, places - 1, rows[at].ids[places]).sum()) / _bytes(rows[at])

    return list(activations.token_logits(writer, [inference.query(row) for row in rows], loss))


def _bytes(row: Encoded) -> int:
    """Of what was read: a truncated text counts up to where it was truncated."""
    ends = [
        row.offsets[row.segment == at, 1].max(initial=0) for at in range(len(row.example.texts))
    ]
    return sum(len(text[:end].encode("utf-8")) for text, end in zip(row.example.texts, ends))


def _surprise(
    logits: Float[Tensor, "token vocabulary"], places: np.ndarray, ids: np.ndarray
) -> Float[Tensor, " place"]:
    """-log q of those ids at those places."""
    at, gold = (torch.from_numpy(each).to(logits.device) for each in (places, ids))
    return -torch.log_softmax(logits[at].double(), -1)[torch.arange(len(gold)), gold]


def _places(row: Encoded) -> np.ndarray:
    content = np.flatnonzero(row.content)
    count = max(1, round(MASKED * len(content)))
    return np.sort(keyed("masked", *identity(row)).permutation(content)[:count])


def _encoder(model: Model) -> dict[str, Any]:
    """The weights below the head, by their names inside of it; not the pooler, which is random
    where a checkpoint lacks it."""
    state = model.hf.base_model.state_dict()
    return {
        name: weight
        for name, weight in state.items()
        if weight.is_floating_point() and not name.startswith("pooler")
    }


def _part(name: str) -> str:
    layer = re.search(r"(?:^|\.)(?:layers?|h|block)\.(\d+)\.", name)
    if layer:
        return f"layer {layer[1]}"
    return "embeddings" if re.search(r"embed|wte|wpe", name) else "rest"


def _order(part: str) -> tuple[int, int]:
    if part == "embeddings":
        return 0, 0
    return (1, int(part.split()[1])) if part.startswith("layer") else (2, 0)
