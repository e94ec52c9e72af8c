"""Do translations get the same explanation? The answer in one sentence, as strong as the intervals
allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup

from babelscope.analyses.consistency.summary import Line
from babelscope.analyses.consistency.tables import Result, Tables
from babelscope.analyses.consistency.verdict import above_chance, verdict
from babelscope.display.numbers import estimate_text, number

WORDS = {"yes": "Yes", "partly": "Partly", "no": "No", "undecided": "Open"}


def answer(tables: Tables) -> Markup:
    """Yes or no, in how many languages, the range of lift and kappa, and whether it depends on the
    norm or the space."""
    results = tables.main
    lines = [line for result in results for line in result.comparison.lines]
    defined = [line for line in lines if isfinite(line.means["lift"].mean)]
    if not defined:
        return Markup("Undecided: no pair of translations could be compared{}.").format(
            _reason(lines)
        )
    above = [line for line, is_above in zip(defined, above_chance(defined)) if is_above]
    get = "get" if above else "are not shown to get"
    return Markup(
        "{}: translations {} more similar explanations than chance in {} ({}; {}){}."
    ).format(
        WORDS[verdict(defined)], get, _where(results, above), _range(defined), _whose(results),
        _dependence(tables),
    )  # fmt: skip


def _where(results: Sequence[Result], above: Sequence[Line]) -> str:
    """In how many languages, or in which one."""
    langs = [line.lang for result in results for line in result.comparison.lines]
    if len(langs) == 1:
        return langs[0]
    places = "languages" if len(results) == 1 else "comparisons of a language with its source"
    return f"{len(above)} of {len(langs)} {places}" if above else f"any of {len(langs)} {places}"


def _range(lines: Sequence[Line]) -> str:
    """The lowest and the highest lift with their intervals, and the kappas."""
    ordered = sorted(lines, key=lambda line: line.means["lift"].mean)
    low, high = ordered[0], ordered[-1]
    text = f"lift {estimate_text(low.means['lift'])} in {low.lang}"
    if low is not high:
        text += f" to {estimate_text(high.means['lift'])} in {high.lang}"
    kappas = [line.kappa.mean for line in lines if isfinite(line.kappa.mean)]
    if not kappas:
        return text
    ends = dict.fromkeys((number(min(kappas)), number(max(kappas))))
    return f"{text}, kappa {' to '.join(ends)}"


def _whose(results: Sequence[Result]) -> str:
    first = results[0]
    sources = dict.fromkeys(result.comparison.source for result in results)
    source = f"source {', '.join(sources)}"
    norm = f"norm {first.comparison.settings.norm}"
    return ", ".join([part for part in (first.origin.method, source, norm) if part])


def _dependence(tables: Tables) -> str:
    """What other norms and spaces change; empty where there are none."""
    method = tables.main[0].origin.method
    rows = [row for each in tables.sensitivity if each.origin.method == method for row in each.rows]
    if not rows:
        return ""
    langs = dict.fromkeys(row.lang for row in rows if row.claim == "depends on the choice")
    if not langs:
        return ", whatever the norm and the space"
    return f"; in {', '.join(langs)} the sign of the lift depends on the norm or the space"


def _reason(lines: Sequence[Line]) -> str:
    reasons = dict.fromkeys(reason for line in lines for reason in line.reasons)
    return f" ({'; '.join(list(reasons)[:3])})" if reasons else ""
