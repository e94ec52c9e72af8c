"""The commands about whole studies: run and status."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Json

if TYPE_CHECKING:
    from babelscope.types import Failure

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
        row = {"store": str(outcome.store), "filled": outcome.filled, "found": outcome.found}
        print(json.dumps(row | {"failed": _reasons(outcome.failed)}, indent=1))
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
    file: StudyFile,
    store: StudyStore = None,
    json_: Json = False,
) -> None:
    """Show how much of a study is done, and what failed."""
    from babelscope.store import failures, open_store
    from babelscope.study.config import read_study
    from babelscope.study.grid import progress_of

    study = read_study(file)
    opened = open_store(store or file.with_suffix(".store"), create=False)
    rows = progress_of(study, opened)
    failed = failures(opened)
    if json_:
        listed = {"models": rows, "failed": _reasons(failed)}
        print(json.dumps(listed, indent=1, ensure_ascii=False))
        return
    from babelscope.display.terminal import table

    columns = ("model", "task", "analysis", "done", "planned")
    printing.show(table(study.name, columns, [tuple(row.values()) for row in rows]))
    printing.print_failures(failed)


def _reasons(failed: Sequence[Failure]) -> list[dict[str, Any]]:
    return [{"cell": failure.cell, "reason": failure.reason} for failure in failed]
