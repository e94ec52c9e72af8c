"""A parallel corpus explained in every language, ready to be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelscope.data.corpora import usable
from babelscope.data.sources import rows
from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.targets import predicted, probability
from babelscope.types import Aim, Attribution, Example, UnitScores

ExplainFor = Callable[[list[Example], str | None], Iterable[Attribution]]
"""Some examples explained for one class; None is what the model predicts."""
TARGETS = ("source", "own", "gold")
"""What is explained in a translation: the class that the source text gets, its own prediction, or its gold label."""


def parallel(
    task: str, langs: Sequence[str], *, split: str = "test", count: int | None = None, folder: str | Path | None = None
) -> dict[str, list[Example]]:
    """The texts of a corpus by language. An untranslated text is left out of its language only: pairs are counted later."""
    found = {}
    for lang in langs:
        read = rows(f"{task}/{lang}/{split}" + (f"/{count}" if count else ""), folder=folder)
        found[lang] = [row for row in read if usable(row)]
    return found


def explained(
    model: Model,
    texts: Mapping[str, Sequence[Example]],
    source: str,
    *,
    target: str = "source",
    method: str = "integrated_gradients",
    options: Mapping[str, Any] | None = None,
    edge: str = "both",
    progress: Progress | None = None,
) -> list[UnitScores]:
    """Word scores of every text in every language, by group.

    With the target "source" a translation is explained for the class that the model gives the source text: then two different
    decisions are never compared. A group that has no source text is explained for its own prediction, and is not compared.
    `edge` is the start or the end of an answer, or both.
    """
    if target not in TARGETS:
        raise InputError(f"the target {target!r} is not one of: {', '.join(TARGETS)}")
    if model.row.spans and target == "source":
        raise InputError(
            "an answer is a place in its own text, so the source's cannot be explained elsewhere; --target-class own"
        )

    def each(some: list[Example], name: str | None) -> Iterable[Attribution]:
        return explain(model, some, method, target=Aim(name, edge=edge), options=options, progress=progress)

    said: dict[str, str] = {}
    found = []
    for lang in dict.fromkeys([source, *texts]):
        with model.inference.caching():
            made = for_classes(texts[lang], {"": "gold" if target == "gold" else None, **said}, each)
            found += [_units(one, sure) for one, sure in zip(made, confidences(model, texts[lang]))]
        if lang == source and target == "source":
            said = {one.group: one.label for one in made}
    named = clusters([example for each in texts.values() for example in each])
    return [replace(row, cluster=named[row.id]) for row in found]


def for_classes(
    rows: Sequence[Example],
    classes: Mapping[str, str | None],
    explain: Callable[[list[Example], str | None], Iterable[Attribution]],
) -> list[Attribution]:
    """Every row explained for the class of its group, in the order of the rows; `classes[""]` is that of the other groups.

    *Law*: one class for all is one call.
    """
    wanted = [classes.get(row.group, classes[""]) for row in rows]
    found: dict[int, Attribution] = {}
    for name in dict.fromkeys(wanted):
        places = [place for place, each in enumerate(wanted) if each == name]
        found |= zip(places, explain([rows[place] for place in places], name))
    return [found[place] for place in range(len(rows))]


def confidences(model: Model, examples: Sequence[Example]) -> list[float]:
    """The model's probability of what it predicts, for every text."""
    rows = encode(model, examples)
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    return [probability(model, output, predicted(model, row, output)) for row, output in zip(rows, outputs)]


def clusters(examples: Sequence[Example]) -> dict[str, str]:
    """For every group the first group that it is tied to: groups are tied if they share a text, a premise or a paragraph.

    *Laws*: an equivalence, whatever the order; groups without a common text stay alone.
    """
    first: dict[str, str] = {}
    above: dict[str, str] = {}

    def root(group: str) -> str:
        while above.setdefault(group, group) != group:
            group = above[group]
        return group

    for example in examples:
        for text in example.texts:
            one, two = sorted((root(example.group), root(first.setdefault(text, example.group))))
            above[two] = one
    return {group: root(group) for group in above}


def _units(one: Attribution, confidence: float) -> UnitScores:
    return UnitScores(
        one.group, one.lang, one.words, one.word_scores, one.word_segment, one.label, one.gold, confidence=confidence
    )
