"""Erasing tokens from an input, in token ids: no text is decoded and tokenized again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model.inference import Query, query
from babelscope.model.infill import infilled
from babelscope.model.load import Model
from babelscope.model.written import without
from babelscope.types import Candidate, Encoded, Target

OPERATORS = {
    "mask": "it is replaced by the mask token",
    "pad": "it is replaced by the padding token, which is attended to",
    "unk": "it is replaced by the unknown token",
    "attention_zero": "it keeps its position, but no token may attend to it",
    "delete": "it is removed, so that later positions shift",
    "mean_embedding": "it is replaced by the mean of the vocabulary's word embeddings",
    "sampled": "it is replaced by a sample of a masked language model: `sampled:CHECKPOINT`",
}
"""How a token is erased. The replacing token is looked up by its name in the tokenizer, never by a
fixed id.
"""


def default_operator(model: Model) -> str:
    """The first of mask, pad and unk that the tokenizer has, else `attention_zero`.

    A decoder reads its last token and often has no special token: with `attention_zero` that token
    would still be read, and a text with everything erased would leave nothing to attend to. A
    replacement token has neither problem. A prompt has neither: its fixed tokens stay, the last
    one among them. There, a padding token that also begins or ends texts (or turns of a chat) is
    not used, but `attention_zero`. For a function of texts, `mask` if it has one, else `delete`.
    """
    if model.row.reads_text:
        return "mask" if model.hf.mask else "delete"
    if model.prompt is not None and model.tokenizer.mask_token is None and not pads(model):
        return "attention_zero"
    known = (
        name
        for name in ("mask", "pad", "unk")
        if getattr(model.tokenizer, f"{name}_token_id") is not None
    )
    return next(known, "attention_zero")


def pads(model: Model) -> bool:
    """Whether the padding token is for padding alone, and not also the begin or end of a text."""
    tokenizer = model.tokenizer
    ends = {tokenizer.bos_token_id, tokenizer.eos_token_id}
    return tokenizer.pad_token_id is not None and tokenizer.pad_token_id not in ends


def erase(model: Model, encoded: Encoded, gone: NDArray[np.bool_], operator: str) -> Query | None:
    """The input with the tokens in `gone` erased; None if the model would be left with nothing to
    read.

    *Laws*: erasing nothing gives the input itself; tokens outside of `gone` keep their ids and, but
    for `delete`, their positions; erasing R is keeping the rest: erase(gone) == keep(~gone) by
    construction, as there is only one function.
    """
    name, _, checkpoint = operator.partition(":")
    if name not in OPERATORS or (checkpoint and name != "sampled"):
        raise InputError(f"operator {operator!r} is not one of: {', '.join(OPERATORS)}")
    if model.row.reads_text:
        return _written(model, encoded, gone, operator)
    if name == "sampled":
        return infilled(model, [(encoded, gone)], checkpoint)[0]
    if operator == "mean_embedding":
        return _blurred(model, encoded, gone)
    if operator == "delete":
        return _deleted(encoded, gone)
    if operator == "attention_zero":
        if gone.all():
            return None
        return replace(query(encoded), attended=None if not gone.any() else ~gone)
    return _replaced(model, encoded, gone, operator)


def _written(model: Model, encoded: Encoded, gone: NDArray[np.bool_], operator: str) -> Query:
    """What a function reads; the empty text too."""
    known = ("mask", "delete") if model.hf.mask else ("delete",)
    if operator not in known:
        raise UnsupportedModel(
            f"{model.name} is a function of texts, whose words cannot be erased by {operator}; use "
            f"{' or '.join(known)}"
            + ("" if model.hf.mask else " (or load it with mask='...' for a replacing string)")
        )
    removed = operator == "delete"
    texts = without(encoded, gone, "" if removed else model.hf.mask)
    ids = encoded.ids[~gone] if removed else np.where(gone, 0, encoded.ids)
    return Query(ids, texts=texts)


def _deleted(encoded: Encoded, gone: NDArray[np.bool_]) -> Query | None:
    kept = ~gone
    if not kept.any():
        return None
    left, candidates = int(kept[len(kept) - encoded.decoder :].sum()), _shortened(encoded, kept)
    if any(each.tokens == each.continuation for each in candidates):
        return None
    types = None if encoded.types is None else encoded.types[kept]
    return replace(
        query(encoded), ids=encoded.ids[kept], types=types, decoder=left, candidates=candidates
    )


def _replaced(model: Model, encoded: Encoded, gone: NDArray[np.bool_], operator: str) -> Query:
    filler = getattr(model.tokenizer, f"{operator}_token_id")
    if filler is None:
        others = [
            name
            for name in OPERATORS
            if getattr(model.tokenizer, f"{name}_token_id", None) is not None
        ]
        known = ", ".join([*others, "attention_zero", "delete", "mean_embedding"])
        raise UnsupportedModel(
            f"{model.name} has no {operator} token to erase with; use one of: {known}"
        )
    return replace(query(encoded), ids=np.where(gone, filler, encoded.ids))


def _shortened(encoded: Encoded, kept: NDArray[np.bool_]) -> tuple[Candidate, ...]:
    """The candidates' sequences with the tokens that are left of each."""
    ends = np.cumsum([each.tokens for each in encoded.candidates])
    left = [int(part.sum()) for part in np.split(kept, ends[:-1])] if encoded.candidates else []
    return tuple(replace(each, tokens=tokens) for each, tokens in zip(encoded.candidates, left))


def erase_all(
    model: Model, erasures: Sequence[tuple[Encoded, NDArray[np.bool_]]], operator: str
) -> list[Query | None]:
    """`erase` for many inputs: the same queries, but a masked language model reads all of them in
    one call.
    """
    name, _, checkpoint = operator.partition(":")
    if name == "sampled" and not model.row.reads_text:
        return list(infilled(model, erasures, checkpoint))
    return [erase(model, encoded, gone, operator) for encoded, gone in erasures]


def _blurred(model: Model, encoded: Encoded, gone: NDArray[np.bool_]) -> Query:
    if not gone.any():
        return query(encoded)

    def edit(embedded: Float[Tensor, "token dim"]) -> Float[Tensor, "token dim"]:
        mean = mean_embedding(model)
        return torch.where(torch.from_numpy(gone).to(embedded.device)[:, None], mean, embedded)

    return replace(query(encoded), edit=edit, key=f"mean_embedding {gone.tobytes().hex()}")


def mean_embedding(model: Model) -> Float[Tensor, " dim"]:
    """The mean word embedding of the vocabulary's tokens, special tokens left out; computed once
    per state of the weights.

    By the module's own call, as some scale their weights; in pieces, as a vocabulary may hold 250
    000 tokens.
    """
    weight: Tensor = model.embeddings.weight
    state = (id(weight), weight._version, weight.dtype, weight.device)
    known = model.inference.mean_embedding
    if known is not None and known[0] == state:
        return known[1]
    tokens = range(min(len(model.tokenizer), len(weight)))
    ids = torch.tensor(
        sorted(set(tokens) - set(model.tokenizer.all_special_ids)), device=weight.device
    )
    with torch.no_grad():
        mean = torch.stack([model.embeddings(part).sum(0) for part in torch.split(ids, 8192)]).sum(
            0
        ) / len(ids)
    model.inference.mean_embedding = state, mean
    return mean


def moved(target: Target, gone: NDArray[np.bool_], operator: str, positions: bool) -> Target | None:
    """The target in the erased input: where it names positions (`end`, and `index` too with
    `positions`) and tokens were deleted before them, it moves along; None if one of its positions
    itself was deleted."""
    index, end = target.index if positions else -1, target.end
    if operator != "delete":
        return target
    if any(place >= 0 and gone[place] for place in (index, end)):
        return None
    if index >= 0:
        target = replace(target, index=index - int(gone[:index].sum()))
    return replace(target, end=end - int(gone[:end].sum())) if end >= 0 else target
