"""The column `answers` of question answering data sets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
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
    answers = _plain(answers)
    if isinstance(answers, list) and all(isinstance(each, Mapping) for each in answers):
        return [(each.get("text"), _plain(each.get("answer_start"))) for each in answers]
    if isinstance(answers, Mapping):
        texts, starts = (_plain(answers.get(name)) for name in ("text", "answer_start"))
        texts, starts = (each if isinstance(each, list) else [each] for each in (texts, starts))
        return [(text, start) for text, start in zip_longest(texts, starts) if text is not None]
    return []


def _plain(value: Any) -> Any:
    """An array or number of NumPy, which pandas reads from Parquet, as a list or number."""
    return value.tolist() if hasattr(value, "tolist") else value
