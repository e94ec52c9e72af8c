"""What a row of METHODS holds. No torch: a method's module is imported when its function is first
used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from babelscope.model.load import Model
    from babelscope.types import Encoded, Explained, Target


@runtime_checkable
class MethodFunction(Protocol):
    """An attribution method: one Explained per input, in the order of the inputs.

    The options are keyword-only and listed with their defaults in the method's row; a seeded method
    also takes `seed`. Methods of one pass (`Method.one_pass`) take goals in the place of targets.
    """

    def __call__(
        self, model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], **options: Any
    ) -> list[Explained]: ...


@dataclass(frozen=True, slots=True)
class Method:
    """A row of METHODS: where the function is, its options, and the properties that tests, report
    and command line read."""

    name: str
    module: str
    """The module whose function of this name is the method."""
    family: str
    summary: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The keyword-only options with their defaults; the seed is not one of them."""
    complete: bool = False
    """Scores sum to value - reference value."""
    signed: bool = True
    gradients: bool = False
    attentions: bool = False
    seeded: bool = False
    one_pass: bool = False
    """One gradient pass over the inputs gives the scores, and its forward half the outputs: the
    function takes goals in the place of targets.
    """
    words: str = "sum"
    """How a word's score follows from its tokens': sum, or max for unsigned shares."""
    precise: str = ""
    """The precision that it needs, float32 or float64: a model of lower precision is converted
    while it runs. Empty where it runs in the model's own.
    """
    formerly: str = ""
    """A name that it had before; it is refused with the new one."""

    @property
    def function(self) -> MethodFunction:
        function: MethodFunction = getattr(import_module(self.module), self.name)
        return function
