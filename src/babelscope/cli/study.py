"""The commands about whole studies: run, status and verify."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Json

if TYPE_CHECKING:
    from babelscope.study.run import Outcome
    from babelscope.types import Failure

SHOWN = 20
"""Lines about damaged cells that are printed."""

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
    typer.Option(help="Number of processes; each takes the next model until none is left."),
]
Where = Annotated[
    str,
    typer.Option(help="Where the processes run: local (this machine) or ray (a Ray cluster)."),
]


@study_app.command("run")
def study_run(
    file: StudyFile,
    store: StudyStore = None,
    workers: Workers = 1,
    where: Where = "local",
    json_: Json = False,
) -> None:
    """Fill a store with the study's results; what exists is skipped, what fails is recorded."""
    from babelscope.cli.watching import watching
    from babelscope.study.config import read_study

    study = read_study(file)
    from babelscope.study.run import run

    with watching(study.name) as watch:
        outcome = run(
            study, store or file.with_suffix(".store"), watch=watch, workers=workers, where=where
        )
    if json_:
        print(json.dumps(_values(outcome), indent=1, ensure_ascii=False))
    else:
        print(f"{outcome.store}: {_counts(outcome)}")
        _print_lines("recomputed", outcome.damaged)
        printing.print_failures(outcome.failed)
    if outcome.failed:
        raise typer.Exit(1)


@study_app.command("status")
def study_status(
    file: StudyFile,
    store: StudyStore = None,
    json_: Json = False,
) -> None:
    """Show how much of a study is done, what is damaged and what failed; nothing is written."""
    from babelscope.store import failures, lost_cells, open_store
    from babelscope.study.config import read_study
    from babelscope.study.grid import progress_of

    study = read_study(file)
    place = open_store(store or file.with_suffix(".store"), create=False)
    rows = progress_of(study, place)
    failed = failures(place)
    damaged = [f"{fault.file}: {fault.reason}" for fault in lost_cells(place)]
    if json_:
        values = {"models": rows, "damaged": damaged, "failed": _reasons(failed)}
        print(json.dumps(values, indent=1, ensure_ascii=False))
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
        print(json.dumps({"cells": number, "faults": rows}, indent=1, ensure_ascii=False))
    else:
        for fault in faults:
            print(f"{fault.file}: {fault.reason}")
        end = "; what could be removed was, run the study again" if faults and repair else ""
        print(f"{store}: {number} cells, {len(faults)} faults{end}")
    if faults:
        raise typer.Exit(1)


def _counts(outcome: Outcome) -> str:
    parts = [f"{outcome.filled} cells filled", f"{outcome.found} found"]
    if outcome.others:
        parts.append(f"{outcome.others} filled by another run")
    if outcome.damaged:
        parts.append(f"{len(outcome.damaged)} lost or damaged and computed again")
    return ", ".join([*parts, f"{len(outcome.failed)} failed"])


def _values(outcome: Outcome) -> dict[str, Any]:
    return {
        "store": str(outcome.store),
        "filled": outcome.filled,
        "found": outcome.found,
        "others": outcome.others,
        "damaged": list(outcome.damaged),
        "failed": _reasons(outcome.failed),
    }


def _reasons(failed: Sequence[Failure]) -> list[dict[str, Any]]:
    return [{"cell": failure.cell, "reason": failure.reason} for failure in failed]


def _print_lines(what: str, lines: Sequence[str]) -> None:
    """The first lines on standard error, and how many more there are."""
    for line in lines[:SHOWN]:
        print(f"{what}: {line}", file=sys.stderr)
    if len(lines) > SHOWN:
        print(f"{what}: {len(lines) - SHOWN} more", file=sys.stderr)
