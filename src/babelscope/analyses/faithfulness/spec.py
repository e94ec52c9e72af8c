"""The faithfulness block of a study file."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, Self

from pydantic import Field, model_validator

from babelscope.analyses.block import Request
from babelscope.analyses.spec import AnalysisSpec
from babelscope.metrics import METRICS
from babelscope.options import Choice, choose, resolve_options, suggestion
from babelscope.options import Spec as StrictSpec


class PairingSpec(StrictSpec):
    """A multilingual model and its monolingual counterpart, one model or one for each language."""

    multilingual: str
    """Name of the multilingual model."""
    monolingual: list[str] = Field(min_length=1)
    """Name of its counterpart, or a list with one for each language."""

    @model_validator(mode="before")
    @classmethod
    def one_counterpart(cls, block: Any) -> Any:
        alone = isinstance(block, dict) and isinstance(block.get("monolingual"), str)
        return {**block, "monolingual": [block["monolingual"]]} if alone else block


class SwapSpec(StrictSpec):
    """A multilingual and a monolingual model, and both with the tokenizer of the other: how much of
    their difference goes with the tokenizer?
    """

    multilingual: str
    """Name of the multilingual model."""
    multilingual_swapped: str
    """Name of the same model with monolingual tokenizers."""
    monolingual: str
    """Name of the monolingual model, one for each language."""
    monolingual_swapped: str
    """Name of the same model with the multilingual tokenizer."""


class Spec(AnalysisSpec):
    """Which metrics judge the explanations, and which models are compared with each other."""

    metrics: list[Choice] = Field(
        default=[Choice(name="comprehensiveness"), Choice(name="sufficiency")]
    )
    """Metrics: a name, or a name with options."""
    samples: int = Field(default=1, ge=1)
    """Number of samples of random scores for each model; their mean is the control."""
    pairings: list[PairingSpec] = Field(default_factory=list)
    """Models that are multilingual and monolingual counterparts."""
    swaps: list[SwapSpec] = Field(default_factory=list)
    """Models whose tokenizers are exchanged: two bodies by two tokenizers."""

    @model_validator(mode="after")
    def known_metrics(self) -> Self:
        for choice in self.metrics:
            resolve_options(choose(METRICS, choice.name, "metric"), choice.options)
        return self

    def check(self, request: Request) -> None:
        known = [model.name for model in request.models]
        swapped = [name for swap in self.swaps for name in swap.model_dump().values()]
        for what, names in (("pairing", _paired(self.pairings)), ("swap", swapped)):
            for name in names:
                if name not in known:
                    raise ValueError(
                        f"a {what} names the model {name!r}; {suggestion(name, known)}"
                    )

    def describe(self) -> dict[str, Any]:
        rows = [(METRICS[choice.name], choice.options) for choice in self.metrics]
        metrics = [
            {
                "name": row.name,
                "summary": row.summary,
                "higher_is_better": row.higher_is_better,
                "may_be_undefined": row.may_be_undefined,
                "options": resolve_options(row, options),
            }
            | ({"bounds": row.bounds} if all(map(isfinite, row.bounds)) else {})
            for row, options in rows
        ]
        return self.model_dump() | {"metrics": metrics}


def _paired(pairings: Iterable[PairingSpec]) -> Iterable[str]:
    for pairing in pairings:
        yield pairing.multilingual
        yield from pairing.monolingual
