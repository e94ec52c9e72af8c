"""A section of a report: what every analysis hands to the page, the terminal and `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup
from rich.console import RenderableType

from babelscope.display.chart import Chart, Figure

MARKS = {"yes": "✓", "no": "✗", "partly": "◐", "undecided": "?", "unmeasured": "–"}
"""The verdicts and their marks."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The cell of a table beside the page that a number of an answer comes from."""

    file: str
    row: Mapping[str, object]
    """What the cells of the row hold in these columns."""
    column: str
    """Empty: the number is how many rows there are."""
    value: float
    distinct: bool = False
    """The number is how many different values the column has."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question in one plain sentence with its uncertainty.

    *Laws*: every number in the sentence is that of a reference, as it is displayed; an answer whose
    verdict is not `unmeasured` has a chart with at least one mark.
    """

    verdict: str
    """One of MARKS."""
    sentence: Markup
    references: tuple[Reference, ...] = ()
    chart: Chart | None = None
    """A small chart of the numbers behind the sentence."""
    texts: int = 0
    """How many texts the answer is from; 0 where that is not one number."""
    says: str = ""
    """The verdict in words, where the question cannot be answered by yes or no."""

    @property
    def label(self) -> str:
        """The verdict in words."""
        if self.says:
            return self.says
        if self.verdict == "undecided":
            noun = "text" if self.texts == 1 else "texts"
            count = f" with {self.texts:,} {noun}" if self.texts else ""
            return f"Cannot be decided{count}"
        return {"unmeasured": "Not measured"}.get(self.verdict, self.verdict.capitalize())

    @property
    def mark(self) -> str:
        return MARKS[self.verdict]

    @property
    def plain(self) -> str:
        """Verdict and sentence for a terminal."""
        return f"{self.label}. {self.sentence.striptags()}"


@dataclass(frozen=True, slots=True)
class Section:
    """One analysis for people: its answer in one sentence, then figures and tables."""

    name: str
    title: str
    question: str
    answer: Markup
    """In one sentence, as strong as the intervals allow."""
    body: Markup
    """HTML below the answer; it relies on the style of the page and loads nothing."""
    terminal: tuple[RenderableType, ...] = ()
    data: Any = None
    """The tables as plain values: what `--json` prints."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files beside the page, by name: CSV."""
    charts: tuple[Figure, ...] = ()
    """The figures of the body: what `report --figures` writes."""
    headline: Answer | None = None
    """The answer on the first screen of a report."""
    style: Markup = field(default_factory=Markup)
    """Style that the page does not have."""
    recommended: str = ""
    """The method whose explanations are shown first."""
