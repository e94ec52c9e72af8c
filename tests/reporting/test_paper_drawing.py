"""The charts of a paper's figures, from tables made by hand."""

from __future__ import annotations

import pandas as pd

from babelscope.display.chart import Figure, figure_svg
from babelscope.reporting.papers.drawing import curves, dots, heat, scatter
from babelscope.reporting.papers.write import in_study_order

FRAME = pd.DataFrame(
    {
        "task": ["nli"] * 4,
        "source": ["en", "en", "hi", "hi"],
        "target": ["en", "hi", "en", "hi"],
        "x": [0, 1, 0, 1],
        "accuracy": [0.7, 0.6, float("nan"), 0.5],
        "low": [0.6, 0.5, float("nan"), 0.4],
        "high": [0.8, 0.7, float("nan"), 0.6],
    }
)


def marks(figure: Figure) -> int:
    return figure_svg(figure).count('class="mark') - len(figure.legend)


def test_every_defined_value_is_one_mark() -> None:
    # three of the four values are defined
    assert marks(dots(FRAME, value="accuracy", rows="source", series="target")) == 3
    assert marks(curves(FRAME, x="x", y="accuracy", series="source", panels=["task"])) == 3
    drawn = scatter(FRAME, x="x", y="accuracy", label="target", series="source")
    assert marks(drawn) == 3
    assert ">hi</text>" in figure_svg(drawn), "labels are written beside the marks"


def test_published_values_are_series_or_charts_of_their_own() -> None:
    table = FRAME.assign(published=[0.75, float("nan"), float("nan"), 0.55])
    drawn = dots(table, value="accuracy", rows="source", series="target")
    assert drawn.legend == ("en", "hi", "en published", "hi published")
    assert marks(drawn) == 3 + 2
    maps = heat(table, value="accuracy", rows="source", columns="target", panels=["task"])
    assert [chart.title for chart in maps.charts] == ["nli", "nli published"]
    assert dots(FRAME, value="accuracy", rows="source", series="target").legend == ("en", "hi")


def test_a_panel_for_each_part_named_by_what_varies() -> None:
    drawn = curves(FRAME, x="x", y="accuracy", panels=["task", "source"])
    assert [chart.title for chart in drawn.charts] == ["fine-tuned on en", "fine-tuned on hi"]


def test_counts_become_shares_of_their_row() -> None:
    counts = pd.DataFrame(
        {"gold": ["a", "a", "b", "b"], "predicted": ["a", "b"] * 2, "count": [3, 1, 0, 0]}
    )
    drawn = heat(counts, value="count", rows="gold", columns="predicted", whole=True)
    text = figure_svg(drawn)
    # 3 of 4 and 1 of 4; the class b has no example and so no share
    assert ">.75</text>" in text
    assert ">.25</text>" in text
    assert text.count("undefined") == 2


def test_series_without_a_value_are_not_in_the_legend() -> None:
    """The model `b` has no value; of `c` only a published one is known."""
    table = pd.DataFrame(
        {
            "panel": ["p", "p", "p", "q"],
            "model": ["a", "b", "c", "d"],
            "lang": ["en"] * 4,
            "ratio": [1.0, float("nan"), float("nan"), float("nan")],
            "published": [float("nan"), float("nan"), 2.0, 3.0],
        }
    )
    drawn = dots(table, value="ratio", rows="lang", series="model", panels=["panel"])
    assert drawn.legend == ("a", "c", "c published")
    assert len(drawn.charts) == 1, "nothing of q is defined"


def test_where_nothing_is_defined_nothing_is_drawn() -> None:
    empty = FRAME.assign(accuracy=float("nan"))
    for panels in ([], ["task"]):
        assert dots(empty, value="accuracy", rows="source", panels=panels).charts == ()
        assert curves(empty, x="x", y="accuracy", panels=panels).charts == ()
        assert scatter(empty, x="x", y="accuracy", panels=panels).charts == ()


def test_metrics_have_their_printed_names() -> None:
    table = FRAME.assign(metric="aopc", mean=FRAME["accuracy"])
    drawn = dots(table, value="mean", rows="source", panels=["metric"])
    assert [chart.title for chart in drawn.charts] == ["AOPC"]
    assert ">mean AOPC</text>" in figure_svg(drawn)


def test_rows_are_in_the_order_of_the_study() -> None:
    study = {
        "tasks": [{"name": "sst"}, {"name": "csl"}],
        "languages": ["en", "zh"],
        "models": [{"name": "mbert"}, {"name": "bert"}],
    }
    table = pd.DataFrame(
        {
            "task": ["csl", "sst", "sst", "csl"],
            "lang": ["zh", "en", "en", "overall"],
            "model": ["bert", "bert", "mbert", "mbert"],
            "value": [1, 2, 3, 4],
        }
    )
    assert in_study_order(table, study)["value"].tolist() == [3, 2, 1, 4]
    # names that the study does not have come last, in their order; other columns change nothing
    named = table.assign(model=["base", "x", "mbert", "base"])
    assert in_study_order(named, study)["value"].tolist() == [3, 2, 1, 4]
    assert in_study_order(table[["value"]], study)["value"].tolist() == [1, 2, 3, 4]


def test_panels_are_in_the_order_of_their_columns() -> None:
    """The same metric of all models, then the next one, whatever the order of the rows."""
    table = pd.DataFrame(
        {
            "metric": ["aopc", "lodds", "aopc", "lodds"],
            "model": ["b", "b", "a", "a"],
            "mean": [0.1, 0.2, 0.3, 0.4],
            "kind": ["all"] * 4,
        }
    )
    drawn = dots(table, value="mean", rows="kind", panels=["metric", "model"])
    titles = [chart.title for chart in drawn.charts]
    assert titles == ["AOPC, b", "AOPC, a", "LOdds, b", "LOdds, a"]
    unnamed = table.assign(metric=[None, "lodds", None, "lodds"])
    assert len(dots(unnamed, value="mean", rows="kind", panels=["metric", "model"]).charts) == 4


def test_a_value_outside_of_the_limits_extends_the_axis() -> None:
    table = pd.DataFrame({"layer": [0, 1], "similarity": [-0.3, 1 + 1e-9]})
    text = figure_svg(curves(table, x="layer", y="similarity", limits=(0.0, 1.0)))
    # six ticks at most of 1, 2 or 5 tenths between -0.3 and 1: every half
    assert ">\N{MINUS SIGN}0.5</text>" in text
    assert ">1.5</text>" not in text, "rounding extends nothing"
    inside = figure_svg(curves(FRAME, x="x", y="accuracy", limits=(0.0, 1.0)))
    assert "\N{MINUS SIGN}" not in inside


def test_ticks_of_counts_are_whole() -> None:
    table = pd.DataFrame({"margin": [-0.1, 0.0, 0.1], "heads": [0, 0, 1]})
    text = figure_svg(curves(table, x="margin", y="heads"))
    assert ">0.5</text>" not in text
    assert ">1</text>" in text


def test_it_is_said_what_larger_marks_are_and_which_tokens_are_pooled() -> None:
    table = FRAME.assign(n=[3, 1, 2, 2], pooling=["mean", "mean", "first", "first"])
    drawn = curves(table, x="x", y="accuracy", panels=["task", "pooling"], size="n")
    assert [chart.title for chart in drawn.charts] == ["mean of tokens", "first token"]
    assert drawn.note == "The area of a mark grows with its share of the texts."
    assert drawn.note in figure_svg(drawn)


def test_rows_of_charts_are_about_as_long() -> None:
    """At most three of 340 pixels fit: four are 2 + 2, five 3 + 2, seven 3 + 3 + 1."""
    for count, width in ((1, 372), (3, 1052), (4, 712), (5, 1052), (7, 1052)):
        parts = [FRAME.assign(task=f"t{at}") for at in range(count)]
        drawn = curves(pd.concat(parts), x="x", y="accuracy", panels=["task"])
        assert f'width="{width}"' in figure_svg(drawn)[:200]
