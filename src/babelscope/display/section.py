"""A section of a report: what every analysis hands to the page, the terminal and `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup
from rich.console import RenderableType


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
    figures: Mapping[str, str] = field(default_factory=dict)
    """Figures as SVG, by name: what a paper or a slide takes."""
    style: Markup = field(default_factory=Markup)
    """Style that the page does not have."""
    plots: bool = False
    """Whether the body holds figures that a script draws."""
    script: Markup = field(default_factory=Markup)
    """Script that the page does not have; a script within the body would not be run."""
    recommended: str = ""
    """The method whose explanations are shown first."""
