"""Accuracy and macro-F1 of a model, by language."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from torch import Tensor

from babelscope.data.independence import clusters
from babelscope.data.skipping import MOST, check_skipped, describe, paired, partition
from babelscope.errors import InputError, SkippedRows
from babelscope.model import inference
from babelscope.model.encode import encode, readable
from babelscope.model.gold import gold_name, of_known_class
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.targets import name, predicted
from babelscope.stats import rate
from babelscope.stats.classes import macro_f1
from babelscope.types import Encoded, Estimate, Example, SkippedRow


@dataclass(frozen=True, slots=True)
class Score:
    """`chance` is the share of the most frequent gold label; None for answers."""

    lang: str
    measure: str
    estimate: Estimate
    chance: float | None = None


def evaluate(
    model: Model,
    examples: Sequence[Example],
    *,
    strict: bool = False,
    max_skipped: float = MOST,
    progress: Progress | None = None,
) -> list[Score]:
    """Accuracy and macro-F1 by language; for extractive question answering exact match and F1 over
    words.

        accuracy = 1/n sum_i [argmax_c F_c(x_i) = label_i];  macro-F1: `stats.classes.macro_f1`
        exact match = 1/n sum_i [answer_i = gold_i];  F1 = 2 p r / (p + r), p = |answer and gold| /
          |answer|

    `answer` and `gold` are the words of the two answers by white space, or their characters in
    scripts without spaces, after SQuAD's normalisation (`spans.normalised`). A context that is
    longer than the model is read in overlapping windows; the answer is the span of all of them with
    the highest sum of logits. Where an example has several gold answers, the best value counts.
    Intervals are by cluster of examples that are not independent
    (`independence.clusters`).

    An example that cannot be read or judged is skipped, in all languages that it is translated to,
    and named in a SkippedRows warning; with `strict` it is an error, and so are more than the share
    `max_skipped` of them.

    *Laws*: 0 <= exact match <= F1 <= 1; the order of the examples does not matter; an example that
    is skipped changes the answer to no other one.
    """
    scores, skipped = evaluate_readable(
        model, examples, progress=progress, strict=strict, max_skipped=max_skipped
    )
    if skipped:
        warnings.warn(describe(skipped, len(examples)), SkippedRows, stacklevel=2)
    return scores


def evaluate_readable(
    model: Model,
    examples: Sequence[Example],
    *,
    strict: bool = False,
    max_skipped: float = MOST,
    progress: Progress | None = None,
) -> tuple[list[Score], tuple[SkippedRow, ...]]:
    """The same with the rows that were skipped, and without the warning."""
    if model.row.tags:
        raise InputError(f"{model.name} tags words; evaluation knows classes and answers only")
    if model.row.classifies and model.activation == "none":
        raise InputError(f"{model.name} gives numbers; evaluation knows classes and answers only")
    kept, skipped = _judged(model, examples)
    check_skipped(skipped, len(examples), strict=strict, most=max_skipped)
    return _evaluated(model, paired(kept, skipped), progress), skipped


def _judged(
    model: Model, examples: Sequence[Example]
) -> tuple[list[Example], tuple[SkippedRow, ...]]:
    """The examples that the model can read and whose gold it knows, as the model spells it; where
    no example has any, all are left to the task, which refuses them.
    """
    gold = any(row.label is not None or row.answer is not None for row in examples)
    part = partition(examples, labelled=gold)
    known, strangers = of_known_class(model, part.rows)
    rows, unread = readable(model, known)
    judged = [replace(row, label=gold_name(model, row.label) or row.label) for row in rows]
    return judged, (*part.skipped, *strangers, *unread)


def predictions(
    model: Model, examples: Sequence[Example], progress: Progress | None = None
) -> list[str]:
    """What the model says of each example: its label, or its answer, of a long context the best of
    all windows.
    """
    long = "window" if model.row.spans else "truncate"
    windows = [encode(model, [example], long=long) for example in examples]
    rows = [row for listed in windows for row in listed]
    with model.inference.reporting_progress(progress):
        outputs = inference.outputs(model, [inference.query(row) for row in rows])
    answered = zip(rows, map(partial(_answer, model), rows, outputs))
    return [_best(islice(answered, len(listed))) for listed in windows]


def _evaluated(model: Model, examples: Sequence[Example], progress: Progress | None) -> list[Score]:
    by_lang: dict[str, list[tuple[Example, str]]] = {}
    for example, answer in zip(examples, predictions(model, examples, progress)):
        by_lang.setdefault(example.lang, []).append((example, answer))
    named = clusters(examples)
    return [
        score
        for lang, answered in by_lang.items()
        for score in _scores(model, lang, answered, named)
    ]


def _answer(model: Model, row: Encoded, output: Tensor) -> tuple[float, str]:
    """The sum of the logits of what is predicted, and its name."""
    target = predicted(model, row, output)
    logits = [float(vector[index]) for vector, index in model.functions.read(output, target)]
    return sum(logits), name(model, row, target)


def _best(answered: Iterable[tuple[Encoded, tuple[float, str]]]) -> str:
    """The answer of the window with the highest logits, the first of several."""
    return max((answer for _, answer in answered), key=lambda answer: answer[0])[1]


def _scores(
    model: Model, lang: str, answered: Sequence[tuple[Example, str]], named: Mapping[str, str]
) -> list[Score]:
    groups = [named[example.group] for example, _ in answered]
    labels = Counter(example.label for example, _ in answered)
    chance = labels.most_common(1)[0][1] / len(answered)
    scores = [
        Score(lang, measure, rate(values, groups), chance if measure == "accuracy" else None)
        for measure, values in model.functions.evaluate(model, answered).items()
    ]
    if model.row.classifies and not model.row.several:
        gold = [str(example.label) for example, _ in answered]
        f1 = macro_f1(gold, [answer for _, answer in answered], groups)
        scores.append(Score(lang, "macro_f1", f1))
    return scores
