"""The slots of a prompt's template: which text goes where."""

from __future__ import annotations

from string import Formatter

from babelscope.data.formats.records import COLUMNS
from babelscope.errors import InputError
from babelscope.types import Prompt

SLOTS = {name: text for text, column in enumerate(("text", "pair")) for name in COLUMNS[column]}
"""The names of slots, and the number of the text that each stands for."""

Piece = str | int
"""A part of a template: text as it is, or the number of the text that fills a slot."""


def pieces(prompt: Prompt) -> list[Piece]:
    """The template's parts in order; an unknown slot, one that occurs twice, or none at all is
    refused.
    """
    parts: list[Piece] = []
    try:
        fields = list(Formatter().parse(prompt.template))
    except ValueError as error:
        raise InputError(
            f"the template {prompt.template!r} cannot be read ({error}); write {{{{ and }}}} for "
            "braces"
        ) from error
    for literal, name, _, _ in fields:
        parts += [literal] if literal else []
        if name is None:
            continue
        if name not in SLOTS:
            raise InputError(
                f"the template has a slot {{{name}}}; known are: "
                + ", ".join(f"{{{known}}}" for known in SLOTS)
            )
        if SLOTS[name] in parts:
            raise InputError(f"the template has two slots for one text, the second {{{name}}}")
        parts.append(SLOTS[name])
    texts = sorted(part for part in parts if isinstance(part, int))
    if texts not in ([0], [0, 1]):
        raise InputError(
            f"the template {prompt.template!r} has no slot for the text; write {{text}} where it "
            "belongs, and {pair} for a second one"
        )
    return parts


def slots(prompt: Prompt) -> tuple[int, ...]:
    """The numbers of the texts in the order of their slots."""
    return tuple(part for part in pieces(prompt) if isinstance(part, int))


def filled(prompt: Prompt, texts: tuple[str, ...]) -> str:
    """The template with these texts."""
    return "".join(texts[part] if isinstance(part, int) else part for part in pieces(prompt))
