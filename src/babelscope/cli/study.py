"""The commands about whole studies: run, plan, status and verify."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import STRICT, Json
from babelscope.cli.planning import (
    UNMEASURED,
    Measure,
    cost_lines,
    estimated,
    print_deviations,
)
from babelscope.display.numbers import items

if TYPE_CHECKING:
    from babelscope.study.config import Study
    from babelscope.study.run import Outcome
    from babelscope.types import Failure

SHOWN = 20
"""Lines about damaged cells that are printed."""
FEW = 3
"""Tasks of a row of a plan that are named; of more, their number is."""

study_app = typer.Typer(
    help="Run a whole grid of models, tasks, languages and analyses from a YAML file.",
    no_args_is_help=True,
)
StudyFile = Annotated[Path, typer.Argument(help="Path of the study's YAML file.")]
StudyStore = Annotated[
    Path | None,
    typer.Option(help="Folder of the store with the study's results. Default: FILE.store."),
]
Workers = Annotated[
    int,
    typer.Option(min=1, help="Number of processes; each takes the next model until none is left."),
]
Where = Annotated[
    str,
    typer.Option(help="Where the processes run: local (this machine) or ray (a Ray cluster)."),
]
GpusPerWorker = Annotated[
    float | None,
    typer.Option(
        help="GPUs that each process requests of a Ray cluster: a share from 0 to 1 or a whole "
        "number. Default: 1 if the cluster has any."
    ),
]

Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Refuse data with a row that cannot be used, instead of skipping it."
    ),
]
Pilot = Annotated[
    bool,
    typer.Option(
        "--pilot",
        help="Run everything that the study names with few examples, one seed and one epoch; "
        "the store is FILE.pilot.store.",
    ),
]


def _study(file: Path, pilot: bool) -> Study:
    """The study of a file, in its pilot form if that is meant."""
    from babelscope.study.config import read_study
    from babelscope.study.pilot import pilot as pilot_form

    return pilot_form(read_study(file)) if pilot else read_study(file)


def _place(file: Path, store: Path | None, pilot: bool) -> Path:
    return store or file.with_suffix(".pilot.store" if pilot else ".store")


@study_app.command("run")
def study_run(
    file: StudyFile,
    store: StudyStore = None,
    workers: Workers = 1,
    where: Where = "local",
    gpus_per_worker: GpusPerWorker = None,
    strict: Strict = False,
    pilot: Pilot = False,
    json_: Json = False,
) -> None:
    """Fill a store with the study's results; what exists is skipped, what fails is recorded."""
    from babelscope.cli.watching import watching

    study = _study(file, pilot)
    if strict or STRICT.get():
        study = study.model_copy(update={"strict": True})
    from babelscope.study.run import run

    print_deviations(study)
    with watching(study.name) as watch:
        place = _place(file, store, pilot)
        outcome = run(
            study, place, watch=watch, workers=workers, where=where,
            gpus_per_worker=gpus_per_worker,
        )  # fmt: skip
    if json_:
        printing.print_text(json.dumps(_values(outcome), indent=1, ensure_ascii=False))
    else:
        printing.print_text(f"{outcome.store}: {_counts(outcome)}")
        _print_lines("recomputed", outcome.damaged)
        printing.print_skipped_rows(outcome.skipped)
        printing.print_failures(outcome.failed)
    if outcome.failed:
        raise typer.Exit(1)


@study_app.command("plan")
def study_plan(
    file: StudyFile, pilot: Pilot = False, measure: Measure = False, json_: Json = False
) -> None:
    """Show what a study would compute, which models it would train and what is not as in the paper
    that it redoes; nothing is loaded unless you ask for the hours."""
    from babelscope.study.grid import cells_by_model, cells_of, trainings

    study = _study(file, pilot)
    rows, trained = cells_of(study), trainings(study)
    cost = estimated(study) if measure else None
    if json_:
        values = {"cells": rows, "trained": trained, "deviations": study.deviations}
        values |= {"cost": asdict(cost)} if cost else {}
        print(json.dumps(values, indent=1, ensure_ascii=False))
        return
    print_deviations(study)
    from babelscope.display.terminal import table

    columns = ("model", "seeds", "tasks", "analysis", "cells")
    summed = [
        tuple((row | {"tasks": _few(row["tasks"])}).values()) for row in cells_by_model(study)
    ]
    printing.show(table(study.name, columns, summed))
    print(f"{sum(row['cells'] for row in rows)} cells; {trained} models are fine-tuned")
    for line in cost_lines(cost) if cost else (UNMEASURED,):
        printing.print_text(line)


def _few(names: Sequence[str]) -> str:
    """Names as far as they fit into a column, else their number."""
    return ", ".join(names) if len(names) <= FEW else f"{len(names)} tasks"


@study_app.command("status")
def study_status(
    file: StudyFile,
    store: StudyStore = None,
    pilot: Pilot = False,
    json_: Json = False,
) -> None:
    """Show how much of a study is done, what is damaged and what failed; nothing is written."""
    from babelscope.store import failures, lost_cells, open_store
    from babelscope.study.grid import progress_of

    study = _study(file, pilot)
    place = open_store(_place(file, store, pilot), create=False)
    rows = progress_of(study, place)
    failed = failures(place)
    damaged = [f"{fault.file}: {fault.reason}" for fault in lost_cells(place)]
    if json_:
        values = {"models": rows, "damaged": damaged, "failed": _reasons(failed)}
        printing.print_text(json.dumps(values, indent=1, ensure_ascii=False))
        return
    from babelscope.display.terminal import table

    columns = ("model", "task", "analysis", "done", "planned")
    printing.show(table(study.name, columns, [tuple(row.values()) for row in rows]))
    _print_lines("damaged", damaged)
    printing.print_failures(failed)


@study_app.command("verify")
def study_verify(
    store: Annotated[Path, typer.Argument(help="Folder of the store.")],
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Remove what is damaged, so that the next run computes it again."
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Compare every file of a store with what was written; exit status 1 if anything is wrong."""
    from babelscope.store import cell_names, open_store, verify
    from babelscope.store import repair as remove

    opened = open_store(store, create=False)
    faults = list(verify(opened))
    number = len(cell_names(opened))
    if repair:
        for fault in faults:
            remove(opened, fault)
    if json_:
        rows = [{"file": fault.file, "reason": fault.reason} for fault in faults]
        values = {"cells": number, "faults": rows}
        printing.print_text(json.dumps(values, indent=1, ensure_ascii=False))
    else:
        for fault in faults:
            printing.print_text(f"{fault.file}: {fault.reason}")
        end = "; what could be removed was, run the study again" if faults and repair else ""
        printing.print_text(f"{store}: {items(number, 'cell')}, {items(len(faults), 'fault')}{end}")
    if faults:
        raise typer.Exit(1)


def _counts(outcome: Outcome) -> str:
    parts = [f"{items(outcome.filled, 'cell')} filled", f"{outcome.found} found"]
    if outcome.others:
        parts.append(f"{outcome.others} filled by another run")
    if outcome.damaged:
        parts.append(f"{len(outcome.damaged)} lost or damaged and computed again")
    if outcome.skipped:
        parts.append(f"{items(len(outcome.skipped), 'row')} skipped")
    return ", ".join([*parts, f"{len(outcome.failed)} failed"])


def _values(outcome: Outcome) -> dict[str, Any]:
    return {
        "store": str(outcome.store),
        "filled": outcome.filled,
        "found": outcome.found,
        "others": outcome.others,
        "damaged": list(outcome.damaged),
        "skipped": [asdict(row) for row in outcome.skipped],
        "failed": _reasons(outcome.failed),
    }


def _reasons(failed: Sequence[Failure]) -> list[dict[str, Any]]:
    return [{"cell": failure.cell, "reason": failure.reason} for failure in failed]


def _print_lines(what: str, lines: Sequence[str]) -> None:
    """The first lines on standard error, and how many more there are."""
    for line in lines[:SHOWN]:
        printing.print_text(f"{what}: {line}", error=True)
    if len(lines) > SHOWN:
        printing.print_text(f"{what}: {len(lines) - SHOWN} more", error=True)
