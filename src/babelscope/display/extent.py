"""How wide a text is, and in which direction it runs: what every chart must know about a script."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def right_to_left(units: Sequence[str]) -> bool:
    """Whether most of the letters that have a direction run from right to left."""
    kinds = [unicodedata.bidirectional(sign) for unit in units for sign in unit]
    return sum(kind in ("R", "AL") for kind in kinds) > sum(kind == "L" for kind in kinds)


def text_width(text: str, size: float = 12) -> float:
    """About how wide a text is, in pixels: wide for Chinese, Japanese and Korean, nothing for marks
    on letters."""
    total = 0.0
    for sign in text:
        if unicodedata.east_asian_width(sign) in ("W", "F"):
            total += 1.0
        elif unicodedata.category(sign) not in ("Mn", "Me", "Cf"):
            total += 0.72 if sign.isupper() else 0.58
    return size * total


def shortened(text: str, width: float, size: float = 12) -> str:
    """The text, its middle left out where it is wider than that: names differ at both ends."""
    if text_width(text, size) <= width:
        return text
    for kept in range(len(text) - 1, 1, -1):
        short = f"{text[: (kept + 1) // 2]}…{text[len(text) - kept // 2 :]}"
        if text_width(short, size) <= width:
            return short
    return "…"
