"""Explain fine-tuned multilingual and monolingual transformers, and measure whether the
explanations can be trusted.

model = babelscope.load("my-finetuned-xlm-r")
found = babelscope.explain(model, ["The food was not good."], "integrated_gradients", lang="en")
babelscope.measure(model, found, ["comprehensiveness", "sufficiency"])
babelscope.run("study.yaml", "results")
babelscope.report("results", "page")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelscope.analyses.consistency.score import Consistency, consistency
    from babelscope.analyses.trust.panel import trust
    from babelscope.analyses.trust.values import (
        Trust,
    )
    from babelscope.data.formats.tables import read
    from babelscope.display.results import (
        Attributions,
        Measures,
    )
    from babelscope.errors import (
        BabelscopeError,
        InputError,
        StoreError,
        Undefined,
        UnsupportedModel,
        UntrainedHead,
    )
    from babelscope.methods import METHODS
    from babelscope.methods.explain import explain
    from babelscope.methods.slalom.classes import explain_classes
    from babelscope.methods.slalom.corpus import explain_function, fit_corpus, without
    from babelscope.methods.suitability import suitable
    from babelscope.metrics import METRICS
    from babelscope.metrics.measure import measure
    from babelscope.model.head_masks import HeadMask, head_mask
    from babelscope.model.head_statistics import HeadStatistics
    from babelscope.model.heads import head_statistics
    from babelscope.model.load import Model, load
    from babelscope.reporting.build import report
    from babelscope.study.config import Study
    from babelscope.study.run import run
    from babelscope.training.finetune import Recipe, finetune
    from babelscope.types import Aim, Attribution, Estimate, Example, Measure

WHERE = {
    "Aim": "types",
    "Attribution": "types",
    "Attributions": "display.results",
    "BabelscopeError": "errors",
    "Consistency": "analyses.consistency.score",
    "Estimate": "types",
    "Example": "types",
    "HeadMask": "model.head_masks",
    "HeadStatistics": "model.head_statistics",
    "InputError": "errors",
    "METHODS": "methods",
    "METRICS": "metrics",
    "Measure": "types",
    "Measures": "display.results",
    "Model": "model.load",
    "Recipe": "training.finetune",
    "StoreError": "errors",
    "Study": "study.config",
    "Trust": "analyses.trust.values",
    "Undefined": "errors",
    "UnsupportedModel": "errors",
    "UntrainedHead": "errors",
    "consistency": "analyses.consistency.score",
    "explain": "methods.explain",
    "explain_classes": "methods.slalom.classes",
    "explain_function": "methods.slalom.corpus",
    "finetune": "training.finetune",
    "fit_corpus": "methods.slalom.corpus",
    "head_mask": "model.head_masks",
    "head_statistics": "model.heads",
    "load": "model.load",
    "measure": "metrics.measure",
    "read": "data.formats.tables",
    "report": "reporting.build",
    "run": "study.run",
    "suitable": "methods.suitability",
    "trust": "analyses.trust.panel",
    "without": "methods.slalom.corpus",
}
"""The public names and the modules that hold them; a module is imported when its name is first
used, so that `import babelscope` is quick and reading results never loads torch."""

__all__ = [
    "METHODS",
    "METRICS",
    "Aim",
    "Attribution",
    "Attributions",
    "BabelscopeError",
    "Consistency",
    "Estimate",
    "Example",
    "HeadMask",
    "HeadStatistics",
    "InputError",
    "Measure",
    "Measures",
    "Model",
    "Recipe",
    "StoreError",
    "Study",
    "Trust",
    "Undefined",
    "UnsupportedModel",
    "UntrainedHead",
    "consistency",
    "explain",
    "explain_classes",
    "explain_function",
    "finetune",
    "fit_corpus",
    "head_mask",
    "head_statistics",
    "load",
    "measure",
    "read",
    "report",
    "run",
    "suitable",
    "trust",
    "without",
]


def __getattr__(name: str) -> Any:
    if name not in WHERE:
        raise AttributeError(f"module 'babelscope' has no attribute {name!r}")
    return getattr(importlib.import_module(f"babelscope.{WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
