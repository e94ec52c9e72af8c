"""A TF-IDF classifier explained through its outputs: deletion and insertion as published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babelscope import options
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.functions import from_function
from babelscope.stats import estimate
from babelscope.types import Example
from experiments.review_models import reviews
from experiments.tfidf import classifier

METRICS = ("stepwise_deletion", "stepwise_insertion")


class Spec(options.Spec):
    folder: Path
    part: str
    texts: int
    trained_on: list[str]
    hidden: list[int]
    epochs: int
    samples: int
    methods: list[options.Choice]
    published: dict[str, list[float]]


def values(spec: Spec) -> dict[str, Any]:
    train = [row for part in spec.trained_on for row in reviews(spec.folder, part)]
    test, pipeline = reviews(spec.folder, spec.part), classifier(train, spec.hidden, spec.epochs)
    model = from_function(pipeline.predict_proba, labels=list(pipeline.classes_), name="tf-idf")
    right = pipeline.score([row.texts[0] for row in test], [row.label for row in test])
    rows = [result(spec, model, test[: spec.texts], choice) for choice in spec.methods]
    return {"spec": spec, "rows": rows, "accuracy": right, "sizes": (len(train), len(test))}


def result(spec: Spec, model: Any, texts: list[Example], choice: options.Choice) -> dict[str, Any]:
    """Both metrics of one method, the gold class explained."""
    chosen = {**choice.options, **({"samples": spec.samples} if choice.options else {})}
    made = explain(model, texts, choice.name, target="gold", quantity="log_odds", options=chosen)
    found = measure(model, made, list(METRICS), options={"operator": "delete"})
    by_metric = [[row.value for row in found if row.metric == name] for name in METRICS]
    means = [estimate(each, [text.group for text in texts]) for each in by_metric]
    name = choice.options.get("score", choice.name)
    return {"name": name, "means": means, "published": spec.published.get(name)}
