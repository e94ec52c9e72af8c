"""What a study of many languages, models and methods would cost, from measured unit costs.

    python -m benchmarks.scale_out

The unit costs are those of `study plan --measure` (`study.measure.Measured`): a study of all the
methods on the packaged multilingual model is run on a few texts. Everything else is multiplication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babelscope.study.config import as_study
from babelscope.study.measure import Measured, measure
from babelscope.study.plan import SUSTAINED
from benchmarks.timing import table

METHODS = (
    "random", "position", "gradient_norm", "input_x_gradient", "integrated_gradients", "deeplift",
    "attnlrp", "cp_lrp", "attcat", "attention", "scaled_attention", "rollout", "alti", "transatt",
    "lrp", "partial_lrp", "occlusion", "lime", "kernel_shap", "slalom",
)  # fmt: skip
STUDY: dict[str, Any] = {
    "name": "unit costs",
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 8}}],
    "languages": ["en", "es", "zh", "hi"],
    "models": [{"name": "multilingual", "source": "demo"}],
    "methods": list(METHODS),
    "faithfulness": {"metrics": ["comprehensiveness", "sufficiency"]},
}


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the study is, and what its machines cost."""

    languages: int = 100
    models: int = 50
    texts: int = 200
    """Per language."""
    weights: float = 85e6
    """Of the layers of a model: 12 layers of width 768."""
    euros_processor: float = 0.05
    """An hour of one core."""
    euros_gpu: float = 1.5
    """An hour of a GPU that does `plan.SUSTAINED` operations in a second."""


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """What such a study takes."""

    passes: float
    processor_hours: float
    """On one core as the measured one, models included."""
    gpu_hours: float
    """The models alone, in float32."""
    gigabytes: float
    euros_processor: float
    """All on cores."""
    euros_gpu: float
    """The models on GPUs; the rest beside them costs the GPU's hours at least once more."""


def extrapolate(measured: Measured, scale: Scale) -> Extrapolation:
    """From what a block of the study costs to all of it.

        texts = languages x texts of a language                         of each model
        passes = models x passes(texts)
        seconds = startup + models (fixed + (languages - 2) per_language + s each texts)
        operations = 2 weights models tokens(texts);   s = 1 + growth (weights / measured - 1)

    with the symbols of `plan.estimate`, whose sum over equal blocks this is.

    *Laws*: twice the models take twice as much of everything but the start; money is hours by
    prices.
    """
    texts = scale.languages * scale.texts
    size = 1 + measured.growth * (scale.weights / measured.parameters - 1)
    block = measured.texts.fixed + measured.per_language * max(0, scale.languages - 2)
    seconds = measured.startup + scale.models * (block + size * measured.texts.each * texts)
    operations = 2 * scale.weights * scale.models * measured.tokens.of(texts)
    processor, gpu = seconds / 3600, operations / SUSTAINED["float32"] / 3600
    return Extrapolation(
        scale.models * measured.passes.of(texts), processor, gpu,
        scale.models * measured.bytes.of(texts) / 1e9,
        processor * scale.euros_processor, gpu * scale.euros_gpu,
    )  # fmt: skip


def section(measured: Measured | None = None) -> str:
    measured = measured or measure(as_study(STUDY))
    scales = [Scale(10, 5), Scale(100, 5), Scale(100, 50)]
    head = ["languages", "models", "texts per language", "forward passes", "hours of one core",
            "GPU hours", "GB of results", "euros on cores", "euros on GPUs"]  # fmt: skip
    rows = []
    for scale in scales:
        cost = extrapolate(measured, scale)
        rows.append([
            scale.languages, scale.models, scale.texts, f"{cost.passes:.2g}",
            f"{cost.processor_hours:.2g}", f"{cost.gpu_hours:.2g}", f"{cost.gigabytes:.2g}",
            f"{cost.euros_processor:.2g}", f"{cost.euros_gpu:.2g}",
        ])  # fmt: skip
    return f"""## What a large study would cost

Extrapolated, not run: {len(METHODS)} methods and {len(STUDY["faithfulness"]["metrics"])} metrics on models of {Scale().weights / 1e6:.0f} million weights in their layers. The unit costs are measured with
the packaged model, as `study plan --measure` does. A core costs {Scale().euros_processor} euros an hour, a GPU {Scale().euros_gpu}.

{table(head, rows)}
"""


if __name__ == "__main__":
    print(section())
