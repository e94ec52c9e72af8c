"""From a text's units and a model's answers to a fitted SLALOM with its uncertainty. Knows no model, only answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.methods.slalom.design import Design, Text, budget, draw
from babelscope.methods.slalom.exact import Answers, recover
from babelscope.methods.slalom.fit import MANY, Fit, fit
from babelscope.methods.slalom.scores import score
from babelscope.methods.slalom.surrogate import Mixture, Numbers, predict, texts

LEAST = 20
"""Distinct texts below which none is held out."""


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """A SLALOM of one text (or corpus): importance and value of each unit, how sure they are, and what it cost."""

    importance: Numbers
    value: Numbers
    importance_sd: Numbers
    value_sd: Numbers
    context: tuple[float, float] | None
    r2: float
    """Of a tenth of the texts, held out; NaN where there were too few or the answers do not differ."""
    queries: int
    samples: int
    ridge: float
    flags: tuple[str, ...]

    def mixture(self, units: Sequence[int] | NDArray[np.int64]) -> Mixture:
        """The text that consists of these units."""
        places = np.asarray(units, np.int64)
        return Mixture(self.importance[places], self.value[places], self.context)


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """The texts to ask about, with the times each was drawn. The empty text comes last if there is a context."""

    segments: tuple[tuple[int, ...], ...]
    size: int
    design: Design
    asked: tuple[Text, ...]
    weight: Numbers
    samples: int


def questions(segments: Sequence[Sequence[int]], how: Design, samples: int, generator: np.random.Generator) -> Questions:
    """What to ask about the text whose units by position are `segments`; one distinct unit needs the text alone."""
    size = 1 + max(unit for one in segments for unit in one)
    whole = tuple(tuple(one) for one in segments)
    if size == 1 and not how.context:
        return Questions(whole, size, how, (whole,), np.ones(1), 1)
    wanted = budget(size, samples)
    drawn = draw(segments, how, wanted - how.context, generator)
    weight = [float(times) for times in drawn.values()] + [1.0] * how.context
    empty: tuple[Text, ...] = (tuple(() for _ in segments),) if how.context else ()
    return Questions(whole, size, how, (*drawn, *empty), np.array(weight), wanted)


def answered(asked: Questions, answer: Numbers, generator: np.random.Generator) -> Surrogate:
    """The surrogate that is nearest to the answers, its R2 on a tenth of them that a first fit does not see.

        R2 = 1 - sum (f - F)^2 / sum (f - mean f)^2        over the held-out texts, F fitted to the others

    The parameters are then fitted to all, from the first fit on and with its ridge.

    *Laws*: never more questions than samples; unseen units are NaN and flagged; one distinct unit gets the model's own value.
    """
    size, always = asked.size, asked.size if asked.design.context else None
    if size == 1 and always is None:
        flags = ("one distinct unit: importance not identified",)
        return Surrogate(np.zeros(1), answer, np.full(1, nan), np.full(1, nan), None, nan, 1, 1, nan, flags)
    flat = [[unit for one in text for unit in one] for text in asked.asked]
    given, total = texts(flat, always), size + asked.design.context
    long = np.array([len(one) > 1 for one in flat])
    held = long & (generator.permutation(len(flat)) < len(flat) / 10) if len(flat) >= LEAST else np.zeros(len(flat), bool)
    first, r2 = None, nan
    if held.any():
        first = fit(given.of(~held), answer[~held], size=total, weight=asked.weight[~held])
        spread = float(((answer[held] - answer[held].mean()) ** 2).sum())
        gap = predict(given.of(held), first.importance, first.value) - answer[held]
        r2 = 1 - float(gap @ gap) / spread if spread > 1e-24 else nan
    found = fit(
        given,
        answer,
        size=total,
        weight=asked.weight,
        ridge=first.ridge if first else None,
        start=first,
    )
    seen = np.isin(np.arange(total), np.concatenate([np.array(one, np.int64) for one in flat]))
    return _surrogate(asked, found, seen[:size], r2)


def recovered(segments: Sequence[Sequence[int]], ask: Answers) -> Surrogate:
    """The surrogate from 2T - 1 questions; nothing is fitted, so that nothing is known about its error."""
    size = 1 + max(unit for one in segments for unit in one)
    found = recover(ask, size)
    if not np.isfinite([found.value, found.importance]).all():
        raise InputError("the exact design needs every answer, and some are not finite; use design mix")
    outside = int(found.outside.sum())
    flags = (f"{outside} unit(s) outside of what a SLALOM can do",) if outside else ()
    if not np.ptp(found.importance):
        flags = ("one distinct unit: importance not identified" if size == 1 else CONSTANT,)
    unknown = np.full(size, nan)
    asked = 2 * size - 1
    return Surrogate(found.importance, found.value, unknown, unknown, None, nan, asked, asked, 0.0, flags)


CONSTANT = "constant model: every answer is the same, importance not identified"


def _surrogate(asked: Questions, found: Fit, seen: NDArray[np.bool_], r2: float) -> Surrogate:
    size = asked.size
    shift = found.importance[:size].mean()
    importance, value, importance_sd, value_sd = (
        np.where(seen, part[:size], nan)
        for part in (found.importance - shift, found.value, found.importance_sd, found.value_sd)
    )
    context = (float(found.importance[size] - shift), float(found.value[size])) if asked.design.context else None
    flags = []
    if not seen.all():
        flags.append(f"{int((~seen).sum())} unit(s) unseen: no question held them, ask for more samples")
    if found.constant:
        flags.append(CONSTANT)
    elif not found.identified[:size][seen].all():
        flags.append(f"importance of {int((seen & ~found.identified[:size]).sum())} unit(s) not identified")
    if size > MANY:
        flags.append(f"no standard deviations: more than {MANY} units")
    return Surrogate(
        importance,
        value,
        importance_sd,
        value_sd,
        context,
        r2,
        len(asked.asked),
        asked.samples,
        found.ridge,
        tuple(flags),
    )


def position_scores(one: Surrogate, units: Sequence[int] | NDArray[np.int64], name: str) -> Numbers:
    """The named score of each position; NaN where the unit was not seen, the others as if it were not there."""
    places = np.asarray(units, np.int64)
    seen = np.isfinite(one.value[places])
    found = np.full(len(places), nan)
    if seen.any():
        found[seen] = score(name, one.mixture(places[seen]))
    return found


def details(one: Surrogate, units: NDArray[np.int64], position: NDArray[np.int64]) -> Mapping[str, Any]:
    """What an explanation carries beside its scores: lists by token, and numbers; undefined is None.

    `units` is the unit at every position, `position` the position of every token.
    """
    lists = {
        "position": position.tolist(),
        "value": _plain(one.value[units][position]),
        "importance": _plain(one.importance[units][position]),
        "value_sd": _plain(one.value_sd[units][position]),
        "importance_sd": _plain(one.importance_sd[units][position]),
    }
    seen = np.isfinite(one.value[units])
    full = one.mixture(units[seen]).weights()[2] if seen.any() else nan
    context = None if one.context is None else list(one.context)
    numbers = dict(zip(("r2", "surrogate_value", "ridge"), _plain(np.array([one.r2, full, one.ridge]))))
    return {**lists, **numbers, "context": context, "queries": one.queries, "samples": one.samples}


def _plain(values: Numbers) -> list[float | None]:
    return [float(value) if isfinite(value) else None for value in values]
