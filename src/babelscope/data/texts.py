"""What a text must be before anything reads it."""

from __future__ import annotations

import unicodedata

from babelscope.errors import InputError
from babelscope.types import Example

UNTRANSLATED = "NS"
"""What PAWS-X has in the place of a sentence that was not translated."""


def check_text(example: Example) -> None:
    """Refuses what no tokenizer reads sensibly: nothing at all, lone surrogates, control
    characters.
    """
    for number, text in enumerate(example.texts, 1):
        wrong = fault(text)
        if wrong is not None:
            where = (
                f"{example.id}: text {number}"
                if len(example.texts) > 1
                else f"{example.id}: the text"
            )
            raise InputError(f"{where} {wrong[0]}; {wrong[1]}")


def usable(example: Example) -> bool:
    """Whether every text was translated: PAWS-X has NS where a sentence was not.

    A row that is dropped in one language must be dropped by its group in the others, if they are to
    stay parallel.
    """
    return all(text.strip() != UNTRANSLATED for text in example.texts)


def translated(text: str) -> bool:
    """Whether there is a text at all: neither blank nor the mark of a missing translation."""
    return text.strip() not in ("", UNTRANSLATED)


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
