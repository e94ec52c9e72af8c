"""The column `answers` of question answering data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def answer_span(context: str, answers: Any) -> tuple[int, int] | None:
    """The characters of the first answer that is where it says to be, from the column `answers` of
    SQuAD: {"text": [...], "answer_start": [...]}, or a list of {"text": ..., "answer_start": ...}.
    None where there is no such answer.
    """
    for text, start in _pairs(answers):
        placed = isinstance(text, str) and isinstance(start, int) and text and start >= 0
        if placed and context[start : start + len(text)] == text:
            return start, start + len(text)
    return None


def answer_texts(answers: Any) -> tuple[str, ...]:
    """All different gold answers in the same column; none where there is a single one, which is
    the answer itself.
    """
    texts = tuple(dict.fromkeys(text for text, _ in _pairs(answers) if text))
    return texts if len(texts) > 1 else ()


def _pairs(answers: Any) -> list[tuple[Any, Any]]:
    """Texts and starts."""
    if isinstance(answers, list) and all(isinstance(each, Mapping) for each in answers):
        return [(each.get("text"), each.get("answer_start")) for each in answers]
    if isinstance(answers, Mapping):
        texts, starts = (list(answers.get(name) or []) for name in ("text", "answer_start"))
        return list(zip(texts, [*starts, *[None] * (len(texts) - len(starts))]))
    return []
