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


@dataclass(frozen=True, slots=True, eq=False)
class StoredHeadAblation:
    """What a model predicts with the heads of a mask alone, or without them; a value per text."""

    lang: str
    kind: str
    seed: int
    """-1 for the mask itself; of a random mask of its size the seed."""
    side: str
    """`kept` or `removed`."""
    heads: int
    total: int
    group: tuple[str, ...]
    same: tuple[bool, ...]
    """Whether the prediction is that of the whole model."""
    probability: tuple[float, ...]
    """Of what the whole model predicts."""
    right: tuple[float, ...]
    """1 or 0; NaN for a text without a label."""
    model: str = ""
    task: str = ""
    fingerprint: str = ""
