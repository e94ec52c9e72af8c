"""What a model makes of texts, once: logits, pooled hidden states and attention in numbers, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from babelscope.analyses.tradeoffs.attention import Spread, spread
from babelscope.errors import InputError
from babelscope.model import activations, inference
from babelscope.model.encode import encode
from babelscope.model.head_counts import reach
from babelscope.model.load import Model
from babelscope.types import Encoded, Example, Reading, TextStates

PART = 512
"""Texts that are held at a time; a part of a language is one cell of the store and one batch of the similarities."""


class Read(NamedTuple):
    reading: Reading
    states: TextStates


def label_order(model: Model, labels: Sequence[str]) -> list[int]:
    """Which output of the model is which class of the study: by name, never by place."""
    lowered = {name.lower(): place for place, name in enumerate(model.labels)}
    wanted = [name.lower() for name in labels]
    if len(lowered) != len(model.labels) or sorted(lowered) != sorted(wanted):
        raise InputError(
            f"{model.name} has the classes {', '.join(model.labels)}, the study has {', '.join(labels)}: classes are matched "
            "by name, so the names must agree; set id2label in the checkpoint's config.json"
        )
    return [lowered[name] for name in wanted]


def read_texts(
    model: Model, examples: Sequence[Example], labels: Sequence[str], clusters: Mapping[str, str], *, head: bool = True
) -> list[Read]:
    """Everything that the tables need of these texts, in their order.

    Without `head` the logits are left out: a base model has no trained ones. Attention is summed up where it is computed
    (`tradeoffs.attention.spread`), states are pooled over content tokens (mean), the first and the last token.

    *Laws*: the numbers of a text do not depend on the others, on batches, padding or order (1e-9 in float64); classes stand in
    the order of `labels`, whatever the checkpoint's.
    """
    order = label_order(model, labels) if head else []
    rows = encode(model, examples, task=head)
    queries = [inference.query(row) for row in rows]
    seen = _reach(model, queries)
    places = {label: place for place, label in enumerate(labels)}

    def reduce(row: int, inside: activations.Activations) -> Read:
        mine = rows[row]
        example = mine.example
        weights = None if inside.weights is None else inside.weights.cpu().numpy()
        layers = int(inside.states.shape[0])
        held = spread(weights, ~mine.content, seen) if weights is not None else _NONE
        return Read(
            Reading(
                example.id, example.group, clusters.get(example.group, example.group), example.lang,
                places.get(str(example.label), -1), inside.output.numpy()[order], len(mine.ids), bool(mine.flags), layers,
                *(part.ravel() for part in held),
            ),
            TextStates(example.id, layers, *_pooled(inside.states, mine)),
        )  # fmt: skip

    return list(activations.activations(model, queries, reduce))


def parts(examples: Sequence[Example]) -> Iterator[Sequence[Example]]:
    """The texts of a language in parts, in order; none of fewer than 4 if that can be, because similarity needs 4."""
    starts = list(range(0, len(examples), PART))
    if len(starts) > 1 and len(examples) - starts[-1] < 4:
        starts.pop()
    yield from (examples[start:end] for start, end in zip(starts, [*starts[1:], len(examples)]))


_NOTHING = np.zeros((0, 0))
_NONE = Spread(_NOTHING, _NOTHING, _NOTHING, _NOTHING)


def _reach(model: Model, queries: Sequence[inference.Query]) -> NDArray[np.int64] | None:
    """How far each layer looks, from the longest text: what a shorter one cannot see there is outside of it."""
    if model.unseen_attention or not queries:
        return None
    longest = max(queries, key=lambda asked: len(asked.ids))
    (found,) = activations.attentions(model, [longest], lambda _, weights: reach(weights))
    return np.asarray(found.numpy())


def _pooled(states: Float[Tensor, "state token dim"], row: Encoded) -> tuple[NDArray[np.float32], ...]:
    content = torch.from_numpy(row.content).to(states.device)
    chosen = (states[:, content].mean(dim=1), states[:, 0], states[:, -1])
    return tuple(each.float().cpu().numpy().ravel() for each in chosen)
