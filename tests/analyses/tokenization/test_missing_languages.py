"""Tokenizers of models that read some of the study's languages only."""

from __future__ import annotations

from babelscope.analyses.tokenization.figure import figure
from babelscope.analyses.tokenization.grids import Grid, cell, columns_of
from babelscope.display.chart import figure_svg
from babelscope.types import Estimate

GRID: Grid = {
    "tr": {"second": Estimate(2.0, 1.9, 2.1, 20, 0)},
    "en": {"first": Estimate(1.1, 1.0, 1.2, 20, 0), "second": Estimate(1.3, 1.2, 1.4, 20, 0)},
}


def test_a_tokenizer_that_a_language_lacks_is_a_dash_and_shifts_no_other() -> None:
    assert columns_of(GRID) == ["second", "first"]
    assert cell(GRID["tr"], "first") == "–"
    assert cell(GRID["en"], "first") == "1.100 (1.000–1.200)"
    turned = {lang: GRID[lang] for lang in ("en", "tr")}
    svg = figure_svg(figure("fertility", turned))
    assert "first, tr" not in svg
    assert "second, tr" in svg
    marks = [part.rpartition('class="mark ')[2][:2] for part in svg.split("<title>second, ")[:2]]
    assert marks == ["s1", "s1"], "in both languages the mark of the second series"
