"""Faithfulness by language of a small real encoder: the same sentences in 22 languages."""

from __future__ import annotations

from itertools import product
from typing import Any

from babelscope.analyses.faithfulness.across_languages import above_control, across_languages
from babelscope.analyses.faithfulness.tables import tables
from babelscope.display.chart import Figure, figure_svg
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.stats.correlations import correlation
from experiments.language_measures import by_method, covariates

SUBTITLE = "Above random scores, mean over methods; 95 % intervals."


def values(filled: tuple[Any, dict[str, Any]]) -> dict[str, Any]:
    store, study = filled
    contents, langs = tables(store, study), study["languages"]
    assert contents is not None
    metrics, above = contents.summary.metrics, above_control(contents.summary.rows)
    rows = across_languages(above, "en", langs, metrics)
    by_place = {(row.lang, row.metric): row for row in rows}
    beside = covariates(contents, study["names"], langs)
    together = []
    for metric, name in product(metrics, beside):
        faithfulness = [by_place[lang, metric].above.mean for lang in langs]
        covariate = [beside[name][lang].mean for lang in langs]
        together.append((metric, name, correlation(covariate, faithfulness, ranks=True)))
    order = sorted(langs, key=lambda lang: -by_place[lang, metrics[0]].above.mean)
    panels = {
        metric.removeprefix("normalised_"): {lang: by_place[lang, metric].above for lang in order}
        for metric in metrics[:2]
    } | beside
    charts = tuple(
        dot_plot(name, name, [Row(lang, (mark(each[lang], lang),)) for lang in order],
                 zero=name not in beside)
        for name, each in panels.items()
    )  # fmt: skip
    figure = Figure("sib200", "Faithfulness by language", charts, note=SUBTITLE)
    return {
        "study": study,
        "metrics": metrics,
        "rows": by_place,
        "beside": beside,
        "together": together,
        "methods": [row for metric in metrics[:2] for row in by_method(above, metric)],
        "figures": {"sib200-faithfulness.svg": figure_svg(figure)},
    }
