"""The answer in one sentence: which heads follow a syntactic relation in which language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from scipy.stats import binomtest

from babelscope.analyses.heads.tables import LanguageHeads, ModelHeads
from babelscope.display.numbers import listed, number
from babelscope.model.head_statistics import FEW, accuracy, syntactic, thresholds

MOST = 6
"""Heads that the answer lists by name."""


class HeadAccuracy(NamedTuple):
    """One head and one relation in one language. Heads are written layer.head, from 0."""

    lang: str
    head: str
    relation: str
    hits: int
    pairs: int
    threshold: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy (Wilson 1927), as if pairs were independent."""
        low, high = binomtest(self.hits, self.pairs).proportion_ci(method="wilson")
        return float(low), float(high)


def answer(models: Sequence[ModelHeads]) -> Markup:
    """How many heads of each model follow a relation, which, and how surely; or that none does."""
    several = len({model.model for model in models}) > 1, len({model.task for model in models}) > 1
    clauses = []
    for model in models:
        of_model = Markup(" of {}").format(model.model) if several[0] else Markup()
        on_task = Markup(" on {}").format(model.task) if several[1] else Markup()
        clauses.append(_clause(model, of_model + on_task))
    text = Markup("; ").join(clauses)
    return text[:1].upper() + text[1:] + Markup(".")


def passing(language: LanguageHeads) -> list[HeadAccuracy]:
    """The heads and relations whose accuracy exceeds its threshold."""
    where = np.argwhere(syntactic(language.statistics, language.mask.margin))
    return [_head_accuracy(language, *place) for place in where.tolist()]


def tested(language: LanguageHeads) -> list[HeadAccuracy]:
    """Every head and relation of a language, passing or not."""
    shape = accuracy(language.statistics).shape
    return [_head_accuracy(language, *place) for place in np.ndindex(*shape)]


def closest(model: ModelHeads) -> HeadAccuracy | None:
    """The head and relation with the largest excess over its threshold, of relations with enough
    pairs; None without such a relation.
    """
    candidates = []
    for language in model.languages:
        statistics, margin = language.statistics, language.mask.margin
        excess = accuracy(statistics) - thresholds(statistics, margin)[:, None, :]
        excess = np.where(statistics.pairs[:, None, :] >= FEW, excess, np.nan)
        if np.isfinite(excess).any():
            layer, head, relation = np.unravel_index(np.nanargmax(excess), excess.shape)
            best = _head_accuracy(language, int(layer), int(head), int(relation))
            candidates.append((float(excess[layer, head, relation]), best))
    return max(candidates, key=lambda pair: pair[0])[1] if candidates else None


def _head_accuracy(language: LanguageHeads, layer: int, head: int, relation: int) -> HeadAccuracy:
    statistics = language.statistics
    return HeadAccuracy(
        language.lang,
        f"{layer}.{head}",
        statistics.relations[relation],
        int(statistics.hits[layer, head, relation]),
        int(statistics.pairs[layer, relation]),
        float(thresholds(statistics, language.mask.margin)[layer, relation]),
    )


def _clause(model: ModelHeads, about: Markup) -> Markup:
    tests = {language.lang: passing(language) for language in model.languages}
    total = Markup("{} heads{}").format(model.shape[0] * model.shape[1], about)
    if not any(tests.values()):
        return _none(model, total)
    heads = [{test.head for test in each} for each in tests.values()]
    if all(each == heads[0] for each in heads):
        verb = "follows" if len(heads[0]) == 1 else "follow"
        names = _named([test for each in tests.values() for test in each])
        text = Markup("{} of {} {} a syntactic relation in {}: {}")
        return text.format(len(heads[0]), total, verb, listed(list(tests)), names) + _surely(tests)
    parts = [f"{_count(each)} in {lang}{_bracketed(each)}" for lang, each in tests.items()]
    text = Markup("of the {}, {} follow a syntactic relation")
    return text.format(total, listed(parts)) + _surely(tests)


def _none(model: ModelHeads, total: Markup) -> Markup:
    langs = listed([language.lang for language in model.languages], "or")
    lead = Markup("none of the {} follows a syntactic relation in {}").format(total, langs)
    best = closest(model)
    if best is None:
        return lead + _too_few(model)
    share = f"{number(best.hits / best.pairs)} [{', '.join(map(number, best.interval))}]"
    text = Markup(
        ": the closest, {} in {}, finds {} in {} of {} pairs (taken as independent) and would have "
        "to exceed {}"
    )
    place = (best.head, best.lang, best.relation)
    return lead + text.format(*place, share, best.pairs, number(best.threshold))


def _too_few(model: ModelHeads) -> str:
    """Why nothing follows from it that no head passes."""
    most = max(int(each.statistics.pairs.max(initial=0)) for each in model.languages)
    if not most:
        return ": the sentences hold no pair of these relations"
    return f", but no relation has more than {most} pairs; fewer than {FEW} show nothing"


def _surely(tests: Mapping[str, Sequence[HeadAccuracy]]) -> str:
    every = [test for each in tests.values() for test in each]
    sure = sum(test.interval[0] > test.threshold for test in every)
    if len(every) == 1:
        verb = "excludes" if sure else "includes"
        return (
            f" (the 95 % interval of its accuracy, with pairs taken as independent, {verb} the "
            "threshold)"
        )
    which = f"{sure} of these {len(every)} accuracies"
    return (
        f" ({which} exceed their threshold with their whole 95 % interval, with pairs taken as "
        "independent)"
    )


def _count(tests: Sequence[HeadAccuracy]) -> str:
    return str(len({test.head for test in tests}) or "none")


def _bracketed(tests: Sequence[HeadAccuracy]) -> str:
    return f" ({_named(tests)})" if tests else ""


def _named(tests: Sequence[HeadAccuracy]) -> str:
    """Each head with its relations; after the first few the number of the others."""
    relations: dict[str, list[str]] = {}
    for test in tests:
        relations.setdefault(test.head, []).append(test.relation)
    names = [f"{head} {'/'.join(dict.fromkeys(each))}" for head, each in relations.items()]
    rest = len(names) - MOST
    return listed([*names[:MOST], f"{rest} more"] if rest > 0 else names)
