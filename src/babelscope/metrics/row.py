"""What a row of METRICS holds. No torch: a metric's module is imported when its function is first
used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from babelscope.metrics.erased import Scores
    from babelscope.model.load import Model
    from babelscope.types import Encoded, Measured, Target


@runtime_checkable
class MetricFunction(Protocol):
    """A quality metric: one Measured per input, in the order of the inputs.

    `scores` holds one array per input, with one score per unit. The options are keyword-only and
    listed with their defaults in the metric's row.
    """

    def __call__(
        self,
        model: Model,
        inputs: Sequence[Encoded],
        scores: Scores,
        targets: Sequence[Target],
        **options: Any,
    ) -> list[Measured]: ...


@dataclass(frozen=True, slots=True)
class Metric:
    """A row of METRICS: where the function is, its options, and the properties that tests, report
    and command line read."""

    name: str
    module: str
    """The module whose function of this name is the metric."""
    family: str
    summary: str
    options: Mapping[str, Any] = field(hash=False)
    """The keyword-only options with their defaults."""
    higher_is_better: bool
    bounds: tuple[float, float]
    order_only: bool
    """Only the ranking of the scores matters."""
    embeddings: bool = False
    """It changes the model's word embeddings: not defined for a function of texts."""
    may_be_undefined: bool = True
    formerly: str = ""
    """A name that it had before; it is refused with the new one."""

    @property
    def function(self) -> MetricFunction:
        function: MetricFunction = getattr(import_module(self.module), self.name)
        return function
