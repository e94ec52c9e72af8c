"""The model's own call on a batch: the tokenizer's ids, types and a mask of the padding, and no
more. Positions and the place at which the head reads are what the model makes of them itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from babelscope.model import encoder_decoder
from babelscope.model.forward import Query, padded
from babelscope.model.transformer import Model

OWN_TOLERANCE = 1e-4
"""How far the explained probability may be from the one of the model's own call."""
HALF_TOLERANCE = 2e-2
"""The same in half precision, where a batch and a single text round differently."""


def has_plain_batches(model: Model, queries: Sequence[Query]) -> bool:
    """Whether the model's own call reads these inputs in one padded batch: they are one sequence
    of ids each, as tokenized, and the model knows its padding token (or they need none).
    """
    if model.row.reads_text or model.row.several or model.is_encoder_decoder:
        return False
    if any(each.edit or each.attended is not None or each.continuations for each in queries):
        return False
    padding = model.hf.config.get_text_config().pad_token_id
    known = padding is not None and padding == model.tokenizer.pad_token_id
    return known or len({len(each.ids) for each in queries}) <= 1


def plain_forward(
    model: Model,
    batch: Sequence[Query],
    embedded: Float[Tensor, "batch token dim"] | None = None,
    *,
    kept: Sequence[int] | None = None,
    output_attentions: bool = False,
    output_hidden_states: bool = False,
) -> Any:
    """The own call, in which `embedded`, the embeddings of the same ids, takes the place of what
    the embedding layer returns: gradients with respect to it are those of the own call.

    *Law*: on a single input it is the plain call of Hugging Face.
    """
    padding = model.tokenizer.pad_token_id
    arguments: dict[str, Any] = {
        "input_ids": padded(model, batch, [each.ids for each in batch], padding or 0),
        "attention_mask": padded(model, batch, [np.ones(len(each.ids)) for each in batch], 0),
    }
    if batch[0].types is not None and "token_type_ids" in model.accepts:
        types = [np.zeros(len(each.ids)) if each.types is None else each.types for each in batch]
        arguments["token_type_ids"] = padded(model, batch, types, 0)
    if "use_cache" in model.accepts:
        arguments["use_cache"] = False
    if kept is not None:
        arguments["logits_to_keep"] = torch.tensor(list(kept), device=model.device)
    shown = {"output_attentions": output_attentions, "output_hidden_states": output_hidden_states}
    arguments |= {name: True for name, requested in shown.items() if requested}
    with nullcontext() if embedded is None else encoder_decoder.embeddings(model, [embedded]):
        return model.hf(**arguments)
