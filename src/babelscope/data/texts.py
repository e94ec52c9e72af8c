"""What a text must be before anything reads it."""

from __future__ import annotations

import unicodedata

from babelscope.errors import InputError
from babelscope.types import Example


def check_text(example: Example) -> None:
    """Refuses what no tokenizer reads sensibly: nothing at all, lone surrogates, control characters."""
    for number, text in enumerate(example.texts, 1):
        wrong = fault(text)
        if wrong is not None:
            where = f"{example.id}: text {number}" if len(example.texts) > 1 else f"{example.id}: the text"
            raise InputError(f"{where} {wrong[0]}; {wrong[1]}")


def fault(text: str) -> tuple[str, str] | None:
    """What is wrong with a text and what to do about it, or None."""
    if not text.strip():
        return "is empty or only white space", "give at least one word"
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        code = f"U+{ord(character):04X} at character {place}"
        if category == "Cs":
            return f"holds a lone surrogate {code}", "it was decoded wrongly: read it as UTF-8"
        if category == "Cc" and character not in "\t\n\r\x85":
            return f"holds the control character {code}", "remove it"
    return None
