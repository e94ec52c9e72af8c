"""The plane of a surrogate model as points: every unit at its value and its importance."""

from __future__ import annotations

from math import isfinite
from typing import Any

from babelscope.types import Attribution


def plane_points(attribution: Attribution) -> list[dict[str, Any]]:
    """Name, value, importance and their standard deviations of every distinct unit; empty where the
    explanation has no plane."""
    details = attribution.details
    values = details.get("value", ())
    if "importance" not in details or not any(value is not None for value in values):
        return []
    names: dict[int, str] = {}
    first: dict[int, int] = {}
    for token, place in enumerate(details["unit_position"]):
        start, end = attribution.offsets[token]
        text = attribution.texts[attribution.segment[token]][start:end].strip()
        names[place] = names.get(place, "") + (text or attribution.tokens[token])
        first.setdefault(place, token)
    points = {}
    for place, token in first.items():
        value, importance = details["value"][token], details["importance"][token]
        if value is not None and importance is not None and isfinite(value):
            points[names[place], attribution.segment[token]] = {
                "name": names[place],
                "value": value,
                "importance": importance,
                "value_sd": details["value_sd"][token],
                "importance_sd": details["importance_sd"][token],
            }
    return list(points.values())
