"""The faithfulness section: how faithful which method is, in which language and of which model."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.table import Table

from babelscope.analyses.faithfulness import figures, findings, grids, pairings
from babelscope.analyses.faithfulness.headline import headline, question
from babelscope.analyses.faithfulness.pairings_headline import claims_csv, paired_headline
from babelscope.analyses.faithfulness.pairings_section import chapter
from babelscope.analyses.faithfulness.summary import FLOOR, Summary, base, described
from babelscope.analyses.faithfulness.swaps_section import swap_chapter
from babelscope.analyses.faithfulness.tables import NAME, Tables, differences_csv, summary_csv
from babelscope.display.chart import figure_html
from babelscope.display.numbers import few_groups, interval, number, spoken
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.display.sheets import csv_text
from babelscope.display.terminal import table
from babelscope.files import plain
from babelscope.types import FEW_GROUPS


def section(tables: Tables) -> Section:
    """The answer about the first metric, a figure and a table for each metric, models compared."""
    summary, paired = tables.summary, tables.pairs
    lines = findings.overview(summary)
    sentences = findings.lead(summary, lines)
    charts = [figures.means(summary, name) for name in summary.metrics]
    pairs = chapter(paired, tables.attributions) if paired else None
    body = render(
        "section.html.j2",
        folder=Path(__file__).parent,
        summary=summary,
        lead=sentences,
        overview=[
            (metric, list(rows)) for metric, rows in groupby(lines, lambda line: line.metric)
        ],
        sections=[
            (name, grids.grids(summary, name), figure_html(chart))
            for name, chart in zip(summary.metrics, charts)
        ],
        comparisons=[] if paired else grids.comparisons(summary),
        chapter=pairs,
        swaps=swap_chapter(tables.swaps),
        figure_html=figure_html,
        metrics=_metrics(summary),
        undefined=grids.undefined(summary),
        floor=FLOOR,
        number=number,
        few_groups=few_groups,
        few=FEW_GROUPS,
        spoken=spoken,
        interval=interval,
    )
    files = {
        "measures.csv": csv_text(summary.rows),
        "summary.csv": summary_csv(summary),
        "differences.csv": differences_csv(summary),
    }
    if paired:
        files["disparities.csv"] = pairings.csv(paired)
    claims = [claim for claim, _ in pairs.claims] if pairs else []
    if claims:
        files["pairings.csv"] = claims_csv(claims)
    if len(tables.swaps):
        files["tokenizer-swaps.csv"] = csv_text(tables.swaps)
    best = summary.best(summary.main, summary.metrics[0])
    terminal = (_means(summary),)
    answer, data = sentences[0], _plain(summary)
    return Section(
        NAME,
        "Faithfulness",
        question(summary, bool(paired)),
        answer,
        body,
        terminal,
        data,
        files,
        charts=(*charts, *(pairs.curves if pairs else ())),
        headline=paired_headline(claims) or headline(summary),
        recommended=best or "",
    )


def _metrics(summary: Summary) -> list[dict[str, Any]]:
    """What the study says about each metric; of one that it does not list, the name."""
    known = {row["name"]: row for row in described(summary.study, "metrics")}
    names = dict.fromkeys(base(name) for name in summary.metrics)
    return [known.get(name, {}) | {"name": name} for name in names]


def _plain(summary: Summary) -> list[dict[str, Any]]:
    rows = []
    for place, mean in summary.cells.items():
        rows.append(dict(zip(("model", "lang", "method", "metric"), place)) | plain(asdict(mean)))
    return rows


def _means(summary: Summary) -> Table:
    """Means with intervals by model, language, method and metric, for a terminal."""
    columns = ("model", "language", "method", "metric", "mean", "low", "high", "n", "undefined")
    rows = [
        (*place, *map(number, (mean.mean, mean.low, mean.high)), mean.n, mean.undefined)
        for place, mean in summary.cells.items()
    ]
    return table("faithfulness", columns, rows)
