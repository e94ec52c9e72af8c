"""Are explanations of complex tasks less faithful? What a task asks of a model, beside its ratios.

No single number says how complex a task is; four simple ones are listed: texts per input, classes,
words per input, and the error of the best model.
"""

from __future__ import annotations

import pandas as pd
import pyarrow.compute as pc

from babelscope.analyses.faithfulness.ratios import Comparison, paired_ratios
from babelscope.stats.correlations import Correlation, correlation
from babelscope.stats.disparity import Pairing

MEASURES = ("texts", "classes", "words", "error")
UNIT = ["task", "lang"]


def task_complexity(performance: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """One row per task and language.

    texts = texts per input;   classes = distinct gold labels;   words = mean words per input;
    error = 1 - the highest macro-F1 of a model
    """
    texts = comparison.attributions.select(["task", "lang", "id", "gold"])
    for name, lists in (("texts", "texts"), ("words", "words")):
        lengths = pc.list_value_length(comparison.attributions[lists])
        texts = texts.append_column(name, lengths)
    rows: pd.DataFrame = texts.to_pandas().drop_duplicates([*UNIT, "id"])
    grouped = rows.groupby(UNIT, sort=False)
    known = pd.DataFrame(
        {
            "texts": grouped["texts"].max(),
            "classes": grouped["gold"].nunique(),
            "words": grouped["words"].mean(),
        }
    )
    best = performance.groupby(UNIT, sort=False)["macro_f1"].max()
    return known.join((1 - best).rename("error")).reset_index()


def complexity_points(
    table: pd.DataFrame, complexity: pd.DataFrame, pairings: tuple[Pairing, ...]
) -> pd.DataFrame:
    """Per task, language and metric: complexity, the mean ratio over models and methods, and the
    mean disparity of each pairing.
    """
    means = table.groupby([*UNIT, "metric"], sort=False)["ratio"].mean().reset_index()
    points = means.merge(complexity, on=UNIT)
    for pairing in pairings:
        both = paired_ratios(table, pairing)
        gap = both["ratio_multilingual"] - both["ratio_monolingual"]
        named = both.assign(**{pairing.name: gap})
        by_unit = named.groupby([*UNIT, "metric"], sort=False)[pairing.name].mean().reset_index()
        points = points.merge(by_unit, on=[*UNIT, "metric"], how="left")
    return points


def complexity_correlations(
    points: pd.DataFrame, outcomes: tuple[str, ...]
) -> list[tuple[str, str, str, Correlation]]:
    """Per metric, outcome ("ratio", or a pairing's disparity) and measure of complexity: does it
    rise or fall with complexity? Over tasks and languages; within: over the tasks of a language.
    """
    return [
        (str(metric), outcome, measure, _correlated(part, measure, outcome))
        for metric, part in points.groupby("metric", sort=False)
        for outcome in outcomes
        for measure in MEASURES
    ]


def _correlated(part: pd.DataFrame, measure: str, outcome: str) -> Correlation:
    return correlation(part[measure], part[outcome], part["lang"].astype(str).tolist())
