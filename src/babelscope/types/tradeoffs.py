"""What fine-tuned models compute for a parallel corpus, and how far training moved them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One text that a study compares across languages, with the reason if it was excluded."""

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


@dataclass(frozen=True, slots=True)
class ProbePrediction:
    """What a linear probe on the hidden states of one layer predicts for the test texts of one
    language.

    `labels` says what it was trained to predict: "gold" classes, "control" classes that say
    nothing, or the "language" of the text. `source` is the language of its training texts, empty
    where these are of all source languages; `strength` is the penalty that the development texts
    chose.
    """

    labels: str
    source: str
    lang: str
    layer: int
    strength: float
    ids: tuple[str, ...]
    predicted: tuple[str, ...]
    truth: tuple[str, ...]


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
