"""Cross-lingual consistency for people: tables, a map of languages, a page. C never without its nulls and its ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs
from rich.table import Table

from babelscope.display.numbers import number, value_range
from babelscope.display.page import render
from babelscope.display.terminal import table

HEAD = ("language", "n", "C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift", "95 %", "kappa", "95 %", "p", "undefined")
LEGEND = (
    "C: weight that meets its translation · C_unif: equal weights · C_perm: the same weights on other words · C_mis: another "
    "text · C_rand: an untrained model · ceil: the most that these weights permit · lift = C - C_perm · "
    "kappa = lift / (ceil - C_perm)"
)
MAPPED = {"lift": "Lift: C beyond the same weights on other words", "kappa": "Kappa: the lift as a share of what was possible"}
Told = Mapping[str, Any]
"""The JSON of one source language, norm and space: source, settings, space, languages."""


def lines_tables(title: str, lines: Sequence[Told]) -> tuple[Table, Table]:
    """One row per target language, from the JSON of the lines: C with its nulls, and what is beyond them. Two tables, so that
    a terminal of 80 columns cuts neither."""
    rows = _rows(lines)
    return (
        table(title, (*HEAD[:8], HEAD[-1]), [(*row[:8], row[-1]) for row in rows]),
        table("beyond chance", (HEAD[0], *HEAD[8:-1]), [(row[0], *row[8:-1]) for row in rows]),
    )


def title(one: Told) -> str:
    """What was compared with what, and how."""
    parts = [f"{one['source']} to others", f"norm {one['settings']['norm']}", f"space: {one['space']}"]
    found = [one["model"], *parts] if one.get("model") else parts
    found += [f"{one['edge']} of the answer"] if one.get("edge", "both") != "both" else []
    return " · ".join(found) + (", centred by language" if one["centred"] else "")


def heat(told: Sequence[Told], name: str) -> dict[str, Any]:
    """Sources down, targets across, the lift or kappa as a colour: plotly's JSON. Empty where there is no value."""
    sources = [str(one["source"]) for one in told]
    reached = {line["lang"] for one in told for line in one["languages"]}
    targets = list(dict.fromkeys([*(each for each in sources if each in reached), *sorted(reached)]))
    cells = {(one["source"], line["lang"]): line for one in told for line in one["languages"]}
    values = [[_value(cells.get((source, lang)), name) for lang in targets] for source in sources]
    largest = max((abs(each) for row in values for each in row if each is not None), default=1.0)
    return {
        "data": [{
            "type": "heatmap", "x": [str(escape(lang)) for lang in targets], "y": [str(escape(each)) for each in sources],
            "z": values, "zmin": -largest, "zmax": largest, "xgap": 2, "ygap": 2, "hoverinfo": "text",
            "colorscale": [[0, "#d9730d"], [0.5, "#eceff3"], [1, "#1f6fc2"]],
            "text": [[_said(source, cells.get((source, lang))) for lang in targets] for source in sources],
            "texttemplate": "%{z:.2f}", "colorbar": {"title": {"text": name}},
        }],
        "layout": {
            "height": 150 + 44 * len(sources), "margin": {"l": 90, "r": 10, "t": 10, "b": 60},
            "xaxis": {"title": {"text": "target"}, "fixedrange": True, "type": "category", "showgrid": False},
            "yaxis": {"title": {"text": "source"}, "fixedrange": True, "type": "category", "autorange": "reversed",
                      "showgrid": False},
        },
    }  # fmt: skip


def page(told: Sequence[Told], pictures: Sequence[tuple[str, Markup]] = ()) -> str:
    """Maps (with several sources), tables and ribbons in a page of its own, which loads nothing from elsewhere.

    *Laws*: the same values give the same text; names never become markup.
    """
    several = len({one["source"] for one in told}) > 1
    kinds = dict.fromkeys((one["settings"]["norm"], one["space"], one.get("edge", "both")) for one in told)
    maps = []
    for kind in kinds if several else ():
        mine = [one for one in told if (one["settings"]["norm"], one["space"], one.get("edge", "both")) == kind]
        suffix = f" ({kind[0]}, {kind[1]})" if len(kinds) > 1 else ""
        maps += [(about + suffix, heat(mine, name)) for name, about in MAPPED.items()]
    return str(
        render(
            "consistency.html.j2",
            maps=maps,
            tables=[(title(one), _rows(one["languages"])) for one in told],
            pictures=pictures,
            head=HEAD,
            legend=LEGEND,
            plotly=Markup(get_plotlyjs().replace("</script", "<\\/script")) if maps else "",
        )
    )


def _rows(lines: Sequence[Told]) -> list[tuple[str, ...]]:
    rows = []
    for line in lines:
        means = [number(line[name]["mean"]) for name in ("c", "c_unif", "c_perm", "c_mis", "c_rand", "ceil", "lift")]
        rows.append((line["lang"], str(line["c"]["n"]), *means, _range(line["lift"]), number(line["kappa"]["mean"]),
                     _range(line["kappa"]), number(line["p"]), str(line["c"]["undefined"])))  # fmt: skip
    return rows


def _value(line: Told | None, name: str) -> float | None:
    mean = nan if line is None else line[name]["mean"]
    return mean if mean is not None and isfinite(mean) else None


def _said(source: str, line: Told | None) -> str:
    if line is None:
        return ""
    shown = [f"{name} {number(line[name]['mean'])}" for name in ("c", "c_unif", "c_perm", "ceil")]
    about = [f"{name} {number(line[name]['mean'])} [{_range(line[name])}]" for name in ("lift", "kappa")]
    return "<br>".join([f"{escape(source)} → {escape(line['lang'])}", *about, " · ".join(shown), f"n = {line['c']['n']}"])


def _range(one: Told) -> str:
    return value_range(one["low"], one["high"])
