"""What a model computes for texts, once: logits, pooled hidden states and attention in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from babelscope.analyses.tradeoffs.attention import Spread, spread
from babelscope.errors import BadRow
from babelscope.model import activations, inference
from babelscope.model.encode import encode_readable
from babelscope.model.head_counts import reach
from babelscope.model.load import Model
from babelscope.types import Encoded, Example, Reading, SkippedRow, TextStates

PART = 512
"""Texts in memory at a time; a part of a language is one cell of the store and one batch of the
similarities."""
_NOTHING = np.zeros((0, 0))
_UNSEEN = Spread(_NOTHING, _NOTHING, _NOTHING, _NOTHING)


class ReadText(NamedTuple):
    reading: Reading
    states: TextStates


def read_texts(model: Model, examples: Sequence[Example], *, head: bool = True) -> list[ReadText]:
    """Everything that the tables need of these texts, in their order.

    Without `head` the logits are left out: a base model has no trained ones. Attention is
    summarised where it is computed (`tradeoffs.attention.spread`), states are pooled over content
    tokens (mean), the first and the last token.

    *Laws*: the numbers of a text do not depend on the others, on batches, padding or order (1e-9 in
    float64); logits are in the order of the checkpoint's own classes.
    """
    return read_readable(model, examples, head=head, strict=True)[0]


def read_readable(
    model: Model, examples: Sequence[Example], *, head: bool = True, strict: bool = False
) -> tuple[list[ReadText], tuple[SkippedRow, ...]]:
    """The same of the texts that the model can read, and the others; with `strict` the first of
    these is raised.
    """
    rows, skipped = encode_readable(model, examples, task=head)
    if skipped and strict:
        raise BadRow(skipped[0])
    return _read_rows(model, rows, head) if rows else [], skipped


def _read_rows(model: Model, rows: Sequence[Encoded], head: bool) -> list[ReadText]:
    queries = [inference.query(row) for row in rows]
    seen = _reach(model, queries)

    def reduce(at: int, inside: activations.Activations) -> ReadText:
        row, layers = rows[at], int(inside.states.shape[0])
        logits = inside.output.numpy() if head else np.zeros(0)
        numbers = _UNSEEN
        if inside.weights is not None:
            numbers = spread(inside.weights.cpu().numpy(), ~row.content, seen)
        example = row.example
        flattened = (part.ravel() for part in numbers)
        return ReadText(
            Reading(
                example.id, example.group, example.lang, logits, len(row.ids), bool(row.flags),
                layers, *flattened
            ),
            TextStates(example.id, layers, *_pooled(inside.states, row)),
        )  # fmt: skip

    return list(activations.activations(model, queries, reduce))


def parts(examples: Sequence[Example]) -> Iterator[tuple[int, Sequence[Example]]]:
    """The texts of a language in parts with the position of their first text, in order.

    None has fewer than 4 texts if that is possible, because similarity needs 4.
    """
    starts = list(range(0, len(examples), PART))
    if len(starts) > 1 and len(examples) - starts[-1] < 4:
        starts.pop()
    for start, end in zip(starts, [*starts[1:], len(examples)]):
        yield start, examples[start:end]


def _reach(model: Model, queries: Sequence[inference.Query]) -> NDArray[np.int64] | None:
    """How far each layer attends, from the longest text: what a shorter one cannot see is outside
    of it."""
    if model.unseen_attention or not queries:
        return None
    longest = max(queries, key=lambda query: len(query.ids))
    (distances,) = activations.attentions(model, [longest], lambda _, weights: reach(weights))
    return np.asarray(distances.numpy())


def _pooled(
    states: Float[Tensor, "state token dim"], row: Encoded
) -> tuple[NDArray[np.float32], ...]:
    content = torch.from_numpy(row.content).to(states.device)
    pooled = (states[:, content].mean(dim=1), states[:, 0], states[:, -1])
    return tuple(each.float().cpu().numpy().ravel() for each in pooled)
