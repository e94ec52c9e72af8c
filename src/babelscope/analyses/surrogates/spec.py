"""The surrogates block of a study file."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from babelscope.analyses.block import Request
from babelscope.analyses.spec import AnalysisSpec


class Spec(AnalysisSpec):
    """How many texts surrogates are fitted to and tested on. The tasks are made-up languages."""

    fitted: int = Field(default=10_000, ge=20)
    """Number of texts that the surrogates are fitted to."""
    tested: int = Field(default=500, ge=10)
    """Number of further texts that they are compared with the model on."""
    shown: int = Field(default=200, ge=1)
    """Number of these whose predictions are stored, for the scatter plot."""
    copies: list[int] = Field(default=[1, 2, 3, 5, 10, 15, 20, 25, 30], min_length=1)
    """Numbers of copies of the strongest word that the model reads."""
    lengths: list[int] = Field(default=[1, 2, 4, 8, 16, 30], min_length=1)
    """Lengths of the texts on which the exact design is compared with the fit."""
    exact: int = Field(default=200, ge=5)
    """Number of texts of each of these lengths."""
    shapley_copies: list[int] = Field(default_factory=list)
    """Numbers of copies of the strongest word for which Kernel SHAP's mean weight of a copy is
    stored, against as many copies of the weakest word; by default none."""

    def identity(self) -> dict[str, Any]:
        """What determines the numbers, as earlier versions wrote it where nothing newer is set."""
        unset = set() if self.shapley_copies else {"shapley_copies"}
        return self.model_dump(exclude=unset)

    def check(self, request: Request) -> None:
        for name in ("copies", "lengths", "shapley_copies"):
            if min(getattr(self, name), default=1) < 1:
                raise ValueError(f"{name} are numbers of words, from 1 on")
        for task in request.tasks:
            if task.data.synthetic is None:
                raise ValueError(
                    f"surrogates are of models of a made-up language; task {task.name!r} has no "
                    "'synthetic' data"
                )
