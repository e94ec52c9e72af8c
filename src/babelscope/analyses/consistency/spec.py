"""The consistency block of a study file."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from babelscope.analyses.block import Request
from babelscope.analyses.consistency.pairs import Settings
from babelscope.analyses.spec import AnalysisSpec


class Spec(AnalysisSpec):
    """Do translations get the same explanation? The space that words are compared in, and how; see `consistency`.

    Where no space is named, words are compared in the input embeddings of the model itself.
    """

    vectors: str | None = None
    subwords: str | None = None
    encoder: str | None = None
    gold: bool = False
    norms: list[str] = Field(default=["abs"], min_length=1)
    segments: str = "blocked"
    unknown: str = "identity"
    draws: int = Field(default=20, ge=1)
    untrained: bool = False

    @model_validator(mode="after")
    def all_known(self) -> Self:
        if self.gold and (self.vectors or self.subwords or self.encoder):
            raise ValueError("'gold' compares words by gold links; leave the other spaces out")
        for norm in self.norms:
            Settings(norm, self.segments, self.unknown)
        return self

    def check(self, request: Request) -> None:
        for task in request.tasks:
            if self.gold and task.data.builtin is None:
                raise ValueError(f"task {task.name!r}: only built-in corpora have gold links between translations")
