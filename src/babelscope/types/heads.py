"""What the attention heads of a model attend to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class StoredHeadStatistics:
    """What the attention heads of one model attend to in one language; arrays are flattened.

    Shapes and meanings are those of `HeadStatistics`: layers first, then heads, then relations.
    """

    model: str
    task: str
    lang: str
    fingerprint: str
    """Of the model: heads of different weights are not compared."""
    corpus: str
    sentences: int
    tokens: int
    relations: tuple[str, ...]
    direction: str
    subtypes: str
    layers: int
    heads: int
    hits: Any
    pairs: Any
    known: Any
    dropped: Any
    baseline: Any
    positional: Any
    offset: Any
    sink: Any
