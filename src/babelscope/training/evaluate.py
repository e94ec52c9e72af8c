"""Accuracy of a model, by language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babelscope.data.independence import clusters
from babelscope.errors import InputError
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.targets import name, predicted
from babelscope.stats import estimate
from babelscope.types import Estimate, Example


@dataclass(frozen=True, slots=True)
class Score:
    """`chance` is the share of the most frequent gold label; None for answers."""

    lang: str
    measure: str
    estimate: Estimate
    chance: float | None = None


def evaluate(
    model: Model, examples: Sequence[Example], *, progress: Progress | None = None
) -> list[Score]:
    """Accuracy by language; for extractive question answering exact match and F1 over words.

        accuracy = 1/n sum_i [argmax_c F_c(x_i) = label_i]
        exact match = 1/n sum_i [answer_i = gold_i];  F1 = 2 p r / (p + r), p = |answer and gold| /
          |answer|

    `answer` and `gold` are the words of the two answers by white space, or their characters where
    the context has no spaces. Intervals resample clusters of examples that are not independent
    (`independence.clusters`).

    *Laws*: 0 <= exact match <= F1 <= 1; the order of the examples does not matter.
    """
    if model.row.tags:
        raise InputError(f"{model.name} tags words; evaluation knows classes and answers only")
    rows = encode(model, examples)
    with model.inference.reporting_progress(progress):
        outputs = inference.outputs(model, [inference.query(row) for row in rows])
    predictions = [predicted(model, row, output) for row, output in zip(rows, outputs)]
    answers = [name(model, row, target) for row, target in zip(rows, predictions)]
    by_lang: dict[str, list[tuple[Example, str]]] = {}
    for example, answer in zip(examples, answers):
        by_lang.setdefault(example.lang, []).append((example, answer))
    named = clusters(examples)
    return [
        score
        for lang, answered in by_lang.items()
        for score in _scores(model, lang, answered, named)
    ]


def _scores(
    model: Model, lang: str, answered: Sequence[tuple[Example, str]], named: Mapping[str, str]
) -> list[Score]:
    groups = [named[example.group] for example, _ in answered]
    labels = Counter(example.label for example, _ in answered)
    chance = labels.most_common(1)[0][1] / len(answered)
    return [
        Score(lang, measure, estimate(values, groups), chance if measure == "accuracy" else None)
        for measure, values in model.functions.evaluate(model, answered).items()
    ]
