"""Do translations get the same explanation? Yes or no first, then by how much."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup

from babelscope.analyses.consistency.summary import Line
from babelscope.analyses.consistency.tables import Result, Tables
from babelscope.analyses.consistency.verdict import above_chance, verdict
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.display.numbers import number, value_range
from babelscope.display.section import Answer, Reference

FILE = "consistency.csv"
SHOWN = 8
"""Rows of the small chart: of more, the smallest and the largest lifts."""


def headline(tables: Tables) -> Answer:
    """Yes, partly, no or open by the rule of `verdict`; then the smallest and the largest lift of
    the comparisons that the sentence is about."""
    places = [(result, line) for result in tables.main for line in result.comparison.lines]
    defined = [place for place in places if isfinite(place[1].means["lift"].mean)]
    if not defined:
        return Answer("unmeasured", Markup("No pair of translations could be compared."))
    lines = [line for _, line in defined]
    above = [place for place, is_above in zip(defined, above_chance(lines)) if is_above]
    texts = max(line.means["lift"].n for line in lines)
    answered = verdict(lines)
    ranked = sorted(
        above if answered == "partly" else defined, key=lambda place: place[1].means["lift"].mean
    )
    ends = list(dict.fromkeys(id(place) for place in (ranked[0], ranked[-1])))
    chosen = [place for place in ranked if id(place) in ends]
    text = {
        "yes": "Words that matter in a sentence matter in its translation too, in {}: the overlap "
        "exceeds chance by {}.",
        "partly": "Words that matter in a sentence matter in its translation too in {}, after "
        "correction for all of them: there the overlap exceeds chance by {}.",
        "no": "What matters in a sentence hardly ever matters in its translation: in {} the "
        "overlap exceeds chance by {}.",
        "undecided": "Whether what matters in a sentence matters in its translation is open in {}: "
        "the overlap exceeds chance by {}.",
    }[answered]
    where, counts = _where(tables.main, defined, above, answered)
    if lines and answered in ("no", "undecided") and ranked[0][1].means["lift"].mean < 0:
        text = text.replace("exceeds chance by", "minus that expected by chance is")
    sentence = Markup(text).format(where, _amounts(chosen, tables.main))
    references = [reference for place in chosen for reference in _references(*place)]
    return Answer(answered, sentence, (*counts, *references), _chart(tables.main), texts)


def _where(
    results: Sequence[Result],
    defined: Sequence[tuple[Result, Line]],
    above: Sequence[tuple[Result, Line]],
    answered: str,
) -> tuple[str, list[Reference]]:
    """The languages by name, or how many comparisons of how many, with where they are counted."""
    names = list(dict.fromkeys(language_name(line.lang) for _, line in defined))
    if len(names) == 1 and len(results) == 1:
        return names[0], []
    counts = [Reference(FILE, {"main": True, "defined": True}, "", len(defined))]
    what = "languages" if len(results) == 1 else "comparisons of a language with its source"
    if answered == "partly":
        counts.append(Reference(FILE, {"main": True, "above_chance": True}, "", len(above)))
        return f"{len(above)} of {len(defined)} {what}", counts
    return f"{'both' if len(defined) == 2 else f'all {len(defined)}'} {what}", counts


def _sources(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(result.comparison.source for result in results))


def _amounts(chosen: Sequence[tuple[Result, Line]], results: Sequence[Result]) -> str:
    """The lifts of the chosen comparisons; of several, with what tells them apart: the source, or
    the model."""
    parts, sources, several = [], len(_sources(results)) > 1, len(results) > 1
    for result, line in chosen:
        lift, place = line.means["lift"], language_name(line.lang)
        if several:
            source = f"from {language_name(result.comparison.source)}"
            place = f"{place} ({source if sources else result.origin.model})"
        parts.append(
            f"{number(lift.mean)} in {place}, interval {value_range(lift.low, lift.high)}"
            if several
            else f"{number(lift.mean)} in {place} (interval {value_range(lift.low, lift.high)})"
        )
    return ", up to ".join(parts) if several else " to ".join(parts)


def _references(result: Result, line: Line) -> list[Reference]:
    origin, comparison, lift = result.origin, result.comparison, line.means["lift"]
    row = {
        "model": origin.model, "task": origin.task, "method": origin.method,
        "source": comparison.source, "space": comparison.space, "norm": comparison.settings.norm,
        "lang": line.lang,
    }  # fmt: skip
    columns = (("lift", lift.mean), ("lift_low", lift.low), ("lift_high", lift.high))
    return [Reference(FILE, row, column, value) for column, value in columns]


def _chart(results: Sequence[Result]) -> Chart:
    """The lift of each comparison in the order of the study; of many, those at both ends."""
    places = [
        (result, line)
        for result in results
        for line in result.comparison.lines
        if isfinite(line.means["lift"].mean)
    ]
    if len(places) > SHOWN:
        ranked = sorted(places, key=lambda place: -place[1].means["lift"].mean)
        places = [*ranked[: SHOWN // 2], *ranked[-SHOWN // 2 :]]
    rows = [
        Row(name, (mark(line.means["lift"], name),))
        for result, line in places
        if (name := _row_name(result, line, results))
    ]
    count = sum(len(result.comparison.lines) for result in results)
    if len(_sources(results)) == 1:
        source = language_name(results[0].comparison.source)
        title = f"overlap with the explanation in {source}, beyond chance (lift)"
    else:
        title = "overlap beyond chance (lift) by source and target language"
    if count > SHOWN:
        title += f"; the largest and the smallest of {count}"
    return dot_plot(title, "lift", rows, zero=True, width=300, small=True)


def _row_name(result: Result, line: Line, results: Sequence[Result]) -> str:
    """The target language; of several sources both languages. Of several models also the model,
    where its name says more than the source."""
    source, model = result.comparison.source, result.origin.model
    models = {each.origin.model for each in results}
    if len(_sources(results)) == 1:
        return language_name(line.lang) + (f", {model}" if len(models) > 1 else "")
    whose = f"{model}: " if len(models) > 1 and model != source else ""
    return f"{whose}{source} → {line.lang}"
