"""Which attention heads follow a syntactic relation? Their names, or that none does."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from babelscope.analyses.heads.findings import HeadAccuracy, closest, passing, tested
from babelscope.analyses.heads.tables import ModelHeads
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.numbers import listed, number, value_range
from babelscope.display.section import Answer, Reference
from babelscope.display.sheets import csv_text
from babelscope.model.head_statistics import FEW

FILE = "head_relations.csv"
MASKING = Markup(" Whether masking the rest helps was not measured here.")
NAMED = 3
"""Heads that the answer names."""
SHOWN = 6
"""Rows of the small chart."""
IN_WORDS = {
    "nsubj": "subjects (nsubj)", "obj": "objects (obj)", "amod": "adjectives of nouns (amod)",
    "advmod": "adverbs (advmod)",
}  # fmt: skip
"""The dependents of the usual relations, for readers who do not know their names."""


def headline(models: Sequence[ModelHeads]) -> Answer:
    """The heads that pass in any language, the surest first."""
    passed = [
        (model, test)
        for model in models
        for language in model.languages
        for test in passing(language)
    ]
    return _passing(models, passed) if passed else _none(models)


def _passing(
    models: Sequence[ModelHeads], passed: Sequence[tuple[ModelHeads, HeadAccuracy]]
) -> Answer:
    heads = {(id(model), test.head) for model, test in passed}
    total = sum(model.shape[0] * model.shape[1] for model in models)
    ranked = sorted(passed, key=lambda pair: pair[1].threshold - pair[1].hits / pair[1].pairs)
    model, best = ranked[0]
    whose = f" of {model.model}" if len({each.model for each in models}) > 1 else ""
    several = len({id(each) for each in models}) > 1
    names = list(dict.fromkeys(
        f"{test.head}{f' of {each.model}' if several else ''}" for each, test in ranked
    ))  # fmt: skip
    shown = listed(names) if len(names) <= NAMED else f"{', '.join(names[:NAMED])} and others"
    share = best.hits / best.pairs
    sentence = Markup(
        "{} of {} heads {} the threshold of a syntactic relation: {} (layer.head). The "
        "clearest, {}{} in {}, finds {} in {} of pairs (interval {}; the threshold is {})."
    ).format(
        len(heads), total, "exceeds" if len(heads) == 1 else "exceed", shown, best.head, whose,
        language_name(best.lang), _relation(best), number(share), value_range(*best.interval),
        number(best.threshold),
    )  # fmt: skip
    places = [_row(each, test) for each, test in ranked]
    references = (
        *_heads(total), Reference(FILE, {"passes": True}, "head_of", len(heads), distinct=True),
        *(Reference(FILE, row, "pairs", test.pairs) for row, (_, test) in zip(places, ranked)),
        *_cells(model, best),
    )  # fmt: skip
    sure = any(t.pairs >= FEW and t.interval[0] > t.threshold for _, t in passed)
    few = "" if sure else Markup(
        " No head exceeds its threshold with its whole interval on {} pairs or more."
    ).format(FEW)  # fmt: skip
    verdict = "yes" if sure else "undecided"
    says = "Some heads do" if sure else ""
    return Answer(verdict, sentence + few + MASKING, references, _chart(ranked[:SHOWN]), says=says)


def _none(models: Sequence[ModelHeads]) -> Answer:
    total = sum(model.shape[0] * model.shape[1] for model in models)
    near = [(model, test) for model in models if (test := closest(model)) is not None]
    if not near:
        text = Markup("None of {} heads passes, but no relation has pairs enough to show anything.")
        return Answer("undecided", text.format(total), _heads(total), _pairs_chart(models))
    model, best = max(near, key=lambda pair: pair[1].hits / pair[1].pairs - pair[1].threshold)
    share = best.hits / best.pairs
    sentence = Markup(
        "None of {} heads follows a syntactic relation: the closest, {} in {}, finds {} in {} of "
        "pairs (interval {}; the threshold is {})."
    ).format(
        total, best.head, language_name(best.lang), _relation(best), number(share),
        value_range(*best.interval), number(best.threshold),
    )  # fmt: skip
    references = (*_heads(total), *_cells(model, best))
    return Answer("no", sentence + MASKING, references, _chart(near[:SHOWN]), says="None is shown")


def _relation(test: HeadAccuracy) -> str:
    return IN_WORDS.get(test.relation, test.relation)


def _heads(total: int) -> tuple[Reference, ...]:
    """All heads of all models."""
    return (Reference(FILE, {}, "head_of", total, distinct=True),)


def _row(model: ModelHeads, test: HeadAccuracy) -> dict[str, object]:
    return {
        "model": model.model, "task": model.task, "lang": test.lang, "head": test.head,
        "relation": test.relation,
    }  # fmt: skip


def _cells(model: ModelHeads, test: HeadAccuracy) -> tuple[Reference, ...]:
    row = _row(model, test)
    low, high = test.interval
    numbers = {
        "accuracy": test.hits / test.pairs, "low": low, "high": high, "threshold": test.threshold,
    }  # fmt: skip
    return tuple(Reference(FILE, row, column, value) for column, value in numbers.items())


def _chart(tests: Sequence[tuple[ModelHeads, HeadAccuracy]]) -> Chart:
    rows, several = [], len({model.model for model, _ in tests}) > 1
    languages = len({test.lang for _, test in tests})
    for model, test in tests:
        low, high = test.interval
        parts = [f"{test.head} {test.relation}", test.lang if languages > 1 else ""]
        name = ", ".join(filter(None, [*parts, model.model if several else ""]))
        share = test.hits / test.pairs
        said = f"{name}: {number(share)} [{number(low)}, {number(high)}]"
        limit = Mark(test.threshold, title=f"threshold {number(test.threshold)}")
        rows.append(Row(name, (Mark(share, low, high, said),), limit))
    title = "accuracy of heads (layer.head) by relation; grey: the threshold"
    return dot_plot(title, "accuracy", rows, width=300, small=True)


def _pairs_chart(models: Sequence[ModelHeads]) -> Chart:
    """How many pairs each relation has, the most first, and how many it would need."""
    pairs: dict[str, int] = {}
    for model in models:
        for language in model.languages:
            for test in tested(language):
                name = f"{test.relation}, {test.lang}"
                pairs[name] = max(pairs.get(name, 0), test.pairs)
    ranked = sorted(pairs.items(), key=lambda pair: -pair[1])[:SHOWN]
    rows = [Row(name, (Mark(count, title=f"{name}: {count} pairs"),)) for name, count in ranked]
    title = f"pairs by relation; the line: the {FEW} below which nothing is shown"
    return dot_plot(title, "pairs", rows, reference=FEW, width=300, small=True)


def relations_csv(models: Sequence[ModelHeads]) -> str:
    """One line per model, language, head and relation: hits, pairs, accuracy with its interval, the
    threshold, and whether it passes."""
    rows = []
    for model in models:
        for language in model.languages:
            passed = {(test.head, test.relation) for test in passing(language)}
            for test in tested(language):
                share = test.hits / test.pairs if test.pairs else None
                bounds = test.interval if test.pairs else (None, None)
                place = (model.model, model.task, test.lang, test.head,
                         f"{model.model} {model.task} {test.head}", test.relation)  # fmt: skip
                numbers = (test.hits, test.pairs, share, *bounds, test.threshold)
                rows.append((*place, *numbers, (test.head, test.relation) in passed))
    columns = [
        "model", "task", "lang", "head", "head_of", "relation", "hits", "pairs", "accuracy", "low",
        "high", "threshold", "passes",
    ]  # fmt: skip
    return csv_text(pd.DataFrame(rows, columns=columns))
