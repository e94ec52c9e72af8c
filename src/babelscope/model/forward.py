"""One padded batch through the model's own forward call, and each input's part of the outputs.

The tokens of an input are one row of the padded batch, or several rows where the model reads
several sequences for one input. Padding is always at the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model import encoder_decoder
from babelscope.model.continuations import read_after, sequences
from babelscope.model.transformer import Model
from babelscope.types import Candidate, Encoded

Edit = Callable[[Float[Tensor, "token dim"]], Float[Tensor, "token dim"]]
"""From the word embeddings of one input to those that the model is to read, both [token,
dimension].
"""


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One input for the model: token ids, and perhaps positions that nobody may attend to and an
    edit of the embeddings.
    """

    ids: NDArray[np.int64]
    types: NDArray[np.int64] | None = None
    attended: NDArray[np.bool_] | None = None
    edit: Edit | None = None
    key: str = ""
    """What the edit is: two queries with the same ids and key are the same input. Needed with an
    edit.
    """
    decoder: int = 0
    """How many ids at the end only the decoder of an encoder-decoder reads, its start token among
    them.
    """
    candidates: tuple[Candidate, ...] = ()
    """The sequences that are concatenated in `ids`, where the model reads several; empty for a
    single one.
    """
    texts: tuple[str, ...] = ()
    """What a function of texts reads; the ids are those of its words."""
    continuations: tuple[tuple[int, ...], ...] = ()
    """What the input might be continued with, where the probabilities of that are read."""
    fixed: int = 0
    """How many embeddings at the beginning the edit leaves alone; nobody needs their gradients."""

    @property
    def size(self) -> int:
        """The number of tokens that the model reads."""
        if not self.continuations:
            return len(self.ids)
        return sum(len(self.ids) + len(head) for head in read_after(self))

    @property
    def lengths(self) -> tuple[int, ...]:
        """The number of tokens of each sequence, without continuations."""
        return tuple(each.tokens for each in self.candidates) or (len(self.ids),)

    def digest(self) -> bytes:
        parts = (self.ids, self.types, self.attended)
        whole = b"|".join(b"" if part is None else part.tobytes() for part in parts)
        rest = (self.key, self.decoder, self.candidates, self.texts, self.continuations)
        return hashlib.blake2b(whole + repr(rest).encode(), digest_size=16).digest()


def query(encoded: Encoded) -> Query:
    """The unperturbed input."""
    texts = encoded.example.texts if encoded.written else ()
    return Query(
        encoded.ids,
        encoded.types,
        decoder=encoded.decoder,
        candidates=encoded.candidates,
        texts=texts,
        continuations=encoded.continuations,
    )


def unpadded(table: Tensor, batch: Sequence[Query]) -> list[Tensor]:
    """Each query's tokens in a padded table [row, token, ...]; where it was read with several
    continuations, the sum over them: the table is one of gradients then.
    """
    rows = iter(table)
    tables = []
    for each in batch:
        if each.continuations:
            tables.append(sum(next(rows)[: len(each.ids)] for _ in read_after(each)))
            continue
        parts = [next(rows)[:length] for length in each.lengths]
        tables.append(torch.cat(parts) if len(parts) > 1 else parts[0])
    return tables


def padded(
    model: Model, batch: Sequence[Query], values: Sequence[NDArray[Any]], fill: int
) -> Int[Tensor, "batch token"]:
    """One value per token of each query, as a table on the model's device."""
    lengths = [length for each in batch for length in each.lengths]
    table = np.full((len(lengths), max(lengths)), fill, dtype=np.int64)
    lines = iter(table)
    for each, row in zip(batch, values):
        ends = each.lengths
        for part in (row,) if len(ends) == 1 else np.split(row, np.cumsum(ends)[:-1]):
            next(lines)[: len(part)] = part
    return on_device(torch.from_numpy(table), model.device)


def on_device(table: Tensor, device: torch.device) -> Tensor:
    """The table on the device; to a GPU from pinned memory, so that the processor prepares the next
    one meanwhile.
    """
    if device.type != "cuda":
        return table.to(device)
    return table.pin_memory().to(device, non_blocking=True)


def embed(model: Model, batch: Sequence[Query]) -> Float[Tensor, "batch token dim"]:
    """The word embeddings of the batch's sequences, edited where a query says so."""
    batch = sequences(batch)
    embedded: Tensor = model.embeddings(_ids(model, batch))
    if not any(each.edit for each in batch):
        return embedded
    edited = embedded.clone()
    lines = iter(range(len(edited)))
    for each, plain in zip(batch, unpadded(embedded, batch)):
        parts = torch.split(plain if each.edit is None else each.edit(plain), list(each.lengths))
        for part in parts:
            edited[next(lines), : len(part)] = part
    return edited


def forward(
    model: Model,
    batch: Sequence[Query],
    embedded: Float[Tensor, "batch token dim"] | None = None,
    *,
    output_attentions: bool = False,
    output_hidden_states: bool = False,
) -> Any:
    """The model's own forward call."""
    if model.row.reads_text:
        if any(each.edit or each.attended is not None for each in batch):
            raise UnsupportedModel(
                f"{model.name} is a function of texts: it has no embeddings and no attention to "
                "change; erase words"
            )
        return model.hf([each.texts for each in batch])
    kept = model.functions.kept(model, batch)
    batch = sequences(batch)
    if embedded is None and (
        model.pools_last_token or model.is_encoder_decoder or any(each.edit for each in batch)
    ):
        embedded = embed(model, batch)
    everywhere = [
        np.ones(len(each.ids)) if each.attended is None else each.attended for each in batch
    ]
    if model.is_encoder_decoder and embedded is not None:
        with encoder_decoder.read(model, batch, embedded, everywhere) as both:
            return model.hf(**both, use_cache=False)
    arguments = _arguments(model, batch, kept) | {
        "attention_mask": padded(model, batch, everywhere, 0)
    }
    shown = {"output_attentions": output_attentions, "output_hidden_states": output_hidden_states}
    arguments |= {name: True for name, requested in shown.items() if requested}
    if embedded is None:
        return model.hf(
            **model.functions.arguments(model, arguments | {"input_ids": _ids(model, batch)})
        )
    if not model.pools_last_token:
        return model.hf(**model.functions.arguments(model, arguments | {"inputs_embeds": embedded}))
    padding = model.hf.config.get_text_config().pad_token_id
    full = [np.full(len(each.ids), int(padding == 0)) for each in batch]
    with encoder_decoder.embeddings(model, [embedded]):
        return model.hf(**arguments, input_ids=padded(model, batch, full, padding))


def _ids(model: Model, batch: Sequence[Query]) -> Int[Tensor, "batch token"]:
    padding = model.tokenizer.pad_token_id
    return padded(model, batch, [each.ids for each in batch], 0 if padding is None else padding)


def _arguments(model: Model, batch: Sequence[Query], kept: Sequence[int] | None) -> dict[str, Any]:
    """The arguments of the call besides its tokens. Positions are explicit: models would otherwise
    derive them from which ids are padding.
    """
    arguments: dict[str, Any] = {}
    if "position_ids" in model.accepts:
        first = model.first_position
        positions = [
            np.concatenate([np.arange(first, first + length) for length in each.lengths])
            for each in batch
        ]
        arguments["position_ids"] = padded(model, batch, positions, max(first - 1, 0))
    if batch[0].types is not None and "token_type_ids" in model.accepts:
        types = [np.zeros(len(each.ids)) if each.types is None else each.types for each in batch]
        arguments["token_type_ids"] = padded(model, batch, types, 0)
    if "use_cache" in model.accepts:
        arguments["use_cache"] = False
    if kept is not None:
        arguments["logits_to_keep"] = torch.tensor(list(kept), device=model.device)
    return arguments


def outputs_of(
    model: Model, batch: Sequence[Query], output: Any, kept: Sequence[int] | None = None
) -> list[Tensor]:
    """Each query's output in float64 on the CPU, without those at padding; refuses what is not
    finite. `kept` are the positions of the logits, by default those that the task keeps.
    """
    kept = model.functions.kept(model, batch) if kept is None else kept
    rows = [row.double().to("cpu") for row in model.functions.outputs(model, output, batch, kept)]
    if not bool(torch.isfinite(torch.cat([row.flatten() for row in rows])).all()):
        raise UnsupportedModel(
            f"{model.name} returned logits that are not finite; its weights are damaged or its "
            "precision "
            f"({next(model.hf.parameters()).dtype}) is too low: load it in float32"
        )
    return rows
