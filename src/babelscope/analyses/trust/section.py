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
    standing,
)
from babelscope.display import numbers
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
WIDE, HIGH, LEFT, TOP = 560, 170, 44, 12
"""The curve's size, and the room for its labels."""


def number(value: float) -> str:
    """With two decimals."""
    return numbers.number(value, 2)


def spread(line: Check | Stage) -> str:
    """The range that chance (of calibration: the observed rate) has."""
    return f"{number(line.low)} to {number(line.high)}" if isfinite(line.low) else "–"


def section(panels: Sequence[Trust]) -> Section:
    """Every panel with its explanation; the answer counts the checks that hold."""
    verdicts = Counter(standing(check) for panel in panels for check in panel.checks)
    defined = verdicts["holds"] + verdicts["fails"] + verdicts["undecided"]
    answer = Markup(
        "{} of {} checks on {} explanations hold, {} fail, {} are undecided; {} were not run, {} "
        "do not apply, {} are undefined."
    ).format(
        verdicts["holds"], defined, len(panels),
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
        verdict = standing(check)
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
    return str(render("trust_page.html.j2", folder=FOLDER, panels=panels, **helpers()))


def helpers() -> dict[str, object]:
    """What the template of a panel needs beside the panels."""
    return {
        "texts_html": texts_html, "trust_number": number, "trust_spread": spread,
        "trust_curve": curve_svg, "trust_marks": MARKS, "trust_questions": CHECKS, "steps": STEPS,
        "standing": standing, "overall": overall,
    }  # fmt: skip


def curve_svg(trust: Trust) -> Markup:
    """How alike the explanation is after every stage, over the band of what chance gives; 1 is
    unchanged.
    """
    if not trust.stages:
        return Markup("")
    values = [1.0, *(stage.similarity for stage in trust.stages)]
    step = (WIDE - LEFT - 20) / max(1, len(values) - 1)
    places = [(LEFT + 10 + at * step, _y(value)) for at, value in enumerate(values)]
    known = [(x, y) for x, y in places if y is not None]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in known)
    names = ["trained", *(stage.part for stage in trust.stages)]
    last = trust.stages[-1]
    return render(
        "trust_curve.svg.j2", folder=FOLDER, line=line, dots=known, wide=WIDE, high=HIGH + 44,
        left=LEFT, bottom=TOP + HIGH, labels=[(places[at][0], name) for at,
                                              name in enumerate(names)], ticks=[(_y(at),
                                              number(at)) for at in (1.0, 0.5, 0.0)],
        band=(_y(last.high), _y(last.low)) if isfinite(last.low) else None,
    )  # fmt: skip


def _y(value: float) -> float | None:
    """From -0.5 at the bottom to 1 at the top; lower values are shown at the bottom."""
    return TOP + HIGH * (1.0 - max(-0.5, value)) / 1.5 if isfinite(value) else None


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
