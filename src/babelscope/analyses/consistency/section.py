"""The consistency section: C never without its nulls and its ceiling."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from babelscope.analyses import ANALYSES
from babelscope.analyses.consistency.answer import answer
from babelscope.analyses.consistency.exports import lines_csv, pairs_csv, plain_tables
from babelscope.analyses.consistency.headline import headline
from babelscope.analyses.consistency.matrix import MAPPED, grid
from babelscope.analyses.consistency.ribbons import ribbon_figure
from babelscope.analyses.consistency.summary import COLUMNS, Line
from babelscope.analyses.consistency.tables import NAME, Matrix, Result, Sensitivity, Tables
from babelscope.display.chart import figure_html
from babelscope.display.numbers import UNDEFINED, number
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.display.terminal import plain, table
from babelscope.types import FEW_GROUPS, Estimate

FOLDER = Path(__file__).parent
NULLS = ("C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil")
HEAD = (
    "language", "n", *NULLS, "lift", "95 %", "kappa", "95 %", "p", "accuracy", "same prediction",
    "lift if same", "lift if different", "undefined",
)  # fmt: skip
LEGEND = (
    "C: weight that meets its translation · C_unif: equal weights · C_perm: the same weights on "
    "other "
    "words · C_mis: another text · C_rand: an untrained model · ceil: the most that these weights "
    "permit · lift = C − C_perm · kappa = lift / (ceil − C_perm)"
)
LOW_COVERAGE = 0.8
"""Less of the weight on words that the space knows is reported."""


def section(tables: Tables) -> Section:
    """The answer, a table for every comparison, what depends on the choice of norm and space,
    matrices of languages, and the flow of weight in some pairs."""
    first = set(map(id, tables.main))
    charts = [ribbon_figure(ribbon) for ribbon in tables.ribbons]
    body = render(
        "section.html.j2",
        folder=FOLDER,
        legend=LEGEND,
        head=HEAD,
        results=[(title(r), rows(r), notes(r), id(r) in first) for r in tables.results],
        sensitivity=[(_whose(each), each.rows) for each in tables.sensitivity],
        matrices=[(_matrix_title(m), _grids(m), _about(m), m.tests) for m in tables.matrices],
        ribbons=[(chart.title, figure_html(chart)) for chart in charts],
        number=number,
    )
    return Section(
        NAME,
        "Consistency",
        ANALYSES[NAME].question,
        answer(tables),
        body,
        terminal=_terminal(tables),
        data=plain_tables(tables),
        files={"consistency.csv": lines_csv(tables), "consistency_pairs.csv": pairs_csv(tables)},
        charts=tuple(charts),
        headline=headline(tables),
        style=render("style.css.j2", folder=FOLDER),
    )


def title(result: Result) -> str:
    """What was compared with what, and how."""
    origin, comparison = result.origin, result.comparison
    centred = ""
    if comparison.mean_cosine:
        centred = ", centred by language" if comparison.centred else ", not centred"
    parts = [
        *_names(origin),
        f"{comparison.source} to others",
        f"norm {comparison.settings.norm}",
        f"space: {comparison.space}{centred}",
    ]
    return " · ".join(parts)


def rows(result: Result) -> list[tuple[str, ...]]:
    """One row per target language, in the order of HEAD."""
    return [_row(line, result.accuracy[line.lang]) for line in result.comparison.lines]


def notes(result: Result) -> list[str]:
    """Means over languages, the relation with accuracy, what the space lacks, and what was left
    out.
    """
    comparison, listed = result.comparison, []
    alone, with_self = result.overall
    if isfinite(alone):
        listed.append(
            f"mean C over languages {number(alone)}; with the trivial 1 of {comparison.source} "
            f"{number(with_self)}"
        )
    r = result.correlation
    if isfinite(r.pearson):
        partial = f", given C_unif {number(result.partial)}" if isfinite(result.partial) else ""
        listed.append(
            f"lift and accuracy over {r.n} languages: Pearson {number(r.pearson)}{partial}, "
            f"Spearman {number(r.spearman)}, Kendall {number(r.kendall)}, p {number(r.p)}"
        )
    cosines = [f"{lang} {number(value)}" for lang, value in comparison.mean_cosine.items()]
    if cosines:
        listed.append(
            f"mean cosine of words with those of {comparison.source}: {', '.join(cosines)}"
        )
    groups = [line.means["lift"].groups for line in comparison.lines]
    fewest = min((count for count in groups if count), default=FEW_GROUPS)
    if fewest < FEW_GROUPS:
        listed.append(f"only {fewest} independent texts: intervals may be too narrow")
    return listed + [note for line in comparison.lines for note in _left_out(line)]


def _left_out(line: Line) -> list[str]:
    listed = []
    sides = zip(("source", "target"), line.coverage)
    low = [side for side, share in sides if isfinite(share) and share < LOW_COVERAGE]
    if low:
        where = " and ".join(low)
        listed.append(f"{line.lang}: less than 0.8 of the weight lies on known words ({where})")
    for counts, what in ((line.reasons, "a value"), (line.without_kappa, "a kappa")):
        for reason, count in counts.items():
            listed.append(f"{line.lang}: {count} without {what}: {reason}")
    return listed


def _row(line: Line, accuracy: float) -> tuple[str, ...]:
    means = line.means
    return (
        line.lang,
        str(means["c"].n),
        *(number(means[name].mean) for name in COLUMNS),
        _bounds(means["lift"]),
        number(line.kappa.mean),
        _bounds(line.kappa),
        number(line.p),
        number(accuracy),
        number(line.same_prediction),
        number(line.lift_same),
        number(line.lift_different),
        str(means["c"].undefined),
    )


def _bounds(estimate: Estimate) -> str:
    known = isfinite(estimate.low) and isfinite(estimate.high)
    return f"{number(estimate.low)} to {number(estimate.high)}" if known else UNDEFINED


def _names(origin: Any) -> list[str]:
    return [part for part in (origin.model, origin.task, origin.method) if part]


def _whose(each: Sensitivity) -> str:
    return " · ".join([*_names(each.origin), f"{each.source} to others"])


def _matrix_title(matrix: Matrix) -> str:
    first = matrix.results[0]
    parts = [first.origin.task, first.origin.method, f"norm {first.comparison.settings.norm}"]
    return " · ".join(part for part in parts if part)


def _about(matrix: Matrix) -> str:
    return _mantel(matrix) if len(matrix.results) > 2 else ""


def _grids(matrix: Matrix) -> list[tuple[str, Any]]:
    return [(about, grid(matrix, name)) for name, about in MAPPED.items()]


def _terminal(tables: Tables) -> tuple[Table | Text, ...]:
    """The tables and the notes of each comparison, then what holds for several."""
    parts: list[Table | Text] = []
    for result in tables.results:
        parts += [*_result_tables(result), *(Text(plain(note)) for note in notes(result))]
    for each in tables.sensitivity:
        parts += [Text(plain(f"{_whose(each)}: {text}")) for text in _claims(each)]
    parts += [Text(_mantel(matrix)) for matrix in tables.matrices if len(matrix.results) > 2]
    return (*parts, Text(LEGEND))


def _result_tables(result: Result) -> list[Table]:
    """Several tables, so that none is truncated in 80 columns."""
    listed = rows(result)
    nulls = [(*row[:8], row[-1]) for row in listed]
    beyond = [(row[0], *row[8:13]) for row in listed]
    shown = [
        table(title(result), (*HEAD[:8], HEAD[-1]), nulls),
        table("beyond chance", (HEAD[0], *HEAD[8:13]), beyond),
    ]
    if any(isfinite(line.same_prediction) for line in result.comparison.lines):
        predictions = [(row[0], *row[13:17]) for row in listed]
        shown.append(table("predictions", (HEAD[0], *HEAD[13:17]), predictions))
    return shown


def _mantel(matrix: Matrix) -> str:
    """Whether lift goes with accuracy over sources and targets."""
    r, p = matrix.mantel
    if not isfinite(r):
        why = "a cell is missing, or one of them is constant"
        return f"lift and accuracy over sources x targets: Mantel's r is undefined ({why})"
    return f"lift and accuracy over sources x targets: Mantel's r {number(r)}, p {number(p)}"


def _claims(each: Sensitivity) -> list[str]:
    return [
        f"{row.lang}: lift {number(row.lowest)} to {number(row.highest)} over {row.of} choices; "
        f"{row.claim}"
        for row in each.rows
    ]
