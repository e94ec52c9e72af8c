"""The consistency block of a study file."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from babelscope.analyses.consistency.pairs import Settings
from babelscope.options import Spec
from babelscope.training.spec import ModelSpec


class ConsistencySpec(Spec):
    """Do translations get the same explanation? The space that words are compared in, and how; see `consistency`.

    Without `source` each model's own training language is the source. No space is the model's own input table.
    """

    source: str | None = None
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

    def source_of(self, model: ModelSpec) -> str:
        """The language that the others are compared with."""
        trained = model.train.languages if model.train else []
        if self.source is None and len(trained) != 1:
            raise ValueError(f"consistency needs a 'source': model {model.name!r} is not trained here in one language")
        return self.source or trained[0]
