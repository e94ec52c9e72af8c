"""A row of a paper's list: a numbered table or figure, and how it comes out of a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from babelscope.display.chart import Figure
from babelscope.store import Store


@dataclass(frozen=True, slots=True)
class Element:
    """A table or figure of a paper."""

    name: str
    """`table-2`, `figure-4`; a word where the paper's number is not known."""
    caption: str
    frame: Callable[[Any], pd.DataFrame]
    """From the paper's material to the table, or to the points of the figure; an empty one where
    the study holds nothing of it."""
    draw: Callable[[pd.DataFrame], Figure] | None = None
    """Of a figure: from its points to its charts, written as SVG and PDF beside the CSV. A table
    has none and is also written as Markdown and LaTeX."""
    note: str = ""
    """What is otherwise than in the paper, or the published value's condition."""


@dataclass(frozen=True, slots=True)
class Missing:
    """An element that no study can deliver yet."""

    name: str
    caption: str
    reason: str


@dataclass(frozen=True, slots=True)
class Paper:
    """A row of PAPERS."""

    name: str
    citation: str
    study: str
    """The study file that redoes it."""
    material: Callable[[Store, Mapping[str, Any]], Any]
    """What its tables are made of; None where the store holds nothing of it."""
    elements: tuple[Element, ...]
    missing: tuple[Missing, ...] = ()
