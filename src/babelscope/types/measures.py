"""Values of metrics, their means with intervals, and what could not be computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from babelscope.types.rendering import rendered


@dataclass(frozen=True, slots=True)
class Measured:
    """One value of a metric for one example: NaN with a reason where it is undefined."""

    value: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric of one explanation."""

    id: str
    group: str
    lang: str
    model: str
    method: str
    metric: str
    options: Mapping[str, Any]
    value: float
    reason: str = ""
    task: str = ""

    def __repr__(self) -> str:
        value = f"{self.value:.3f}" if isfinite(self.value) else f"undefined ({self.reason})"
        return f"<Measure {self.id} ({self.lang}): {self.metric} of {self.method} {value}>"

    def _repr_html_(self) -> str:
        return rendered(self)


FEW_GROUPS = 20
"""With fewer groups the interval of values with a heavy tail covers less than .93
(docs/statistics.md); their number is printed beside it."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval, how many values were defined and undefined, and in how many
    independent groups the defined ones are (0 where that is not known)."""

    mean: float
    low: float
    high: float
    n: int
    undefined: int
    groups: int = 0


@dataclass(frozen=True, slots=True)
class StoredPanel:
    """The trust panel of one stored explanation: its checks and stages as plain values, undefined
    numbers as None.
    """

    id: str
    group: str
    lang: str
    model: str
    method: str
    options: Mapping[str, Any]
    seed: int
    panel: Mapping[str, Any]
    task: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that could not be computed, and why."""

    cell: Mapping[str, Any]
    reason: str
    details: str = field(default="", repr=False)
    refused: bool = False
    """Whether the input is the reason, and not a fault of babelscope or of a library."""
