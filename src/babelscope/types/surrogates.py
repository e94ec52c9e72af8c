"""Numbers about the surrogates of a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SurrogateNumber:
    """One number: of which part of the analysis and name, at x."""

    model: str
    task: str
    lang: str
    part: str
    """`error`, `scatter`, `repeated`, `length`, `value`, `importance` or `shapley`."""
    name: str
    """The surrogate, the design or the word."""
    x: float
    """The model's answer, the copies, the length, the true parameter; NaN where there is none."""
    y: float
