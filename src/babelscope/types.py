"""The frozen values that cross module borders. No torch here: reading results must stay light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Span = tuple[int, int]
"""Start and end in characters, end exclusive."""


@dataclass(frozen=True, slots=True)
class Example:
    """One input of a task, with whatever gold is known about it.

    `texts` holds one text or two (premise and hypothesis; question and context). Everything per text is a tuple with one
    entry per text, in the same order: `words` are character spans, `rationale` marks the words that decide the label,
    `heads` are 1-based word indices of the syntactic head with 0 for the root, `relations` their UD names.
    """

    id: str
    texts: tuple[str, ...]
    lang: str = "und"
    group: str = ""
    """Translations of one another share it; the bootstrap resamples it. Empty means: alone, the id."""
    label: str | None = None
    words: tuple[tuple[Span, ...], ...] | None = None
    rationale: tuple[tuple[bool, ...], ...] | None = None
    heads: tuple[tuple[int, ...], ...] | None = None
    relations: tuple[tuple[str, ...], ...] | None = None
    answer: Span | None = None
    """The answer's characters in the last text (extractive reading comprehension)."""

    def __post_init__(self) -> None:
        if not self.group:
            object.__setattr__(self, "group", self.id)
