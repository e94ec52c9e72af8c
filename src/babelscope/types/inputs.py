"""What a model reads: examples, their token ids, windows of long texts, candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from babelscope.types.rendering import rendered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Span = tuple[int, int]
"""Start and end in characters, end exclusive."""


@dataclass(frozen=True, slots=True)
class Example:
    """One input of a task, with the gold annotation that there is.

    `texts` holds one text or two (premise and hypothesis; question and context). Everything per
    text is a tuple with one entry per text, in the same order: `words` are character spans,
    `rationale` marks the words that decide the label, `heads` are 1-based word indices of the
    syntactic head with 0 for the root of each sentence, `relations` their UD names, `concepts` what
    each word expresses: words of translations that share a concept are aligned.
    """

    id: str
    texts: tuple[str, ...]
    lang: str = "und"
    group: str = ""
    """Translations of one another share it; the bootstrap resamples it. Empty: the id, as a group
    of its own.
    """
    label: str | None = None
    words: tuple[tuple[Span, ...], ...] | None = None
    rationale: tuple[tuple[bool, ...], ...] | None = None
    heads: tuple[tuple[int, ...], ...] | None = None
    relations: tuple[tuple[str, ...], ...] | None = None
    concepts: tuple[tuple[tuple[str, ...], ...], ...] | None = None
    answer: Span | None = None
    """The answer's characters in the last text (extractive question answering)."""
    answers: tuple[str, ...] = ()
    """All gold answers where there are several; a prediction is compared with each."""
    units: tuple[tuple[str, tuple[tuple[Span, ...], ...]], ...] = ()
    """Further units of the texts by name, for each text spans that are ordered and disjoint:
    morphemes, examples of a prompt, slots of a template.
    """

    def _repr_html_(self) -> str:
        return rendered(self)

    def __post_init__(self) -> None:
        if not self.group:
            object.__setattr__(self, "group", self.id)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The units of an input that are scored and erased as a whole, where these are not tokens."""

    name: str
    """word, sentence, paragraph, text, or a name that the data give."""
    index: NDArray[np.int64]
    """Per token of the input the number of its unit, -1 where it is in none."""
    texts: tuple[str, ...]
    offsets: tuple[Span, ...]
    segment: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """An example as the model reads it: unpadded token ids, and where each comes from in the text.

    Arrays have one entry per token. `word` counts over both texts and is -1 where `content` is
    False, as is `segment`. `words`, `word_offsets`, `word_segment` list the words that have at
    least one token; the others were truncated.
    """

    example: Example
    ids: NDArray[np.int64]
    """Of the vocabulary; below 0 where the model is a function of texts, whose tokens are words."""
    types: NDArray[np.int64] | None
    """Token types, for models that have them."""
    content: NDArray[np.bool_]
    """False on special tokens and on parts that are kept fixed: never attributed, never erased."""
    word: NDArray[np.int64]
    segment: NDArray[np.int64]
    offsets: NDArray[np.int64]
    tokens: tuple[str, ...]
    words: tuple[str, ...]
    word_offsets: tuple[Span, ...]
    word_segment: tuple[int, ...]
    decoder: int = 0
    """How many tokens at the end only the decoder of an encoder-decoder reads: its start, and the
    answer's beginning.
    """
    part: str = "all"
    """Which text is attributed and erased, of those that the input has."""
    window: Window | None = None
    truncated_from: int | None = None
    """How many tokens the input had before it was truncated; None if it was not."""
    candidates: tuple[Candidate, ...] = ()
    """The sequences that are concatenated in the arrays, where the model reads several; empty for
    a single one.
    """
    continuations: tuple[tuple[int, ...], ...] = ()
    """Token ids that a language model might continue the input with and whose probabilities are
    read, without being content: the words of labels, or an answer; empty for the next token alone.
    """
    tokenless: tuple[TokenlessWord, ...] = ()
    """Words whose only token belongs to another word: they have no score of their own."""
    units: Units | None = None
    """What is scored and erased as a whole; None: each content token by itself."""

    @property
    def written(self) -> bool:
        """Whether a function reads the texts themselves."""
        return bool((self.ids < 0).any())

    @property
    def flags(self) -> tuple[str, ...]:
        """What a user must know about the input, in words."""
        tokenless = (
            ("1 word has no token of its own",)
            if len(self.tokenless) == 1
            else (f"{len(self.tokenless)} words have no token of their own",)
            if self.tokenless
            else ()
        )
        if self.window is not None:
            return (f"window {self.window.number} of {self.window.count}", *tokenless)
        if self.truncated_from is None:
            return tokenless
        count = len(self.ids) - self.decoder
        return (f"truncated to {count} of {self.truncated_from} tokens", *tokenless)


@dataclass(frozen=True, slots=True)
class TokenlessWord:
    """A word that shares its only token with another one, which has it: "ab" of a token "abc" over
    the words "ab" and "c" would leave "c" without a token."""

    word: str
    segment: int
    start: int
    """Its first character in the text of that number."""
    end: int
    token: str
    """The token, as the tokenizer writes it."""
    owner: str
    """The word that has the token."""

    @property
    def reason(self) -> str:
        """Why it has no score."""
        return f"no token of its own: it shares the token {self.token!r} with {self.owner!r}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several sequences that the model reads for one input and that compete."""

    tokens: int
    continuation: int = 0
    """How many tokens at its end are the continuation whose likelihood is compared; they are never
    content.
    """


@dataclass(frozen=True, slots=True)
class Window:
    """One of the overlapping windows that a long text was split into."""

    number: int
    """From 1."""
    count: int
    of: str
    """The id of the example that was split."""


@dataclass(frozen=True, slots=True)
class ModelInput:
    """The input that an explanation is of, as the model read it: every token, special and fixed
    ones included.

    Fields as in `Encoded`. Together with the explanation's words it is the `Encoded` input again:
    no text is tokenized twice.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...] | None
    content: tuple[bool, ...]
    segment: tuple[int, ...]
    offsets: tuple[Span, ...]
    tokens: tuple[str, ...]
    decoder: int = 0
    part: str = "all"
    window: Window | None = None
    truncated_from: int | None = None
    candidates: tuple[Candidate, ...] = ()
    continuations: tuple[tuple[int, ...], ...] = ()
