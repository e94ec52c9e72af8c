"""A parallel corpus explained in every language, ready to be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelscope.data.independence import clusters
from babelscope.data.skipping import partition
from babelscope.data.sources import rows
from babelscope.errors import InputError
from babelscope.methods.explain import explain_readable
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.targets import predicted, probability
from babelscope.types import Aim, Attribution, Example, UnitScores

ExplainFor = Callable[[list[Example], str | None], Iterable[Attribution]]
"""Some examples explained for one class; None is what the model predicts."""
TARGETS = ("source", "gold", None)
"""What is explained in a translation: the class that the source text gets, its gold label, or its
own prediction."""


def parallel_texts(
    task: str,
    langs: Sequence[str],
    *,
    split: str = "test",
    count: int | None = None,
    folder: str | Path | None = None,
) -> dict[str, list[Example]]:
    """The texts of a corpus by language. An untranslated text, or one that no model can read, is
    left out of its language only: pairs are counted later."""
    texts = {}
    for lang in langs:
        read = rows(f"{task}/{lang}/{split}" + (f"/{count}" if count else ""), folder=folder)
        texts[lang] = partition(read).rows
    return texts


def explain_translations(
    model: Model,
    texts: Mapping[str, Sequence[Example]],
    source: str,
    *,
    target: str | None = "source",
    method: str = "integrated_gradients",
    options: Mapping[str, Any] | None = None,
    edge: str = "both",
    progress: Progress | None = None,
) -> list[UnitScores]:
    """Word scores of every text in every language, by group.

    With the target "source" a translation is explained for the class that the model gives the
    source text: then two different decisions are never compared. A group that has no source text is
    explained for its own prediction, and is not compared. A text that the model cannot read is left
    out. With None each text is explained for its
    own prediction. `edge` is the start or the end of an answer, or both.
    """
    check_target(model, target)

    def explain_for(some: list[Example], name: str | None) -> Iterable[Attribution]:
        aim = Aim(name, edge=edge)
        return explain_readable(model, some, method, target=aim, options=options, progress=progress)

    default = "gold" if target == "gold" else None
    predictions: dict[str, str] = {}
    scored = []
    for lang in dict.fromkeys([source, *texts]):
        with model.inference.caching():
            classes = {"": default, **predictions}
            attributions = explain_for_classes(texts[lang], classes, explain_for)
            explained = {each.id for each in attributions}
            readable = [row for row in texts[lang] if row.id in explained]
            scored += unit_scores_of(attributions, confidences(model, readable))
        if lang == source and target == "source":
            predictions = {each.group: each.label for each in attributions}
    cluster = clusters([example for each in texts.values() for example in each])
    return [replace(row, cluster=cluster[row.id]) for row in scored]


def check_target(model: Model, target: str | None) -> None:
    """Refuses what cannot be explained in a translation."""
    if target not in TARGETS:
        raise InputError(f"the target {target!r} is not one of: source, gold, none")
    if model.row.spans and target == "source":
        raise InputError(
            "an answer is a span of its own text, so the source's answer cannot be explained in a "
            "translation: leave out the task's target 'source'"
        )


def explain_for_classes(
    rows: Sequence[Example], classes: Mapping[str, str | None], explain_for: ExplainFor
) -> list[Attribution]:
    """Every row explained for the class of its group, in the order of the rows; `classes[""]` is
    that of the other groups. Rows that cannot be explained are left out.

    *Law*: one class for all is one call.
    """
    targets = [classes.get(row.group, classes[""]) for row in rows]
    attributions: dict[str, Attribution] = {}
    for name in dict.fromkeys(targets):
        some = [row for row, target in zip(rows, targets) if target == name]
        attributions |= {each.id: each for each in explain_for(some, name)}
    return [attributions[row.id] for row in rows if row.id in attributions]


def confidences(model: Model, examples: Sequence[Example]) -> list[float]:
    """The model's probability of what it predicts, for every text."""
    rows = encode(model, examples)
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    values = []
    for row, output in zip(rows, outputs):
        values.append(probability(model, output, predicted(model, row, output)))
    return values


def unit_scores_of(
    attributions: Iterable[Attribution], confidences: Iterable[float]
) -> list[UnitScores]:
    """The scores of words, as any tool may give them."""
    return [
        UnitScores(
            id=attribution.group,
            lang=attribution.lang,
            units=attribution.words,
            scores=attribution.word_scores,
            segment=attribution.word_segment,
            prediction=attribution.label,
            gold=attribution.gold,
            confidence=confidence,
        )
        for attribution, confidence in zip(attributions, confidences)
    ]
