"""What a text must be before anything reads it."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from babelscope.errors import BadRow
from babelscope.types import Example, SkippedRow

UNTRANSLATED = "NS"
"""What PAWS-X has in the place of a sentence that was not translated."""


class Fault(NamedTuple):
    """What is wrong with a text, what to do about it, and the reason to skip it
    (`skipping.REASONS`).
    """

    problem: str
    remedy: str
    reason: str


def check_text(example: Example) -> None:
    """Refuses what no tokenizer reads sensibly: nothing at all, lone surrogates, control
    characters.
    """
    wrong = text_fault(example)
    if wrong is not None:
        raise BadRow(SkippedRow(example.id, example.group, example.lang, *wrong))


def text_fault(example: Example) -> tuple[str, str] | None:
    """The reason why a row cannot be used, and its first fault in words; None if it can."""
    faults = [fault(text) for text in example.texts]
    number, wrong = next(((at, each) for at, each in enumerate(faults, 1) if each), (0, None))
    if wrong is None:
        return None
    where = f"text {number}" if len(faults) > 1 else "the text"
    one_side = wrong.reason == "blank" and not all(
        each and each.reason == "blank" for each in faults
    )
    return "blank side" if one_side else wrong.reason, f"{where} {wrong.problem}; {wrong.remedy}"


def usable(example: Example) -> bool:
    """Whether every text was translated: PAWS-X has NS where a sentence was not.

    A row that is dropped in one language must be dropped by its group in the others, if they are to
    stay parallel.
    """
    return all(text.strip() != UNTRANSLATED for text in example.texts)


def translated(text: str) -> bool:
    """Whether there is a text at all: neither blank nor the mark of a missing translation."""
    return text.strip() not in ("", UNTRANSLATED)


SUSPECT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
"""Control characters but for white space, and surrogates."""


def fault(text: str) -> Fault | None:
    """What is wrong with a text and what to do about it, or None."""
    if not text.strip():
        return Fault("is empty or only white space", "give at least one word", "blank")
    if SUSPECT.search(text) is None:
        return None
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        code = f"U+{ord(character):04X} at character {place}"
        if category == "Cs":
            remedy = "it was decoded wrongly: read it as UTF-8"
            return Fault(f"holds a lone surrogate {code}", remedy, "surrogate")
        if category == "Cc" and character not in "\t\n\r\x85":
            return Fault(f"holds the control character {code}", "remove it", "control")
    return None
