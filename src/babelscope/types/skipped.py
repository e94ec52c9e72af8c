"""Rows that were left out, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row of the data that was not used."""

    id: str
    group: str
    lang: str
    reason: str
    """A name in `data.skipping.REASONS`."""
    detail: str
    """What is wrong with it, in words."""
    task: str = ""
    split: str = "test"
    model: str = ""
    """The model that cannot read it; empty if no model can."""
    total: int = 0
    """How many rows were read where this one was skipped; 0 if that is not known."""
