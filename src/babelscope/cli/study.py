"""The commands about whole studies: run and status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Json

study_app = typer.Typer(
    help="Run a whole grid of models, tasks, languages and analyses from a YAML file.",
    no_args_is_help=True,
)


@study_app.command("run")
def study_run(
    file: Annotated[Path, typer.Argument(help="Path of the study's YAML file.")],
    store: Annotated[
        Path | None, typer.Option(help="Folder of the store to fill; default: FILE.store.")
    ] = None,
    workers: Annotated[
        int, typer.Option(help="Number of processes; each takes the next model until none is left.")
    ] = 1,
    where: Annotated[
        str,
        typer.Option(help="Where the processes run: local (this machine) or ray (a Ray cluster)."),
    ] = "local",
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
        row = {"store": str(outcome.store), "filled": outcome.filled, "found": outcome.found}
        print(
            json.dumps(
                row
                | {"failed": [{"cell": one.cell, "reason": one.reason} for one in outcome.failed]},
                indent=1,
            )
        )
    else:
        print(
            f"{outcome.store}: {outcome.filled} cells filled, {outcome.found} found, "
            f"{len(outcome.failed)} failed"
        )
        printing.print_failures(outcome.failed)
    if outcome.failed:
        raise typer.Exit(1)


@study_app.command("status")
def study_status(
    file: Annotated[Path, typer.Argument(help="Path of the study's YAML file.")],
    store: Annotated[
        Path | None, typer.Option(help="Folder of the store; default: FILE.store.")
    ] = None,
    json_: Json = False,
) -> None:
    """How much of a study is done."""
    from babelscope.store import failures, open_store
    from babelscope.study.config import read_study
    from babelscope.study.grid import progress_of

    study = read_study(file)
    place = open_store(store or file.with_suffix(".store"), create=False)
    rows = progress_of(study, place)
    failed = failures(place)
    if json_:
        listed = [{"cell": one.cell, "reason": one.reason} for one in failed]
        print(json.dumps({"models": rows, "failed": listed}, indent=1, ensure_ascii=False))
        return
    from babelscope.display.terminal import table

    printing.show(
        table(
            study.name,
            ("model", "task", "analysis", "done", "planned"),
            [tuple(row.values()) for row in rows],
        )
    )
    printing.print_failures(failed)
