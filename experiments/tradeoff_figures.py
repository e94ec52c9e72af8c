"""The published trade-off figures, models and input languages English and Hindi."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from babelscope.analyses.tradeoffs.behaviour import Factorial, factorial, preference
from babelscope.reporting.papers.published import published_file

FILE = pd.read_csv(published_file("tradeoffs"), comment="#", keep_default_na=False)
ROWS = FILE.set_index(["table", "model", "input", "item"])["value"].astype(float)


def square(name: str, item: str = "") -> np.ndarray:
    """Models by input languages."""
    pair = ("en", "hi")
    return np.array([[ROWS[name, model, lang, item] for lang in pair] for model in pair])


def run(rows: int) -> dict[str, Any]:
    """Preferences with half widths of intervals as if rows were independent, and how many standard
    errors they lie apart."""
    name = f"accuracy {rows}"
    accuracy = square(name)
    own, error = preference(accuracy, [0, 1]), np.sqrt(accuracy * (1 - accuracy) / rows)
    both = [(float(own[at, 1 - at]), 1.96 * float(np.hypot(*error[at]))) for at in (0, 1)]
    steps = (both[0][0] - both[1][0]) / float(np.sqrt((error**2).sum()))
    return {"rows": rows, "preferences": both, "steps": steps, "effects": effects(name)}


def effects(name: str, item: str = "") -> Factorial:
    return factorial(square(name, item))
