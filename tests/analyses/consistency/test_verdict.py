"""How many comparisons are above chance, and what follows for all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from babelscope.analyses.consistency.answer import answer
from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.analyses.consistency.headline import SHOWN, headline
from babelscope.analyses.consistency.pairs import Pair, Settings
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.section import section
from babelscope.analyses.consistency.stored_pairs import Origin
from babelscope.analyses.consistency.summary import Line, summarise
from babelscope.analyses.consistency.tables import Tables, build_tables
from babelscope.analyses.consistency.verdict import above_chance, adjusted, verdict
from ten_seconds import check_sentence

LANGS = tuple(f"x{at}" for at in range(40))


def pairs(lang: str, lift: float, seed: int, count: int = 24) -> list[Pair]:
    """Independent pairs whose lifts scatter around a number."""
    noise = np.random.default_rng(seed).normal(0, 0.1, count)
    return [
        Pair(
            f"{at}", lang,
            Consistency(c=0.4 + lift + each, c_perm=0.4, ceil_s=1.0, ceil_t=1.0, c_unif=0.0),
            cluster=f"{at}",
        )
        for at, each in enumerate(noise)
    ]  # fmt: skip


def lines(lifts: list[float], first: int = 0) -> list[Line]:
    listed = [pairs(lang, lift, first + at) for at, (lang, lift) in enumerate(zip(LANGS, lifts))]
    return summarise([pair for each in listed for pair in each])


def tables(*lifts: list[float]) -> Tables:
    """Comparisons of one model for each list of lifts, by target language."""
    listed = []
    for number, chosen in enumerate(lifts):
        found = [
            pair
            for at, (lang, lift) in enumerate(zip(LANGS, chosen))
            for pair in pairs(lang, lift, 100 * number + at)
        ]
        comparison = Comparison(
            f"s{number}", "gold links", Settings("abs"), found, summarise(found)
        )
        listed.append((Origin(f"m{number}", "task", "occlusion", {}, 0), comparison))
    return build_tables(listed)


@pytest.mark.slow
def test_nothing_is_above_chance_where_nothing_is_there() -> None:
    """Of 40 comparisons with no lift at all, one or two intervals exclude 0; called above chance
    are any of them in at most a few of 60 studies: the false discovery rate is .05."""
    studies = [lines([0.0] * 40, 1000 * study) for study in range(60)]
    excluded = [sum(line.means["lift"].low > 0 for line in each) for each in studies]
    assert np.mean(excluded) > 0.5
    assert sum(any(above_chance(each)) for each in studies) <= 9


@pytest.mark.parametrize(
    ("lifts", "expected"),
    [([0.2] * 5, "yes"), ([0.2] * 3 + [0.0] * 3, "partly"), ([0.0] * 6, "no")],
)
def test_the_verdict_follows_the_lifts(lifts: list[float], expected: str) -> None:
    found = lines(lifts)
    assert verdict(found) == expected
    assert sum(above_chance(found)) == sum(lift > 0 for lift in lifts)


def test_what_is_not_above_chance_is_open_where_agreement_may_be_large() -> None:
    found = [replace(line, kappa=replace(line.kappa, high=0.3)) for line in lines([0.0] * 3)]
    assert verdict(found) == "undecided"


def test_more_comparisons_never_make_one_surer() -> None:
    one = lines([0.06])
    more = one + lines([0.0] * 12)[1:]
    assert adjusted(more)[0] >= adjusted(one)[0] == one[0].p
    assert above_chance(more)[0] <= above_chance(one)[0]


@pytest.mark.parametrize(
    "lifts",
    [([0.2] * 3,), ([0.0] * 4,), ([0.2, 0.2, 0.0],), ([0.2, 0.0], [0.0, 0.2]), ([0.3],)],
)
def test_every_sentence_follows_from_the_table(lifts: tuple[list[float], ...]) -> None:
    found = tables(*lifts)
    check_sentence(section(found))
    said = headline(found).sentence
    assert ("from" in said) == (len(lifts) > 1)  # several sources are named
    words = {"yes": "Yes", "partly": "Partly", "no": "No", "undecided": "Open"}
    assert answer(found).startswith(words[headline(found).verdict])


def test_the_small_chart_shows_both_ends_of_many_comparisons() -> None:
    chart = headline(tables([0.01 * at for at in range(40)])).chart
    assert chart is not None
    assert chart.marks.count('class="mark') == SHOWN
    assert chart.title.endswith("the largest and the smallest of 40")


def test_an_overlap_below_chance_is_no_negative_excess() -> None:
    assert "minus that expected by chance is −" in headline(tables([-0.2, -0.1])).sentence
