"""The command that runs a whole study once, up to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing


def demo(
    output: Annotated[
        Path, typer.Option(help="Folder to write the store and the report to.")
    ] = Path("demo"),
    train: Annotated[
        bool,
        typer.Option(
            "--train", help="Train small models first instead of using those of the package."
        ),
    ] = False,
) -> None:
    """Run a small study up to its report, with models of the package; it needs no network."""
    from babelscope.cli.watching import watching
    from babelscope.reporting.build import brief
    from babelscope.reporting.build import report as build
    from babelscope.study.config import demo_study
    from babelscope.study.run import run

    study = demo_study(train=train)
    with watching(study.name) as watch:
        outcome = run(study, output / "store", watch=watch)
    page = build(output / "store", output)
    for line in brief(output / "store"):
        printing.print_text(line)
    printing.print_skipped_rows(outcome.skipped)
    printing.print_failures(outcome.failed)
    printing.print_text(f"report: {page}")
    if outcome.failed:
        raise typer.Exit(1)
