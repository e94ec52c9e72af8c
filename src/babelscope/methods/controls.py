"""Attributions that know nothing of the model: what any method must beat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from babelscope.model.load import Model
from babelscope.seeds import keyed
from babelscope.types import Encoded, Explained, Target


def random(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], *, seed: int = 0) -> list[Explained]:
    """Independent standard normal scores.

        a_t ~ N(0, 1)

    *Laws*: the same seed and example id give the same scores in any batch; another seed gives others.
    """
    return [Explained(keyed(seed, "random", row.example.id).standard_normal(int(row.content.sum()))) for row in inputs]


def position(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """The earlier, the more important.

        a_t = 1 - i / n        i the 0-based place among the n content tokens

    *Laws*: strictly decreasing; 1 at the first content token. A method that ranks no better explains word order only.
    """
    counts = [int(row.content.sum()) for row in inputs]
    return [Explained(1.0 - np.arange(count) / count) for count in counts]
