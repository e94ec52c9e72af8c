"""A store as a page: one file that a person can read, keep and send, and the numbers beside it as CSV."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from babelscope.analyses.faithfulness import figures, findings, pairings, tables
from babelscope.analyses.faithfulness.pairings_section import chapter
from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import (
    FLOOR,
    Summary,
    base,
    described,
    labelled,
    with_tasks,
)
from babelscope.analyses.trust import section
from babelscope.display.highlight import texts_html
from babelscope.display.numbers import interval, number, spoken
from babelscope.display.page import render, write_together
from babelscope.errors import StoreError
from babelscope.reporting import examples
from babelscope.store import SCHEME, Store, cells, failures, key, open_store, read, read_study
from babelscope.types import Failure


def report(store: str | Path, output: str | Path) -> Path:
    """Writes index.html, summary.csv and measures.csv, for a study with pairings also disparities.csv, into `output`: all of
    them or none; returns the page.

    *Laws*: the page loads nothing from elsewhere; the same store gives the same bytes; texts never become markup.
    """
    opened = open_store(store, create=False)
    study = read_study(opened)
    summary = summarised(opened, study)
    folder = Path(output)
    paired = pairings.pairs(opened, study)
    files = ({"disparities.csv": pairings.csv(paired)} if paired else {}) | {
        "measures.csv": summary.rows.to_csv(index=False, lineterminator="\n"),
        "summary.csv": summary_csv(summary),
        "index.html": str(render("report.html.j2", **_context(opened, study, summary, paired))),
    }
    write_together(folder, files)
    return folder / "index.html"


def brief(store: str | Path) -> list[str]:
    """The same answers in about ten lines for a terminal."""
    opened = open_store(store, create=False)
    study = read_study(opened)
    found = examples.predictions(with_tasks(read_named(opened, "attributions", study.get("keys"))))
    return findings.in_brief(summarised(opened, study), tables.accuracies(found))


def summarised(store: Store, study: Mapping[str, Any]) -> Summary:
    """The numbers of the study's own cells: a store may hold others, of an earlier size or another study."""
    measures = with_tasks(read_named(store, "measures", study.get("keys")))
    if measures.num_rows == 0:
        why = f"({len(failures(store))} cells failed): nothing to report; run: babelscope study run FILE"
        raise StoreError(f"{store.path} holds no measures {why}")
    return Summary(labelled(measures.to_pandas()), study)


def summary_csv(summary: Summary) -> str:
    """One line per model, language, method and metric; undefined numbers are empty."""
    rows = [(*key, one.mean, one.low, one.high, one.n, one.undefined) for key, one in summary.cells.items()]
    columns = ["model", "lang", "method", "metric", "mean", "low", "high", "n", "undefined"]
    return str(pd.DataFrame(rows, columns=columns).to_csv(index=False, lineterminator="\n"))


def _context(store: Store, study: Mapping[str, Any], summary: Summary, paired: pairings.Pairs | None) -> dict[str, Any]:
    attributions = with_tasks(read_named(store, "attributions", study.get("keys")))
    found = examples.predictions(attributions)
    methods, shown = examples.parallels(summary, attributions, found)
    panels = section.stored(with_tasks(read_named(store, "panels", study.get("keys"))), attributions)
    lines = findings.overview(summary)
    filled = [row for row in cells(store) if "keys" not in study or key(row["identity"]) in set(study["keys"])]
    lost = failures(store)
    return {
        "study": study,
        "summary": summary,
        "lead": findings.lead(summary, lines),
        "overview": [(metric, list(group)) for metric, group in groupby(lines, lambda line: line.metric)],
        "run": _run(study, summary, len(filled), len(lost)),
        "accuracies": tables.accuracies(found),
        "models": _described(study, "models", summary.models),
        "methods": _described(study, "methods", summary.methods),
        "metrics": _described(study, "metrics", list(dict.fromkeys(base(name) for name in summary.metrics))),
        "sections": [(name, tables.grids(summary, name), figures.means(summary, name)) for name in summary.metrics],
        "comparisons": [] if paired else tables.comparisons(summary),
        "chapter": chapter(paired, read(store, "attributions", study.get("keys"))) if paired else None,
        "switch": methods,
        "shown": shown,
        "panels": panels,
        **section.helpers(),
        "failures": [(_cell(failure), failure) for failure in lost],
        "undefined": tables.undefined(summary),
        "flags": tables.flags(attributions),
        "explanations": attributions.num_rows,
        "digest": hashlib.sha256("".join(sorted(row["sha256"] for row in filled)).encode()).hexdigest(),
        "scheme": SCHEME,
        "floor": FLOOR,
        "number": number,
        "spoken": spoken,
        "interval": interval,
        "texts_html": texts_html,
        "plotly": Markup(get_plotlyjs().replace("</script", "<\\/script")),
    }


def _run(study: Mapping[str, Any], summary: Summary, filled: int, lost: int) -> list[tuple[str, str]]:
    """What was run, as names and values; what the study does not say is left out."""
    planned = study.get("cells")
    facts = [
        ("Task", study.get("task")),
        ("Languages", ", ".join(summary.languages)),
        ("Examples", study.get("examples")),
        ("Translation groups", summary.rows["group"].nunique()),
        ("Seeds", ", ".join(map(str, study.get("seeds") or ()))),
        ("Cells filled", f"{filled} of {planned} planned" if planned else filled),
        ("Cells failed", lost),
        ("Values", f"{len(summary.rows):,}, of which {int(summary.rows['value'].isna().sum()):,} undefined"),
    ]
    return [(name, str(value)) for name, value in facts if value not in (None, "")]


def _described(study: Mapping[str, Any], listed: str, names: list[str]) -> list[dict[str, Any]]:
    """What the study says about each of these; of one it does not list, the name."""
    known = {row["name"]: row for row in described(study, listed)}
    return [known.get(base(name.split(" · ")[0]), {}) | {"name": name} for name in names]


def _cell(failure: Failure) -> str:
    return ", ".join(f"{name} {value}" for name, value in failure.cell.items() if isinstance(value, (str, int, float)))
