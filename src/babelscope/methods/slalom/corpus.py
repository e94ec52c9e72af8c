"""SLALOM beyond one model and one text: any function of texts, the text without some words, a whole corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from babelscope.data.segmentation import segment
from babelscope.data.texts import check_text
from babelscope.display.results import Attributions
from babelscope.errors import InputError, Undefined
from babelscope.methods import METHODS
from babelscope.methods.explain import Texts, as_examples
from babelscope.methods.slalom.design import design
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.methods import pieces
from babelscope.methods.slalom.scores import without as text_without
from babelscope.methods.slalom.surrogate import Mixture, Numbers, predict, texts
from babelscope.methods.slalom.text import (
    Surrogate,
    answered,
    details,
    position_scores,
    questions,
    recovered,
)
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.options import settle
from babelscope.random import keyed
from babelscope.types import Attribution, Example

Function = Callable[[list[str]], Any]
"""From texts to probabilities: one row of class probabilities per text, or the probability of the second of two classes."""
SURE = 15.0
"""Log-odds beyond which a probability has lost its digits; such an answer counts a tenth."""
LOST = 0.01
"""The share of undefined answers that may be left out."""


def explain_function(
    function: Function, data: Texts, *, labels: Sequence[str] | None = None, target: str | None = None,
    options: Mapping[str, Any] | None = None, seed: int = 0, lang: str = "und",
) -> Attributions:  # fmt: skip
    """Which words made a black box say that: `slalom` of any function from texts to probabilities.

    The function gets texts made of the words of the explained one, joined by blanks (by nothing if the text has none), and
    answers with probabilities; explained is log p - log(1 - p). `labels` name the classes, `target` one of them (default:
    the most probable); `options` are those of slalom except `unit`, which is the word. Answers that are not finite are left
    out and counted; more than 1 % of them are refused.
    """
    if (options or {}).get("unit", "word") != "word":
        raise InputError("a function reads texts, so that its units are words; leave out the option unit")
    given = {**settle(METHODS["slalom"], options or {}), "unit": "word"}
    return Attributions(tuple(_black_box(function, one, labels, target, given, seed) for one in as_examples(data, lang)))


def without(one: Attribution, words: Sequence[str]) -> float:
    """What the surrogate predicts when every occurrence of these words is taken out of the explained text.

    F(t - R) = sum_{i not in R} alpha'_i v_i,    alpha' the softmax over what is left
    """
    if "importance" not in one.details:
        raise InputError(f"{one.id}: an explanation by {one.method} holds no surrogate; explain with slalom")
    unknown = [word for word in words if word not in one.words]
    if unknown:
        raise InputError(f"{one.id}: {unknown[0]!r} is not a word of the text; its words are: {' '.join(one.words)}")
    known = {place: at for at, place in enumerate(one.details["position"])}
    order = sorted(known)
    numbers = [np.array([one.details[name][known[place]] for place in order], np.float64) for name in ("importance", "value")]
    gone = np.array([one.words[one.word_index[known[place]]] in words for place in order])
    if np.isnan(numbers[1]).any():
        raise Undefined(f"{one.id}: the surrogate did not see every unit; explain with more samples")
    context = one.details.get("context")
    return text_without(Mixture(numbers[0], numbers[1], None if context is None else (context[0], context[1])), gone)


@dataclass(frozen=True, slots=True, eq=False)
class CorpusSurrogate:
    """One SLALOM for many texts: a value and an importance for each unit of the corpus."""

    units: tuple[str, ...]
    counts: tuple[int, ...]
    importance: Numbers
    value: Numbers
    importance_sd: Numbers
    value_sd: Numbers
    r2: float
    """Of the texts themselves, as fitted."""

    def to_pandas(self) -> pd.DataFrame:
        """One row per unit, the most frequent first."""
        numbers = {name: getattr(self, name) for name in ("value", "importance", "value_sd", "importance_sd")}
        found = pd.DataFrame({"unit": self.units, "count": self.counts, **numbers})
        return found.sort_values("count", ascending=False, kind="stable", ignore_index=True)


def fit_corpus(
    model: Model, data: Texts, target: str, *, quantity: str = "log_odds", unit: str = "token", lang: str = "und"
) -> CorpusSurrogate:
    """One SLALOM for all texts: what each unit of the corpus is worth to the model, and how much it weighs.

    The model is asked about the texts as they are; `target` is the class, `unit` token or word.
    """
    rows = [pieces(row, unit) for row in encode(model, as_examples(data, lang))]
    known: dict[tuple[int, ...], int] = {}
    names: dict[int, str] = {}
    sequences = []
    for row in rows:
        own = [known.setdefault(ids, len(known)) for ids in row.ids]
        sequences.append([own[unit_] for unit_ in row.units])
        tokens = np.array(row.row.tokens)[row.row.content]
        for place, number in enumerate(sequences[-1]):
            names.setdefault(number, "".join(tokens[row.position == place]))
    wanted = [targets.named(model, row.row, target, quantity) for row in rows]
    outputs = inference.outputs(model, [inference.query(row.row) for row in rows])
    answer = np.array([float(targets.value(model, output, one)) for output, one in zip(outputs, wanted)])
    given = texts(sequences)
    found = fit(given, answer, size=len(known))
    gap, spread = predict(given, found.importance, found.value) - answer, float(((answer - answer.mean()) ** 2).sum())
    counts = np.bincount(np.concatenate([np.array(one) for one in sequences]), minlength=len(known))
    r2 = 1 - float(gap @ gap) / spread if spread > 0 else nan
    return CorpusSurrogate(
        tuple(names[at] for at in range(len(known))), tuple(counts.tolist()), found.importance, found.value,
        found.importance_sd, found.value_sd, r2,
    )  # fmt: skip


def _black_box(
    function: Function, example: Example, labels: Sequence[str] | None, target: str | None, given: Mapping[str, Any], seed: int
) -> Attribution:
    if len(example.texts) != 1:
        raise InputError(f"{example.id}: a function reads one text; {len(example.texts)} given")
    check_text(example)
    text = example.texts[0]
    spans = example.words[0] if example.words else tuple(segment(text, example.lang))
    words = tuple(text[start:end] for start, end in spans)
    units = list(dict.fromkeys(words))
    places = np.array([units.index(word) for word in words], np.int64)
    blank = " " if " " in text else ""
    (whole,) = _probabilities(function, [text])
    if not np.isfinite(whole).all():
        raise InputError(f"{example.id}: the function's answer to the text itself is not finite")
    names = tuple(labels) if labels is not None else tuple(str(at) for at in range(len(whole)))
    if len(names) != len(whole) or (target is not None and target not in names):
        raise InputError(f"the function answers with {len(whole)} classes; labels {', '.join(names)}, target {target} given")
    chosen = int(whole.argmax()) if target is None else names.index(target)

    def ask(sequences: Sequence[Sequence[int]]) -> Numbers:
        made = [blank.join(units[unit] for unit in one) for one in sequences]
        return log_odds(_probabilities(function, made)[:, chosen])

    one = _fitted(ask, places, given, keyed(seed, "slalom", example.id), example.id)
    scores = position_scores(one, places, given["score"])
    value = float(log_odds(whole[chosen : chosen + 1])[0])
    return Attribution(
        example.id, example.group, example.lang, "slalom", dict(given), seed,
        getattr(function, "__name__", type(function).__name__), example.texts, names[chosen], "log_odds",
        names[int(whole.argmax())], example.label, float(whole[chosen]), value, None, words, tuple(spans), (0,) * len(words),
        tuple(range(len(words))), words, tuple(spans), (0,) * len(words), tuple(scores.tolist()), tuple(scores.tolist()),
        one.flags, target_index=chosen, details=details(one, places, np.arange(len(words))),
    )  # fmt: skip


def _fitted(
    ask: Callable[[Sequence[Sequence[int]]], Numbers], places: NDArray[np.int64], given: Mapping[str, Any],
    generator: np.random.Generator, name: str,
) -> Surrogate:  # fmt: skip
    how = design(given["design"])
    if how.kind == "exact":
        return recovered([places.tolist()], ask)
    asked = questions([places.tolist()], how, given["samples"], generator)
    answer = ask([text[0] for text in asked.asked])
    there = np.isfinite(answer)
    lost = int((~there).sum())
    if lost > LOST * len(answer):
        raise InputError(f"{name}: {lost} of {len(answer)} answers of the function are not finite; repair it first")
    kept = tuple(text for text, keep in zip(asked.asked, there) if keep)
    weight = np.where(np.abs(answer) > SURE, 0.1, 1.0) * asked.weight
    one = answered(replace(asked, asked=kept, weight=weight[there]), answer[there], generator)
    return replace(one, flags=(*one.flags, f"{lost} answer(s) were not finite and left out")) if lost else one


def log_odds(probability: Numbers) -> Numbers:
    """log p - log(1 - p), with p held within 1e-7 of 0 and 1; NaN stays NaN."""
    held = np.clip(probability, 1e-7, 1 - 1e-7)
    return np.asarray(np.log(held) - np.log1p(-held))


def _probabilities(function: Function, made: list[str]) -> Numbers:
    """The function's answers as one row per text; a single probability per text is that of the second class."""
    found = np.asarray(function(made), np.float64)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim == 1:
        found = np.stack([1 - found, found], axis=1)
    if found.ndim != 2 or len(found) != len(made):
        raise InputError(f"the function answered {len(made)} texts with an array of shape {found.shape}; give one row per text")
    if ((found < -1e-6) | (found > 1 + 1e-6)).any():
        raise InputError("the function's answers are not probabilities: some lie outside of 0 to 1")
    return found
