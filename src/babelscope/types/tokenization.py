"""Texts as tokenizers segment them, and what a change of the segmentation does."""

from __future__ import annotations

from dataclasses import dataclass

from babelscope.types.inputs import Span


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A text as a tokenizer segments it, without special tokens: ids, the characters of each, and
    the id of unknown pieces.
    """

    text: str
    ids: tuple[int, ...]
    offsets: tuple[Span, ...]
    unknown: int | None = None


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """An example as one tokenizer segments it, with the words that it is counted by.

    Everything per text is a tuple with one entry per text of the example.
    """

    id: str
    group: str
    lang: str
    tokenizer: str
    """The name of the tokenizer in the study."""
    task: str
    texts: tuple[str, ...]
    words: tuple[tuple[Span, ...], ...]
    ids: tuple[tuple[int, ...], ...]
    """Token ids without special tokens."""
    offsets: tuple[tuple[Span, ...], ...]
    unknown: int
    """The id of the unknown token, -1 where there is none."""
    length: int
    """How many tokens the model would have to read, special ones included."""
    limit: int
    """How many tokens the model reads at most, -1 where that is not known."""
    vocabulary: int


@dataclass(frozen=True, slots=True)
class DoseOutcome:
    """One outcome of one text at one dose of an intervention on its segmentation.

    `dose` is the share of words that are re-segmented, or whatever the arm varies; `fertility` the
    resulting number of content tokens per word; `kept` whether the prediction is still that of the
    text as the tokenizer segments it. The outcome of a text whose prediction changed is NaN.
    """

    arm: str
    dose: float
    id: str
    group: str
    lang: str
    method: str
    outcome: str
    value: float
    fertility: float
    kept: bool
    model: str = ""
    task: str = ""
