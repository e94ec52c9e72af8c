"""The trade-offs block of a study file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from babelscope.analyses.block import Request
from babelscope.analyses.spec import AnalysisSpec
from babelscope.analyses.tradeoffs.provenance import SINGLE, Provenance, Stated, provenance
from babelscope.options import suggestion
from babelscope.training.spec import ModelSpec

Pooling = Literal["mean", "first", "last"]


class Spec(AnalysisSpec):
    """Which models are compared, what they were fine-tuned from, and which references they get."""

    models: list[str] | None = Field(default=None, min_length=1)
    """Models of the study that take part; default: all."""
    stated: dict[str, Stated] = Field(default_factory=dict)
    """What existing models were fine-tuned on, by name, where their folders do not say."""
    base: str | None = None
    """The checkpoint that existing models were fine-tuned from; of those trained here it is
    known."""
    train_examples: int | None = Field(default=None, ge=0)
    """Training texts of the probes; default: as many as the models were trained on, or all there
    are."""
    dev_examples: int | None = Field(default=None, ge=0)
    """Development texts for probes and temperatures; default: as for training."""
    poolings: list[Pooling] = Field(default=["mean", "first", "last"], min_length=1)
    """Which hidden states of a text are compared: the mean over its tokens, the first, the last."""
    language_model: bool = True
    """Whether the loss of the base's language model is taken, where the base has its head."""
    seed: int = 0
    """Of sampled sign flips and null distributions."""

    def check(self, request: Request) -> None:
        known = [model.name for model in request.models]
        for name in (*(self.models or ()), *self.stated):
            if name not in known:
                raise ValueError(f"trade-offs name the model {name!r}; {suggestion(name, known)}")
        chosen = self.chosen(request)
        for model in chosen:
            self._check_model(model)
        _check_bases(chosen)
        _check_provenances(self.provenances(request))

    def chosen(self, request: Request) -> list[ModelSpec]:
        """The models of the study that take part."""
        return [
            model for model in request.models if self.models is None or model.name in self.models
        ]

    def provenances(self, request: Request) -> list[tuple[ModelSpec, Provenance]]:
        """Every model that takes part, at every seed."""
        listed = []
        for model in self.chosen(request):
            for seed in request.seeds if model.train else request.seeds[:1]:
                listed.append((model, provenance(model, seed, self.stated.get(model.name))))
        return listed

    def _check_model(self, model: ModelSpec) -> None:
        who = f"the model {model.name!r}"
        if model.languages is not None:
            raise ValueError(
                f"{who} has 'languages' of its own; trade-offs test every model in all of the "
                "study's"
            )
        if model.train is None:
            return
        if model.train.separately:
            raise ValueError(
                f"{who} is trained for each language separately; trade-offs need one model per "
                "language"
            )
        if not isinstance(model.train.base, str):
            raise ValueError(
                f"{who} has no 'train' with a 'base'; trade-offs need what it was fine-tuned from"
            )
        if self.base not in (None, model.train.base):
            raise ValueError(
                f"{who} is fine-tuned from {model.train.base}, the base of the trade-offs is "
                f"{self.base}"
            )


def base_of(model: ModelSpec, spec: Spec) -> tuple[str, ...] | None:
    """What decides the base: its name and revision; recipes of one language differ by language."""
    train = model.train
    if train is None or train.base is None:
        return None if spec.base is None else (spec.base,)
    apart = train.languages if str(train.base).startswith("pretrained:monolingual") else []
    return (str(train.base), train.revision or "", *apart)


def common_seeds(provenances: Iterable[Provenance]) -> list[int]:
    """The seeds that every source language has."""
    singles = [each for each in provenances if each.kind == SINGLE]
    sources = {each.source for each in singles}
    pairs = {(each.source, each.seed) for each in singles}
    return sorted({seed for _, seed in pairs if all((source, seed) in pairs for source in sources)})


def _check_bases(models: Iterable[ModelSpec]) -> None:
    bases = dict.fromkeys(base for model in models if (base := base_of(model, Spec())))
    if len(bases) > 1:
        names = ", ".join(" ".join(base).strip() for base in bases)
        raise ValueError(
            f"the models start from {len(bases)} bases ({names}); trade-offs compare models of one "
            "base"
        )


def _check_provenances(listed: list[tuple[ModelSpec, Provenance]]) -> None:
    seen: dict[Provenance, ModelSpec] = {}
    for model, each in listed:
        if each in seen:
            raise ValueError(
                f"{model.source or model.name} and {seen[each].source or seen[each].name} are both "
                f"of {each.source}, "
                f"seed {each.seed}; state which is which: LANG:SEED=DIR"
            )
        seen[each] = model
    if not any(each.kind == SINGLE for each in seen):
        raise ValueError("no model is fine-tuned on one language; trade-offs need at least one")
    if not common_seeds(seen):
        raise ValueError(
            "the source languages have no seed in common; trade-offs need a seed that all of them "
            "have"
        )
