"""The heads block of a study file."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from babelscope.analyses.block import Request
from babelscope.analyses.spec import AnalysisSpec
from babelscope.model.head_masks import check_mask
from babelscope.model.head_statistics import RELATIONS, resolve_relations


class Spec(AnalysisSpec):
    """Sentences with trees, the relations that heads are tested for, and the derived masks."""

    treebanks: dict[str, str] | str | None = None
    """Sentences with trees: a CoNLL-U file for each language (languages that are not listed are
    left out), or one name with `{lang}`; by default the gold trees of the task's own examples."""
    relations: list[str] = Field(default=list(RELATIONS))
    """Relations of Universal Dependencies that heads are tested for."""
    direction: str = "dep->head"
    """From which word a head has to point at the other: `dep->head`, `head->dep` or `either`."""
    subtypes: str = "strip"
    """What happens to sub-types of relations: `strip` counts `nsubj:pass` as `nsubj`, `exact` does
    not."""
    margin: float = 0.05
    """How much the accuracy of a syntactic head must exceed the share of the commonest distance."""
    positional: float = 0.8
    """Share of all tokens that a positional head must exceed at one offset."""
    part: float | None = Field(default=None, gt=0, lt=1)
    """Part of the heads that pass each of the two thresholds, which then replace `margin` and
    `positional`: with fixed thresholds a mask may keep no head of a model, or all."""
    kinds: list[str] = Field(default=["synt_pos", "synt", "pos"], min_length=1)
    """Masks that are derived: `synt_pos`, `synt`, `pos`, `random`, `corrupted`,
    `corrupted_sinks`, `corrupted_words` or `all`; the first is the one that is shown and compared
    between languages."""
    seed: int = 0
    """Seed of the masks `random` and `corrupted`."""
    ablations: int = Field(default=0, ge=0)
    """Number of random masks that every mask is compared with in the forward pass: what the model
    predicts with its heads alone, and without them. 0: no head is switched off."""
    rate: float = 0.5
    """Share of the other heads that the `corrupted` masks add."""

    @model_validator(mode="after")
    def all_known(self) -> Self:
        resolve_relations(tuple(self.relations), self.direction, self.subtypes)
        for kind in self.kinds:
            check_mask(kind, self.margin, self.positional, self.rate)
        return self

    def check(self, request: Request) -> None:
        if isinstance(self.treebanks, dict):
            unknown = sorted(set(self.treebanks) - set(request.languages))
            if unknown:
                named = f"'treebanks' names the language {unknown[0]!r}"
                raise ValueError(f"{named}, which the study does not have")
        elif self.treebanks and "{lang}" not in self.treebanks and len(request.languages) > 1:
            raise ValueError(
                f"one treebank ({self.treebanks}) for several languages: put {{lang}} into its name"
            )

    def treebank(self, lang: str) -> str | None:
        """The file of a language; None for the gold trees of the task's examples."""
        if isinstance(self.treebanks, dict):
            return self.treebanks[lang]
        return self.treebanks and self.treebanks.replace("{lang}", lang)

    def reads(self, lang: str) -> bool:
        """Whether heads are counted in a language."""
        return not isinstance(self.treebanks, dict) or lang in self.treebanks
