"""The tokenization block of a study file."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from babelscope.analyses.spec import AnalysisSpec
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.options import Spec as StrictSpec
from babelscope.options import choose

WAYS = ("characters", "dropout", "truncate", "same", "filler", "duplicate")
"""Ways to re-segment words, as in `model/resegmentation.py`; listed here so that a study is
checked without torch.
"""


class InterventionSpec(StrictSpec):
    """What becomes of explanations when words are re-segmented, the model and the words being the
    same.
    """

    ways: list[str] = Field(default=["characters", "same", "duplicate"], min_length=1)
    """Ways to re-segment words: see the documentation of tokenization."""
    rates: list[float] = Field(default=[0.0, 0.25, 0.5, 0.75, 1.0], min_length=1)
    """Shares of the words that are re-segmented."""
    pieces: list[int] = Field(default_factory=list)
    """For the way `truncate`: sizes of the vocabulary that is left."""
    methods: list[str] = Field(default=["integrated_gradients"], min_length=1)
    """Attribution methods, with their default options."""
    metrics: list[str] = Field(
        default=["normalised_comprehensiveness", "normalised_sufficiency", "loo_correlation"]
    )
    """Metrics; the agreement with the explanation of the unchanged text is always added."""
    seed: int = 0
    """Seed of the words and pieces that are chosen."""

    @model_validator(mode="after")
    def all_known(self) -> Self:
        for name in self.ways:
            if name not in WAYS:
                raise ValueError(
                    f"there is no way {name!r} to re-segment words; choose from: {', '.join(WAYS)}"
                )
        for name in self.methods:
            choose(METHODS, name, "method")
        for name in self.metrics:
            choose(METRICS, name, "metric")
        if ("truncate" in self.ways) != bool(self.pieces):
            raise ValueError("the way 'truncate' needs 'pieces', and no other way does")
        return self


class Spec(AnalysisSpec):
    """How the tokenizers of the study's models segment the words of every language."""

    limit: int | None = Field(default=None, ge=1)
    """Number of tokens that the models read; by default what each tokenizer says."""
    interventions: InterventionSpec | None = None
    """Re-segmentations whose effect on explanations is measured; none by default."""
