"""Trust panels of the first explanations of every method, in every language."""

from __future__ import annotations

from collections.abc import Iterator

from babelscope.analyses.block import (
    Block,
    Computed,
    Group,
    Place,
    PlannedCell,
    Resources,
    by_language,
    computed,
)
from babelscope.analyses.explanations import Run, explanation_cells, key_of, place, runs
from babelscope.analyses.trust.spec import Spec
from babelscope.data.skipping import Partition, partition
from babelscope.files import canonical
from babelscope.store import SCHEME, has, read_attributions
from babelscope.types import Failure

NAME = "trust"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """Explanations and their panels, language by language."""
    for lang in block.languages:
        for run in runs(block):
            yield place(block, lang, run)
            yield _place(block, lang, run, spec)


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """One cell of panels for every method; the task's labelled examples tell how calibrated the
    model is.
    """

    def groups(lang: str) -> Iterator[Group]:
        explanations = explanation_cells(block, resources, lang)
        yield from ([cell] for _, cell in explanations)
        for run, cell in explanations:
            if has(resources.store, key_of(cell)):
                yield [_panels(block, resources, lang, run, cell, spec)]

    yield from by_language(block, NAME, groups)


def _panels(
    block: Block, resources: Resources, lang: str, run: Run, cell: PlannedCell, spec: Spec
) -> PlannedCell:
    identity = {"kind": "panels", "of": key_of(cell), **spec.model_dump(), "scheme": SCHEME}

    def compute() -> Computed:
        from babelscope.analyses.trust.panel import trust
        from babelscope.data.formats.tables import read
        from babelscope.model.load import load

        part = Partition(resources.examples(lang), ())
        if spec.labelled:
            part = partition(read(spec.labelled), labelled=True)
        rows = part.rows
        labelled = rows if all(row.label is not None for row in rows) else []
        attributions = read_attributions(resources.store, [key_of(cell)])[: spec.explanations]
        panels = trust(
            resources.model(lang),
            attributions,
            draws=spec.shuffles,
            seeds=spec.seeds,
            siblings=[load(name) for name in spec.siblings],
            labelled=labelled,
            progress=resources.progress,
        )
        stored = [panel.stored() for panel in panels]
        return computed(block, stored, part.skipped, part.total, split="labelled", reader="")

    return PlannedCell(_place(block, lang, run, spec), identity, "panels", compute)


def _place(block: Block, lang: str, run: Run, spec: Spec) -> Place:
    return Place.of(block, NAME, lang, f"{run.name}/{canonical(spec.model_dump())}")
