"""What every block of an analysis in a study file has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from babelscope.options import Spec

if TYPE_CHECKING:
    from babelscope.analyses.block import Request


class AnalysisSpec(Spec):
    """A block of a study file. Its fields have the defaults that a scientist would defend."""

    def check(self, request: Request) -> None:
        """Raises ValueError where the rest of the study lacks what the analysis needs."""

    def describe(self) -> dict[str, Any]:
        """The block as the report reads it: its fields, and the properties of what it names."""
        return self.model_dump()
