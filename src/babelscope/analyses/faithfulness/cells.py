"""Explanations of every method in every language, and what each metric says about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from babelscope.analyses.block import (
    FAULTS,
    Block,
    Group,
    Place,
    PlannedCell,
    Resources,
    by_language,
)
from babelscope.analyses.explanations import Run, explanation_cells, key_of, place, runs
from babelscope.analyses.faithfulness.spec import Spec
from babelscope.data.spec import training_data
from babelscope.files import canonical
from babelscope.metrics import METRICS
from babelscope.options import Choice, resolve_options
from babelscope.store import SCHEME, Spooled, attribution_parts, has, key, spooling
from babelscope.types import Attribution, Failure, Measure

if TYPE_CHECKING:
    from babelscope.model.load import Model

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
        known = [(run, key_of(cell)) for run, cell in explanations]
        yield _measures(block, resources, lang, [
            _job(block, lang, run, of, choice)
            for run, of in known
            for choice in spec.metrics
            if has(resources.store, of)
        ])  # fmt: skip

    yield from by_language(block, NAME, groups)


@dataclass(frozen=True, slots=True)
class _Job:
    """A metric of the explanations of one cell."""

    place: Place
    identity: Mapping[str, Any]
    of: str
    """The key of the explanations."""
    metric: str
    options: Mapping[str, Any]
    named: Mapping[str, Any]
    """What the study says about an option, where that is more than its name."""


def _job(block: Block, lang: str, run: Run, of: str, choice: Choice) -> _Job:
    options = resolve_options(METRICS[choice.name], choice.options)
    named = _named_texts(block, options)
    identity = {
        "kind": "measures", "of": of, "metric": choice.name, "options": options, "scheme": SCHEME,
    }  # fmt: skip
    place = _place(block, lang, run, choice)
    return _Job(place, identity | named, of, choice.name, options, named)


def _measures(block: Block, resources: Resources, lang: str, jobs: Sequence[_Job]) -> Group:
    """The cells of the jobs. The first that is computed computes all that the store lacks."""
    outcomes: dict[str, Spooled | Exception] = {}

    def compute(name: str) -> Spooled:
        if name not in outcomes:
            lacking = {key(job.identity): job for job in jobs}
            lacking = {each: job for each, job in lacking.items() if not has(resources.store, each)}
            outcomes.update(_measured(resources, lang, lacking))
        outcome = outcomes.pop(name)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return [
        PlannedCell(job.place, job.identity, "measures", partial(compute, key(job.identity)))
        for job in jobs
    ]


def _measured(
    resources: Resources, lang: str, jobs: Mapping[str, _Job]
) -> dict[str, Spooled | Exception]:
    """The values of every job, or why it failed: some texts at a time by all of them, so that
    inputs that several need are computed once and memory does not grow with the number of texts.
    """
    from babelscope.methods.explain import TOGETHER

    model, failed = resources.model(lang), dict[str, Spooled | Exception]()
    with ExitStack() as stack:
        spools = {name: stack.enter_context(spooling("measures")) for name in jobs}
        parts = {
            of: attribution_parts(resources.store, of, TOGETHER)
            for of in dict.fromkeys(job.of for job in jobs.values())
        }
        while parts:
            rows = {
                of: part for of, each in parts.items() if (part := next(each, None)) is not None
            }
            parts = {of: parts[of] for of in rows}
            with model.inference.caching():
                for name, job in jobs.items():
                    if job.of not in rows or name in failed:
                        continue
                    try:
                        spools[name].add(_values(model, rows[job.of], job, resources))
                    except FAULTS as error:
                        failed[name] = error
    return {**spools, **failed}


def _values(
    model: Model, rows: Sequence[Attribution], job: _Job, resources: Resources
) -> list[Measure]:
    from babelscope.metrics.measure import measure

    options, progress = {**job.options, **job.named}, resources.progress
    values = measure(model, rows, job.metric, options=options, progress=progress)
    return [replace(each, options=job.options) for each in values] if job.named else list(values)


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
