"""One folder per research question about models, one row per folder.

An analysis has a block in the study file (`spec`), computes and stores cells (`cells`), turns the
store into tables (`tables`) and tables into a section of the report (`section`). Rows name where
these live, so that reading the table imports neither torch nor the analysis itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from babelscope.analyses.spec import AnalysisSpec


@dataclass(frozen=True, slots=True)
class Analysis:
    """A row of ANALYSES. Its folder holds `spec.py`, `cells.py`, `tables.py` and `section.py`."""

    name: str
    question: str
    methods: bool = False
    """Explanations are its input: a study that asks for it lists methods."""
    parallel: bool = False
    """Translations are compared with their source: a study that asks for it has a source language.
    """

    @property
    def spec(self) -> type[AnalysisSpec]:
        """Its block in a study file."""
        return self._named("spec", "Spec")  # type: ignore[no-any-return]

    @property
    def places(self) -> Callable[..., Any]:
        """`(block, spec) -> places`: the cells that it plans, without loading a model."""
        return self._named("cells", "places")  # type: ignore[no-any-return]

    @property
    def cells(self) -> Callable[..., Any]:
        """`(block, spec, resources) -> groups of cells`: what it computes."""
        return self._named("cells", "cells")  # type: ignore[no-any-return]

    @property
    def tables(self) -> Callable[..., Any]:
        """`(store, study) -> tables`, or None where the store holds nothing of it."""
        return self._named("tables", "tables")  # type: ignore[no-any-return]

    @property
    def section(self) -> Callable[..., Any]:
        """`(tables) -> Section`: the answer in one sentence, the figures, the details."""
        return self._named("section", "section")  # type: ignore[no-any-return]

    def _named(self, module: str, name: str) -> Any:
        return getattr(importlib.import_module(f"babelscope.analyses.{self.name}.{module}"), name)


ANALYSES: Mapping[str, Analysis] = {
    row.name: row
    for row in (
        Analysis(
            "faithfulness",
            "Are explanations equally faithful in every language, and of multilingual and "
            "monolingual models?",
            methods=True,
        ),
        Analysis("trust", "Can a single explanation be trusted?", methods=True),
        Analysis(
            "consistency",
            "Do translations get the same explanation?",
            methods=True,
            parallel=True,
        ),
        Analysis("tokenization", "Is it the tokenizer?"),
        Analysis("tradeoffs", "What did fine-tuning on one language cost the others?"),
        Analysis("heads", "Which attention heads matter, and does masking the rest help?"),
        Analysis("surrogates", "Which surrogate describes the model: a sum of words, or a SLALOM?"),
        Analysis("costs", "Do methods differ in what an explanation costs?"),
    )
}
"""The analyses, in the order of the report."""
