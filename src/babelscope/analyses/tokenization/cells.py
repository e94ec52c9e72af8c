"""The texts of every language as a model's tokenizer segments them, and interventions on that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from babelscope.analyses.tokenization.spec import InterventionSpec, Spec
from babelscope.data.segmentation import segmenter
from babelscope.errors import BadRow
from babelscope.files import canonical
from babelscope.store import SCHEME, Rows
from babelscope.types import Example, Failure

NAME = "tokenization"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """One cell of segmentations per language, and one of interventions where they are asked for."""
    for lang in block.languages:
        yield _place(block, lang, f"segmentations/{spec.limit}")
        if spec.interventions is not None:
            yield _place(block, lang, _name(spec.interventions))


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """Segmentations need only the tokenizer; interventions explain with the model."""

    def groups(lang: str) -> Iterator[Group]:
        yield [_segmentations(block, spec, resources, lang)]
        if spec.interventions is not None:
            yield [_interventions(block, spec.interventions, resources, lang)]

    yield from by_language(block, NAME, groups)


def _segmentations(block: Block, spec: Spec, resources: Resources, lang: str) -> PlannedCell:
    from babelscope.analyses.tokenization.tokenize import tokenize_texts
    from babelscope.model.tokenizers import digest

    tokenizer, rows = resources.tokenizer(lang), resources.examples(lang)
    identity = _identity(block, rows, lang) | {
        "kind": "segmentations",
        "tokenizer": digest(tokenizer),
        "limit": spec.limit,
        "segmenter": segmenter(lang),
    }

    def compute() -> Rows:
        return tokenize_texts(tokenizer, rows, block.name, limit=spec.limit, task=block.task.name)

    place = _place(block, lang, f"segmentations/{spec.limit}")
    return PlannedCell(place, identity, "segmentations", compute)


def _interventions(
    block: Block, spec: InterventionSpec, resources: Resources, lang: str
) -> PlannedCell:
    model, rows = resources.model(lang), resources.examples(lang)
    identity = _identity(block, rows, lang) | {
        "kind": "interventions",
        "model": model.fingerprint,
        "interventions": spec.model_dump(),
        "segmenter": segmenter(lang),
    }

    def compute() -> Computed:
        from babelscope.analyses.tokenization.intervention import AGREEMENT, graded, intervene
        from babelscope.model.encode import encode, readable

        read, skipped = readable(model, rows)
        if not read:
            raise BadRow(skipped[0])
        known = encode(model, read) if spec.pieces else []
        cuts = graded(model, spec.ways, spec.rates, spec.pieces, known, spec.seed)
        metrics = [*spec.metrics, AGREEMENT]
        outcomes = intervene(model, read, cuts, spec.methods, metrics, progress=resources.progress)
        named = [replace(each, model=block.name, task=block.task.name) for each in outcomes]
        return computed(block, named, skipped, len(rows))

    return PlannedCell(_place(block, lang, _name(spec)), identity, "interventions", compute)


def _identity(block: Block, rows: Sequence[Example], lang: str) -> dict[str, Any]:
    from babelscope.training.finetune import fingerprint

    return {
        "name": block.name,
        "task": block.task.name,
        "data": fingerprint(rows),
        "lang": lang,
        "scheme": SCHEME,
    }


def _name(spec: InterventionSpec) -> str:
    return f"interventions/{canonical(spec.model_dump())}"


def _place(block: Block, lang: str, what: str) -> Place:
    return Place.of(block, NAME, lang, what)
