"""What a study costs and how it differs from its paper, as lines of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from babelscope.cli import printing

if TYPE_CHECKING:
    from babelscope.study.config import Study
    from babelscope.study.plan import Estimate

Measure = Annotated[
    bool,
    typer.Option(
        "--measure",
        help="Also estimate forward passes, disk and hours: the first model is run on a few texts, "
        "and the time is extrapolated to all.",
    ),
]
UNMEASURED = "--measure estimates forward passes, disk and hours from a few texts on this machine"


def estimated(study: Study) -> Estimate:
    from babelscope.study.plan import estimate

    return estimate(study)


def cost_lines(cost: Estimate) -> list[str]:
    measured = cost.measured
    lines = [
        f"{cost.training_rows:,.0f} rows are trained on, in all epochs; {cost.texts:,.0f} texts "
        f"are analysed with about {cost.passes:,.0f} forward passes",
        f"disk: {cost.result_bytes / 1e9:.3g} GB of results, {cost.model_bytes / 1e9:.3g} GB of "
        "fine-tuned models in the cache",
        f"time: about {_duration(cost.seconds)} on this machine in one process, from "
        f"{measured.model} on {measured.task}; other models by the size of their layers, other "
        "tasks by the length of their texts",
        f"on a GPU that does 12 TFLOP/s in float32: {cost.gpu_hours:.3g} hours for the models, "
        f"{cost.gpu_training / 3600:.3g} of them for fine-tuning",
    ]
    if cost.unknown:
        names = ", ".join(cost.unknown)
        lines.append(f"taken to be as large as {measured.model}, their size is not known: {names}")
    return lines


def _duration(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} hours" if seconds >= 3600 else f"{seconds:.0f} seconds"


def print_deviations(study: Study) -> None:
    """What is not as in the paper, on standard error."""
    if study.deviations:
        printing.print_text("not as in the paper:", error=True)
    for line in study.deviations:
        printing.print_text(f"  - {line}", error=True)
