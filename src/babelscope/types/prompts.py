"""What a language model reads around a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a language model reads around a text, and the words that answer for each label.

        Prompt("Review: {text}\\nSentiment:", labels={"positive": " good", "negative": " bad"})

    Everything is literal: where the answer begins with a space, so does the label's word. Only the
    texts in the slots are attributed and erased; all other tokens are fixed.
    """

    template: str = "{text}"
    """The text around the slots: `{text}` and, for pairs, `{pair}`, or names of columns
    (`{premise}` and `{hypothesis}`, `{question}` and `{context}`, ...). Braces are written twice.
    """
    labels: Mapping[str, str | Sequence[str]] = field(default_factory=dict, hash=False)
    """For each label the word, or the words, that continue the prompt, of one token or several.
    Without labels the next token, or a whole answer, is explained.
    """
    system: str | None = None
    """The system prompt: of a chat its first message, else the beginning of the text."""
    chat: bool = False
    """Whether the tokenizer's chat template is put around it: the filled template is what the user
    says, and the answer begins the model's turn.
    """
    examples: Sequence[Any] = field(default=(), hash=False)
    """Examples that come before the text (few-shot): rows as `explain` takes them, with the label,
    or without labels the answer, as `label`.
    """
    calibrate: bool = False
    """Divide the labels' probabilities by those of a content-free text (`model.calibration`)."""
