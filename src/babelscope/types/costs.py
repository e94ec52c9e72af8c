"""What an explanation costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ExplanationCost:
    """What one explanation took: seconds as they were measured, and what the model read."""

    id: str
    group: str
    lang: str
    model: str
    task: str
    method: str
    options: Mapping[str, Any]
    seed: int
    length: int
    """Tokens of the text as the model reads it whole."""
    processor_seconds: float
    """Of all threads of the process together."""
    wall_seconds: float
    tokens: int
    """Tokens that the model read in all queries, padding left out."""
    backward: int
    """Those of them that were also read backwards, for gradients."""
    queries: int
    """Different inputs that the method had the model read, the pass for the prediction alone left
    out."""
    device: str
    """Where it was measured: cpu, or the accelerator's kind and name."""
    threads: int
    """Threads that the computation could use on the processor."""
