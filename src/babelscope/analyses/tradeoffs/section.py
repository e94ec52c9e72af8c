"""The trade-offs section: what fine-tuning on one language cost the others, with all figures and
tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from babelscope.analyses import ANALYSES
from babelscope.analyses.tradeoffs.answer import answer
from babelscope.analyses.tradeoffs.chapters import chapters, interval
from babelscope.analyses.tradeoffs.headline import headline
from babelscope.display.chart import figure_html
from babelscope.display.numbers import number, percent
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.display.sheets import safe_cell
from babelscope.display.terminal import plain

NAME = "tradeoffs"
FOLDER = Path(__file__).parent
EDGES = ("value", "low", "high")


def section(tables: Mapping[str, Mapping[str, Any]]) -> Section:
    """The answer by the probe's measure, then behaviour, activations, attention, confidence,
    errors, forgetting.

    *Laws*: the same tables give the same text; names and texts never become markup.
    """
    tasks = [chapters(name, each) for name, each in tables.items()]
    body = render(
        "section.html.j2",
        folder=FOLDER,
        tasks=tasks,
        figure_html=figure_html,
        interval=interval,
        number=number,
        percent=percent,
    )
    files = {"tradeoffs.csv": transfer_csv(tables)}
    question, title = ANALYSES[NAME].question, "Trade-offs"
    lines = tuple(
        line for name, each in tables.items() for line in _terminal(name, each, len(tables) > 1)
    )
    return Section(
        NAME, title, question, answer(tables), body, lines, tables, files,
        charts=tuple(figure for task in tasks for figure in task.figures),
        headline=headline(tables),
    )  # fmt: skip


def transfer_csv(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """One line per task, source and target: accuracy and gain over the probe, with their
    intervals."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["task", "source", "target", "accuracy", "low", "high", "gain", "gain_low", "gain_high"]
    )
    for task, each in tables.items():
        accuracy, gain = each["behaviour"]["accuracy"], each["behaviour"]["gain"].get("probe")
        for row, source in enumerate(each["sources"]):
            for place, target in enumerate(each["targets"]):
                values = [accuracy[edge][row][place] for edge in EDGES]
                gains = [gain[edge][row][place] for edge in EDGES] if gain else [None] * 3
                names = [safe_cell(name) for name in (task, source, target)]
                writer.writerow([*names, *values, *gains])
    return text.getvalue()


def _terminal(task: str, tables: Mapping[str, Any], several: bool) -> list[RenderableType]:
    """Accuracy with intervals, the gain over the probe, over-confidence; then the notes."""
    behaviour, sources, targets = tables["behaviour"], tables["sources"], tables["targets"]
    over = {(row["source"], row["target"]): row["over"] for row in tables["confidence"]}
    grids = [("accuracy: fine-tuned on (rows), tested in (columns)", behaviour["accuracy"])]
    if "probe" in behaviour["gain"]:
        grids.append(
            (
                "gain over a probe on the base: below 0, worse than the probe",
                behaviour["gain"]["probe"],
            )
        )
    gaps = {edge: [[over[s, t][edge] for t in targets] for s in sources] for edge in EDGES}
    grids.append(("over-confidence: mean confidence less accuracy", gaps))
    start = [Text(f"task: {plain(task)}")] if several else []
    notes = [Text(plain(note)) for note in tables["notes"]]
    return [*start, *(_grid(title, cells, sources, targets) for title, cells in grids), *notes]


def _grid(
    title: str, cells: Mapping[str, Any], sources: Sequence[str], targets: Sequence[str]
) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("", no_wrap=True)
    for target in targets:
        table.add_column(Text(plain(target)), overflow="fold")
    for row, source in enumerate(sources):
        values = [
            interval([cells[edge][row][at] for edge in EDGES], 2) for at in range(len(targets))
        ]
        table.add_row(Text(plain(source)), *(Text(value) for value in values))
    return table
