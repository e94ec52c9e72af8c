"""The costs block of a study file."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from babelscope.analyses.block import Request
from babelscope.analyses.spec import AnalysisSpec
from babelscope.files import canonical
from babelscope.methods import METHODS
from babelscope.options import Choice, choose, resolve_options


class Spec(AnalysisSpec):
    """Which methods are timed, and on how many texts. Only the first seed's models are."""

    texts: int = Field(default=3, ge=1)
    """Number of texts that are explained by every method and timed, after one to warm up."""
    methods: list[Choice] = Field(default_factory=list)
    """Methods: a name, or a name with options; by default those of the study. One may be listed
    several times, with several numbers of samples."""

    @model_validator(mode="after")
    def known_methods(self) -> Self:
        seen: set[str] = set()
        for choice in self.methods:
            row = choose(METHODS, choice.name, "method")
            setting = f"{row.name} {canonical(resolve_options(row, choice.options))}"
            if setting in seen:
                raise ValueError(f"the method {setting!r} is listed twice")
            seen.add(setting)
        return self

    def check(self, request: Request) -> None:
        if not self.methods and not request.methods:
            raise ValueError("costs are those of methods: list 'methods' in the study or in costs")

    def chosen(self, request: Request) -> tuple[Choice, ...]:
        """The methods that are timed."""
        return tuple(self.methods) or request.methods
