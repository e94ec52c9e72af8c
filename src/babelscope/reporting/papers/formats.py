"""Tables as Markdown and as LaTeX with booktabs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import pandas as pd

DIGITS = 3
UNDEFINED = "--"
"""What an undefined number is written as."""
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$",
    ">": r"$>$", "|": r"$|$", "\u2212": r"$-$", "\u00d7": r"$\times$", "\u00b7": r"$\cdot$",
    "\u2013": "--", "\u2014": "---", "\n": " ",
}  # fmt: skip
"""Characters that mean something else in LaTeX, or that pdflatex does not know."""

LONG = 30
"""Rows that fit on one page."""
SIZES = {"normalsize": 5.0, "small": 4.6, "footnotesize": 4.3, "scriptsize": 4.0, "tiny": 3.4}
"""LaTeX's font sizes, and how wide a digit is in them, in points."""
SEPARATION = 4.0
"""Space on each side of a column of a long table, in points."""
PAGE = 757.0
"""Width of the text on an A4 page in landscape with margins of 15 mm, in points. The document that
shows all tables has pages of A3, for what is wider in the smallest size."""


def cell(value: Any) -> str:
    """A value as text: numbers with three digits after the point, small ones with three significant
    digits, undefined ones as dashes.

    *Laws*: whole numbers of an integer column stay whole; a number that is not 0 is never written
    as 0.
    """
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return UNDEFINED
    if isinstance(value, float):
        small = value != 0 and abs(value) < 0.5 * 10**-DIGITS
        return f"{value:.2e}" if small else f"{value:.{DIGITS}f}"
    return str(value)


MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\`*[]<>|"} | {"\n": " "})
"""Characters that begin a link, a tag or a style in Markdown, or end a column."""


def markdown(table: pd.DataFrame, caption: str) -> str:
    """The table under its caption.

    *Laws*: no text of the table is read as markup; a bar ends no column.
    """
    head, lines = _texts(table)
    rows = [[text.translate(MARKUP) for text in row] for row in (head, *lines)]
    rows.insert(1, ["---"] * len(head))
    body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{caption}\n\n{body}\n"


def latex(table: pd.DataFrame, caption: str, label: str) -> str:
    r"""A `table` environment, no wider than the text, for a document with booktabs and adjustbox;
    of more than LONG rows a `longtable`, which continues on the next page.

    *Laws*: no text of the table or caption is read as a command; numbers are right-aligned.
    """
    head, lines = _texts(table)
    numeric = [pd.api.types.is_numeric_dtype(table.iloc[:, at]) for at in range(len(head))]
    columns = "".join("r" if right else "l" for right in numeric)
    first, *rows = [" & ".join(map(escaped, row)) + r" \\" for row in (head, *lines)]
    heading = [r"\toprule", first, r"\midrule"]
    title = rf"\caption{{{escaped(caption)}}}\label{{{label}}}"
    if len(rows) > LONG:
        size = rf"{{\{font_size(head, lines)}\setlength{{\tabcolsep}}{{{SEPARATION}pt}}"
        start = [
            size,
            rf"\begin{{longtable}}{{{columns}}}",
            title + r"\\",
            *heading,
            r"\endfirsthead",
        ]
        again = [*heading, r"\endhead", r"\bottomrule", r"\endfoot"]
        return "\n".join([*start, *again, *rows, r"\end{longtable}}", ""])
    start = [r"\begin{table}", r"\centering", title, r"\begin{adjustbox}{max width=\linewidth}"]
    body = [rf"\begin{{tabular}}{{{columns}}}", *heading, *rows, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*start, *body, r"\end{adjustbox}", r"\end{table}", ""])


def font_size(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """The largest size in which the longest text of every column fits side by side on the page.

    width = sum_c size max_r |text_rc| + 2 SEPARATION
    """
    longest = [max(map(len, column)) for column in zip(head, *lines)]
    fits = [
        name for name, size in SIZES.items()
        if sum(length * size + 2 * SEPARATION for length in longest) <= PAGE
    ]  # fmt: skip
    return fits[0] if fits else list(SIZES)[-1]


def escaped(text: str) -> str:
    """The text with LaTeX's special characters written out."""
    return "".join(SPECIAL.get(character, character) for character in text)


def _texts(table: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    head = [str(name).replace("_", " ") for name in table.columns]
    lines = [[cell(value) for value in row] for row in table.itertuples(index=False, name=None)]
    return head, lines
