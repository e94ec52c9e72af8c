"""The settings of a pretraining run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pretraining:
    """The settings of a pretraining run."""

    architecture: str = "xlm-roberta"
    tokenizer: str = ""
    """One of small.TOKENIZERS; empty: the architecture's default."""
    vocabulary: int = 8000
    layers: int = 2
    width: int = 128
    steps: int = 5000
    batch: int = 48
    """Sequences per step."""
    learning_rate: float = 1e-3
    together: float = 0.35
    """Share of steps with translations side by side (TLM); the others align them contrastively."""
    pull: float = 1.0
    """Weight of the alignment loss."""
    start: bool = True
    """Whether embeddings are initialised from co-occurrence in translations (`start_vectors`)."""
    seed: int = 0
