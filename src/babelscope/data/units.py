"""Units of a text that are larger or smaller than words: sentences, paragraphs, whole texts, and
those that the data name (morphemes, examples of a prompt, slots of a template).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import regex

from babelscope.data.segmentation import segment
from babelscope.errors import InputError
from babelscope.types import Example, Span

RULES = ("word", "sentence", "paragraph", "text")
"""Units that every text has, by rules."""
TOKEN = "token"

_BLANK_LINE = regex.compile(r"\n[^\S\n]*\n")


def unit_spans(example: Example, unit: str) -> tuple[tuple[Span, ...], ...]:
    """Per text the characters of its units: those that the example holds under this name, else
    those of the rule.

        unit_spans(Example("1", ("It rained. We stayed.",), "en"), "sentence")
        # (((0, 10), (11, 21)),)

    *Laws*: spans are ordered and disjoint; those of a rule cover every character but white space.
    """
    named = dict(example.units)
    if unit in named:
        return named[unit]
    if unit == "word" and example.words is not None:
        return example.words
    return tuple(_by_rule(text, example.lang, unit) for text in example.texts)


def _by_rule(text: str, lang: str, unit: str) -> tuple[Span, ...]:
    if unit == "word":
        return segment(text, lang)
    if unit == "sentence":
        return sentences(text, lang)
    return _stripped(text, paragraphs(text) if unit == "paragraph" else [(0, len(text))])


def sentences(text: str, lang: str = "und") -> tuple[Span, ...]:
    """Sentences by ICU's rules (UAX #29), which in the languages that ICU has a list for do not
    end at an abbreviation; a line break ends a sentence. Thai has no mark of a sentence's end: a
    line of it is one sentence.
    """
    breaker: Any = import_module("icu4py.breakers").SentenceBreaker
    spans: list[Span] = []
    start = 0
    for part in breaker(text, f"{lang.replace('_', '-').split('-')[0]}@ss=standard"):
        spans.append((start, start + len(part)))
        start += len(part)
    return _stripped(text, spans)


def paragraphs(text: str) -> list[Span]:
    """Parts between blank lines; between line breaks where no line is blank."""
    separator = _BLANK_LINE if _BLANK_LINE.search(text.strip()) else regex.compile("\n")
    ends = [match.span() for match in separator.finditer(text)]
    return list(zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)]))


def named_units(
    texts: Sequence[str], units: Mapping[str, Any]
) -> tuple[tuple[str, tuple[tuple[Span, ...], ...]], ...]:
    """Units as data hold them: per name and text spans [start, end], or the parts themselves in
    the order of the text, whose places are looked up one after the other.

        named_units(["unhappy people"], {"morpheme": [["un", "happy", "people"]]})
        # (("morpheme", (((0, 2), (2, 7), (8, 14)),)),)
    """
    return tuple(
        (str(name), _placed(texts, name, parts))
        for name, parts in units.items()
        if parts is not None  # of another row of the same table
    )


def _placed(texts: Sequence[str], name: str, parts: Any) -> tuple[tuple[Span, ...], ...]:
    if name in (TOKEN, "word"):
        raise InputError(f"units cannot be called {name!r}; choose another name")
    if not isinstance(parts, (list, tuple)) or len(parts) != len(texts):
        raise InputError(f"units {name!r}: expected one list for each of the {len(texts)} texts")
    return tuple(_in_text(text, name, each) for text, each in zip(texts, parts))


def _in_text(text: str, name: str, parts: Any) -> tuple[Span, ...]:
    spans: list[Span] = []
    last = 0
    for part in parts if isinstance(parts, (list, tuple)) else [parts]:
        if isinstance(part, str):
            start = text.find(part, last)
            span = (start, start + len(part))
        elif isinstance(part, (list, tuple)) and len(part) == 2:
            span = (int(part[0]), int(part[1]))
        else:
            raise InputError(f"units {name!r}: {part!r:.60} is neither a text nor [start, end]")
        if not last <= span[0] < span[1] <= len(text):
            raise InputError(
                f"units {name!r}: {part!r:.60} is not in the text after character {last}; units "
                "are parts of the text, one after the other"
            )
        spans.append(span)
        last = span[1]
    return tuple(spans)


def _stripped(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Without the white space around them, and without those that hold nothing else."""
    stripped = []
    for start, end in spans:
        part = text[start:end]
        left = start + len(part) - len(part.lstrip())
        right = end - (len(part) - len(part.rstrip()))
        if left < right:
            stripped.append((left, right))
    return tuple(stripped)
