"""What the attention heads of a model point at, counted once for every language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
from babelscope.analyses.heads.rows import KIND, flatten
from babelscope.analyses.heads.spec import Spec
from babelscope.data.skipping import Partition, partition
from babelscope.errors import BadRow, InputError
from babelscope.files import canonical
from babelscope.model.head_statistics import resolve_relations
from babelscope.store import SCHEME
from babelscope.types import Failure

NAME = "heads"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """One cell of counts for every language that has trees."""
    return (_place(block, spec, lang) for lang in block.languages if spec.reads(lang))


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """Counts over the sentences of a treebank, or over the task's examples with their gold trees.

    Thresholds and masks need no model, so they are not stored: the tables derive them.
    """

    def groups(lang: str) -> Iterator[Group]:
        if spec.reads(lang):
            yield [_statistics(block, spec, resources, lang)]

    yield from by_language(block, NAME, groups)


def _statistics(block: Block, spec: Spec, resources: Resources, lang: str) -> PlannedCell:
    from babelscope.model.heads import fingerprint

    model, (sentences, unusable) = resources.model(lang), _sentences(spec, resources, lang)
    identity = {
        "kind": KIND,
        "model": model.fingerprint,
        "name": block.name,
        "task": block.task.name,
        "lang": lang,
        "corpus": fingerprint(sentences),
        **_counted(spec),
        "scheme": SCHEME,
    }

    def compute() -> Computed:
        from babelscope.model.encode import readable
        from babelscope.model.heads import head_statistics

        progress = resources.progress
        rows, skipped = readable(model, sentences, task=False)
        if not rows:
            raise BadRow(skipped[0])
        statistics = head_statistics(model, rows, **_counted(spec), progress=progress)
        stored = [flatten(statistics, block.task.name, model.fingerprint)]
        return computed(block, stored, (*unusable, *skipped), len(sentences) + len(unusable))

    return PlannedCell(_place(block, spec, lang), identity, KIND, compute)


def _sentences(spec: Spec, resources: Resources, lang: str) -> Partition:
    """The sentences of a language, and those of its treebank that no model can read."""
    from babelscope.data.treebanks import treebank

    source = spec.treebank(lang)
    if source is None:
        return Partition(resources.examples(lang), ())
    sentences = partition(treebank(source, lang=lang))
    listed = sorted({row.lang for row in sentences.rows})
    if listed != [lang]:
        languages = ", ".join(listed)
        raise InputError(f"{source}: sentences in {languages}; expected a treebank of {lang!r}")
    return sentences


def _counted(spec: Spec) -> dict[str, Any]:
    """What of the block decides the counts."""
    relations = resolve_relations(tuple(spec.relations), spec.direction, spec.subtypes)
    return {"relations": relations, "direction": spec.direction, "subtypes": spec.subtypes}


def _place(block: Block, spec: Spec, lang: str) -> Place:
    what = _counted(spec) | {"treebank": spec.treebank(lang)}
    return Place.of(block, NAME, lang, canonical(what))
