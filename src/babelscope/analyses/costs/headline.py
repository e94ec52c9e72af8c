"""What does the dearest explanation cost, and what the cheapest?"""

from __future__ import annotations

from typing import Any

import pandas as pd
from markupsafe import Markup

from babelscope.analyses.costs.tables import PLACE, Tables, controls
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Mark, Row
from babelscope.display.log_dots import log_dot_plot
from babelscope.display.numbers import rounded
from babelscope.display.section import Answer, Reference

FILE, TEXTS = "costs.csv", "cost_texts.csv"
SHOWN = 8
"""Methods in the small chart."""
TWICE = 2.0
"""Factor from which methods differ."""


def headline(tables: Tables) -> Answer:
    """Where the dearest method differs most from the cheapest: yes where it takes at least twice as
    long for every text, no where it does for none, else open."""
    compared = explanations(tables.costs)
    dear = compared.sort_values("times", ascending=False, kind="stable").iloc[0]
    same = compared[(compared[PLACE] == dear[PLACE]).all(axis=1)]
    cheap = same.sort_values("seconds", kind="stable").iloc[0]
    chart = small_chart(same)
    if len(same) == 1:
        return _alone(dear, chart)
    ratios = text_ratios(tables.rows, dear, cheap)
    texts = len(ratios)
    verdict = "yes" if (ratios >= TWICE).all() else "no" if (ratios < TWICE).all() else "undecided"
    sentence = Markup(
        "Explaining a text costs {} s with {} and {} s with {}{}: {} times as much. The model "
        "reads {} tokens for the one and {} for the other."
    ).format(
        rounded(dear["seconds"]), dear["method"], rounded(cheap["seconds"]), cheap["method"],
        _place(tables.costs, dear), rounded(dear["times"]), rounded(dear["tokens"], 1),
        rounded(cheap["tokens"], 1),
    )  # fmt: skip
    references = (
        *(reference(dear, name) for name in ("seconds", "times", "tokens")),
        *(reference(cheap, name) for name in ("seconds", "tokens")),
    )
    return Answer(verdict, sentence, references, chart, texts)


def _alone(row: pd.Series, chart: Chart) -> Answer:
    """One method: there is nothing to compare it with."""
    sentence = Markup(
        "Explaining a text costs {} s with {}, for which the model reads {} tokens; no other "
        "method was timed."
    ).format(rounded(row["seconds"]), row["method"], rounded(row["tokens"], 1))
    references = (reference(row, "seconds"), reference(row, "tokens"))
    return Answer("unmeasured", sentence, references, chart)


def explanations(costs: pd.DataFrame) -> pd.DataFrame:
    """The rows of methods that are no controls; all where there are only controls."""
    chosen = costs[~controls(costs["method"].str.partition("[")[0])]
    return costs if chosen.empty else chosen


def text_ratios(rows: pd.DataFrame, dear: pd.Series, cheap: pd.Series) -> pd.Series:
    """The seconds of the one method over those of the other, for every text that both explained."""
    seconds = [
        rows[(rows[[*PLACE, "method"]] == each[[*PLACE, "method"]]).all(axis=1)].set_index("id")[
            "seconds"
        ]
        for each in (dear, cheap)
    ]
    return (seconds[0] / seconds[1]).dropna()


def reference(row: pd.Series, column: str) -> Reference:
    """The cell of a method's row."""
    names = [*PLACE, "method"]
    return Reference(FILE, {name: row[name] for name in names}, column, float(row[column]))


def _place(costs: pd.DataFrame, row: pd.Series) -> str:
    """Which model, task and language it is, as far as there are several."""
    names = {"model": row["model"], "task": row["task"], "lang": language_name(row["lang"])}
    parts = [str(name) for column, name in names.items() if costs[column].nunique() > 1]
    return f" ({', '.join(parts)})" if parts else ""


def small_chart(rows: pd.DataFrame) -> Chart:
    """The seconds of the dearest methods at the place of the sentence; the bars reach from the
    cheapest text to the dearest."""
    ordered = rows.sort_values("seconds", ascending=False, kind="stable")[:SHOWN]
    drawn = [Row(str(row["method"]), (mark(row),)) for row in ordered.to_dict("records")]
    title = "seconds per text by method, logarithmic; bars: cheapest to dearest text"
    return log_dot_plot(title, "seconds", drawn, width=300, small=True)


def mark(row: Any, column: str = "seconds") -> Mark:
    """The mark of a method; of seconds from the cheapest text to the dearest."""
    digits = 2 if column == "seconds" else 1
    named = f"{row['model']}, {row['method']}: {rounded(row[column], digits)} {column}"
    if column != "seconds":
        return Mark(row[column], title=named)
    spread = f"{named}, {rounded(row['low'])} to {rounded(row['high'])} by text"
    return Mark(row["seconds"], row["low"], row["high"], spread)
