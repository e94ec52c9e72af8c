"""Explain fine-tuned multilingual and monolingual transformers, and measure whether the
explanations can be trusted.

model = babelscope.load("my-finetuned-xlm-r")
text = "The food was not good."
attributions = babelscope.explain(model, [text], "integrated_gradients", lang="en")
babelscope.measure(model, attributions, ["comprehensiveness", "sufficiency"])
babelscope.run("study.yaml", "results")
babelscope.report("results", "page")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelscope.analyses.consistency.score import consistency
    from babelscope.analyses.trust.panel import trust
    from babelscope.data.formats.tables import read
    from babelscope.errors import BabelscopeError, InputError
    from babelscope.methods import METHODS
    from babelscope.methods.explain import explain
    from babelscope.metrics import METRICS
    from babelscope.metrics.measure import measure
    from babelscope.model.functions import from_function
    from babelscope.model.load import load
    from babelscope.reporting.build import report
    from babelscope.study.config import Study
    from babelscope.study.run import run
    from babelscope.training.finetune import finetune
    from babelscope.types import Attribution, Example, Measure

WHERE = {
    "Attribution": "types",
    "BabelscopeError": "errors",
    "Example": "types",
    "InputError": "errors",
    "METHODS": "methods",
    "METRICS": "metrics",
    "Measure": "types",
    "Study": "study.config",
    "consistency": "analyses.consistency.score",
    "explain": "methods.explain",
    "finetune": "training.finetune",
    "from_function": "model.functions",
    "load": "model.load",
    "measure": "metrics.measure",
    "read": "data.formats.tables",
    "report": "reporting.build",
    "run": "study.run",
    "trust": "analyses.trust.panel",
}
"""The public names and the modules that hold them; a module is imported when its name is first
used, so that `import babelscope` is quick and reading results never loads torch."""

__all__ = [
    "METHODS",
    "METRICS",
    "Attribution",
    "BabelscopeError",
    "Example",
    "InputError",
    "Measure",
    "Study",
    "consistency",
    "explain",
    "finetune",
    "from_function",
    "load",
    "measure",
    "read",
    "report",
    "run",
    "trust",
]


def __getattr__(name: str) -> Any:
    if name not in WHERE:
        raise AttributeError(f"module 'babelscope' has no attribute {name!r}")
    return getattr(importlib.import_module(f"babelscope.{WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
