"""One padded batch through the model's own forward call, and each input's part of what comes back.

The tokens of an input are one row of the padded batch, or several rows where the model reads several sequences for one
input. Padding is always at the end.
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
from babelscope.model.load import Model
from babelscope.model.verbalizer import label_logits
from babelscope.types import Encoded

Edit = Callable[[Float[Tensor, "token dim"]], Float[Tensor, "token dim"]]
"""From the word embeddings of one input to those that the model shall read, both [token, dimension]."""


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One input for the model: token ids, and perhaps positions that nobody may attend to and an edit of the embeddings."""

    ids: NDArray[np.int64]
    types: NDArray[np.int64] | None = None
    attended: NDArray[np.bool_] | None = None
    edit: Edit | None = None
    key: str = ""
    """What the edit is: two queries with the same ids and key are the same input. Needed with an edit."""
    decoder: int = 0
    """How many ids at the end only the decoder of an encoder-decoder reads, its start token among them."""

    def digest(self) -> bytes:
        parts = (self.ids, self.types, self.attended)
        whole = b"|".join(b"" if part is None else part.tobytes() for part in parts)
        return hashlib.blake2b(whole + f"{self.key}|{self.decoder}".encode(), digest_size=16).digest()


def query(encoded: Encoded) -> Query:
    """The unperturbed input."""
    return Query(encoded.ids, encoded.types, decoder=encoded.decoder)


def unpadded(table: Tensor, batch: Sequence[Query]) -> list[Tensor]:
    """Each query's tokens in a padded table [row, token, ...]."""
    return [table[row, : len(asked.ids)] for row, asked in enumerate(batch)]


def padded(model: Model, batch: Sequence[Query], values: Sequence[NDArray[Any]], fill: int) -> Int[Tensor, "batch token"]:
    """One value per token of each query, as a table on the model's device."""
    width = max(len(asked.ids) for asked in batch)
    table = np.full((len(batch), width), fill, dtype=np.int64)
    for line, row in zip(table, values):
        line[: len(row)] = row
    return torch.from_numpy(table).to(model.device)


def embed(model: Model, batch: Sequence[Query]) -> Float[Tensor, "batch token dim"]:
    """The word embeddings of the batch, edited where a query says so."""
    embedded: Tensor = model.embeddings(_ids(model, batch))
    if not any(asked.edit for asked in batch):
        return embedded
    edited = embedded.clone()
    for row, asked in enumerate(batch):
        if asked.edit is not None:
            edited[row, : len(asked.ids)] = asked.edit(embedded[row, : len(asked.ids)])
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
    if embedded is None and (model.pools_last_token or model.is_encoder_decoder or any(asked.edit for asked in batch)):
        embedded = embed(model, batch)
    everywhere = [np.ones(len(asked.ids)) if asked.attended is None else asked.attended for asked in batch]
    if model.is_encoder_decoder and embedded is not None:
        with encoder_decoder.read(model, batch, embedded, everywhere) as both:
            return model.hf(**both, use_cache=False)
    given = _arguments(model, batch) | {"attention_mask": padded(model, batch, everywhere, 0)}
    if output_attentions:
        given["output_attentions"] = True
    if output_hidden_states:
        given["output_hidden_states"] = True
    if embedded is None:
        return model.hf(**given, input_ids=_ids(model, batch))
    if not model.pools_last_token:
        return model.hf(**given, inputs_embeds=embedded)
    padding = model.hf.config.get_text_config().pad_token_id
    full = [np.full(len(asked.ids), int(padding == 0)) for asked in batch]
    with encoder_decoder.embeddings(model, [embedded]):
        return model.hf(**given, input_ids=padded(model, batch, full, padding))


def _ids(model: Model, batch: Sequence[Query]) -> Int[Tensor, "batch token"]:
    padding = model.tokenizer.pad_token_id
    return padded(model, batch, [asked.ids for asked in batch], 0 if padding is None else padding)


def _arguments(model: Model, batch: Sequence[Query]) -> dict[str, Any]:
    """What the call is given besides its tokens; positions outright, as they would else follow from which ids are padding."""
    given: dict[str, Any] = {}
    if "position_ids" in model.accepts:
        first = model.first_position
        positions = [np.arange(first, first + len(asked.ids)) for asked in batch]
        given["position_ids"] = padded(model, batch, positions, max(first - 1, 0))
    if batch[0].types is not None and "token_type_ids" in model.accepts:
        types = [np.zeros(len(asked.ids)) if asked.types is None else asked.types for asked in batch]
        given["token_type_ids"] = padded(model, batch, types, 0)
    if "use_cache" in model.accepts:
        given["use_cache"] = False
    if _keeps(model):
        given["logits_to_keep"] = torch.tensor(_kept(batch), device=model.device)
    return given


def _kept(batch: Sequence[Query]) -> list[int]:
    """The positions at which a row of the batch ends: the only ones whose next token is asked for."""
    return sorted({len(asked.ids) - 1 for asked in batch})


def _keeps(model: Model) -> bool:
    """Whether logits are asked for at these positions only: a whole batch of them is large."""
    return model.task == "text-generation" and "logits_to_keep" in model.accepts


def output_of(model: Model, output: Any, row: int, tokens: int, last: int) -> Tensor:
    """One row's output in float64 (see `inference.outputs`), of its number of tokens and where its next token is."""
    if model.task == "question-answering":
        logits = torch.stack((output.start_logits[row, :tokens], output.end_logits[row, :tokens]))
    elif model.task == "token-classification":
        logits = output.logits[row, :tokens]
    else:
        logits = output.logits[row, last] if model.generates else output.logits[row]
    logits = logits.double().to("cpu")
    return label_logits(logits, model.verbalizer) if model.verbalizer else logits


def outputs_of(model: Model, batch: Sequence[Query], output: Any) -> list[Tensor]:
    """Each query's output in float64, without those at padding; refuses what is not finite."""
    kept = _kept(batch) if _keeps(model) else range(max(len(asked.ids) for asked in batch))
    rows = []
    for row, asked in enumerate(batch):
        last = asked.decoder - 1 if model.is_encoder_decoder else kept.index(len(asked.ids) - 1)
        rows.append(output_of(model, output, row, len(asked.ids) - asked.decoder, last))
    if not bool(torch.isfinite(torch.cat([row.flatten() for row in rows])).all()):
        raise UnsupportedModel(
            f"{model.name} returned logits that are not finite; its weights are damaged or its precision "
            f"({next(model.hf.parameters()).dtype}) is too low: load it in float32"
        )
    return rows
