"""The trade-off study as a page of its own and as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from markupsafe import Markup
from plotly.offline import get_plotlyjs
from rich.table import Table
from rich.text import Text

from babelscope.analyses.tradeoffs.figures import (
    confusion_matrix,
    heat_map,
    layer_curves,
    reliability_diagram,
)
from babelscope.display.numbers import number, value_range
from babelscope.display.page import render
from babelscope.display.terminal import plain

SHOWN = 3
"""Other languages that a reliability diagram shows, the most over-confident ones; and flips per pair of languages."""
Texts = Mapping[str, Mapping[str, Sequence[str]]]
"""Group -> language -> texts, for the flips that are listed."""


def page(found: Mapping[str, Any], texts: Texts, *, title: str = "") -> str:
    """Figures and tables in a page of its own, which loads nothing from elsewhere.

    *Laws*: the same numbers give the same text; names and texts never become markup.
    """
    sources, targets = found["sources"], found["targets"]
    return str(
        render(
            "tradeoffs.html.j2",
            found=found,
            title=title,
            matrices=_matrices(found["behaviour"], sources, targets),
            curves=[layer_curves(row) for row in found["activations"] if row["pooling"] == "mean"],
            diagrams=[reliability_diagram(f"tuned on {source}", _lines(found, source)) for source in sources],
            confusions=[(source, _pair(found, source)) for source in sources],
            flips=_flips(found, texts),
            said=said,
            plotly=Markup(get_plotlyjs().replace("</script", "<\\/script")),
        )
    )


def _matrices(behaviour: Mapping[str, Any], sources: Sequence[str], targets: Sequence[str]) -> list[tuple[str, str, Any]]:
    """Title, a line on how to read it, and the figure."""
    made = [
        ("Accuracy", "Rows: the language tuned on. Columns: the language tested in.",
         heat_map(behaviour["accuracy"]["value"], sources, targets)),
        ("Transfer gap", "How much more the target's own model reaches; empty where the target has no model.",
         heat_map(behaviour["transfer_gap"]["value"], sources, targets, signed=True)),
    ]  # fmt: skip
    if "probe" in behaviour["gain"]:
        line = "Accuracy less that of a linear probe on the untouched base. Below 0, by the interval, tuning did harm."
        made.append(("Gain over the probe", line, heat_map(behaviour["gain"]["probe"]["value"], sources, targets, signed=True)))
    if len(sources) > 1:
        line = "What a match of model and language is worth to two languages; difficulty and quality of the models cancel."
        figure = heat_map(behaviour["specialisation"]["value"], sources, sources, signed=True, axes=("and", "between"))
        made.append(("Specialisation", line, figure))
    return made


def _lines(found: Mapping[str, Any], source: str) -> list[tuple[str, Any]]:
    mine = [row for row in found["confidence"] if row["source"] == source]
    others = sorted((row for row in mine if row["target"] != source), key=lambda row: -row["over"]["value"])
    own = [row for row in mine if row["target"] == source]
    return [(row["target"], row["diagram"]) for row in (*own, *others[:SHOWN])]


def _pair(found: Mapping[str, Any], source: str) -> list[Any]:
    """The model's own language beside the one in which it does worst."""
    mine = [row for row in found["errors"] if row["source"] == source]
    own = [row for row in mine if row["target"] == source]
    worst = min((row for row in mine if row["target"] != source), key=lambda row: row["accuracy"], default=None)
    chosen = [*own, *([worst] if worst else [])]
    return [
        confusion_matrix(f"tuned on {source}, tested in {row['target']}", row["confusion"], found["labels"]) for row in chosen
    ]


def _flips(found: Mapping[str, Any], texts: Texts) -> list[dict[str, Any]]:
    made = []
    for row in found["errors"]:
        for one in row.get("flips", {}).get("listed", ())[:SHOWN]:
            held = texts.get(one["group"], {})
            if row["source"] in held and row["target"] in held:
                names = {"gold": found["labels"][one["gold"]], "predicted": found["labels"][one["predicted"]]}
                pair = [(lang, held[lang]) for lang in (row["source"], row["target"])]
                made.append(
                    {"source": row["source"], "target": row["target"], "pair": pair, **names, "sure": one["confidence"]}
                )
    return sorted(made, key=lambda each: -each["sure"])[:30]


def said(values: Sequence[float | None] | Mapping[str, float | None] | None, digits: int = 3) -> str:
    """A value with its interval; what is not known is said to be undefined."""
    if values is None:
        return "–"
    value, low, high = values.values() if isinstance(values, Mapping) else values
    if value is None or not isfinite(value):
        return "undefined"
    inside = low is not None and high is not None and isfinite(low) and isfinite(high)
    return number(value, digits) + (f" ({value_range(low, high, digits)})" if inside else "")


def tables(found: Mapping[str, Any]) -> list[Table]:
    """For a terminal: accuracy with intervals, the gain over the probe, calibration."""
    behaviour, sources, targets = found["behaviour"], found["sources"], found["targets"]
    made = [_grid("accuracy: tuned on (rows), tested in (columns)", behaviour["accuracy"], sources, targets)]
    if "probe" in behaviour["gain"]:
        made.append(
            _grid("gain over a probe on the base: below 0, tuning did harm", behaviour["gain"]["probe"], sources, targets)
        )
    over = {(row["source"], row["target"]): row["over"] for row in found["confidence"]}
    cells = {name: [[over[s, t][name] for t in targets] for s in sources] for name in ("value", "low", "high")}
    return [*made, _grid("over-confidence: mean confidence less accuracy", cells, sources, targets)]


def _grid(title: str, cells: Mapping[str, Any], sources: Sequence[str], targets: Sequence[str]) -> Table:
    drawn = Table(title=title, title_justify="left")
    drawn.add_column("", no_wrap=True)
    for target in targets:
        drawn.add_column(Text(plain(target)), overflow="fold")
    for row, source in enumerate(sources):
        each = [said([cells[part][row][at] for part in ("value", "low", "high")], 2) for at in range(len(targets))]
        drawn.add_row(Text(plain(source)), *(Text(one) for one in each))
    return drawn
