"""What is computed of translations: every stored explanation compared with those of the
translations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelscope.analyses.block import Block, Group, Place, PlannedCell, Resources, by_language
from babelscope.analyses.consistency.spec import Spec
from babelscope.analyses.explanations import Run, explanation_cells, key_of, place, runs
from babelscope.errors import Undefined
from babelscope.files import canonical, digest
from babelscope.methods import METHODS
from babelscope.options import resolve_options
from babelscope.store import SCHEME, has, read_attributions
from babelscope.types import Attribution, Example, Failure, TranslationPair, UnitScores

if TYPE_CHECKING:
    from babelscope.model.load import Model

NAME = "consistency"
UNTRANSLATED = "it is not translated"


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanations of one method in all languages, and the texts that they explain."""

    source: str
    run: Run
    attributions: Sequence[Attribution]
    texts: Mapping[str, Sequence[Example]]

    @property
    def options(self) -> dict[str, Any]:
        return resolve_options(METHODS[self.run.choice.name], self.run.choice.options)


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """Explanations in every language, and one cell per method that compares them; nothing for a
    model that is studied in one language.
    """
    for run in runs(block) if len(block.languages) > 1 else ():
        yield from (place(block, lang, run) for lang in block.languages)
        yield _place(block, run, spec)


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """Explains every text with every method, then compares each method's explanations of
    translations."""
    from babelscope.analyses.consistency.translations import check_target

    if len(block.languages) < 2:
        return
    source = block.request.source_of(block.model)
    check_target(resources.model(source), block.task.target)
    explanations: dict[str, list[PlannedCell]] = {}

    def groups(lang: str) -> Iterator[Group]:
        explanations[lang] = [cell for _, cell in explanation_cells(block, resources, lang)]
        yield from ([cell] for cell in explanations[lang])

    yield from by_language(block, NAME, groups)
    for position, run in enumerate(runs(block)):
        keys = {lang: key_of(listed[position]) for lang, listed in explanations.items()}
        yield [_comparison(block, spec, resources, run, keys)]


def _comparison(
    block: Block, spec: Spec, resources: Resources, run: Run, keys: Mapping[str, str]
) -> PlannedCell:
    source = block.request.source_of(block.model)

    def compute() -> list[TranslationPair]:
        missing = [lang for lang in block.languages if not has(resources.store, keys.get(lang, ""))]
        if missing:
            raise Undefined(f"not every language was explained: {', '.join(missing)} failed")
        texts = {lang: resources.examples(lang) for lang in block.languages}
        attributions = read_attributions(resources.store, keys.values())
        explained = Explained(source, run, attributions, texts)
        return translation_pairs(block, spec, resources, explained)

    cell = _place(block, run, spec)
    decided = identity(spec, source, keys)
    if resources.model(source).row.spans:
        decided |= {"gold": "answers"}  # earlier stores have none
    return PlannedCell(cell, decided, "pairs", compute)


def identity(spec: Spec, source: str, keys: Mapping[str, str]) -> dict[str, Any]:
    """What decides the numbers: the explanations, the space's files, and how they are compared."""
    files = [Path(part) for part in spec.spaces.paths if Path(part).exists()]
    return {
        "kind": "pairs",
        "of": sorted(keys.values()),
        "source": source,
        "spec": spec.model_dump(),
        "content": [digest(file) for file in files],
        "scheme": SCHEME,
    }


def translation_pairs(
    block: Block, spec: Spec, resources: Resources, explained: Explained
) -> list[TranslationPair]:
    """One row per pair, space and norm."""
    from babelscope.analyses.consistency.stored_pairs import Origin, to_rows
    from babelscope.analyses.consistency.units import compare

    model = resources.model(explained.source)
    comparisons = compare(
        spec,
        _units(model, explained),
        explained.source,
        targets=[lang for lang in block.languages if lang != explained.source],
        untrained=_untrained(model, block, explained) if spec.untrained else (),
        texts=[row for rows in explained.texts.values() for row in rows],
        model=model,
    )
    name, seed = explained.run.choice.name, explained.run.seed
    origin = Origin(block.name, block.task.name, name, explained.options, seed)
    return [row for comparison in comparisons for row in to_rows(comparison, origin)]


def _units(model: Model, explained: Explained) -> list[UnitScores]:
    """The stored scores with their clusters, what is not translated, and how sure the model is."""
    from babelscope.analyses.consistency.translations import confidences, unit_scores_of
    from babelscope.data.independence import clusters
    from babelscope.data.texts import usable

    texts = [row for rows in explained.texts.values() for row in rows]
    cluster = clusters(texts)
    lost = {(row.group, row.lang) for row in texts if not usable(row)}
    order = [(each.group, each.lang) for each in explained.attributions]
    readable = set(order)
    sure: dict[tuple[str, str], float] = {}
    for rows in explained.texts.values():
        read = [row for row in rows if (row.group, row.lang) in readable]
        values = confidences(model, read)
        sure |= {(row.group, row.lang): value for row, value in zip(read, values)}
    units = unit_scores_of(explained.attributions, [sure[place] for place in order])
    answers = {(row.group, row.lang): gold_answer(row) for row in texts}
    return [
        replace(
            row,
            gold=row.gold or answers.get((row.id, row.lang)),
            reason=UNTRANSLATED if (row.id, row.lang) in lost else "",
            cluster=cluster.get(row.id, ""),
        )
        for row in units
    ]


def gold_answer(row: Example) -> str | None:
    """The gold answer of a question, as it is written in the text."""
    return None if row.answer is None else row.texts[-1][slice(*row.answer)]


def _untrained(model: Model, block: Block, explained: Explained) -> list[UnitScores]:
    """The same texts explained in a model of the same shape with random weights."""
    from babelscope.analyses.consistency.model_spaces import untrained_model
    from babelscope.analyses.consistency.translations import explain_translations

    return explain_translations(
        untrained_model(model),
        explained.texts,
        explained.source,
        target=block.task.target,
        method=explained.run.choice.name,
        options=explained.options,
        edge=block.task.edge,
    )


def _place(block: Block, run: Run, spec: Spec) -> Place:
    return Place.of(block, NAME, "", f"{run.name}/{canonical(spec.model_dump())}")
