"""What is missing in the data or among the models, and which numbers are therefore not reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from babelscope.analyses.tradeoffs.activations import FEW
from babelscope.analyses.tradeoffs.activations_table import states_stored
from babelscope.analyses.tradeoffs.corpus import REASONS
from babelscope.analyses.tradeoffs.grid import Grid, complete
from babelscope.analyses.tradeoffs.provenance import SINGLE
from babelscope.analyses.tradeoffs.records import Records
from babelscope.types import FEW_GROUPS


def notes(records: Records, table: Grid) -> list[str]:
    """One line for everything that was left out or cannot be reported, with its reason."""
    return [
        *corpus_notes(records.left_out),
        *_languages(records, table),
        *_models(records, table),
        *_seeds(records, table),
        *_texts(records, table),
    ]


def corpus_notes(left_out: Mapping[tuple[str, str], Mapping[str, int]]) -> Iterable[str]:
    """How many texts were left out, by language and split, and why."""
    for (split, lang), counts in left_out.items():
        for reason, text in REASONS.items():
            if counts.get(reason):
                yield f"{lang}, {split}: {counts[reason]} {text}"


def _languages(records: Records, table: Grid) -> Iterable[str]:
    if not table.parallel:
        yield (
            f"{', '.join(table.targets)} share no test text: languages are compared unpaired, and "
            "there are no flips, "
            "no alignment of languages and no attention at equal length"
        )
    if len(table.targets) == 1:
        yield "one language only: there is no transfer gap, no specialisation and no flip"
    absent = [source for source, place in zip(table.sources, table.diagonal) if place < 0]
    if absent:
        yield (
            f"not tested in their own language: {', '.join(absent)}; their preference and gap "
            "are undefined"
        )


def _models(records: Records, table: Grid) -> Iterable[str]:
    for model in records.strangers:
        yield (
            f"{model.model} was left out: it has the classes {', '.join(model.labels)}, the others "
            "have "
            f"{', '.join(records.labels)}; set id2label in the checkpoint's config.json"
        )
    kinds = dict.fromkeys(model.kind for model in records.models)
    read = [model for kind in kinds for model in complete(records, kind)]
    for model in records.models:
        if model not in read:
            yield f"{model.model} was left out: it did not read all test texts"


def _seeds(records: Records, table: Grid) -> Iterable[str]:
    spare = sorted({model.seed for model in records.of_kind(SINGLE)} - set(table.seeds))
    if spare:
        yield f"seeds that not every source has were left out: {', '.join(map(str, spare))}"
    if len(table.seeds) == 1:
        yield (
            "one seed: intervals hold for these models only, and there is no noise floor "
            "between seeds"
        )
    elif len(table.seeds) == 2:
        yield "two seeds: they are averaged, and intervals hold for these models only"


def _texts(records: Records, table: Grid) -> Iterable[str]:
    if "dev" not in records.texts:
        yield "no dev split: there is no temperature, no prior correction and no probe"
    missing = [label for at, label in enumerate(records.labels) if not (table.gold == at).any()]
    if missing:
        yield (
            f"classes without a gold example in test: {', '.join(missing)}; they are in no mean "
            "over classes"
        )
    groups = len(set(table.clusters))
    if groups < FEW_GROUPS:
        yield (
            f"{groups} independent texts: intervals from so few may be too narrow where values are "
            "skewed"
        )
    if states_stored(records) and len(table.clusters) < FEW:
        yield f"similarities are of {len(table.clusters)} texts: few"
