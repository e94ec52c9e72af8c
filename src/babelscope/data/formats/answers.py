"""The column `answers` of question answering data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def answer_span(context: str, answers: Any) -> tuple[int, int] | None:
    """The characters of the first answer that is where it says to be, from the column `answers` of
    SQuAD: {"text": [...], "answer_start": [...]}, or a list of {"text": ..., "answer_start": ...}.
    None where there is no such answer.
    """
    if isinstance(answers, list) and all(isinstance(each, Mapping) for each in answers):
        pairs = [(each.get("text"), each.get("answer_start")) for each in answers]
    elif isinstance(answers, Mapping):
        sides = [answers.get(name) for name in ("text", "answer_start")]
        pairs = list(zip(*(list(side) if side is not None else [] for side in sides)))
    else:
        return None
    for text, start in pairs:
        placed = isinstance(text, str) and isinstance(start, int) and text and start >= 0
        if placed and context[start : start + len(text)] == text:
            return start, start + len(text)
    return None
