"""From examples to stored explanations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from math import isfinite, nan
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from babelscope.data.formats.lists import Texts, as_examples
from babelscope.display.results import Attributions
from babelscope.errors import BabelscopeError, InputError, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.row import (
    Method,
)
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.stored_input import model_input
from babelscope.options import choose, resolve_options
from babelscope.types import Aim, Attribution, Encoded, Explained, Target

OWN_TOLERANCE = 1e-4
"""How far the explained probability may be from the one of the model's own call."""
HALF_TOLERANCE = 2e-2
"""The same in half precision, where a batch and a single text round differently."""


def explain(
    model: Model,
    data: Texts,
    method: str | Sequence[str] = "integrated_gradients",
    *,
    target: str | Aim | None = None,
    quantity: str = "logit",
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    lang: str = "und",
    part: str = "all",
    long: str = "truncate",
    progress: Progress | None = None,
) -> Attributions:
    """Which words made the model say that: one explanation per text and method.

    `data` is a text, a pair (two texts in a tuple), an Example, or a list of these. `target` names
    a class or an answer; "gold" takes each example's label; None, the default, explains what the
    model predicts; an `Aim` also says which word's tag, which edge of an answer, and which class is
    contrasted. `options` belong to the method. `part` fixes one text of a pair; `long` says what
    happens to texts longer than the model.
    """
    names = [method] if isinstance(method, str) else list(method)
    rows = [choose(METHODS, name, "method") for name in names]
    if options and len(rows) > 1:
        raise InputError(
            f"options belong to one method, and {len(rows)} are named; explain with each in a call "
            "of its own"
        )
    resolved = [resolve_options(row, options or {}) for row in rows]
    for row in rows:
        if row.attentions and model.unseen_attention:
            raise UnsupportedModel(
                f"{row.name} reads attention weights, but {model.unseen_attention}; use another "
                "method"
            )
    encoded = encode(model, as_examples(data, lang), part=part, long=long)
    aim = target if isinstance(target, Aim) else Aim(target)
    attributions: list[Attribution] = []
    with model.inference.reporting_progress(progress):
        outputs = inference.outputs(model, [inference.query(row) for row in encoded])
        check_output(model, encoded, outputs)
        aims = [
            targets.chosen(model, row, output, aim, quantity)
            for row, output in zip(encoded, outputs)
        ]
        for row, values in zip(rows, resolved):
            explained = _explained(model, row, values, seed, encoded, aims)
            attributions += [
                _attribution(model, row, values, seed if row.seeded else 0, *each)
                for each in zip(encoded, outputs, aims, explained)
            ]
    return Attributions(tuple(attributions))


def _explained(
    model: Model, method: Method, options: Mapping[str, Any], seed: int,
    encoded: Sequence[Encoded], explained: Sequence[Target],
) -> list[Explained]:  # fmt: skip
    """The method's scores, in the precision that it needs."""
    seeded = {"seed": seed} if method.seeded else {}
    with ready(model, method) as upcast:
        results = list(method.function(model, encoded, explained, **options, **seeded))
    return (
        [replace(each, flags=(*each.flags, f"computed in {method.precise}")) for each in results]
        if upcast
        else results
    )


@contextmanager
def ready(model: Model, method: Method) -> Iterator[bool]:
    """Within, gradients are computed, also where the caller has switched them off, and the model is
    in the precision that the method needs; whether it was in half."""
    precision = (
        model.full_precision(getattr(torch, method.precise))
        if method.precise
        else nullcontext(False)
    )
    with torch.inference_mode(False), torch.enable_grad(), precision as upcast:
        yield upcast


def check_output(model: Model, encoded: Sequence[Encoded], outputs: Sequence[torch.Tensor]) -> None:
    """The explained output is the model's own: the plain Hugging Face call on the tokenizer's ids
    gives the same.

    The plain call derives positions and masks itself, one text at a time, so that an error of ours
    cannot hide in it.
    """
    with model.inference_mode(padding_id=-1), torch.no_grad():
        for row, output in zip(encoded, outputs):
            answer = model.hf(**model.functions.plain_call(model, row))
            own = (
                model.functions.outputs(model, answer, [inference.query(row)], None)[0]
                .double()
                .to("cpu")
            )
            target = targets.predicted(model, row, output)
            gap = abs(
                targets.probability(model, own, target) - targets.probability(model, output, target)
            )
            if not gap <= (HALF_TOLERANCE if model.in_half else OWN_TOLERANCE):
                raise BabelscopeError(
                    f"{row.example.id}: the explained probability differs by {gap:.2g} from that "
                    f"of {type(model.hf).__name__} "
                    "itself; this architecture reads its input in a way that is not understood "
                    "here: please report it"
                )


def word_scores(row: Encoded, scores: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    """A word's score: the sum (or maximum) of its tokens' scores; undefined if one of them is."""
    owner = row.word[row.content]
    if how == "sum":
        return np.bincount(owner, weights=scores, minlength=len(row.words)).astype(np.float64)
    best = np.full(len(row.words), -np.inf)
    np.maximum.at(best, owner, scores)
    return best


def _attribution(
    model: Model, method: Method, options: Mapping[str, Any], seed: int,
    row: Encoded, output: torch.Tensor, target: Target, explained: Explained,
) -> Attribution:  # fmt: skip
    scores = np.asarray(explained.scores, dtype=np.float64)
    words = word_scores(row, scores, method.words)
    content = np.flatnonzero(row.content)
    lost = int((~np.isfinite(scores)).sum())
    constant = len(scores) > 1 and lost == 0 and np.ptp(scores) == 0
    flags = row.flags + explained.flags + (("all scores are equal",) if constant else ())
    word = int(row.word[target.end]) if model.row.tags else None
    if word is not None:
        flags = (f"the tag of word {word}, {row.words[word]!r}", *flags)
    return Attribution(
        id=row.example.id,
        group=row.example.group,
        lang=row.example.lang,
        method=method.name,
        options=dict(options),
        seed=seed,
        model=model.name,
        texts=row.example.texts,
        target=targets.name(model, row, target),
        quantity=target.quantity,
        label=targets.name(model, row, targets.predicted(model, row, output, token=target.end)),
        gold=row.example.label,
        probability=targets.probability(model, output, target),
        value=float(targets.value(model, output, target)),
        reference_value=explained.reference_value,
        tokens=tuple(row.tokens[token] for token in content),
        offsets=tuple(
            (int(row.offsets[token][0]), int(row.offsets[token][1])) for token in content
        ),
        segment=tuple(int(row.segment[token]) for token in content),
        word_index=tuple(int(row.word[token]) for token in content),
        words=row.words,
        word_offsets=row.word_offsets,
        word_segment=row.word_segment,
        scores=tuple(float(score) if isfinite(score) else nan for score in scores),
        word_scores=tuple(float(score) if isfinite(score) else nan for score in words),
        flags=flags,
        target_index=target.index,
        target_end=target.end,
        details={
            **explained.details,
            **({"tokenless_words": list(row.tokenless)} if row.tokenless else {}),
        },
        rationale=_rationale(row),
        contrast=None
        if target.contrast < 0
        else targets.name(model, row, replace(target, index=target.contrast)),
        contrast_index=target.contrast,
        tagged_word=word,
        input=model_input(row),
        signature=model.signature,
    )


def _rationale(row: Encoded) -> tuple[bool, ...] | None:
    """The gold marks of the words that are explained."""
    example = row.example
    if example.rationale is None or example.words is None:
        return None
    marked = [dict(zip(spans, marks)) for spans, marks in zip(example.words, example.rationale)]
    return tuple(
        marked[text].get(span, False) for text, span in zip(row.word_segment, row.word_offsets)
    )
