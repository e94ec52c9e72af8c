"""Erased tokens replaced by samples from a masked language model: an erased text that still looks
like text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from transformers import AutoModelForMaskedLM

from babelscope.errors import InputError, UnsupportedModel, UntrainedHead
from babelscope.model import activations, inference
from babelscope.model.checkpoints import not_found, resolve
from babelscope.model.load import Model
from babelscope.model.pretrained import read_tokenizer, read_weights
from babelscope.model.scopes import quiet
from babelscope.model.tasks import FILL_MASK
from babelscope.random import identity, keyed
from babelscope.types import Encoded


def infilled(
    model: Model, erasures: Sequence[tuple[Encoded, NDArray[np.bool_]]], checkpoint: str
) -> list[inference.Query]:
    """Each input with the tokens in `gone` sampled from the masked language model's predictions at
    their positions.

        x'_t ~ q( . | x with all of `gone` masked ),   by inverting the distribution function at u_t

    u_t is uniform and keyed to the example and the position, so that two erasures of one text
    sample alike at the positions that they share. Special tokens are never sampled.

    *Laws*: erasing nothing gives the input itself; tokens outside of `gone` stay; the same example,
    `gone` and model give the same sample in any batch; a model that is sure of the original token
    gives the original text.
    *Left open by the paper*: all positions at once, one sample. That a position may keep its token
    by chance is part of the operator. Source: Kim et al. 2020 (input marginalization), which
    averages over all tokens of one position instead.
    """
    if not checkpoint:
        raise InputError(
            "operator 'sampled' needs a masked language model: sampled:CHECKPOINT, a hub id or a "
            "folder"
        )
    writer = infiller(checkpoint, model.tokenizer)
    mask = writer.tokenizer.mask_token_id
    names = [(identity(row), gone.tobytes()) for row, gone in erasures]
    moving = list(
        {
            name: at for at, (name, (_, gone)) in enumerate(zip(names, erasures)) if gone.any()
        }.values()
    )
    queries = [
        replace(inference.query(row), ids=np.where(gone, mask, row.ids))
        for row, gone in (erasures[at] for at in moving)
    ]
    special, size = torch.tensor(writer.tokenizer.all_special_ids), len(writer.tokenizer)

    def sample(row: int, logits: Float[Tensor, "token vocabulary"]) -> NDArray[np.int64]:
        encoded, gone = erasures[moving[row]]
        masked = logits[torch.from_numpy(gone).to(logits.device)].double().cpu()[:, :size]
        masked[:, special] = -torch.inf
        uniform = keyed("sampled", *identity(encoded)).random(len(encoded.ids))[gone]
        ids = encoded.ids.copy()
        ids[gone] = _inverted(masked, uniform)
        return ids

    sampled = {
        names[at]: ids for at, ids in zip(moving, activations.token_logits(writer, queries, sample))
    }
    return [
        replace(inference.query(encoded), ids=sampled.get(name, encoded.ids))
        for name, (encoded, _) in zip(names, erasures)
    ]


def _inverted(
    logits: Float[Tensor, "position vocabulary"], uniform: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Per position the token at which the distribution function exceeds the uniform number."""
    rising = torch.softmax(logits, -1).cumsum(-1)
    levels = torch.from_numpy(uniform)[:, None] * rising[:, -1:]
    places = torch.searchsorted(rising, levels, right=True)
    ids: NDArray[np.int64] = places[:, 0].clamp(max=logits.shape[1] - 1).numpy()
    return ids


def infiller(checkpoint: str, tokenizer: object) -> Model:
    """The masked language model of that name, once loaded; refused if its token ids mean other
    tokens.
    """
    writer = _loaded(checkpoint)
    if writer.tokenizer.mask_token_id is None:
        raise UnsupportedModel(
            f"{checkpoint} has no mask token, so it cannot fill one in; give a masked language "
            "model"
        )
    if writer.tokenizer.get_vocab() != tokenizer.get_vocab():  # type: ignore[attr-defined]
        raise UnsupportedModel(
            f"{checkpoint} has another vocabulary than the explained model; give the checkpoint "
            "that it was fine-tuned from"
        )
    return writer


@lru_cache(maxsize=1)
def _loaded(checkpoint: str) -> Model:
    source, revision = resolve(checkpoint)
    with quiet():
        try:
            hf, info = read_weights(AutoModelForMaskedLM, source, revision)
            tokenizer = read_tokenizer(source, revision)
        except (OSError, ValueError, KeyError) as error:
            raise not_found(source, error) from error
    if info["missing_keys"]:
        missing = ", ".join(sorted(info["missing_keys"])[:4])
        raise UntrainedHead(
            f"{checkpoint} holds no trained weights for {missing}: it is no masked language model; "
            "give a checkpoint with its pretraining head"
        )
    return Model(hf.eval(), tokenizer, checkpoint, FILL_MASK.name)
