"""Inputs that a language model continues: which sequences it reads, and where each token of a
continuation is predicted.

The probability of a continuation's last token does not depend on reading it. Continuations of one
token therefore need nothing but the input, and one that begins another is read along with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from babelscope.model.forward import Edit, Query


def read_after(query: Query) -> tuple[tuple[int, ...], ...]:
    """What is read after the input, one sequence each."""
    heads = dict.fromkeys(ids[:-1] for ids in query.continuations)
    longest = tuple(
        head
        for head in heads
        if not any(other != head and other[: len(head)] == head for other in heads)
    )
    return longest or ((),)


def sequences(batch: Sequence[Query]) -> list[Query]:
    """The queries as the model reads them: one for each sequence, none with continuations.

    *Law*: queries without continuations are unchanged.
    """
    return [
        _continued(query, head) if query.continuations else query
        for query in batch
        for head in (read_after(query) if query.continuations else ((),))
    ]


def _continued(query: Query, head: tuple[int, ...]) -> Query:
    added = len(head)
    zeros = np.zeros(added, dtype=np.int64)
    return replace(
        query,
        ids=np.concatenate((query.ids, np.array(head, dtype=np.int64))),
        types=None if query.types is None else np.concatenate((query.types, zeros)),
        attended=None
        if query.attended is None
        else np.concatenate((query.attended, np.ones(added, dtype=bool))),
        edit=None if query.edit is None else _prompt_only(query.edit, len(query.ids)),
        decoder=query.decoder + added if query.decoder else 0,
        continuations=(),
    )


def _prompt_only(edit: Edit, count: int) -> Edit:
    """The edit of the input's embeddings, with those of the continuation as they are."""

    def edited(embedded: Tensor) -> Tensor:
        return torch.cat((edit(embedded[:count]), embedded[count:]))

    return edited


def last_place(query: Query) -> int:
    """The position of the input's last token among those whose logits there are."""
    return (query.decoder or len(query.ids)) - 1


def places(query: Query) -> list[tuple[int, range]]:
    """Per continuation the sequence that contains it, and the positions before its tokens."""
    heads, last = read_after(query), last_place(query)
    rows = [
        next(row for row, head in enumerate(heads) if head[: len(ids) - 1] == ids[:-1])
        for ids in query.continuations
    ]
    return [(row, range(last, last + len(ids))) for row, ids in zip(rows, query.continuations)]


def token_logits(
    query: Query, tables: Sequence[Tensor], kept: Sequence[int] | None
) -> list[Tensor]:
    """Per continuation the logits [token, vocabulary] that predict its tokens, from the tables
    [position, vocabulary] of the sequences, in float64.
    """
    return [
        tables[row][
            list(where) if kept is None else [kept.index(place) for place in where]
        ].double()
        for row, where in places(query)
    ]


def likelihood(logits: Tensor, ids: Sequence[int]) -> Tensor:
    """The log-probability of a continuation: the sum over its tokens."""
    targets = torch.tensor(list(ids), device=logits.device)
    return torch.log_softmax(logits, dim=-1).gather(1, targets[:, None]).sum()


def against_the_rest(logits: Tensor, ids: Sequence[int]) -> Tensor:
    """Per token its logit, and that of all other tokens together: [token, 2].

        (z_v, log sum_{w != v} exp z_w)

    *Law*: the softmax of a row is the probability of the token, and its complement.
    """
    targets = torch.tensor(list(ids), device=logits.device)[:, None]
    rest = torch.logsumexp(logits.scatter(1, targets, -torch.inf), dim=-1)
    return torch.stack((logits.gather(1, targets)[:, 0], rest), dim=1)
