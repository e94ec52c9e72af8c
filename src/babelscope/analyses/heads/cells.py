"""What the attention heads of a model point at, counted once for every language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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
from babelscope.analyses.explanations import key_of
from babelscope.analyses.heads.ablation import KIND as ABLATIONS
from babelscope.analyses.heads.ablation import ablated
from babelscope.analyses.heads.rows import KIND, flatten, restore
from babelscope.analyses.heads.spec import Spec
from babelscope.analyses.heads.tables import derived
from babelscope.data.skipping import Partition, partition
from babelscope.errors import BadRow, InputError
from babelscope.files import canonical
from babelscope.model.head_statistics import resolve_relations
from babelscope.store import SCHEME, Rows, has, read
from babelscope.types import Failure

NAME = "heads"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """One cell of counts for every language that has trees, and one of ablations where these are
    wanted."""
    for lang in block.languages:
        if spec.reads(lang):
            yield _place(block, spec, lang)
            if spec.ablations:
                yield _ablation_place(block, spec, lang)


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """Counts over the sentences of a treebank, or over the task's examples with their gold trees;
    then what the model predicts for the task's examples without some of its heads.

    Thresholds and masks need no model, so they are not stored: the tables derive them.
    """

    def groups(lang: str) -> Iterator[Group]:
        if spec.reads(lang):
            counted = _statistics(block, spec, resources, lang)
            yield [counted]
            if spec.ablations and has(resources.store, key_of(counted)):
                yield [_ablations(block, spec, resources, lang, key_of(counted))]

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


def _ablations(
    block: Block, spec: Spec, resources: Resources, lang: str, counted: str
) -> PlannedCell:
    from babelscope.training.finetune import fingerprint

    model, examples = resources.model(lang), resources.examples(lang)
    identity = {
        "kind": ABLATIONS,
        "model": model.fingerprint,
        "name": block.name,
        "task": block.task.name,
        "lang": lang,
        "of": counted,
        "data": fingerprint(examples),
        **_masks(spec),
        "scheme": SCHEME,
    }

    def compute() -> Rows:
        (stored,) = read(resources.store, KIND, [counted]).to_pylist()
        rows = ablated(model, examples, derived(restore(stored), spec), spec.ablations)
        task, weights = block.task.name, model.fingerprint
        return [replace(row, model=block.name, task=task, fingerprint=weights) for row in rows]

    return PlannedCell(_ablation_place(block, spec, lang), identity, ABLATIONS, compute)


def _masks(spec: Spec) -> dict[str, Any]:
    """What of the block decides the masks that are ablated."""
    names = ("margin", "positional", "part", "kinds", "seed", "rate", "ablations")
    return {name: getattr(spec, name) for name in names}


def _ablation_place(block: Block, spec: Spec, lang: str) -> Place:
    what = {"ablations": _counted(spec) | _masks(spec) | {"treebank": spec.treebank(lang)}}
    return Place.of(block, NAME, lang, canonical(what))


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
