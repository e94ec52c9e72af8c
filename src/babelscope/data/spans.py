"""Where the tokens of an annotation are in the text that was annotated."""

from __future__ import annotations

from collections.abc import Sequence

from babelscope.types import Span


def whitespace(text: str) -> tuple[Span, ...]:
    """The words between white space."""
    spans, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        spans.append((start, at))
    return tuple(spans)


def locate(text: str, tokens: Sequence[str]) -> tuple[Span | None, ...]:
    """The span of each token, in order; None for one that is not in the text.

    Some tokens were retyped by hand: one may be missing, or spelt differently from the text. So one
    character (and as many as the preceding tokens that were not found have) may be skipped; a token
    further away is another occurrence.
    """
    spans: list[Span | None] = []
    at, lost = 0, 1
    for token in tokens:
        start = text.find(token, at) if token else -1
        if start < 0 or len("".join(text[at:start].split())) > lost:
            spans.append(None)
            lost += len(token)
        else:
            at, lost = start + len(token), 1
            spans.append((start, at))
    return tuple(spans)
