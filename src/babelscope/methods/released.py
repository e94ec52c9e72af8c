"""Masked relevance propagation as the released code of its study computes it, each of its
deviations from the written definition with a name of its own.

Without deviations it is `masked_lrp`; with the default ones it is the released method, so that
authors see what each correction changes.

    halved      the relevance of attention weights is halved where the mask keeps all heads: what
                the code does without a mask, and not with one
    separators  nobody attends to a separator while the text is explained
    types       the model is not told which text of a pair a token belongs to
    products    GPT-2's layers are products of two inputs, and sums with a bias: half of the
                relevance, and the bias's share, is lost in each of them
    row         the relevance of an answer's token, as it enters the encoder, is that of every token

Two defects need no switch: its evaluation of answers leaves out the head mask, which is
`heads: builtin:all`; and the sums of its rule for residual connections run over the whole batch,
which it keeps to one text. Words that are aligned with parses as strings, and means over the
batches of its workers, depend on more than their input and are not offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from babelscope.methods.relevance import Variant, masked, rolled_relevance
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.options import known_names
from babelscope.propagation.rules import Mask
from babelscope.types import Encoded, Explained, Target

DEVIATIONS = ("halved", "separators", "types", "products", "row")


def released_masked_lrp(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    heads: str = "builtin",
    deviations: Sequence[str] = DEVIATIONS,
) -> list[Explained]:
    """Masked relevance propagation as its study's released code computes it.

        as masked_lrp, with those of the named deviations (see the module) that `deviations` lists

    *Laws*: without deviations it is masked_lrp; with `halved` and a mask that keeps all heads it is
    transatt with `normalised`; never negative.
    *Left open by the paper*: it explains the start and the end of an answer one after the other and
    adds them up; here `row` spreads the relevance of both at once.
    Source: the released code of "Better Explain Transformers by Illuminating Important
    Information", Findings of EACL 2024.
    """
    on = known_names("deviation", deviations, DEVIATIONS)
    variant = _variant(model, on)

    def passed(rows: Sequence[Encoded], aims: Sequence[Target], mask: Mask) -> list[Explained]:
        whole = all(head == 1 for layer in mask.values() for head in layer)
        factor = 0.5 if "halved" in on and whole else 1.0
        return rolled_relevance(model, rows, aims, mask, replace(variant, factor=factor))

    return masked(model, inputs, targets, heads, passed)


def _variant(model: Model, on: frozenset[str]) -> Variant:
    def query(row: Encoded) -> inference.Query:
        plain = inference.query(row)
        if "separators" in on and model.tokenizer.sep_token_id is not None:
            separator = (row.ids == model.tokenizer.sep_token_id) & ~row.content
            attended = np.ones(len(row.ids), dtype=np.bool_)
            before = attended if plain.attended is None else plain.attended
            plain = replace(plain, attended=before & ~separator)
        if "types" in on and plain.types is not None:
            plain = replace(plain, types=np.zeros_like(plain.types))
        return plain

    row = "row" in on and model.row.spans
    return Variant(
        rule_set="chefer_products" if "products" in on else "chefer",
        query=query,
        within=_spread_answers if row else nullcontext,
        alone=row,
    )


def _spread_answers(model: Model) -> AbstractContextManager[None]:
    return _spreading(model.hf.base_model)


@contextmanager
def _spreading(encoder: torch.nn.Module) -> Iterator[None]:
    """Within, the relevance of the encoder's output is the same at every token."""

    def spread_output(_: torch.nn.Module, __: Any, output: Any) -> None:
        states = output[0]
        with torch._C.DisableTorchFunction():
            if states.requires_grad:
                states.register_hook(lambda gradient: spread(states.detach(), gradient))

    handle = encoder.register_forward_hook(spread_output)
    try:
        yield
    finally:
        handle.remove()


def spread(states: Tensor, gradient: Tensor) -> Tensor:
    """The gradient at which every token has the relevance that all of them have together.

        g'[t, d] = sum_u x[u, d] g[u, d] / x[t, d],    0 where x[t, d] is 0

    *Law*: x[t] g'[t] is the same for all t; with one token it changes nothing.
    """
    whole = (states * gradient).sum(dim=-2, keepdim=True).expand_as(states)
    none = states == 0
    return torch.where(none, 0.0, whole / torch.where(none, 1.0, states))
