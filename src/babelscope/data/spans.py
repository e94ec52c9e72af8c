"""Where the tokens of an annotation stand in the text that was annotated."""

from __future__ import annotations

from collections.abc import Sequence

from babelscope.types import Span


def whitespace(text: str) -> tuple[Span, ...]:
    """The words between white space."""
    found, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        found.append((start, at))
    return tuple(found)


def locate(text: str, tokens: Sequence[str]) -> tuple[Span | None, ...]:
    """The span of each token, in order; None for one that is not in the text.

    Tokens were typed anew by hand here and there: one may lack, or be spelt otherwise than in the text. So one sign (and
    as much as the tokens before that were not found) may be passed over; a token further away is not the same occurrence.
    """
    found: list[Span | None] = []
    at, lost = 0, 1
    for token in tokens:
        start = text.find(token, at) if token else -1
        if start < 0 or len("".join(text[at:start].split())) > lost:
            found.append(None)
            lost += len(token)
        else:
            at, lost = start + len(token), 1
            found.append((start, at))
    return tuple(found)
