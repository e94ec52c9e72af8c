"""The trust panel of an explanation, for people: in a terminal, in a notebook, as a page, and in
the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from markupsafe import Markup
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from babelscope.analyses import ANALYSES
from babelscope.analyses.trust.headline import FILE, headline, overall, trust_csv
from babelscope.analyses.trust.values import (
    CHECKS,
    Check,
    Stage,
    Trust,
)
from babelscope.display import numbers
from babelscope.display.chart import Figure, figure_html
from babelscope.display.colours import chart_style
from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.highlight import STEPS, texts_html
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.display.terminal import coloured, plain

FOLDER = Path(__file__).parent
MARKS = {
    "holds": "✓", "fails": "✗", "undecided": "?", "undefined": "–", "not run": "○",
    "does not apply": "·",
}  # fmt: skip
STYLES = {"holds": "bold green", "fails": "bold red", "undecided": "yellow"}


def number(value: float) -> str:
    """With two decimals."""
    return numbers.number(value, 2)


def spread(line: Check | Stage) -> str:
    """The range that chance (of calibration: the observed rate) has."""
    return f"{number(line.low)} to {number(line.high)}" if isfinite(line.low) else "–"


def section(panels: Sequence[Trust]) -> Section:
    """Every panel with its explanation; the answer counts the checks that hold."""
    verdicts = Counter(check.verdict for panel in panels for check in panel.checks)
    defined = verdicts["holds"] + verdicts["fails"] + verdicts["undecided"]
    answer = Markup(
        "{} of {} checks on {} hold; failed: {}, undecided: {}, not run: {}, not applicable: {}, "
        "undefined: {}."
    ).format(
        verdicts["holds"], defined, numbers.items(len(panels), "explanation"),
        *(verdicts[name] for name in MARKS if name != "holds" and name != "undefined"),
        verdicts["undefined"],
    )  # fmt: skip
    body = render("section.html.j2", folder=FOLDER, panels=panels, **helpers())
    rows = [each.to_json() for each in panels]
    terminal = tuple(panel(each) for each in panels)
    style = render("trust_style.html.j2", folder=FOLDER)
    question = ANALYSES["trust"].question
    return Section(
        "trust", "Trust", question, answer, body, terminal, rows, {FILE: trust_csv(panels)},
        headline=headline(panels), style=style,
        charts=tuple(fading_figure(each) for each in panels if each.stages),
    )  # fmt: skip


def panel(trust: Trust) -> Panel:
    """The explanation, its checks and how it fades, for a terminal."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("")
    for name in ("check", "value", "chance"):
        table.add_column(name, justify="left" if name == "check" else "right", no_wrap=True)
    table.add_column("what it says", overflow="fold")
    for check in trust.checks:
        details = Text(CHECKS[check.name], "dim").append(f"\n{plain(check.said)}")
        verdict = check.verdict
        mark = Text(MARKS[verdict], STYLES.get(verdict, "dim"))
        table.add_row(
            mark, check.name.replace("_", " "), number(check.value), spread(check), details
        )
    key = "  ".join(f"{mark} {name}" for name, mark in MARKS.items())
    return Panel(
        Group(coloured(trust.explanation), "", table, *_fading(trust.stages)),
        title="trust",
        subtitle=key,
        title_align="left",
        subtitle_align="left",
    )


def panels_html(panels: Sequence[Trust]) -> str:
    """A fragment that carries its own style, for notebooks."""
    return str(render("trust.html.j2", folder=FOLDER, panels=panels, **helpers()))


def page_html(panels: Sequence[Trust]) -> str:
    """The same panels as a page of their own, which loads nothing from elsewhere."""
    scripts = [str(render("script.html.j2"))]
    return str(
        render("trust_page.html.j2", folder=FOLDER, panels=panels, scripts=scripts, **helpers())
    )


def helpers() -> dict[str, object]:
    """What the template of a panel needs beside the panels."""
    return {
        "texts_html": texts_html, "trust_number": number, "trust_spread": spread,
        "trust_curve": fading_html, "trust_marks": MARKS, "trust_questions": CHECKS, "steps": STEPS,
        "overall": overall, "chart_style": Markup(chart_style()),
    }  # fmt: skip


def fading_figure(trust: Trust) -> Figure:
    """How alike the explanation stays while the weights are shuffled from the top down, over what
    chance gives at each stage; 1 is unchanged.

    *Law*: every stage with a defined similarity is drawn.
    """
    explained = trust.explanation
    whose = " · ".join((explained.model, explained.lang, explained.method, explained.id))
    title = f"similarity while the weights are shuffled: {whose}"
    stages = [
        Row(
            stage.part,
            (Mark(stage.similarity, title=f"{stage.part}: {number(stage.similarity)}"),),
            Mark((stage.low + stage.high) / 2, stage.low, stage.high, f"chance: {spread(stage)}"),
        )
        for stage in trust.stages
    ]
    trained = Row("trained weights", (Mark(1.0, title="trained weights: unchanged"),))
    chart = dot_plot("similarity after each stage", "1 is unchanged", [trained, *stages], zero=True)
    rows = tuple(
        {"shuffled down to": each.part, "similarity": each.similarity, "chance_low": each.low,
         "chance_high": each.high}
        for each in trust.stages
    )  # fmt: skip
    return Figure(f"fading-{explained.id}", title, (chart,), control="what chance gives", rows=rows)


def fading_html(trust: Trust) -> Markup:
    """The figure in a page; empty where the weights were not shuffled."""
    return figure_html(fading_figure(trust)) if trust.stages else Markup("")


def _fading(stages: Sequence[Stage]) -> list[str | Text]:
    """An empty line and the stages, where there are any."""
    if not stages:
        return []
    lines = Text(
        "similarity while the weights are shuffled from the top down (1 is unchanged; in brackets "
        "chance)",
        "dim",
    )
    for stage in stages:
        bar = "█" * round(20 * max(0.0, stage.similarity)) if isfinite(stage.similarity) else ""
        lines.append(f"\n  {plain(stage.part):<22}{number(stage.similarity):>6}  ", "default")
        lines.append(f"{bar:<20}", "blue").append(f"  [{spread(stage)}]", "dim")
    return ["", lines]
