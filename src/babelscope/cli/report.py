"""The command that writes the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    store: Annotated[Path, typer.Argument(help="Folder of the study's store.")],
    output: Annotated[Path, typer.Option(help="Folder to write the page into.")],
) -> None:
    """Write the report of a store as a page."""
    from babelscope.reporting.build import report as build

    print(build(store, output))
