"""Models that must be given ids although they shall read embeddings; and the two sides of an
encoder-decoder.

The heads of encoder-decoders and of decoders look into the ids for the place where they read. They
get ids that say nothing else, and the embeddings behind their embedding layer.

The tokens of an encoder-decoder's input stand in one row: those of the encoder, then those that
only the decoder reads. A text-to-text model's decoder reads the latter. A classifier's or a
reader's decoder reads its start token and then the encoder's own tokens, shifted by one: a token
then acts on the output in two ways, and its gradient is the sum of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model.load import Model

if TYPE_CHECKING:
    from babelscope.model.inference import Query


@contextmanager
def read(
    model: Model, batch: Sequence[Query], embedded: Tensor, attended: Sequence[NDArray[Any]]
) -> Iterator[dict[str, Any]]:
    """The arguments of the forward call; within, both sides read the embeddings [batch, token,
    dimension] and not those of their ids."""
    both = [_tables(model, batch, side) for side in ("encoder", "decoder")]
    rows = torch.arange(len(batch), device=model.device)[:, None]
    waiting = [embedded[rows, table.clamp(min=0)] for table in both]
    masks = [_mask(table, attended).to(model.device) for table in both]
    given = {
        "input_ids": _ends(model, batch, both[0]),
        "decoder_input_ids": torch.zeros_like(both[1]),
    }
    with embeddings(model, waiting):
        yield given | {"attention_mask": masks[0], "decoder_attention_mask": masks[1]}


@contextmanager
def embeddings(model: Model, given: Sequence[Tensor]) -> Iterator[None]:
    """Within, the embedding layer gives these, one at each call, whatever the ids are."""
    waiting = list(given)
    layers = [one for one in model.hf.modules() if isinstance(one, torch.nn.Embedding)]
    mine = [
        one for one in layers if one.weight is model.embeddings.weight
    ]  # an encoder and a decoder may have one each
    handles = [one.register_forward_hook(lambda *_: waiting.pop(0)) for one in mine]
    try:
        yield
        if waiting:
            raise UnsupportedModel(
                f"{type(model.hf).__name__} embeds its input in a way that is not understood here"
            )
    finally:
        for handle in handles:
            handle.remove()


def _tables(model: Model, batch: Sequence[Query], side: str) -> Tensor:
    """Per place of that side the token that stands there, -1 for padding."""
    rows = []
    for asked in batch:
        if not asked.decoder:
            raise UnsupportedModel(
                f"this method does not tell {type(model.hf).__name__} what its decoder reads; use "
                "another"
            )
        own, start = range(len(asked.ids) - asked.decoder), len(asked.ids) - asked.decoder
        shifted = range(start, len(asked.ids)) if model.generates else (start, *own[:-1])
        rows.append([*(own if side == "encoder" else shifted)])
    width = max(map(len, rows))
    return torch.tensor([row + [-1] * (width - len(row)) for row in rows], device=model.device)


def _mask(table: Tensor, attended: Sequence[NDArray[Any]]) -> Tensor:
    found = torch.zeros(table.shape, dtype=torch.long)
    for line, row, mine in zip(found, table.tolist(), attended):
        line[: len(row)] = torch.tensor([int(place >= 0 and bool(mine[place])) for place in row])
    return found


def _ends(model: Model, batch: Sequence[Query], table: Tensor) -> Tensor:
    """Ids that name nothing but where a classifier reads: the last end token of each row."""
    end = model.hf.config.eos_token_id
    ids = torch.full_like(table, int(end == 0))
    if not model.row.pools:
        return ids
    for line, asked in zip(ids, batch):
        ends = np.flatnonzero(asked.ids[: len(asked.ids) - asked.decoder] == end)
        if not len(ends):
            raise UnsupportedModel(
                f"{type(model.hf).__name__} reads its output at an end token, and the input has "
                "none"
            )
        line[int(ends[-1])] = end
    return ids
