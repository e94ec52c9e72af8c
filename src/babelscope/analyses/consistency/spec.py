"""The consistency block of a study file."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from babelscope.analyses.block import Request
from babelscope.analyses.consistency.load_spaces import SpaceNames
from babelscope.analyses.consistency.pairs import Settings
from babelscope.analyses.consistency.weights import NORMS
from babelscope.analyses.spec import AnalysisSpec


class Spec(AnalysisSpec):
    """The space that words of translations are compared in, and how their scores become weights.

    Where no space is named, words are compared by the input embeddings of the model itself, which
    is circular: the explained model then decides which words are alike.
    """

    vectors: str | None = None
    """Aligned word vectors, one text file per language: en=A.vec,es=B.vec."""
    subwords: str | None = None
    """A space of subwords and the folder of its tokenizer: FOLDER=TOKENIZER."""
    encoder: str | None = None
    """A multilingual encoder that reads each word alone: a hub id or a folder."""
    gold: bool = False
    """Compare words by the gold links of a built-in corpus."""
    norms: list[str] = Field(default=["abs"], min_length=1)
    """How scores become weights; `all` for every one of NORMS."""
    segments: str = "blocked"
    """Pairs of texts: weight flows within each text (blocked) or over both (joint)."""
    unknown: str = "identity"
    """What a word without a vector is similar to: the same string (identity), nothing (zero); or it
    is left out (drop)."""
    centre: Literal["always", "never", "auto"] = "always"
    """Whether each language's mean vector is subtracted: always, never, or where random words of
    some language have a mean cosine above .1 with those of the source (auto), which depends on the
    words of the texts."""
    permutations: int = Field(default=20, ge=0)
    """Behind C_perm."""
    seed: int = 0
    """Of the permutations and sign flips."""
    untrained: bool = False
    """Explain the same model with random weights too, for C_rand; doubles the time."""

    @field_validator("norms", mode="before")
    @classmethod
    def all_norms(cls, names: Any) -> Any:
        return list(NORMS) if names == "all" else [names] if isinstance(names, str) else names

    @model_validator(mode="after")
    def all_known(self) -> Self:
        if self.gold and self.spaces.any:
            raise ValueError("'gold' compares words by gold links; leave the other spaces out")
        _ = self.settings  # refuses what is not known
        return self

    @property
    def spaces(self) -> SpaceNames:
        return SpaceNames(self.vectors, self.subwords, self.encoder)

    @property
    def settings(self) -> list[Settings]:
        """One for each norm; what is unknown in them is refused."""
        rest = (self.segments, self.unknown, self.permutations, self.seed)
        return [Settings(norm, *rest) for norm in self.norms]

    def check(self, request: Request) -> None:
        for task in request.tasks:
            if self.gold and task.data.builtin is None:
                raise ValueError(
                    f"task {task.name!r}: only built-in corpora have gold links between "
                    "translations"
                )
