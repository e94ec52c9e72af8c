"""The consistency of a study's explanations: every stored text with its stored translations, as measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babelscope.analyses.block import Block, Group, Place, PlannedCell, Resources
from babelscope.analyses.consistency.model_spaces import untrained
from babelscope.analyses.consistency.named_spaces import SpaceNames, in_links, spaces
from babelscope.analyses.consistency.pairs import Pair, Settings, in_space
from babelscope.analyses.consistency.sensitivity import Scored, score_all
from babelscope.analyses.consistency.spec import (
    Spec,
)
from babelscope.analyses.consistency.tables import column
from babelscope.analyses.consistency.translations import explained
from babelscope.analyses.explanations import Run, explanation_cells, key_of, place, runs
from babelscope.data.independence import clusters
from babelscope.data.spec import TaskSpec
from babelscope.data.texts import usable
from babelscope.errors import Undefined
from babelscope.files import canonical, digest
from babelscope.methods import METHODS
from babelscope.model.load import Model
from babelscope.options import resolve_options
from babelscope.store import SCHEME, has, read_attributions
from babelscope.types import Attribution, Example, Failure, Measure, UnitScores

MEASURED = {
    "C": "weight that meets its translation",
    "C_unif": "the same with equal weights: the texts alone",
    "C_perm": "the same with these weights on other words: chance",
    "C_mis": "the same with the translation of another text",
    "C_rand": "the same in a model with random weights",
    "ceil": "the most that these weights permit",
    "lift": "agreement of the explanations beyond chance",
}
"""What a study's consistency puts beside its metrics; never C alone."""
OWN = {"source": "source", None: "own", "gold": "gold"}


NAME = "consistency"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    """Explanations in every language, and one cell per method that compares them."""
    for run in runs(block):
        yield from (place(block, lang, run) for lang in block.languages)
        yield _place(block, run, spec)


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """The consistency of what every method says in all languages."""
    explanations = {lang: explanation_cells(block, resources, lang) for lang in block.languages}
    for by_run in explanations.values():
        yield from ([cell] for _, cell in by_run)
    for position, run in enumerate(runs(block)):
        keys = {lang: key_of(by_run[position][1]) for lang, by_run in explanations.items()}
        yield [_compared(block, spec, resources, run, keys)]


def _place(block: Block, run: Run, spec: Spec) -> Place:
    return Place.of(block, NAME, "", f"{run.name}/{canonical(spec.model_dump())}")


def _compared(block: Block, spec: Spec, resources: Resources, run: Run, keys: Mapping[str, str]) -> PlannedCell:
    source = block.request.source_of(block.model)

    def compute() -> list[Measure]:
        missing = [lang for lang, name in keys.items() if not has(resources.store, name)]
        if missing:
            raise Undefined(f"not every language was explained: {', '.join(missing)} failed")
        texts = {lang: resources.examples(lang) for lang in keys}
        options = resolve_options(METHODS[run.choice.name], run.choice.options)
        given = Translated(source, read_attributions(resources.store, keys.values()), texts, run.choice.name, options)
        return measures(resources.model(source), block.task, spec, given)

    return PlannedCell(_place(block, run, spec), identity(spec, source, keys), "measures", compute)


@dataclass(frozen=True, slots=True)
class Translated:
    """The explanations of one model, task and method in all languages, and the texts that they explain."""

    source: str
    rows: Sequence[Attribution]
    texts: Mapping[str, Sequence[Example]]
    method: str
    options: Mapping[str, Any]


def identity(spec: Spec, source: str, keys: Mapping[str, str]) -> dict[str, Any]:
    """What decides the numbers: the explanations, the space's files, and how they are compared."""
    files = [part for each in (spec.vectors, spec.subwords, spec.encoder) if each for part in each.replace("=", ",").split(",")]
    digests = [digest(Path(part)) for part in files if Path(part).exists()]
    return {
        "kind": "measures", "of": keys[source], "with": sorted(keys.values()), "metric": "consistency", "source": source,
        "options": spec.model_dump(), "content": digests, "scheme": SCHEME,
    }  # fmt: skip


def measures(model: Model, task: TaskSpec, spec: Spec, given: Translated) -> list[Measure]:
    """One measure per pair, norm, space and name of MEASURED; the groups are those that intervals resample."""
    texts = [row for each in given.texts.values() for row in each]
    named, lost = clusters(texts), {row.id for row in texts if not usable(row)}
    rows = [UnitScores(one.group, one.lang, one.words, one.word_scores, one.word_segment, one.label, one.gold,
                       "it is not translated" if one.id in lost else "", cluster=named.get(one.group, ""))
            for one in given.rows]  # fmt: skip
    random: list[UnitScores] = []
    if spec.untrained:
        random = explained(untrained(model), given.texts, given.source, target=OWN[task.target], method=given.method,
                           options=given.options, edge=task.edge)  # fmt: skip
    if spec.gold:
        compares = {"gold links": in_links(texts)}
    else:
        held = spaces(SpaceNames(spec.vectors, spec.subwords, spec.encoder), rows, given.source, model=model)
        compares = {each: in_space(space, spec.unknown) for each, space in held.items()}
    settings = [Settings(norm, spec.segments, spec.unknown, spec.draws) for norm in spec.norms]
    others = [lang for lang in given.texts if lang != given.source]
    found = score_all(rows, given.source, compares, settings=settings, targets=others, untrained=random)
    return [one for scored in found for one in _measures(model, task, given, scored)]


def _measures(model: Model, task: TaskSpec, given: Translated, scored: Scored) -> list[Measure]:
    options = {"norm": scored.settings.norm, "space": scored.space}
    made = []
    for metric in MEASURED:
        values = column(scored.pairs, metric.lower())
        blank = Measure("", "", "", model.name, given.method, metric, options, 0.0, task=task.name)
        made += [_measure(blank, pair, float(value)) for pair, value in zip(scored.pairs, values)]
    return made


def _measure(blank: Measure, pair: Pair, value: float) -> Measure:
    missing = {"C_rand": "no model with random weights was explained", "C_mis": "there is no other text"}
    why = pair.found.reason or (missing.get(blank.metric, "undefined") if value != value else "")
    return replace(blank, id=pair.id, group=pair.cluster, lang=pair.lang, value=value, reason=why)
