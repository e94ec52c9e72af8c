"""Are explanations of a multilingual model as faithful as those of its monolingual counterparts?
The answer over tasks and languages, for studies with enough of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import pandas as pd
from markupsafe import Markup

from babelscope.display.chart import Chart
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.display.numbers import number, spoken, value_range
from babelscope.display.section import Answer, Reference
from babelscope.display.sheets import csv_text
from babelscope.stats.disparity import Claim

FILE = "pairings.csv"
FEWEST = 6
"""Tasks and languages of a comparison: the signs of five can flip in 32 ways, so that no p is below
0.06."""
SURE = 0.05
SHOWN = 8
"""Comparisons in the small chart."""


def verdict(claim: Claim) -> str:
    """Whether both differ, are alike within the margin, or neither can be said."""
    if claim.adjusted < SURE:
        return "differ"
    return "alike" if claim.alike.p < SURE else "undecided"


def paired_headline(claims: Sequence[Claim]) -> Answer | None:
    """No where any comparison of a pairing and a metric differs, yes where all are alike; None
    where each has fewer than six tasks and languages.

    Of those that differ, else of all, the sentence names the largest difference.
    """
    known = _known(claims)
    if not known:
        return None
    verdicts = {claim.place: verdict(claim) for claim in known}
    differing = [claim for claim in known if verdicts[claim.place] == "differ"]
    alike = all(each == "alike" for each in verdicts.values())
    widest = max(differing or known, key=lambda claim: abs(claim.interval.mean))
    answered = "no" if differing else "yes" if alike else "undecided"
    says = {"no": "They differ", "yes": "Equally faithful"}.get(answered, "")
    counts = (
        Reference(FILE, {"verdict": "differ"}, "", len(differing)),
        Reference(FILE, {"defined": True}, "", len(known)),
    )
    text = _sentence(widest, answered, len(differing), len(known))
    references = (*counts, *_references(widest))
    return Answer(answered, text, references, _chart(known), says=says)


def _known(claims: Sequence[Claim]) -> list[Claim]:
    return [claim for claim in claims if claim.across.n >= FEWEST and isfinite(claim.interval.mean)]


def _sentence(widest: Claim, answered: str, differing: int, known: int) -> Markup:
    multilingual, _, monolingual = widest.place[0].partition(" − ")
    gap = widest.interval
    start = {
        "no": "Explanations of {0} are {2} faithful than those of {1}",
        "yes": "Explanations of multilingual models are about as faithful as those of monolingual "
        "ones; {0} and {1} differ most",
        "undecided": "Whether explanations of {0} are as faithful as those of {1} is open",
    }[answered]
    lead = Markup(start).format(multilingual, monolingual, "less" if gap.mean < 0 else "more")
    amount = Markup(
        ": over {} tasks and languages, {} above random scores is {} by {} (interval {})"
    ).format(
        widest.across.n, spoken(widest.place[1]), "lower" if gap.mean < 0 else "higher",
        number(abs(gap.mean)), value_range(gap.low, gap.high),
    )  # fmt: skip
    count = Markup(". Of {} such comparisons of models and metrics, {} {} significant.").format(
        known, differing or "none", "are" if differing > 1 else "is"
    )
    return lead + amount + (count if known > 1 else Markup("."))


def _references(claim: Claim) -> list[Reference]:
    row = {"pairing": claim.place[0], "metric": claim.place[1]}
    gap = claim.interval
    columns = (("difference", gap.mean), ("low", gap.low), ("high", gap.high))
    return [
        Reference(FILE, row, "tasks_and_languages", claim.across.n),
        *(Reference(FILE, row, column, value) for column, value in columns),
    ]


def _chart(claims: Sequence[Claim]) -> Chart:
    several = len({claim.place[0] for claim in claims}) > 1
    ranked = sorted(claims, key=lambda claim: -abs(claim.interval.mean))
    rows = []
    for claim in ranked[:SHOWN]:
        whose = f"{claim.place[0].partition(' − ')[0]}: " if several else ""
        name = f"{whose}{spoken(claim.place[1])}"
        rows.append(Row(name, (mark(claim.interval, name),)))
    title = "multilingual less monolingual, above random scores; right of 0: more faithful"
    return dot_plot(title, "difference", rows, zero=True, width=300, small=True)


def claims_csv(claims: Sequence[Claim]) -> str:
    """One line per pairing and metric, over tasks and languages; `defined` where there are enough
    of them for the answer. Metrics where less is better are negated."""
    known = {claim.place for claim in _known(claims)}
    lines = [
        (
            *claim.place, claim.interval.mean, claim.interval.low, claim.interval.high,
            claim.across.n, claim.across.sign_flip, claim.adjusted, claim.alike.p,
            claim.place in known, verdict(claim) if claim.place in known else "",
        )
        for claim in claims
    ]  # fmt: skip
    columns = [
        "pairing", "metric", "difference", "low", "high", "tasks_and_languages", "p", "p_holm",
        "p_alike", "defined", "verdict",
    ]  # fmt: skip
    return csv_text(pd.DataFrame(lines, columns=columns))
