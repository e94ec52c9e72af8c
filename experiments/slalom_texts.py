"""SLALOM on reviews: naive Bayes, human attention, insertion and deletion, removals, budgets, time."""

from __future__ import annotations

from typing import Any

from babelscope.model.load import Model
from babelscope.types import Example
from experiments.public_models import missing
from experiments.review_explanations import OTHERS, SCORES, by_budget, explained
from experiments.review_measures import log_odds, mean_and_error, measures, removals
from experiments.review_models import ReviewModels, review_models, reviews


class Spec(ReviewModels):
    part: str
    texts: int
    samples: int
    removals: int
    budgets: list[int]


def values(spec: Spec) -> dict[str, Any]:
    train = [row for part in spec.trained_on for row in reviews(spec.folder, part)]
    marked = [row for row in reviews(spec.folder, spec.part) if any((row.rationale or [()])[0])]
    rows = []
    for model, omitted in review_models(spec, train):
        names = [name for name in OTHERS if name not in omitted]
        rows.append(result(model, names, spec, train, marked[: spec.texts]))
    return {"spec": spec, "rows": rows, "missing": missing(spec.models), "timed": OTHERS[:4]}


def result(
    model: Model, others: list[str], spec: Spec, train: list[Example], examples: list[Example]
) -> dict[str, Any]:
    """What the page reports of one model."""
    texts, seconds = explained(model, examples, others, spec.samples)
    whole = [float(log_odds(model, text, [range(len(text.units.units))])[0]) for text in texts]
    columns = measures(model, train).values()
    return {
        "name": model.name,
        "right": sum(odds * text.sign > 0 for odds, text in zip(whole, texts)),
        "quality": {
            name: [mean_and_error(measure(texts, name)) for measure in columns]
            for name in [*SCORES, *others]
        },
        "removals": removals(model, texts, spec.removals),
        "budgets": by_budget(model, examples, spec.budgets),
        "times": {name: each / seconds["slalom"] for name, each in seconds.items()},
    }
