"""Models that need ids although they are to read embeddings, and the two inputs of an
encoder-decoder.

The heads of encoder-decoders and of decoders search the ids for the position at which they read.
They get ids that mark this position and nothing else; the embedding layer returns the embeddings.

The tokens of an encoder-decoder's input are one sequence: those of the encoder, then those that
only the decoder reads. The decoder of a text-to-text model reads the latter. The decoder of a
classifier or an extractive question answering model reads its start token and then the encoder's
tokens, shifted by one: a token then acts on the output through both, and its gradient is the sum.
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
from babelscope.model.transformer import Model

if TYPE_CHECKING:
    from babelscope.model.inference import Query


@contextmanager
def read(
    model: Model, batch: Sequence[Query], embedded: Tensor, attended: Sequence[NDArray[Any]]
) -> Iterator[dict[str, Any]]:
    """The arguments of the forward call; within, encoder and decoder read the embeddings [batch,
    token, dimension] and not those of their ids.
    """
    both = [_tables(model, batch, side) for side in ("encoder", "decoder")]
    rows = torch.arange(len(batch), device=model.device)[:, None]
    waiting = [embedded[rows, table.clamp(min=0)] for table in both]
    masks = [_mask(table, attended).to(model.device) for table in both]
    ids = {
        "input_ids": _ends(model, batch, both[0]),
        "decoder_input_ids": torch.full_like(both[1], _filler(model)),
    }
    with embeddings(model, waiting):
        yield ids | {"attention_mask": masks[0], "decoder_attention_mask": masks[1]}


@contextmanager
def embeddings(model: Model, tables: Sequence[Tensor]) -> Iterator[None]:
    """Within, the embedding layer returns these tables, one at each call, whatever the ids are."""
    waiting = list(tables)
    layers = [layer for layer in model.hf.modules() if isinstance(layer, torch.nn.Embedding)]
    # An encoder and a decoder may have one each, with the same weights
    shared = [layer for layer in layers if layer.weight is model.embeddings.weight]
    # GPT-2 embeds the types of tokens by the same layer, after the tokens themselves
    handles = [
        layer.register_forward_hook(lambda *_: waiting.pop(0) if waiting else None)
        for layer in shared
    ]
    try:
        yield
        if waiting:
            raise UnsupportedModel(
                f"{type(model.hf).__name__} does not read its input through its embedding layer"
            )
    finally:
        for handle in handles:
            handle.remove()


def _tables(model: Model, batch: Sequence[Query], side: str) -> Tensor:
    """Per position of that side the index of its token, -1 for padding."""
    rows = []
    for query in batch:
        if not query.decoder:
            raise UnsupportedModel(
                f"this method has no input for the decoder of {type(model.hf).__name__}; use "
                "another"
            )
        start = len(query.ids) - query.decoder
        encoded = range(start)
        decoded = range(start, len(query.ids)) if model.generates else (start, *encoded[:-1])
        rows.append([*(encoded if side == "encoder" else decoded)])
    width = max(map(len, rows))
    return torch.tensor([row + [-1] * (width - len(row)) for row in rows], device=model.device)


def _mask(table: Tensor, attended: Sequence[NDArray[Any]]) -> Tensor:
    mask = torch.zeros(table.shape, dtype=torch.long)
    for line, row, visible in zip(mask, table.tolist(), attended):
        line[: len(row)] = torch.tensor([int(place >= 0 and bool(visible[place])) for place in row])
    return mask


def _filler(model: Model) -> int:
    """An id that is neither padding, from which some models (M2M100) derive positions, nor an
    end.
    """
    config = model.hf.config
    return next(at for at in range(3) if at not in (config.pad_token_id, config.eos_token_id))


def _ends(model: Model, batch: Sequence[Query], table: Tensor) -> Tensor:
    """Ids that only mark where a classifier reads: the last end token of each row."""
    end = model.hf.config.eos_token_id
    ids = torch.full_like(table, _filler(model))
    if not model.row.pools:
        return ids
    for line, query in zip(ids, batch):
        ends = np.flatnonzero(query.ids[: len(query.ids) - query.decoder] == end)
        if not len(ends):
            raise UnsupportedModel(
                f"{type(model.hf).__name__} reads its output at an end token, and the input has "
                "none"
            )
        line[int(ends[-1])] = end
    return ids
