"""The command that writes the tables and figures of a paper from a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing


def paper(
    store: Annotated[Path, typer.Argument(help="Folder of the store that a study filled.")],
    of: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="PAPER",
            help="Name of the paper: mono-vs-multi, consistency, tradeoffs, slalom or head-masks.",
        ),
    ],
    output: Annotated[Path, typer.Option(help="Folder to write the tables and figures to.")],
) -> None:
    """Write every table of a published study as CSV, Markdown and LaTeX, and every figure as SVG,
    PDF and CSV, beside the published values."""
    from babelscope.display.terminal import table
    from babelscope.reporting.papers.write import write_paper

    written = write_paper(store, of, output)
    rows = [(each.name, each.caption, ", ".join(each.files) or each.reason) for each in written]
    printing.show(table(of, ("element", "content", "files"), rows))
    printing.print_text(str(output / "index.md"))
