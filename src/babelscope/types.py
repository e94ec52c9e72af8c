"""The frozen values that cross module borders. No torch here: reading results must stay light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Span = tuple[int, int]
"""Start and end in characters, end exclusive."""


@dataclass(frozen=True, slots=True)
class Example:
    """One input of a task, with whatever gold is known about it.

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
    """Translations of one another share it; the bootstrap resamples it. Empty means: alone, the
    id.
    """
    label: str | None = None
    words: tuple[tuple[Span, ...], ...] | None = None
    rationale: tuple[tuple[bool, ...], ...] | None = None
    heads: tuple[tuple[int, ...], ...] | None = None
    relations: tuple[tuple[str, ...], ...] | None = None
    concepts: tuple[tuple[tuple[str, ...], ...], ...] | None = None
    answer: Span | None = None
    """The answer's characters in the last text (extractive reading comprehension)."""

    def __post_init__(self) -> None:
        if not self.group:
            object.__setattr__(self, "group", self.id)


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """An example as the model reads it: unpadded token ids, and where each comes from in the text.

    Arrays have one entry per token. `word` counts over both texts and is -1 where `content` is
    False, as is `segment`. `words`, `word_offsets`, `word_segment` list the words that have at
    least one token; the rest was truncated away.
    """

    example: Example
    ids: NDArray[np.int64]
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
    """The sequences that are one behind another in the arrays, where the model reads several;
    empty for a single one.
    """

    @property
    def flags(self) -> tuple[str, ...]:
        """What a reader must know about the input, in words."""
        if self.window is not None:
            return (f"window {self.window.number} of {self.window.count}",)
        if self.truncated_from is None:
            return ()
        return (f"truncated to {len(self.ids) - self.decoder} of {self.truncated_from} tokens",)


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


@dataclass(frozen=True, slots=True)
class Aim:
    """What shall be explained, as a person asks for it.

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
    it. For reading comprehension they are the tokens where the answer starts and ends; -1 leaves
    that edge out. `quantity` is "logit" (default), "probability", "log_odds" or "contrast", the
    logit less that of class `contrast`.
    """

    index: int
    end: int = -1
    quantity: str = "logit"
    contrast: int = -1


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
    """What else the method found, by name: numbers, or lists with one entry per content token;
    None is undefined.
    """


@dataclass(frozen=True, slots=True)
class Measured:
    """One value of a metric for one example: NaN with a reason where it is undefined."""

    value: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The explanation of one prediction. Every listed token is attributable: special tokens and
    fixed parts are not listed.
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
    """What else the method found, as in `Explained`."""
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


@dataclass(frozen=True, slots=True)
class UnitScores:
    """Scored units of one text, from any tool: what comparing translations needs. Translations
    share their id.
    """

    id: str
    lang: str
    units: tuple[str, ...]
    scores: tuple[float, ...]
    segment: tuple[int, ...]
    """Which text of a pair each unit stands in, from 0."""
    prediction: str | None = None
    gold: str | None = None
    reason: str = ""
    """Why nothing can be said about it, if so."""
    confidence: float | None = None
    """The model's probability of its prediction."""
    cluster: str = ""
    """What intervals resample: texts that share a premise or a paragraph share it. Empty means:
    alone, the id.
    """


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric of one explanation."""

    id: str
    group: str
    lang: str
    model: str
    method: str
    metric: str
    options: Mapping[str, Any]
    value: float
    reason: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One text that a study compares across languages, or the reason why it was left out."""

    id: str
    group: str
    cluster: str
    """Names texts that are not independent, such as rows that share a premise."""
    lang: str
    split: str
    texts: tuple[str, ...]
    label: str | None
    left_out: str = ""
    """Empty for a text that the models read."""


@dataclass(frozen=True, slots=True)
class FineTuning:
    """A fine-tuned model: its name in the study, the language it was fine-tuned on, and its classes
    in their order.

    `kind` is "single" (one language), "joint" (several) or "head_only" (everything below the head
    frozen); `source` is "joint" where there are several.
    """

    model: str
    source: str
    seed: int
    kind: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WeightDrift:
    """How far the weights of one part ("embeddings", "layer 0", "layer 1", ..., "rest") moved,
    relative to their size.
    """

    part: str
    relative: float


@dataclass(frozen=True, slots=True)
class LanguageLoss:
    """The loss of a language model on one text, in nats."""

    id: str
    group: str
    lang: str
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What one model computed for one text: its logits in the order of its own classes, and how its
    heads attended.

    Attention numbers are per layer and head, flattened; empty for models that show no attention.
    """

    id: str
    group: str
    lang: str
    logits: Any
    tokens: int
    truncated: bool
    layers: int
    nats: Any
    share: Any
    content: Any
    sink: Any


@dataclass(frozen=True, slots=True, eq=False)
class TextStates:
    """Hidden states of one text, [layer, dimension] flattened: the mean over its content tokens,
    its first and last token.
    """

    id: str
    layers: int
    mean: Any
    first: Any
    last: Any


@dataclass(frozen=True, slots=True, eq=False)
class StoredHeadStatistics:
    """What the attention heads of one model point at in one language; arrays are flattened.

    Shapes and meanings are those of `HeadStatistics`: layers first, then heads, then relations.
    """

    model: str
    task: str
    lang: str
    fingerprint: str
    """Of the model: heads of different weights are not compared."""
    corpus: str
    sentences: int
    tokens: int
    relations: tuple[str, ...]
    direction: str
    subtypes: str
    layers: int
    heads: int
    hits: Any
    pairs: Any
    known: Any
    dropped: Any
    baseline: Any
    positional: Any
    offset: Any
    sink: Any


@dataclass(frozen=True, slots=True, eq=False)
class TranslationPair:
    """A text and one of its translations, compared by their explanations: C with its nulls and its
    ceiling.

    Names end in `_s` for the source text and in `_t` for the translation. Undefined numbers are
    NaN, and `reason` says why. Lists have one entry per word of the stored explanation, those of
    the flow one per pair of words.
    """

    id: str
    """The translation group."""
    cluster: str
    """What intervals resample: texts that share a premise or a paragraph share it."""
    source: str
    lang: str
    model: str
    task: str
    method: str
    options: Mapping[str, Any]
    seed: int
    space: str
    """What words are compared by."""
    centred: bool
    """Whether the mean direction of each language was taken out of the space."""
    mean_cosine: float
    """Of all words of the two languages in the space, of whatever meaning; NaN where it is not a
    space of vectors.
    """
    norm: str
    segments: str
    unknown: str
    permutations: int
    permutation_seed: int
    c: float
    c_unif: float
    c_perm: float
    c_mis: float
    c_rand: float
    c_indep: float
    ceil_s: float
    ceil_t: float
    ceil: float
    lift: float
    kappa: float
    p: float
    reason: str
    kappa_reason: str
    coverage_s: float
    coverage_t: float
    prediction_s: str | None
    prediction_t: str | None
    gold_s: str | None
    gold_t: str | None
    confidence_s: float
    confidence_t: float
    known_s: Any
    known_t: Any
    """Which words the space knows."""
    earned_s: Any
    earned_t: Any
    """What each word adds to C."""
    flow_s: Any
    flow_t: Any
    """The transport plan without its zeros: from which word to which weight flows, from 0."""
    flow_weight: Any
    flow_similarity: Any


@dataclass(frozen=True, slots=True)
class StoredPanel:
    """The trust panel of one stored explanation: its checks and stages as plain values, undefined
    numbers as None.
    """

    id: str
    group: str
    lang: str
    model: str
    method: str
    options: Mapping[str, Any]
    seed: int
    panel: Mapping[str, Any]
    task: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval, the number of defined values behind it, and the number that had
    none.
    """

    mean: float
    low: float
    high: float
    n: int
    undefined: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that could not be filled, and why."""

    cell: Mapping[str, Any]
    reason: str
    details: str = field(default="", repr=False)
