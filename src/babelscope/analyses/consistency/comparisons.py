"""A whole parallel set: every text with each of its translations, in every space and by every
norm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan

from babelscope.analyses.consistency.nulls import partners
from babelscope.analyses.consistency.pairs import Compare, Pair, Settings, Task, score_pair
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.summary import Line, summarise
from babelscope.analyses.consistency.weights import NORMS
from babelscope.errors import InputError, Undefined
from babelscope.types import UnitScores
from babelscope.workers import in_order

BATCH = 16
"""Pairs that a worker is sent at a time."""
EVERY = tuple(Settings(name) for name in NORMS)
"""All norms, the other settings as they are by default."""

Texts = Mapping[tuple[str, str], UnitScores]
"""Scored texts by id and language."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The pairs and the lines of one source language, space and norm."""

    source: str
    space: str
    settings: Settings
    pairs: list[Pair]
    lines: list[Line]
    centred: bool = False
    """Whether the mean direction of each language was taken out of the space."""
    mean_cosine: Mapping[str, float] = field(default_factory=dict)
    """By language: the mean cosine of its words with the source's, of whatever meaning."""


def compare_all(
    rows: Sequence[UnitScores],
    source: str,
    compares: Mapping[str, Compare],
    *,
    settings: Sequence[Settings] = EVERY,
    targets: Sequence[str] | None = None,
    untrained: Sequence[UnitScores] = (),
    workers: int = 1,
) -> list[Comparison]:
    """Every space with every setting, spaces first."""
    comparisons = []
    for space, compare in compares.items():
        for chosen in settings:
            pairs = score_pairs(
                rows,
                source,
                compare,
                targets=targets,
                settings=chosen,
                untrained=untrained,
                workers=workers,
            )
            lines = summarise(pairs, seed=chosen.seed)
            comparisons.append(Comparison(source, space, chosen, pairs, lines))
    return comparisons


def score_pairs(
    rows: Sequence[UnitScores],
    source: str,
    compare: Compare,
    *,
    targets: Sequence[str] | None = None,
    settings: Settings | None = None,
    untrained: Sequence[UnitScores] = (),
    workers: int = 1,
) -> list[Pair]:
    """One pair per text and target language, in the order of the languages and of the texts.

    `untrained` are the same texts explained in a model with random weights; they give c_rand.

    *Laws*: no pair is left out silently: a text that cannot be compared has a reason; the order of
    the rows and the number of processes change no number.
    """
    chosen = settings or Settings()
    texts = {(row.id, row.lang): row for row in rows}
    langs = target_languages(rows, source, targets)
    tasks: list[Pair | Task] = []
    for lang in langs:
        others = partners({row.id: row for row in rows if row.lang == lang}, chosen.seed)
        for name in sorted({row.id for row in rows if row.lang in (source, lang)}):
            tasks.append(_prepare(texts, (name, source, lang), others.get(name), compare, chosen))
    pairs = list(_solve(tasks, workers))
    if not untrained:
        return pairs
    once = replace(chosen, permutations=0)
    random = score_pairs(untrained, source, compare, targets=langs, settings=once, workers=workers)
    c_rand = {(pair.id, pair.lang): pair.score.c for pair in random}
    return [replace(pair, c_rand=c_rand.get((pair.id, pair.lang), nan)) for pair in pairs]


def target_languages(
    rows: Sequence[UnitScores], source: str, targets: Sequence[str] | None = None
) -> list[str]:
    """The languages that the source is compared with: the given ones, or all others of the rows."""
    langs = dict.fromkeys(row.lang for row in rows)
    if source not in langs:
        raise InputError(
            f"no row is in the source language {source!r}; there are: {', '.join(sorted(langs))}"
        )
    chosen = sorted(lang for lang in langs if lang != source) if targets is None else list(targets)
    if not chosen:
        raise InputError(
            f"every row is in the source language {source!r}; there is nothing to compare it with"
        )
    return chosen


def _prepare(
    texts: Texts,
    place: tuple[str, str, str],
    other: UnitScores | None,
    compare: Compare,
    settings: Settings,
) -> Pair | Task:
    """The texts of a pair with their similarity, or the pair that says why there is none."""
    name, source, lang = place
    left, right = texts.get((name, source)), texts.get((name, lang))
    if left is None or right is None:
        missing = source if left is None else lang
        return Pair(name, lang, Consistency(reason=f"there is no text in {missing}"), cluster=name)
    cluster = left.cluster or name
    for row in (left, right):
        if row.reason:
            reason = f"{row.lang}: {row.reason}"
            return Pair(name, lang, Consistency(reason=reason), cluster=cluster)
    try:
        compared = compare(left, right)
    except Undefined as error:
        return Pair(name, lang, Consistency(reason=str(error)), cluster=cluster)
    try:
        mismatched = (other, compare(left, other)) if other is not None else None
    except Undefined:
        mismatched = None
    return Task(left, right, compared, mismatched, settings)


def _solve(tasks: Sequence[Pair | Task], workers: int) -> Iterator[Pair]:
    batches = [tasks[start : start + BATCH] for start in range(0, len(tasks), BATCH)]
    for solved in in_order(_solved, batches, workers=workers):
        yield from solved


def _solved(batch: Sequence[Pair | Task]) -> list[Pair]:
    return [task if isinstance(task, Pair) else score_pair(task) for task in batch]
