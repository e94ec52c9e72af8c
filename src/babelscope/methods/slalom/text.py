"""A SLALOM of one text: queries, answers, fit and uncertainty. It knows no model, only its
answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.methods.slalom.adam import fit_adam
from babelscope.methods.slalom.design import Design, Text, sample_size, sample_texts
from babelscope.methods.slalom.exact import Query, recover
from babelscope.methods.slalom.fit import MANY, SAME, Fit, fit
from babelscope.methods.slalom.scores import score
from babelscope.methods.slalom.surrogate import (
    CountedTexts,
    Mixture,
    Numbers,
    counted,
    predict,
)
from babelscope.stats.threads import one_thread

LEAST_SQUARES, ADAM = "least_squares", "adam"
"""How a surrogate is fitted: to the minimum, or as published."""
LEAST = 20
"""Distinct texts below which none is held out."""
FAR = 0.1
"""The share of the range of the units' values above which the gap on the text itself is flagged."""


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """A SLALOM of one text: importance and value of each unit, their standard deviations, and the
    number of queries."""

    importance: Numbers
    value: Numbers
    importance_sd: Numbers
    value_sd: Numbers
    context: tuple[float, float] | None
    r2: float
    """On a tenth of the texts, held out; NaN where there are too few or the answers do not
    differ."""
    queries: int
    samples: int
    ridge: float
    flags: tuple[str, ...]

    def mixture(self, units: Sequence[int] | NDArray[np.int64]) -> Mixture:
        """The text that consists of these units."""
        places = np.asarray(units, np.int64)
        return Mixture(self.importance[places], self.value[places], self.context)


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """The texts to query, with the number of times each was sampled. With a context the empty text
    comes last."""

    segments: tuple[tuple[int, ...], ...]
    size: int
    design: Design
    texts: tuple[Text, ...]
    weight: Numbers
    samples: int


def plan_queries(
    segments: Sequence[Sequence[int]], design: Design, samples: int, generator: np.random.Generator
) -> Queries:
    """The queries for the text whose units by position are `segments`; with one distinct unit, the
    text alone."""
    size = 1 + max(unit for segment in segments for unit in segment)
    whole = tuple(tuple(segment) for segment in segments)
    if size == 1 and not design.context:
        return Queries(whole, size, design, (whole,), np.ones(1), 1)
    wanted = sample_size(size, samples, design.kind)
    sampled = sample_texts(segments, design, wanted - design.context, generator)
    weight = [float(times) for times in sampled.values()] + [1.0] * design.context
    empty: tuple[Text, ...] = (tuple(() for _ in segments),) if design.context else ()
    return Queries(whole, size, design, (*sampled, *empty), np.array(weight), wanted)


def fit_answers(
    queries: Queries,
    answer: Numbers,
    generator: np.random.Generator,
    how: str = LEAST_SQUARES,
) -> Surrogate:
    """The surrogate that fits the answers best, with its R2 on a tenth of them, held out from a
    first fit.

        R2 = 1 - sum (f - F)^2 / sum (f - mean f)^2

    over the held-out texts, F fitted to the others; a unit alone and the explained text itself are
    never held out. The parameters are then fitted to all texts, starting from the first fit and
    with its ridge; with `how` "adam" as published, from zero.

    *Laws*: never more queries than samples; units that no query but the text itself contains are
    NaN and flagged; one distinct unit gets the model's value.
    """
    size, always = queries.size, queries.size if queries.design.context else None
    if size == 1 and always is None:
        flags = ("one distinct unit: importance not identified",)
        return Surrogate(
            np.zeros(1), answer, np.full(1, nan), np.full(1, nan), None, nan, 1, 1, nan, flags
        )
    flat = [[unit for segment in text for unit in segment] for text in queries.texts]
    texts, total = counted(flat, always), size + queries.design.context
    other = np.array([text != queries.segments for text in queries.texts])
    long = other & np.array([len(segment) > 1 for segment in flat])
    held_out = (
        long & (generator.permutation(len(flat)) < len(flat) / 10)
        if len(flat) >= LEAST
        else np.zeros(len(flat), bool)
    )
    first, r2 = None, nan
    if held_out.any():
        kept = (texts.subset(~held_out), answer[~held_out])
        first = _fitted(*kept, total, queries.weight[~held_out], how)
        spread = float(((answer[held_out] - answer[held_out].mean()) ** 2).sum())
        gap = predict(texts.subset(held_out), first.importance, first.value) - answer[held_out]
        r2 = 1 - float(gap @ gap) / spread if spread > 1e-24 else nan
    fitted = _fitted(texts, answer, total, queries.weight, how, first)
    apart = [unit for segment, is_other in zip(flat, other) for unit in segment if is_other]
    seen = np.isin(np.arange(total), apart)
    return _surrogate(queries, fitted, seen[:size], r2)


@one_thread()
def _fitted(
    texts: CountedTexts,
    answer: Numbers,
    size: int,
    weight: Numbers,
    how: str,
    start: Fit | None = None,
) -> Fit:
    if how == ADAM:
        return fit_adam(texts, answer, size=size, weight=weight)
    ridge = start.ridge if start else None
    return fit(texts, answer, size=size, weight=weight, ridge=ridge, start=start)


def recover_surrogate(segments: Sequence[Sequence[int]], query: Query) -> Surrogate:
    """The surrogate from 2T - 1 queries; nothing is fitted, so that its error is unknown."""
    size = 1 + max(unit for segment in segments for unit in segment)
    recovered = recover(query, size)
    if not np.isfinite([recovered.value, recovered.importance]).all():
        raise InputError(
            "the exact design needs every answer, and some are not finite; use design mix"
        )
    outside = int(recovered.outside.sum())
    flags = (f"{outside} unit(s) outside of the range of a SLALOM",) if outside else ()
    if not np.ptp(recovered.importance):
        flags = ("one distinct unit: importance not identified" if size == 1 else CONSTANT,)
    unknown = np.full(size, nan)
    count = 2 * size - 1
    return Surrogate(
        recovered.importance, recovered.value, unknown, unknown, None, nan, count, count, 0.0, flags
    )


CONSTANT = "constant model: every answer is the same, importance not identified"


def _surrogate(queries: Queries, fitted: Fit, seen: NDArray[np.bool_], r2: float) -> Surrogate:
    size = queries.size
    shift = fitted.importance[:size].mean()
    importance, value, importance_sd, value_sd = (
        np.where(seen, part[:size], nan)
        for part in (fitted.importance - shift, fitted.value, fitted.importance_sd, fitted.value_sd)
    )
    context = (
        (float(fitted.importance[size] - shift), float(fitted.value[size]))
        if queries.design.context
        else None
    )
    flags = []
    if not seen.all():
        flags.append(
            f"{int((~seen).sum())} unit(s) unseen: no query contained them, use more samples"
        )
    if fitted.constant:
        flags.append(CONSTANT)
    elif not fitted.identified[:size][seen].all():
        flags.append(
            f"importance of {int((seen & ~fitted.identified[:size]).sum())} unit(s) not identified"
        )
    if size > MANY:
        flags.append(f"no standard deviations: more than {MANY} units")
    return Surrogate(
        importance,
        value,
        importance_sd,
        value_sd,
        context,
        r2,
        len(queries.texts),
        queries.samples,
        fitted.ridge,
        tuple(flags),
    )


def position_scores(
    surrogate: Surrogate, units: Sequence[int] | NDArray[np.int64], name: str
) -> Numbers:
    """The named score of each position; NaN where the unit was not seen, the others as if it were
    absent."""
    places = np.asarray(units, np.int64)
    seen = np.isfinite(surrogate.value[places])
    scores = np.full(len(places), nan)
    if seen.any():
        scores[seen] = score(name, surrogate.mixture(places[seen]))
    return scores


def text_gap(
    surrogate: Surrogate, units: NDArray[np.int64], answer: float
) -> tuple[float, tuple[str, ...]]:
    """How far the surrogate is from the model on the explained text itself, and a flag where that
    is far.

        gap = | F(t) - f(t) |,    flagged where gap > 0.1 (max_u v_u - min_u v_u)

    In a design without the text itself F(t) extrapolates; in one with it, the gap is what no SLALOM
    can fit together with the answers to short texts. A surrogate's answers lie between the least
    and the largest value, so that their range is its scale. Undefined where no unit was seen.
    """
    seen = np.isfinite(surrogate.value[units])
    if not seen.any():
        return nan, ()
    predicted = surrogate.mixture(units[seen]).weights()[2]
    gap = abs(predicted - answer)
    if gap <= FAR * np.ptp(surrogate.value[units][seen]) + SAME * abs(answer):
        return gap, ()
    return gap, (
        f"the surrogate says {predicted:.3g} of the text and the model {answer:.3g}: a gap of "
        f"{gap:.2g}",
    )


def details(
    surrogate: Surrogate, units: NDArray[np.int64], position: NDArray[np.int64], gap: float = nan
) -> Mapping[str, Any]:
    """What an explanation reports beside its scores: lists by token, and numbers; undefined is
    None.

    `units` is the unit at every position, `position` the position of every token, `gap` that of the
    text itself.
    """
    lists = {
        "unit_position": position.tolist(),
        "value": _plain(surrogate.value[units][position]),
        "importance": _plain(surrogate.importance[units][position]),
        "value_sd": _plain(surrogate.value_sd[units][position]),
        "importance_sd": _plain(surrogate.importance_sd[units][position]),
    }
    seen = np.isfinite(surrogate.value[units])
    full = surrogate.mixture(units[seen]).weights()[2] if seen.any() else nan
    context = None if surrogate.context is None else list(surrogate.context)
    numbers = dict(
        zip(
            ("r2", "surrogate_value", "gap", "ridge"),
            _plain(np.array([surrogate.r2, full, gap, surrogate.ridge])),
        )
    )
    return {
        **lists,
        **numbers,
        "context": context,
        "queries": surrogate.queries,
        "samples": surrogate.samples,
    }


def _plain(values: Numbers) -> list[float | None]:
    return [float(value) if isfinite(value) else None for value in values]
