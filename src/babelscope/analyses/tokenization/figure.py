"""How tokenizers split words: for each measure languages down, a mark with its interval for each
tokenizer.
"""

from __future__ import annotations

from babelscope.analyses.tokenization.counts import Tokenization
from babelscope.analyses.tokenization.grids import TITLES, Grid, grids
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart, Figure, figure_svg
from babelscope.display.dots import Row, dot_plot, mark


def figure(name: str, grid: Grid) -> Figure:
    """One measure."""
    columns = list(next(iter(grid.values())))
    return Figure(
        name, TITLES[name], (_chart(name, grid),), tuple(columns), rows=_values(name, grid)
    )


def svg(tokenization: Tokenization) -> str:
    """All measures as one picture.

    *Laws*: the same numbers give the same text; names never become markup; nothing lies outside
    of the picture.
    """
    panels = {name: grid for name, grid in grids(tokenization).items() if name != "agreement"}
    columns = tuple(next(iter(next(iter(panels.values())).values())))
    charts = tuple(_chart(name, grid) for name, grid in panels.items())
    return figure_svg(Figure("tokenization", "How words are split", charts, columns))


def _chart(name: str, grid: Grid) -> Chart:
    rows = [
        Row(
            language_name(lang),
            tuple(mark(estimate, f"{column}, {lang}") for column, estimate in row.items()),
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
