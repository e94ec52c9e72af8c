"""The trust block of a study file."""

from __future__ import annotations

from pydantic import Field

from babelscope.analyses.spec import AnalysisSpec


class Spec(AnalysisSpec):
    """How many explanations of each method and language get a trust panel, and how it is
    computed.
    """

    explanations: int = Field(default=3, ge=1)
    """Number of explanations of each method and language that get a panel."""
    shuffles: int = Field(default=3, ge=1)
    """How often the weights are shuffled for the randomisation test."""
    seeds: int = Field(default=4, ge=1)
    """How many other seeds a random method is run with."""
    labelled: str | None = None
    """File of labelled texts that the model was not trained on, for calibration; by default the
    task's own examples where all have labels."""
    siblings: list[str] = Field(default_factory=list)
    """Models that were fine-tuned in the same way with other seeds: hub ids or folders."""
