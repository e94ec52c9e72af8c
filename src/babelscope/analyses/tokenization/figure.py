"""How tokenizers split words: for each measure languages down, a mark with its interval for each
tokenizer.
"""

from __future__ import annotations

from babelscope.analyses.tokenization.grids import TITLES, Grid, columns_of
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart, Figure
from babelscope.display.dots import Row, dot_plot, mark


def figure(name: str, grid: Grid) -> Figure:
    """One measure."""
    columns = columns_of(grid)
    return Figure(
        name, TITLES[name], (_chart(name, grid),), tuple(columns), rows=_values(name, grid)
    )


def _chart(name: str, grid: Grid) -> Chart:
    rows = [
        Row(
            language_name(lang),
            tuple(mark(row.get(column), f"{column}, {lang}") for column in columns_of(grid)),
        )
        for lang, row in grid.items()
    ]
    return dot_plot(TITLES[name], "", rows, zero=True)


def _values(name: str, grid: Grid) -> tuple[dict[str, object], ...]:
    return tuple(
        {
            "measure": name, "lang": lang, "tokenizer": column, "mean": estimate.mean,
            "low": estimate.low, "high": estimate.high, "n": estimate.n,
        }
        for lang, row in grid.items()
        for column, estimate in row.items()
    )  # fmt: skip
