"""Names of what a model predicts, as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence

from babelscope.model.load import Model

SPACES = str.maketrans({" ": "␣", "\n": "↵", "\t": "⇥"})
"""Signs for what is invisible at the edge of a token."""
UNREADABLE = "\ufffd"


def shown_name(model: Model, texts: Sequence[str], name: str) -> str:
    """A candidate by its text, a next token as it is written; any other class by its name.

    A vocabulary writes tokens in signs of its own, in which only Latin letters can be read: of
    bytes, a Hindi vowel is `à¤¾`. A token that is a part of a character has no other name.
    """
    if model.row.several and name.isdecimal():
        return texts[1 + int(name)]
    if not model.generates or model.verbalizer:
        return name
    index = model.tokenizer.convert_tokens_to_ids(name)
    if index is None or model.tokenizer.convert_ids_to_tokens(index) != name:
        return name
    text = str(model.tokenizer.decode([index]))
    if UNREADABLE in text:
        return f"part of a character ({name})"
    return _edges(text) or name


def _edges(text: str) -> str:
    """The text with signs for the spaces around it."""
    inner = text.strip()
    if not inner:
        return text.translate(SPACES)
    before, after = text.split(inner, 1)
    return before.translate(SPACES) + inner + after.translate(SPACES)
