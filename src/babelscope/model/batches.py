"""Inputs of all lengths in batches that are almost without padding, and smaller ones when memory
runs out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from babelscope.model.transformer import Model

FULL = 512
"""Tokens in a batch from which on a larger one is no faster on a CPU."""
WASTE = 0.05
"""The share of padding that a batch of `FULL` tokens or more may have."""
CALL, WIDTH = 16, 1100
"""What a batch costs beside its tokens, see `batch_cost`."""
LOGITS = 2**29
"""Bytes of the logits of continuations in one batch."""


def budget(model: Model, queries: Sequence[Any]) -> int:
    """Tokens in a batch: fewer where the logits of continuations over the whole vocabulary would
    take more than LOGITS bytes.
    """
    tokens = max((sum(map(len, each.continuations)) for each in queries), default=0)
    if not tokens:
        return model.inference.budget
    rows = max(1, LOGITS // (16 * tokens * int(model.hf.config.get_text_config().vocab_size)))
    return min(model.inference.budget, rows * int(max(each.size for each in queries)))


def batch_cost(model: Model) -> int:
    """What another batch costs, in tokens: the time of a batch without tokens over that of a token.

        CALL + (WIDTH / width)^2

    width that of the embeddings. Calling the layers takes as long as CALL tokens and, where a token
    is cheap, far more: on one thread of a CPU 86 tokens at a width of 128, 36 at 256 and 20 at 768
    were measured, with and without gradients. Other devices read many tokens at once; there a batch
    costs FULL.
    """
    if model.device.type != "cpu":
        return FULL
    unseen = model.unseen_embeddings
    width = int(model.hf.config.hidden_size if unseen else model.embeddings.weight.shape[1])
    return CALL + round((WIDTH / width) ** 2)


def pack(lengths: Sequence[int], budget: int, cost: int = FULL) -> list[list[int]]:
    """Rows grouped into batches: longest first, at most `budget` tokens with padding, and little
    padding.

    *Laws*: every row is in exactly one batch; a batch exceeds the budget only if it holds a single
    row; a batch of `FULL` tokens or more is padded by at most `WASTE`. Below `FULL` and within the
    budget no other batches of neighbours in length cost less, a batch counted as `cost` tokens.
    """
    batches: list[list[int]] = []
    starts = set(_cuts(lengths, cost))
    width = real = 0
    for row in sorted(range(len(lengths)), key=lambda row: (-lengths[row], row)):
        size = width * (len(batches[-1]) + 1) if batches else 0
        padding = 1 - (real + lengths[row]) / size if size else 0.0
        new = lengths[row] in starts and lengths[row] != width
        if new or not batches or size > budget or (padding > WASTE and real >= FULL):
            batches.append([])
            width, real = lengths[row], 0
        batches[-1].append(row)
        real += lengths[row]
    return batches


def _cuts(lengths: Sequence[int], cost: int) -> list[int]:
    """The lengths at which a new batch begins, so that the sum over the batches is smallest.

        sum over batches of  cost + width * rows

    width the longest of a batch; rows of the same length are together.
    """
    known, counts = np.unique(np.asarray(lengths, np.int64), return_counts=True)
    known, before = known[::-1], np.concatenate(([0], np.cumsum(counts[::-1])))
    least, start = np.zeros(len(known) + 1), np.zeros(len(known) + 1, np.int64)
    for end in range(1, len(known) + 1):
        sums = least[:end] + cost + known[:end] * (before[end] - before[:end])
        start[end] = int(sums.argmin())
        least[end] = sums[start[end]]
    cuts, end = [], len(known)
    while end:
        end = int(start[end])
        cuts.append(int(known[end]))
    return cuts


def run(
    model: Model, queries: list[Any], budget: int, step: Callable[[list[Any], list[int]], list[Any]]
) -> list[Any]:
    """`step` over packed batches of the queries; results in the queries' order; halves the budget
    when memory runs out.
    """
    results: list[Any] = [None] * len(queries)
    lengths = [query.size for query in queries]
    total, done = sum(lengths), 0
    waiting = _batches(model, lengths, budget)
    while waiting:
        rows = waiting.pop(0)
        batch = [queries[row] for row in rows]
        try:
            outputs = step(batch, rows)
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if len(rows) == 1 or not _out_of_memory(error):
                raise
            budget = max(1, max(lengths[row] for row in rows) * len(rows) // 2)
            model.inference.budget = min(model.inference.budget, budget)
            waiting = _repack(lengths, [rows, *waiting], budget)
            continue
        for row, output in zip(rows, outputs):
            results[row] = output
        tokens = sum(lengths[row] for row in rows)
        model.inference.tokens += tokens
        if not model.row.reads_text:
            model.inference.padding += max(lengths[row] for row in rows) * len(rows) - tokens
        done += tokens
        model.inference.report_progress(done, total)
    return results


def _batches(model: Model, lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Packed by the number of tokens; for a function, which pads nothing, by that of texts."""
    if not model.row.reads_text:
        return pack(lengths, budget, batch_cost(model))
    size = model.hf.batch
    return [
        list(range(start, min(start + size, len(lengths))))
        for start in range(0, len(lengths), size)
    ]


def _repack(
    lengths: Sequence[int], batches: Sequence[Sequence[int]], budget: int
) -> list[list[int]]:
    """The rows of these batches, packed into smaller ones."""
    left = sorted(row for batch in batches for row in batch)
    groups = pack([lengths[row] for row in left], budget)
    return [[left[row] for row in group] for group in groups]


def _out_of_memory(error: BaseException) -> bool:
    text = str(error).lower()
    return (
        isinstance(error, (torch.OutOfMemoryError, MemoryError))
        or "not enough memory" in text
        or "can't allocate" in text
    )
