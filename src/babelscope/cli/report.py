"""The command that writes the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing


def report(
    store: Annotated[Path, typer.Argument(help="Folder of the store that a study filled.")],
    output: Annotated[Path, typer.Option(help="Folder to write index.html and the CSV files to.")],
) -> None:
    """Write the report of a study as one HTML page, with its tables as CSV files."""
    from babelscope.reporting.build import report as build

    printing.print_text(str(build(store, output)))
