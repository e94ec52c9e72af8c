"""Explain fine-tuned multilingual and monolingual transformers, and measure whether the explanations can be trusted.

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
    from babelscope.crosslingual.consistency import Consistency, consistency
    from babelscope.data.files import read
    from babelscope.errors import (
        BabelscopeError,
        InputError,
        StoreError,
        Undefined,
        UnsupportedModel,
        UntrainedHead,
    )
    from babelscope.heads.masks import HeadMask, head_mask
    from babelscope.heads.statistics import HeadStatistics
    from babelscope.methods import METHODS
    from babelscope.metrics import METRICS
    from babelscope.model.finetune import Recipe, finetune
    from babelscope.model.heads import head_statistics
    from babelscope.model.load import Model, load
    from babelscope.pages.build import report
    from babelscope.results import Attributions, Measures, Trust
    from babelscope.study.classes import explain_classes
    from babelscope.study.config import Study
    from babelscope.study.explain import explain
    from babelscope.study.measure import measure
    from babelscope.study.run import run
    from babelscope.study.slalom import explain_function, fit_corpus, without
    from babelscope.study.suitable import suitable
    from babelscope.study.trust import trust
    from babelscope.types import Aim, Attribution, Estimate, Example, Measure

WHERE = {
    "Aim": "types",
    "Attribution": "types",
    "Attributions": "results",
    "BabelscopeError": "errors",
    "Consistency": "crosslingual.consistency",
    "Estimate": "types",
    "Example": "types",
    "HeadMask": "heads.masks",
    "HeadStatistics": "heads.statistics",
    "InputError": "errors",
    "METHODS": "methods",
    "METRICS": "metrics",
    "Measure": "types",
    "Measures": "results",
    "Model": "model.load",
    "Recipe": "model.finetune",
    "StoreError": "errors",
    "Study": "study.config",
    "Trust": "results",
    "Undefined": "errors",
    "UnsupportedModel": "errors",
    "UntrainedHead": "errors",
    "consistency": "crosslingual.consistency",
    "explain": "study.explain",
    "explain_classes": "study.classes",
    "explain_function": "study.slalom",
    "finetune": "model.finetune",
    "fit_corpus": "study.slalom",
    "head_mask": "heads.masks",
    "head_statistics": "model.heads",
    "load": "model.load",
    "measure": "study.measure",
    "read": "data.files",
    "report": "pages.build",
    "run": "study.run",
    "suitable": "study.suitable",
    "trust": "study.trust",
    "without": "study.slalom",
}
"""The public names and the modules that hold them; a module is imported when its name is first used, so that
`import babelscope` is quick and reading results never loads torch."""

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
