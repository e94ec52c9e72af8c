"""Seconds, tokens and queries of explanations, once for every model, language and method.

The seconds are the only numbers of a store that a second run would not give again: they are
measured once, on the machine that each row names, and then stored like any cell. Neither they nor
the machine decide where a cell is found; the tokens and the queries do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

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
from babelscope.analyses.costs.spec import Spec
from babelscope.analyses.explanations import (
    Run,
    chosen_texts,
    explain_some,
    explanation_identity,
    target_classes,
)
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.options import resolve_options
from babelscope.types import Attribution, Example, ExplanationCost, Failure, SkippedRow

if TYPE_CHECKING:
    from babelscope.model.load import Model

NAME = KIND = "costs"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    return (_place(block, lang, run, spec) for lang in block.languages for run in runs(block, spec))


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """One cell for every language and method, one method after the other."""

    def groups(lang: str) -> Iterator[Group]:
        listed = runs(block, spec)
        if not listed:
            return
        rows = chosen_texts(block, resources, lang)
        classes, source = target_classes(block, resources, lang)
        for run in listed:
            yield [_cell(block, spec, resources, run, _Texts(lang, rows, classes, source))]

    yield from by_language(block, NAME, groups)


def runs(block: Block, spec: Spec) -> list[Run]:
    """The methods that are timed, of those that explain the model; none for models of further
    seeds, which cost the same."""
    if block.seed != block.request.seeds[0]:
        return []
    known = block.model.methods
    return [
        Run(position, choice, block.seed)
        for position, choice in enumerate(spec.chosen(block.request))
        if known is None or choice.name in known
    ]


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a language, the class to explain of each, and what that depends on."""

    lang: str
    rows: list[Example]
    classes: Mapping[str, str | None]
    source: Mapping[str, Any]


def _cell(block: Block, spec: Spec, resources: Resources, run: Run, texts: _Texts) -> PlannedCell:
    model = resources.model(texts.lang)
    identity = {
        **explanation_identity(block, model, texts.rows, texts.lang, run),
        **texts.source,
        "kind": KIND,
        "texts": spec.texts,
    }
    compute = partial(_compute, block, model, run, texts, spec.texts)
    return PlannedCell(_place(block, texts.lang, run, spec), identity, KIND, compute)


def _compute(block: Block, model: Model, run: Run, texts: _Texts, count: int) -> Computed:
    """The costs of the first texts that can be explained. The first of them is explained once
    before, so that nobody pays for what a model or a method does once."""
    from babelscope.model.gold import of_known_class

    known, strangers = of_known_class(model, texts.rows)
    skipped: list[SkippedRow] = [*strangers]
    costs: list[ExplanationCost] = []
    for row in known:
        if len(costs) == count:
            break
        if not costs:
            explain_some(block, model, [row], run, texts.classes)
        cost, unread = _cost(block, model, run, row, texts)
        costs += [] if cost is None else [cost]
        skipped += unread
    if not costs:
        raise InputError(f"none of {len(texts.rows)} texts of {block.task.name} in {texts.lang} "
                         "can be explained")  # fmt: skip
    return computed(block, costs, skipped, len(texts.rows))


def _cost(
    block: Block, model: Model, run: Run, row: Example, texts: _Texts
) -> tuple[ExplanationCost | None, list[SkippedRow]]:
    """What the explanation of one text took; None where it cannot be explained."""
    from babelscope.analyses.costs.timing import device_name, threads, timed

    (explained, skipped), spent = timed(
        model, partial(explain_some, block, model, [row], run, texts.classes)
    )
    if not explained:
        return None, skipped
    method = METHODS[run.choice.name]
    cost = ExplanationCost(
        row.id, row.group, texts.lang, block.name, block.task.name, method.name,
        resolve_options(method, run.choice.options), run.seed, _length(explained), spent.processor,
        spent.wall, spent.tokens, spent.backward, spent.queries, device_name(model), threads(),
    )  # fmt: skip
    return cost, skipped


def _length(explained: Sequence[Attribution]) -> int:
    """Tokens of the text as the model reads it, in all of its windows; those of the explanation
    where the model reads texts."""
    inputs = [each.input for each in explained]
    return sum(
        len(each.tokens) if read is None else len(read.ids) for each, read in zip(explained, inputs)
    )


def _place(block: Block, lang: str, run: Run, spec: Spec) -> Place:
    return Place.of(block, NAME, lang, f"{run.name}/{spec.texts}")
