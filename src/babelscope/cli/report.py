"""The commands that write the report, and the section for a model card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing

StoreArgument = Annotated[
    Path, typer.Argument(help="Folder of the store that a study filled.", metavar="STORE")
]


def report(
    store: StoreArgument,
    output: Annotated[Path, typer.Option(help="Folder to write index.html and the CSV files to.")],
    against: Annotated[
        Path | None, typer.Option(help="Store of an earlier version; reports what changed since.")
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="Folder to write every figure to, as SVG, PNG and PDF."),
    ] = None,
) -> None:
    """Write the report of a study as one HTML page, with its tables as CSV files."""
    import pyarrow as pa

    from babelscope.reporting.build import report as build

    # Arrow's other allocators keep what was freed: the peak would be a fifth higher
    pa.set_memory_pool(pa.system_memory_pool())
    printing.print_text(str(build(store, output, against=against, figures=figures)))


def card(store: StoreArgument) -> None:
    """Print a section for a model card, in Markdown: accuracies and answers."""
    from babelscope.reporting.card import card as write

    printing.print_text(write(store).rstrip())
