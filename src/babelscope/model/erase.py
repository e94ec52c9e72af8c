"""Taking tokens out of an input without ever leaving token ids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model.forward import Query
from babelscope.model.load import Model
from babelscope.types import Encoded, Target

OPERATORS = {
    "mask": "the mask token stands in its place",
    "pad": "the padding token stands in its place and is attended to",
    "unk": "the unknown token stands in its place",
    "attention_zero": "it keeps its place, but no token may attend to it",
    "delete": "it is removed and the rest closes up, so later positions shift",
}
"""How a token is erased. The replacing token is looked up by its name in the tokenizer, never by a fixed id."""


def default_operator(model: Model) -> str:
    """The first of mask, pad and unk that the tokenizer has, else `attention_zero`.

    A decoder reads its last token and often has no special token: with `attention_zero` that token would still be read,
    and a text with everything erased would leave nothing to attend to. A replacing token has neither fault."""
    known = (name for name in ("mask", "pad", "unk") if getattr(model.tokenizer, f"{name}_token_id") is not None)
    return next(known, "attention_zero")


def erase(model: Model, encoded: Encoded, gone: NDArray[np.bool_], operator: str) -> Query | None:
    """The input with the tokens in `gone` erased; None if the model would be left with nothing to read.

    *Laws*: erasing nothing gives the input itself; tokens outside of `gone` keep their ids and, but for `delete`, their
    positions; erasing R is keeping the rest: erase(gone) == keep(~gone) by construction, as there is only one function.
    """
    if operator not in OPERATORS:
        raise InputError(f"operator {operator!r} is not one of: {', '.join(OPERATORS)}")
    if operator == "delete":
        kept = ~gone
        if not kept.any():
            return None
        left = int(kept[len(kept) - encoded.decoder :].sum())
        return Query(encoded.ids[kept], None if encoded.types is None else encoded.types[kept], decoder=left)
    if operator == "attention_zero":
        if gone.all():
            return None
        return Query(encoded.ids, encoded.types, None if not gone.any() else ~gone, decoder=encoded.decoder)
    filler = getattr(model.tokenizer, f"{operator}_token_id")
    if filler is None:
        others = [name for name in OPERATORS if getattr(model.tokenizer, f"{name}_token_id", None) is not None]
        known = ", ".join([*others, "attention_zero", "delete"])
        raise UnsupportedModel(f"{model.name} has no {operator} token to erase with; use one of: {known}")
    return Query(np.where(gone, filler, encoded.ids), encoded.types, decoder=encoded.decoder)


def moved(target: Target, gone: NDArray[np.bool_], operator: str, positions: bool) -> Target | None:
    """The target in the erased input: where it names positions (`end`, and `index` too with `positions`) and tokens were
    deleted before them, it moves along; None if one of its positions itself was deleted."""
    index, end = target.index if positions else -1, target.end
    if operator != "delete":
        return target
    if any(place >= 0 and gone[place] for place in (index, end)):
        return None
    if index >= 0:
        target = replace(target, index=index - int(gone[:index].sum()))
    return replace(target, end=end - int(gone[:end].sum())) if end >= 0 else target
