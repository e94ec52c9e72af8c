"""SLALOM beyond one model and one text: any function of texts, the text without some words, a whole
corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from babelscope.data.formats.in_memory import (
    Texts,
    as_examples,
)
from babelscope.data.segmentation import segment
from babelscope.data.texts import check_text
from babelscope.display.results import Attributions
from babelscope.errors import InputError, Undefined
from babelscope.methods import METHODS
from babelscope.methods.slalom.design import parse_design
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.methods import text_units
from babelscope.methods.slalom.scores import without as text_without
from babelscope.methods.slalom.surrogate import Mixture, Numbers, counted, predict
from babelscope.methods.slalom.text import (
    Surrogate,
    details,
    fit_answers,
    plan_queries,
    position_scores,
    recover_surrogate,
    text_gap,
)
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.options import (
    resolve_options,
)
from babelscope.random import keyed
from babelscope.types import Attribution, Example

Function = Callable[[list[str]], Any]
"""From texts to probabilities: one row of class probabilities per text, or the probability of the
second of two classes."""
SATURATED = 15.0
"""Log-odds beyond which a probability has lost its precision; such an answer has a tenth of the
weight."""
MOST_UNDEFINED = 0.01
"""The share of undefined answers that may be left out."""


def explain_function(
    function: Function,
    data: Texts,
    *,
    labels: Sequence[str] | None = None,
    target: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    lang: str = "und",
) -> Attributions:
    """Which words made a function predict that: `slalom` of any function from texts to
    probabilities.

    The function gets texts that consist of words of the explained one, joined by spaces (by nothing
    if the text has none), and returns probabilities; explained is log p - log(1 - p). `labels` name
    the classes, `target` one of them (default: the most probable); `options` are those of slalom
    except `unit`, which is the word. Answers that are not finite are left out and counted; more
    than 1 % of them are refused.
    """
    if (options or {}).get("unit", "word") != "word":
        raise InputError(
            "a function reads texts, so that its units are words; omit the option unit"
        )
    resolved = {**resolve_options(METHODS["slalom"], options or {}), "unit": "word"}
    return Attributions(
        tuple(
            _explained(function, example, labels, target, resolved, seed)
            for example in as_examples(data, lang)
        )
    )


def without(attribution: Attribution, words: Sequence[str]) -> float:
    """What the surrogate predicts when every occurrence of these words is removed from the
    explained text.

    F(t - R) = sum_{i not in R} alpha'_i v_i,    alpha' the softmax over the other positions
    """
    if "importance" not in attribution.details:
        raise InputError(
            f"{attribution.id}: {attribution.method} fits no surrogate; explain with slalom"
        )
    unknown = [word for word in words if word not in attribution.words]
    if unknown:
        known = " ".join(attribution.words)
        raise InputError(
            f"{attribution.id}: {unknown[0]!r} is not a word of the text; choose from: {known}"
        )
    token = {place: at for at, place in enumerate(attribution.details["unit_position"])}
    order = sorted(token)
    numbers = [
        np.array([attribution.details[name][token[place]] for place in order], np.float64)
        for name in ("importance", "value")
    ]
    removed = np.array(
        [attribution.words[attribution.word_index[token[place]]] in words for place in order]
    )
    if np.isnan(numbers[1]).any():
        raise Undefined(
            f"{attribution.id}: the surrogate did not see every unit; explain with more samples"
        )
    context = attribution.details.get("context")
    return text_without(
        Mixture(numbers[0], numbers[1], None if context is None else (context[0], context[1])),
        removed,
    )


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
    """On the fitted texts themselves."""

    def to_pandas(self) -> pd.DataFrame:
        """One row per unit, the most frequent first."""
        numbers = {
            name: getattr(self, name)
            for name in ("value", "importance", "value_sd", "importance_sd")
        }
        table = pd.DataFrame({"unit": self.units, "count": self.counts, **numbers})
        return table.sort_values("count", ascending=False, kind="stable", ignore_index=True)


def fit_corpus(
    model: Model,
    data: Texts,
    target: str,
    *,
    quantity: str = "log_odds",
    unit: str = "token",
    lang: str = "und",
) -> CorpusSurrogate:
    """One SLALOM for all texts: the value and the importance of each unit of the corpus.

    The model is queried with the texts themselves; `target` is the class, `unit` token or word.
    """
    rows = [text_units(row, unit) for row in encode(model, as_examples(data, lang))]
    known: dict[tuple[int, ...], int] = {}
    names: dict[int, str] = {}
    sequences = []
    for row in rows:
        numbers = [known.setdefault(ids, len(known)) for ids in row.ids]
        sequences.append([numbers[index] for index in row.units])
        tokens = np.array(row.row.tokens)[row.row.content]
        for place, number in enumerate(sequences[-1]):
            names.setdefault(number, "".join(tokens[row.position == place]))
    wanted = [targets.named(model, row.row, target, quantity) for row in rows]
    outputs = inference.outputs(model, [inference.query(row.row) for row in rows])
    answer = np.array(
        [float(targets.value(model, output, goal)) for output, goal in zip(outputs, wanted)]
    )
    counted_texts = counted(sequences)
    fitted = fit(counted_texts, answer, size=len(known))
    gap = predict(counted_texts, fitted.importance, fitted.value) - answer
    spread = float(((answer - answer.mean()) ** 2).sum())
    counts = np.bincount(
        np.concatenate([np.array(sequence) for sequence in sequences]), minlength=len(known)
    )
    r2 = 1 - float(gap @ gap) / spread if spread > 0 else nan
    return CorpusSurrogate(
        tuple(names[at] for at in range(len(known))),
        tuple(counts.tolist()),
        fitted.importance,
        fitted.value,
        fitted.importance_sd,
        fitted.value_sd,
        r2,
    )


def _explained(
    function: Function,
    example: Example,
    labels: Sequence[str] | None,
    target: str | None,
    options: Mapping[str, Any],
    seed: int,
) -> Attribution:
    if len(example.texts) != 1:
        raise InputError(f"{example.id}: a function reads one text, not {len(example.texts)}")
    check_text(example)
    text = example.texts[0]
    spans = example.words[0] if example.words else tuple(segment(text, example.lang))
    words = tuple(text[start:end] for start, end in spans)
    units = list(dict.fromkeys(words))
    places = np.array([units.index(word) for word in words], np.int64)
    separator = " " if " " in text else ""
    (whole,) = _probabilities(function, [text])
    if not np.isfinite(whole).all():
        raise InputError(f"{example.id}: the function's answer to the text itself is not finite")
    names = tuple(labels) if labels is not None else tuple(str(at) for at in range(len(whole)))
    if len(names) != len(whole) or (target is not None and target not in names):
        raise InputError(
            f"the function returns {len(whole)} classes, which do not match the labels "
            f"{', '.join(names)} and the target {target}"
        )
    chosen = int(whole.argmax()) if target is None else names.index(target)

    def query(sequences: Sequence[Sequence[int]]) -> Numbers:
        texts = [separator.join(units[unit] for unit in sequence) for sequence in sequences]
        return log_odds(_probabilities(function, texts)[:, chosen])

    surrogate = _fitted(
        query,
        places,
        options,
        keyed(seed, "slalom", example.id, example.lang, *example.texts),
        example.id,
    )
    scores = position_scores(surrogate, places, options["score"])
    value = float(log_odds(whole[chosen : chosen + 1])[0])
    gap, far = text_gap(surrogate, places, value)
    segment_of = (0,) * len(words)
    return Attribution(
        id=example.id,
        group=example.group,
        lang=example.lang,
        method="slalom",
        options=dict(options),
        seed=seed,
        model=getattr(function, "__name__", type(function).__name__),
        texts=example.texts,
        target=names[chosen],
        quantity="log_odds",
        label=names[int(whole.argmax())],
        gold=example.label,
        probability=float(whole[chosen]),
        value=value,
        reference_value=None,
        tokens=words,
        offsets=tuple(spans),
        segment=segment_of,
        word_index=tuple(range(len(words))),
        words=words,
        word_offsets=tuple(spans),
        word_segment=segment_of,
        scores=tuple(scores.tolist()),
        word_scores=tuple(scores.tolist()),
        flags=(*surrogate.flags, *far),
        target_index=chosen,
        details=details(surrogate, places, np.arange(len(words)), gap),
    )


def _fitted(
    query: Callable[[Sequence[Sequence[int]]], Numbers],
    places: NDArray[np.int64],
    options: Mapping[str, Any],
    generator: np.random.Generator,
    name: str,
) -> Surrogate:
    design = parse_design(options["design"])
    if design.kind == "exact":
        return recover_surrogate([places.tolist()], query)
    queries = plan_queries([places.tolist()], design, options["samples"], generator)
    answer = query([text[0] for text in queries.texts])
    finite = np.isfinite(answer)
    undefined = int((~finite).sum())
    if undefined > MOST_UNDEFINED * len(answer):
        raise InputError(
            f"{name}: {undefined} of {len(answer)} answers are not finite; at most 1 % may be"
        )
    kept = tuple(text for text, keep in zip(queries.texts, finite) if keep)
    weight = np.where(np.abs(answer) > SATURATED, 0.1, 1.0) * queries.weight
    surrogate = fit_answers(
        replace(queries, texts=kept, weight=weight[finite]), answer[finite], generator
    )
    if not undefined:
        return surrogate
    flag = f"{undefined} answer(s) were not finite and are left out"
    return replace(surrogate, flags=(*surrogate.flags, flag))


def log_odds(probability: Numbers) -> Numbers:
    """log p - log(1 - p), with p clipped to 1e-7 from 0 and 1; NaN stays NaN."""
    clipped = np.clip(probability, 1e-7, 1 - 1e-7)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def _probabilities(function: Function, texts: list[str]) -> Numbers:
    """The function's answers, one row per text; a single probability per text is that of the second
    class."""
    answers = np.asarray(function(texts), np.float64)
    if answers.ndim == 2 and answers.shape[1] == 1:
        answers = answers[:, 0]
    if answers.ndim == 1:
        answers = np.stack([1 - answers, answers], axis=1)
    if answers.ndim != 2 or len(answers) != len(texts):
        raise InputError(
            f"the answer to {len(texts)} texts has shape {answers.shape}; return one row per text"
        )
    if ((answers < -1e-6) | (answers > 1 + 1e-6)).any():
        raise InputError("the function's answers are not probabilities: some are outside of 0 to 1")
    return answers
