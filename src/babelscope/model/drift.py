"""What tuning did to the weights themselves, and to the language model that they came from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from transformers import AutoModelForMaskedLM

from babelscope.errors import UnsupportedModel, UntrainedHead
from babelscope.model import forward
from babelscope.model.encode import encode
from babelscope.model.load import Model, not_found, quiet
from babelscope.seeds import keyed
from babelscope.types import Encoded, Example

MASKED = 0.15
"""The share of content tokens that are hidden, at least one per text."""


class Drift(NamedTuple):
    """`part` is "embeddings", "layer 0", "layer 1", ... or "rest"."""

    part: str
    relative: float


def weight_drift(base: Model, tuned: Model) -> list[Drift]:
    """How far the weights moved, part by part.

        drift_p = ||theta_p - theta0_p|| / ||theta0_p||,   over all weights of part p that both models have, the head left out

    *Laws*: a model has not moved from itself; scaling all weights by 1 + d is a drift of d in every part; frozen
    embeddings have 0.
    Source: the relative distance of Neyshabur et al. 2020, per layer.
    """
    one, two = (_encoder(model) for model in (base, tuned))
    shared = [name for name in one if name in two and one[name].shape == two[name].shape]
    if not shared:
        raise UnsupportedModel(f"{tuned.name} shares no weights with {base.name}: it was not tuned from it")
    moved: dict[str, float] = {}
    size: dict[str, float] = {}
    for name in shared:
        part = _part(name)
        moved[part] = moved.get(part, 0.0) + float(((two[name] - one[name]).double() ** 2).sum())
        size[part] = size.get(part, 0.0) + float((one[name].double() ** 2).sum())
    return [Drift(part, float(np.sqrt(moved[part] / size[part]))) for part in sorted(size, key=_order) if size[part] > 0]


def masked_loss(base: str, tuned: Model | None, examples: Sequence[Example]) -> list[float]:
    """How badly hidden words are guessed, with the base's own language model head on the (tuned) encoder: one loss per text.

        loss_i = mean over masked places of -log q(token | rest),   places drawn once per text: the same for every model

    A tuned encoder that forgot its languages has a larger loss than the base (`tuned` None).

    *Laws*: the base's own encoder put back gives the base's loss; the same text has the same masks in any batch and model.
    """
    writer = _writer(base)
    if tuned is not None:
        found = _encoder(tuned)
        state = writer.hf.base_model.state_dict()
        taken = {name: weight for name, weight in found.items() if name in state and state[name].shape == weight.shape}
        if not taken:
            raise UnsupportedModel(f"{tuned.name} shares no weights with {base}: it was not tuned from it")
        writer.hf.base_model.load_state_dict(state | taken)
    rows = encode(writer, examples, task=False)
    chosen = [_places(row) for row in rows]
    mask = writer.tokenizer.mask_token_id
    queries = []
    for row, places in zip(rows, chosen):
        ids = row.ids.copy()
        ids[places] = mask
        queries.append(forward.Query(ids, row.types))

    def loss(at: int, logits: Float[Tensor, "token vocabulary"]) -> float:
        places = torch.from_numpy(chosen[at]).to(logits.device)
        gold = torch.from_numpy(rows[at].ids[chosen[at]]).to(logits.device)
        return float(-torch.log_softmax(logits[places].double(), -1)[torch.arange(len(gold)), gold].mean())

    return list(forward.expectations(writer, queries, loss))


def _places(row: Encoded) -> np.ndarray:
    content = np.flatnonzero(row.content)
    count = max(1, round(MASKED * len(content)))
    return np.sort(keyed("masked", row.example.id).permutation(content)[:count])


def _writer(base: str) -> Model:
    """A masked language model that nobody else holds: its encoder may be replaced."""
    from transformers import AutoTokenizer

    with quiet():
        try:
            hf, info = AutoModelForMaskedLM.from_pretrained(base, output_loading_info=True)
            tokenizer = AutoTokenizer.from_pretrained(base)
        except (OSError, ValueError, KeyError) as error:
            raise not_found(base, error) from error
    if info["missing_keys"]:
        raise UntrainedHead(f"{base} holds no masked language model head; its loss has no meaning")
    return Model(hf.eval(), tokenizer, base, "fill-mask")


def _encoder(model: Model) -> dict[str, Any]:
    """The weights below the head, by their names inside of it; not the pooler, which is drawn where a checkpoint lacks it."""
    found = model.hf.base_model.state_dict()
    return {name: weight for name, weight in found.items() if weight.is_floating_point() and not name.startswith("pooler")}


def _part(name: str) -> str:
    found = re.search(r"(?:^|\.)(?:layers?|h|block)\.(\d+)\.", name)
    if found:
        return f"layer {found[1]}"
    return "embeddings" if re.search(r"embed|wte|wpe", name) else "rest"


def _order(part: str) -> tuple[int, int]:
    if part == "embeddings":
        return 0, 0
    return (1, int(part.split()[1])) if part.startswith("layer") else (2, 0)
