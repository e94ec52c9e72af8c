"""Any result as a flat table of numbers, texts and lists of them, each under a stable key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

Plain = bool | int | float | str | list[Any] | None
Values = dict[str, Plain]
"""Recorded values by key; NaN and the infinities are None."""
RENAMED = {
    "significant_above": "surely_above",
    "significant_below": "surely_below",
    "monolingual_control": "monolingual_floor",
    "multilingual_control": "multilingual_floor",
}
"""Fields and columns that had another name when they were recorded: their names now, and then."""
REWORDED = {
    "tokens were queried": "tokens were asked",
    "outside of the range of a SLALOM": "outside of what a SLALOM can do",
}
"""Flags and reasons that were worded otherwise when they were recorded: what they say now, and
then.
"""


def put(entries: Values, key: str, value: Any) -> None:
    """Adds a result: parts of records and mappings get own keys, lists of numbers stay whole."""
    if isinstance(value, pd.DataFrame):
        value = {str(name): value[name].tolist() for name in value.columns}
    if is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        for name, part in value.items():
            put(entries, f"{key}/{named(name)}", part)
        return
    simple = plain(value)
    if not whole(simple):
        for at, part in enumerate(value):
            put(entries, f"{key}/{at}", part)
        return
    if key in entries:
        raise KeyError(f"two values have the key {key}")
    entries[key] = simple


def plain(value: Any) -> Any:
    """Arrays, tuples and sets as lists, foreign numbers as Python's own; all else stays."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Set):
        value = sorted(value)
    if isinstance(value, str):
        for now, then in REWORDED.items():
            value = value.replace(now, then)
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Sequence):
        return [plain(part) for part in value]
    return value


def whole(simple: Any) -> bool:
    """Whether it is one value: a number, a text, or a list (of lists) of these."""
    if isinstance(simple, list):
        return all(whole(part) for part in simple)
    return simple is None or isinstance(simple, (bool, int, float, str))


def named(name: Any) -> str:
    """A mapping's key as part of a longer one."""
    return " ".join(map(str, name)) if isinstance(name, tuple) else RENAMED.get(name, str(name))


def attempt(entries: Values, key: str, compute: Callable[[], Any]) -> None:
    """Adds what is computed, or in its place the one line with which it is refused."""
    try:
        computed = compute()
    except Exception as error:  # a refusal is recorded like a number
        entries[f"{key}/error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        return
    put(entries, key, computed)
