"""What is explained, and the explanation of it: a score per token and per word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any

from babelscope.types.inputs import Encoded, ModelInput, Span, TokenlessWord
from babelscope.types.rendering import rendered


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be explained, as a user specifies it.

    `name` is a class, a tag, a token or an answer, "gold" for each example's own, None for what the
    model predicts. `contrast` is the class that the quantity "contrast" subtracts, None for the
    best of the others. `word` is the 0-based word whose tag is explained, None for the first whose
    predicted tag is not O. `edge` is "start" or "end" of an answer, or "both".
    """

    name: str | None = None
    contrast: str | None = None
    word: int | None = None
    edge: str = "both"


@dataclass(frozen=True, slots=True)
class Target:
    """What is explained: an output of the model, and as which quantity.

    `index` is a class, a tag or a token of the vocabulary, and `end` for a tag the token that bears
    it. For extractive question answering they are the tokens where the answer starts and ends; -1
    leaves that edge out. `quantity` is "logit" (default), "probability", "log_odds" or "contrast",
    the logit less that of class `contrast`.
    """

    index: int
    end: int = -1
    quantity: str = "logit"
    contrast: int = -1


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be explained in an input whose output is not known yet: the pass that explains it
    gives the output, and with it the target. Two goals of equal inputs are equal if they ask for
    the same.
    """

    encoded: Encoded = field(compare=False)
    aim: Aim
    quantity: str | None
    label: str | None = None
    """The example's, where that is what is explained."""


AnyTarget = Target | Goal


@dataclass(frozen=True, slots=True)
class Explained:
    """What a method returns for one input: a score per content token, and what it knows about
    them.
    """

    scores: Any
    """One float per content token, signed; an array of length `Encoded.content.sum()`."""
    reference_value: float | None = None
    """The target's value at the reference input; a complete method's scores sum to value -
    reference value.
    """
    flags: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further results of the method, by name: numbers, or lists with one entry per content token;
    None is undefined.
    """


@dataclass(frozen=True, slots=True)
class ScoredUnits:
    """The units of an explanation that are not tokens, and their scores.

    `index` has one entry per listed token; the other fields one per unit.
    """

    name: str
    """word, sentence, paragraph, text, or a name that the data give."""
    index: tuple[int, ...]
    texts: tuple[str, ...]
    offsets: tuple[Span, ...]
    segment: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Attribution:
    """The explanation of one prediction. Only attributable tokens are listed: neither special
    tokens nor fixed parts.
    """

    id: str
    group: str
    lang: str
    method: str
    options: Mapping[str, Any]
    seed: int
    model: str
    texts: tuple[str, ...]
    target: str
    """The explained class (or answer), by name."""
    quantity: str
    """One of "logit", "probability", "log_odds" and "contrast"."""
    label: str
    """What the model predicts."""
    gold: str | None
    probability: float
    """The model's own probability of the target."""
    value: float
    reference_value: float | None
    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    segment: tuple[int, ...]
    word_index: tuple[int, ...]
    words: tuple[str, ...]
    word_offsets: tuple[Span, ...]
    word_segment: tuple[int, ...]
    scores: tuple[float, ...]
    word_scores: tuple[float, ...]
    flags: tuple[str, ...] = ()
    task: str = ""
    target_index: int = -1
    target_end: int = -1
    """The target as in `Target`: a class, the answer's first and last token, or a tag and the
    token that bears it.
    """
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further results of the method, as in `Explained`."""
    rationale: tuple[bool, ...] | None = None
    """Which of the words are in the gold rationale; None where there is none."""
    contrast: str | None = None
    """The class that the quantity "contrast" subtracts, by name; None for other quantities."""
    contrast_index: int = -1
    tagged_word: int | None = None
    """The word whose tag is explained, as an index into `words`; None where no word is tagged."""
    input: ModelInput | None = None
    """What the model read; None where a plain function was explained, which has no tokens."""
    signature: str = ""
    """The signature of the explained model (`Model.signature`): metrics refuse the explanation of
    another model.
    """
    units: ScoredUnits | None = None
    """What was scored as a whole, where these are not tokens. A method that erases has no scores of
    single tokens then: a unit's score is divided equally among its tokens.
    """

    @property
    def unit(self) -> str:
        """The name of what was scored as a whole."""
        return "token" if self.units is None else self.units.name

    def __repr__(self) -> str:
        words = " ".join(self.words[:6]) + (" …" if len(self.words) > 6 else "")
        return (
            f"<Attribution {self.id} ({self.lang}): {self.method} for {self.target!r}, "
            f"{len(self.words)} words: {words}>"
        )

    def _repr_html_(self) -> str:
        return rendered(self)


@dataclass(frozen=True, slots=True)
class WordScore:
    """A word of an explained text at its place, with its score or the reason why it has none."""

    word: str
    segment: int
    offsets: Span
    score: float
    """NaN where there is none."""
    reason: str = ""


def tokenless_words(attribution: Attribution) -> tuple[TokenlessWord, ...]:
    """The words without a token of their own."""
    return tuple(TokenlessWord(**row) for row in attribution.details.get("tokenless_words", ()))


def words_in_place(attribution: Attribution) -> list[WordScore]:
    """All words that the model read, in the order of the texts.

    *Law*: without those that have a reason to have no token they are the explanation's `words` and
    `word_scores`, sorted by place.
    """
    columns = zip(
        attribution.words,
        attribution.word_segment,
        attribution.word_offsets,
        attribution.word_scores,
    )
    words = [
        WordScore(*row, "" if isfinite(row[-1]) else "the method leaves it undefined")
        for row in columns
    ]
    words += [
        WordScore(row.word, row.segment, (row.start, row.end), nan, row.reason)
        for row in tokenless_words(attribution)
    ]
    return sorted(words, key=lambda word: (word.segment, word.offsets))
