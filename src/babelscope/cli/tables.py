"""The commands that list what there is: methods, metrics, tasks, analyses."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Json, Untrained

FACTS = (
    "family", "complete", "signed", "gradients", "attentions", "seeded", "precise", "words",
    "summary",
)  # fmt: skip
"""The properties of a method that are listed."""

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="How the model is loaded: dtype, device_map, quantization or adapter; repeatable.",
    ),
]


def methods(
    model: Annotated[
        str | None,
        typer.Option(help="Hub id or folder of a model to try every method on."),
    ] = None,
    allow_untrained_head: Untrained = False,
    set_: Settings = None,
    json_: Json = False,
) -> None:
    """List the attribution methods and their properties, or which of them work on a model."""
    from babelscope.cli.settings import WeightSettings, read_settings
    from babelscope.errors import InputError
    from babelscope.methods import METHODS

    if model is None and set_:
        raise InputError("--set has no effect without --model; leave it out")
    if model is not None:
        from babelscope.methods.suitability import suitable
        from babelscope.model.load import load

        weights = read_settings(WeightSettings, set_).model_dump()
        loaded = load(model, allow_untrained_head=allow_untrained_head, **weights)
        printing.deliver_suitable(suitable(loaded), model, json_)
        return
    printing.show_rows("methods", METHODS.values(), FACTS, json_)


def metrics(json_: Json = False) -> None:
    """List the quality metrics and their properties."""
    from babelscope.metrics import METRICS

    printing.show_rows(
        "metrics",
        METRICS.values(),
        ("family", "higher_is_better", "bounds", "order_only", "summary"),
        json_,
    )


def tasks(json_: Json = False) -> None:
    """List the tasks whose models can be explained, and what each task reads."""
    from babelscope.model.tasks import TASKS

    rows = [{"name": row.name, "texts": row.inputs, "target": row.target} for row in TASKS.values()]
    if json_:
        printing.print_text(json.dumps(rows, indent=1))
        return
    from babelscope.display.terminal import table

    printing.show(
        table("tasks", ("name", "texts", "target"), [tuple(row.values()) for row in rows])
    )


def analyses(json_: Json = False) -> None:
    """List the analyses that a study file can request, and the question each answers."""
    from babelscope.analyses import ANALYSES

    rows = [{"name": row.name, "question": row.question} for row in ANALYSES.values()]
    if json_:
        printing.print_text(json.dumps(rows, indent=1))
        return
    from babelscope.display.terminal import table

    printing.show(table("analyses", ("name", "question"), [tuple(row.values()) for row in rows]))
