"""What the trade-offs compute and store: the texts, what every model makes of them, and how far it
moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from babelscope.analyses.block import (
    FAULTS,
    Block,
    Group,
    Place,
    Resources,
    failed_place,
    failure,
)
from babelscope.analyses.tradeoffs.corpus import Corpus, parallel_corpus
from babelscope.analyses.tradeoffs.material import Material
from babelscope.analyses.tradeoffs.plan import NAME, Plan, place, plan, steps
from babelscope.analyses.tradeoffs.spec import Spec
from babelscope.data.examples import examples
from babelscope.data.sources import BUILTIN
from babelscope.types import Example, Failure


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """The cells of the block. How many parts the texts of a language are read in is not known
    before they are loaded: the planned place is that of the last one."""
    chosen = plan(block, spec)
    if chosen is not None:
        yield from (
            place(block, chosen, step, kind) for step in steps(chosen, spec) for kind in step.kinds
        )


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """Texts, readings and states, weight drift, losses; what fails does not stop the others.

    *Laws*: memory does not grow with the number of texts; an interrupted run resumes; what a cell
    holds does not depend on other models of the study.
    """
    chosen = plan(block, spec)
    if chosen is None:
        return
    material = Material(block, spec, resources, chosen, load_corpus(block, resources, chosen))
    for owner, listed in groupby(steps(chosen, spec), key=lambda step: step.owner):
        try:
            material.load(owner)
        except FAULTS as error:
            yield failure({**failed_place(block, NAME), "owner": owner}, error)
            continue
        for step in listed:
            try:
                yield from material.groups(step)
            except FAULTS as error:
                what = f"{owner}, {', '.join(step.kinds)}, {step.split}"
                yield failure({**failed_place(block, NAME, step.lang), "what": what}, error)


def load_corpus(block: Block, resources: Resources, chosen: Plan) -> Corpus:
    """The task's texts in the languages of the plan, matched across languages."""

    def read(split: str, lang: str) -> list[Example]:
        if split == "test":
            return resources.examples(lang)
        data, count = block.task.data, chosen.counts[split]
        if count is None:
            data = data.model_copy(update={"examples": None if data.builtin is None else BUILTIN})
        return examples(data, lang, split, count)

    return parallel_corpus(
        {
            split: {lang: read(split, lang) for lang in langs}
            for split, langs in chosen.languages.items()
        }
    )
