"""Which methods work on a model, known before any run."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from babelscope.errors import BabelscopeError, InputError, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Example

PROBES = ("a good day", "1 2 3", "、。一人")
"""Texts of which the first that the vocabulary knows is explained."""


@dataclass(frozen=True, slots=True)
class Suitability:
    """Whether a method works on a model; if not, or not as it is, why."""

    method: str
    works: bool
    reason: str = ""


def suitable(model: Model) -> tuple[Suitability, ...]:
    """Whether each method works on the model, and why not.

    Each method explains one short text with its default options. What its properties rule out (a
    model without attention weights) is refused before anything is computed; the rest (an operation
    without a rule, no padding token) by trying.
    """
    example = _probe(model)
    rows = []
    for name in METHODS:
        try:
            (attribution,) = explain(model, example, name)
        except (
            Exception
        ) as error:  # whatever a foreign model raises, the other methods are still reported
            rows.append(Suitability(name, False, _line(error)))
            continue
        defined = any(isfinite(score) for score in attribution.scores)
        reasons = [
            flag for flag in attribution.flags if flag.startswith("computed in") or not defined
        ]
        rows.append(Suitability(name, defined, "; ".join(reasons)))
    return tuple(rows)


def _probe(model: Model) -> Example:
    """A short text, or a pair of them, that the model can read."""
    count = model.texts or model.row.fewest
    for text in PROBES:
        example = Example("probe", (text,) * count)
        try:
            encode(model, [example])
        except InputError:
            continue
        return example
    raise UnsupportedModel(
        f"{model.name} knows none of the texts {', '.join(map(repr, PROBES))}; explain another one"
    )


def _line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, BabelscopeError) else f"{type(error).__name__}: {text[:120]}"
