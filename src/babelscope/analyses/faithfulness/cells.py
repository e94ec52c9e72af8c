"""Explanations of every method in every language, and what each metric says about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from babelscope.analyses.block import Block, Group, Place, PlannedCell, Resources, by_language
from babelscope.analyses.explanations import Run, explanation_cells, key_of, place, runs
from babelscope.analyses.faithfulness.spec import Spec
from babelscope.data.spec import training_data
from babelscope.files import canonical
from babelscope.metrics import METRICS
from babelscope.options import Choice, resolve_options
from babelscope.store import SCHEME, Rows, has, read_attributions
from babelscope.types import Failure

NAME = "faithfulness"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """The cells of every language: explanations, then their measures."""
    for lang in block.languages:
        for run in runs(block, spec.samples):
            yield place(block, lang, run)
            yield from (_place(block, lang, run, choice) for choice in spec.metrics)


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """Explains with every method, then measures all explanations of a language together.

    The measures of a language are one group: inputs that several of them need are computed once.
    """

    def groups(lang: str) -> Iterator[Group]:
        explanations = explanation_cells(block, resources, lang, spec.samples)
        yield from ([cell] for _, cell in explanations)
        with resources.model(lang).inference.caching():
            yield [
                _measures(block, resources, lang, run, cell, choice)
                for run, cell in explanations
                for choice in spec.metrics
                if has(resources.store, key_of(cell))
            ]

    yield from by_language(block, NAME, groups)


def _measures(
    block: Block, resources: Resources, lang: str, run: Run, cell: PlannedCell, choice: Choice
) -> PlannedCell:
    options = resolve_options(METRICS[choice.name], choice.options)
    named = _named_texts(block, options)
    identity = {
        "kind": "measures",
        "of": key_of(cell),
        "metric": choice.name,
        "options": options,
        "scheme": SCHEME,
    }

    def compute() -> Rows:
        from babelscope.metrics.measure import measure

        rows = read_attributions(resources.store, [key_of(cell)])
        model, progress = resources.model(lang), resources.progress
        values = measure(model, rows, choice.name, options=options | named, progress=progress)
        return [replace(value, options=options) for value in values] if named else list(values)

    identity |= named

    return PlannedCell(_place(block, lang, run, choice), identity, "measures", compute)


def _named_texts(block: Block, options: Mapping[str, Any]) -> dict[str, Any]:
    """The texts that a metric counts words in, where the study says `texts: train`: those that
    the models of the task are trained on."""
    if options.get("texts") != "train":
        return {}
    data = training_data(block.task.data)
    return {"texts": data.model_dump(exclude_defaults=True)}


def _place(block: Block, lang: str, run: Run, choice: Choice) -> Place:
    options = canonical(resolve_options(METRICS[choice.name], choice.options))
    return Place.of(block, NAME, lang, f"{run.name}/{choice.name}{options}")
