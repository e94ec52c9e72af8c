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
    r"""A `table` environment for a document with `\usepackage{booktabs}`.

    *Laws*: no text of the table or caption is read as a command; numbers are right-aligned.
    """
    head, lines = _texts(table)
    numeric = [pd.api.types.is_numeric_dtype(table.iloc[:, at]) for at in range(len(head))]
    columns = "".join("r" if right else "l" for right in numeric)
    rows = [" & ".join(map(escaped, row)) + r" \\" for row in (head, *lines)]
    return "\n".join(
        [
            r"\begin{table}", r"\centering", rf"\caption{{{escaped(caption)}}}",
            rf"\label{{{label}}}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0],
            r"\midrule", *rows[1:], r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
        ]
    )  # fmt: skip


def document(tables: Sequence[str]) -> str:
    """A document that shows every table, to look at or to compile."""
    head = [r"\documentclass{article}", r"\usepackage[utf8]{inputenc}"]
    names = [rf"\input{{{name}}}\clearpage" for name in tables]
    body = [r"\usepackage{booktabs}", r"\begin{document}", *names, r"\end{document}", ""]
    return "\n".join([*head, *body])


def escaped(text: str) -> str:
    """The text with LaTeX's special characters written out."""
    return "".join(SPECIAL.get(character, character) for character in text)


def _texts(table: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    head = [str(name).replace("_", " ") for name in table.columns]
    lines = [[cell(value) for value in row] for row in table.itertuples(index=False, name=None)]
    return head, lines
