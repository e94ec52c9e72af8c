"""The consistency of a study's explanations: every stored text with its stored translations, as measures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babelscope.analyses.consistency.model_spaces import untrained
from babelscope.analyses.consistency.named_spaces import SpaceNames, in_links, spaces
from babelscope.analyses.consistency.pairs import Pair, Settings, in_space
from babelscope.analyses.consistency.sensitivity import Scored, score_all
from babelscope.analyses.consistency.spec import (
    ConsistencySpec,
)
from babelscope.analyses.consistency.tables import column
from babelscope.analyses.consistency.translations import clusters, explained
from babelscope.data.corpora import usable
from babelscope.data.spec import (
    TaskSpec,
)
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import name, predicted
from babelscope.store import SCHEME
from babelscope.types import Attribution, Example, Measure, UnitScores

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


@dataclass(frozen=True, slots=True)
class Translated:
    """The explanations of one model, task and method in all languages, and the texts that they explain."""

    source: str
    rows: Sequence[Attribution]
    texts: Mapping[str, Sequence[Example]]
    method: str
    options: Mapping[str, Any]


def said(model: Model, examples: Sequence[Example]) -> dict[str, str]:
    """What the model predicts for every group's text."""
    rows = encode(model, examples)
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    return {row.example.group: name(model, row, predicted(model, row, output)) for row, output in zip(rows, outputs)}


def identity(spec: ConsistencySpec, source: str, keys: Mapping[str, str]) -> dict[str, Any]:
    """What decides the numbers: the explanations, the space's files, and how they are compared."""
    files = [part for each in (spec.vectors, spec.subwords, spec.encoder) if each for part in each.replace("=", ",").split(",")]
    digests = [each for part in files if (each := _content(Path(part)))]
    return {
        "kind": "measures", "of": keys[source], "with": sorted(keys.values()), "metric": "consistency", "source": source,
        "options": spec.model_dump(exclude={"source"}), "content": digests, "scheme": SCHEME,
    }  # fmt: skip


def measures(model: Model, task: TaskSpec, spec: ConsistencySpec, given: Translated) -> list[Measure]:
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


def _content(place: Path) -> str:
    """SHA-256 of a file, or of the files of a folder; empty for what is neither (a hub id, a language tag)."""
    files = sorted(each for each in place.iterdir() if each.is_file()) if place.is_dir() else [place] if place.is_file() else []
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as handle:
            digest.update(hashlib.file_digest(handle, "sha256").digest())
    return digest.hexdigest() if files else ""
