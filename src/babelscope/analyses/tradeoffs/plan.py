"""Which cells a block computes for the trade-offs: known before anything is loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from babelscope.analyses.block import Block, Place
from babelscope.analyses.tradeoffs.provenance import BASE, SINGLE, Provenance, provenance
from babelscope.analyses.tradeoffs.spec import Spec, base_of, common_seeds
from babelscope.data.corpora import CORPORA
from babelscope.data.spec import DataSpec
from babelscope.files import canonical

NAME = "tradeoffs"
TEXTS, MODEL = "texts", "model"
"""Whose cells they are beside those of the `BASE`: the corpus's, the fine-tuned model's."""
SPLITS = ("dev", "train")
"""What probes and temperatures are fitted on, beside the texts that are tested."""


@dataclass(frozen=True, slots=True)
class Step:
    """Cells of one owner on the texts of one split and language, or on a part of these texts."""

    owner: str
    kinds: tuple[str, ...]
    split: str = ""
    lang: str = ""
    start: int | None = None
    """The first text of a part that others follow."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the study says about a block."""

    provenance: Provenance
    base: tuple[str, ...] | None
    """What decides the base, None where there is none."""
    languages: dict[str, tuple[str, ...]]
    """The languages of each split: test in all of the study, the others in those trained on
    alone."""
    counts: dict[str, int | None]
    """How many dev and train texts are read, None: all that there are."""
    first: bool
    """Whether it is fine-tuned on one language with the first seed: probes and drift are of
    these."""
    probed: tuple[str, ...]
    """The languages whose training and development texts probes are fitted on."""
    leads: bool
    """Whether this block computes what all models share: the texts, and what the base makes of
    them."""


def plan(block: Block, spec: Spec) -> Plan | None:
    """The plan of a block, None where its model takes no part."""
    request, data = block.request, block.task.data
    everyone = spec.provenances(request)
    readers = [
        model for model, _ in everyone if model.tasks is None or block.task.name in model.tasks
    ]
    if block.model not in readers:
        return None
    known = [each for model, each in everyone if model in readers]
    origin = provenance(block.model, block.seed, spec.stated.get(block.model.name))
    seeds = common_seeds(known)
    sources = tuple(dict.fromkeys(each.source for each in known if each.kind == SINGLE))
    tested = tuple(
        lang for lang in request.languages if data.languages is None or lang in data.languages
    )
    counts = {split: _count(block, spec, split) for split in SPLITS}
    languages = {"test": tested} | {
        split: sources for split in SPLITS if _has(data, split) and counts[split] != 0
    }
    return Plan(
        origin,
        base_of(block.model, spec),
        languages,
        counts,
        origin.kind == SINGLE and origin.seed in seeds[:1],
        sources if {*SPLITS} <= languages.keys() else (),
        block.model == readers[0] and block.seed == request.seeds[0],
    )


def steps(chosen: Plan, spec: Spec) -> Iterator[Step]:
    """The cells of a block in running order: what all models share first."""
    pairs = [(split, lang) for split, langs in chosen.languages.items() for lang in langs]
    if chosen.leads:
        yield from (Step(TEXTS, ("texts",), split, lang) for split, lang in pairs)
    if chosen.leads and chosen.base:
        yield from (
            Step(BASE, _kinds(BASE, split, first=True), split, lang) for split, lang in pairs
        )
        yield from _probes(chosen, BASE)
        if spec.language_model:
            yield Step(BASE, ("losses",))
    yield Step(MODEL, ("finetunings",))
    for split, lang in pairs:
        kinds = _kinds(chosen.provenance.kind, split, first=chosen.first)
        if kinds:
            yield Step(MODEL, kinds, split, lang)
    if chosen.first:
        yield from _probes(chosen, MODEL)
    if chosen.first and chosen.base:
        yield Step(MODEL, ("drifts",))
        if spec.language_model:
            yield Step(MODEL, ("losses",))


def _probes(chosen: Plan, owner: str) -> Iterator[Step]:
    """Of the classes, language by language: of fine-tuned models only beside those of a base, and
    where the language is tested; then of the languages, where all of them are tested."""
    tested = set(chosen.languages["test"])
    for lang in chosen.probed if chosen.base else ():
        if owner == BASE or lang in tested:
            yield Step(owner, ("probes",), lang=lang)
    if len(chosen.probed) > 1 and tested >= {*chosen.probed}:
        yield Step(owner, ("probes",))


def place(block: Block, chosen: Plan, step: Step, kind: str) -> Place:
    """Where a cell belongs; what all models share does not depend on the block that computes it."""
    count = chosen.counts.get(step.split)
    part = "" if step.start is None else f"from text {step.start}"
    what = "/".join([kind, *filter(None, [step.split, str(count or ""), part])])
    if step.owner == MODEL:
        return Place.of(block, NAME, step.lang, what)
    setup = canonical([chosen.base if step.owner == BASE else None, block.task.model_dump()])
    digest = hashlib.sha256(setup.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    name = BASE if step.owner == BASE else "all models"
    return Place(NAME, name, block.task.name, step.lang, what, digest)


def _kinds(kind: str, split: str, *, first: bool) -> tuple[str, ...]:
    """What is read of a model: the test texts of all; states for probes of the base and the first
    seed; logits on development texts for temperatures."""
    if split == "test":
        return ("readings", "states") if kind in (SINGLE, BASE) else ("readings",)
    if kind == BASE:
        return ("states",)
    if kind != SINGLE:
        return ()
    return (*(["readings"] if split == "dev" else []), *(["states"] if first else []))


def _count(block: Block, spec: Spec, split: str) -> int | None:
    """As many as the spec says, or as the first model of one language is trained on."""
    stated = spec.dev_examples if split == "dev" else spec.train_examples
    if stated is not None:
        return stated
    trained = [model.train for model in spec.chosen(block.request) if model.train is not None]
    single = next((train for train in trained if len(train.languages) == 1), None)
    if single is None:
        return None
    return single.dev_examples if split == "dev" else single.examples


def _has(data: DataSpec, split: str) -> bool:
    """Whether the data have the split, and it is not the one that is tested."""
    if data.corpus is not None:
        return split in CORPORA[data.corpus].splits and split != data.split
    if data.rows is not None:
        return False
    if data.file is not None:
        return (data.dev_file if split == "dev" else data.train_file) is not None
    return split != data.split
