"""A checkpoint with the tokenizer of another one: what its body does with words split otherwise."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import transformers
from jaxtyping import Float
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.files import dumps, write_text, writing_folder
from babelscope.model.checkpoints import not_found, resolve
from babelscope.model.pretrained import read_config, read_weights
from babelscope.model.scopes import quiet
from babelscope.model.tokenizers import load_tokenizer
from babelscope.training.vocabulary_transfer import Transfer, transfer

RECORD = "tokenizer-swap.json"
"""What was copied and what was averaged, beside the checkpoint."""


def swap_tokenizer(
    base: str, tokenizer: str, output: str | Path, *, revision: str | None = None
) -> Path:
    """The checkpoint `base` with the tokenizer of another checkpoint, written to `output`.

    Its vectors of pieces (and the output layer's, where it has one) are those of `transfer`; all
    other weights stay. Length, positions and segments are the body's: the position of a token does
    not depend on the padding id, and a body without segments is given none. Pairs of texts are
    joined as the new tokenizer joins them.

    *Laws*: with its own tokenizer the checkpoint computes the same; a text that both tokenizers
    split into the same pieces has the same output.
    """
    place, revision = resolve(base, revision)
    old, new = load_tokenizer(base, revision=revision), load_tokenizer(tokenizer)
    hf = _checkpoint(place, revision)
    moves = transfer(old, new)
    _move_vectors(hf, moves)
    _move_positions(hf, _padding(hf, old), _padding_of(new))
    for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
        if hasattr(hf.config, name):
            setattr(hf.config, name, getattr(new, name))
    _fit(new, old, hf)
    with quiet(), writing_folder(Path(output)) as part:
        hf.save_pretrained(part)
        new.save_pretrained(part)
        counts = {name: value for name, value in asdict(moves).items() if name != "sources"}
        write_text(part / RECORD, dumps({"base": base, "tokenizer": tokenizer, **counts}))
    return Path(output)


def _checkpoint(place: str, revision: str | None) -> Any:
    """The transformer with the head that the checkpoint has, so that none of its weights is
    lost.
    """
    with quiet():
        try:
            names = read_config(place, revision).architectures or ()
            kinds = (getattr(transformers, name, None) for name in names)
            kind = next(filter(None, kinds), transformers.AutoModel)
            hf, _ = read_weights(kind, place, revision)
        except Exception as error:  # of a damaged file: whatever its reader raises
            raise not_found(place, error) from error
    return hf.eval()


def _move_vectors(hf: Any, moves: Transfer) -> None:
    """Embeddings and the output layer in the new vocabulary."""
    vectors = hf.get_input_embeddings().weight.detach().clone()
    layer = hf.get_output_embeddings()
    outputs = None if layer is None else layer.weight.detach().clone()
    bias = None if getattr(layer, "bias", None) is None else layer.bias.detach().clone()
    hf.resize_token_embeddings(len(moves.sources), mean_resizing=False)
    with torch.no_grad():
        hf.get_input_embeddings().weight.copy_(averaged(vectors, moves))
        if outputs is not None:
            layer = hf.get_output_embeddings()
            layer.weight.copy_(averaged(outputs, moves))
            if bias is not None:
                layer.bias.copy_(averaged(bias[:, None], moves)[:, 0])


def averaged(vectors: Float[Tensor, "old width"], moves: Transfer) -> Float[Tensor, "new width"]:
    """For each new piece the mean of the vectors of its sources."""
    counts = torch.tensor([len(each) for each in moves.sources])
    flat = torch.tensor([at for each in moves.sources for at in each])
    owners = torch.repeat_interleave(torch.arange(len(counts)), counts)
    sums = torch.zeros(len(counts), vectors.shape[1], dtype=torch.float64)
    sums.index_add_(0, owners, vectors[flat].double())
    return (sums / counts[:, None]).to(vectors.dtype)


def _move_positions(hf: Any, before: int, after: int) -> None:
    """RoBERTa and its like count positions from the padding id on: their table moves with it."""
    for module in hf.modules():
        table = getattr(module, "position_embeddings", None)
        counted = hasattr(module, "create_position_ids_from_input_ids")
        if not isinstance(table, torch.nn.Embedding) or not counted or before == after:
            continue
        used = table.weight.detach()[before + 1 :]
        unused = table.weight.new_zeros(after + 1, used.shape[1])
        module.position_embeddings = torch.nn.Embedding(
            after + 1 + len(used), used.shape[1], _weight=torch.cat([unused, used])
        )
        module.padding_idx = after
        hf.config.max_position_embeddings = after + 1 + len(used)


def _padding(hf: Any, old: Any) -> int:
    configured = hf.config.pad_token_id
    return int(configured if configured is not None else _padding_of(old))


def _padding_of(tokenizer: Any) -> int:
    """The padding id of a tokenizer; 0 where it has none, as its model's positions need none."""
    return int(tokenizer.pad_token_id or 0)


def _fit(new: Any, old: Any, hf: Any) -> None:
    """The new tokenizer with the length of the body, and without segments where it has none."""
    new.model_max_length = old.model_max_length
    new.init_kwargs["model_max_length"] = old.model_max_length
    if getattr(hf.config, "type_vocab_size", 1) < 2 and "token_type_ids" in new.model_input_names:
        names = [name for name in new.model_input_names if name != "token_type_ids"]
        new.model_input_names = new.init_kwargs["model_input_names"] = names
    if new.mask_token_id is None and old.mask_token_id is not None:
        raise UnsupportedModel(
            f"{type(new).__name__} has no mask token, which {type(old).__name__} has; swap "
            "tokenizers of the same kind of model"
        )
