"""Texts in memory: strings, pairs of strings in a tuple, and examples."""

from __future__ import annotations

from collections.abc import Sequence

from babelscope.errors import InputError
from babelscope.types import Example

Texts = str | tuple[str, str] | Example | Sequence["str | tuple[str, str] | Example"]


def as_examples(data: Texts, lang: str = "und") -> list[Example]:
    """Texts, pairs and examples as examples; texts are numbered from 1."""
    items = [data] if isinstance(data, (str, tuple, Example)) else list(data)
    if not items:
        raise InputError("there is no text to explain; give at least one")
    return [_example(number, item, lang) for number, item in enumerate(items, 1)]


def _example(number: int, item: object, lang: str) -> Example:
    if isinstance(item, Example):
        return item
    if isinstance(item, str):
        return Example(str(number), (item,), lang)
    if (
        isinstance(item, tuple)
        and 1 <= len(item) <= 2
        and all(isinstance(text, str) for text in item)
    ):
        return Example(str(number), tuple(item), lang)
    raise InputError(
        f"item {number} is neither a text, a pair of texts in a tuple, nor an Example: {item!r}"
    )
