"""What the commands of one analysis share: options, running the study, printing its section."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import STRICT

if TYPE_CHECKING:
    from babelscope.display.section import Section
    from babelscope.study.run import Outcome

SpecFile = Annotated[
    Path | None,
    typer.Option(
        "--spec",
        metavar="FILE",
        help="YAML file with the fields of the analysis, as in a study file.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a field of the analysis, or of the study by a dotted path; repeatable.",
    ),
]
StoreFolder = Annotated[
    Path | None,
    typer.Option(
        "--store", help="Folder to keep the results in; a second run computes only what is missing."
    ),
]
OutputPage = Annotated[
    Path | None, typer.Option("--output", help="File to write the results to: .html, .svg or .csv.")
]
Workers = Annotated[int, typer.Option(min=1, help="Number of processes to run in parallel.")]


def run_command(
    analysis: str,
    values: Mapping[str, Any],
    *,
    spec: Path | None = None,
    settings: list[str] | None = None,
    store: Path | None = None,
    output: Path | None = None,
    json_: bool = False,
    workers: int = 1,
) -> None:
    """Runs a study of one analysis and prints its section; exits with 1 if a cell failed."""
    from babelscope.cli.watching import watching
    from babelscope.files import write_text
    from babelscope.study.single import run_single, single_study

    printing.check_ending(output, (".html", ".svg", ".csv"))
    chosen = {**values, "strict": True} if STRICT.get() else values
    study = single_study(analysis, chosen, spec=spec, settings=settings or ())
    with (
        watching(study.name) as watch,
        run_single(study, store, watch=watch, workers=workers) as (outcome, folder),
    ):
        section = _section(outcome, folder)
    if section is None:
        _refuse_bad_input(outcome)
    if output is not None and section is not None:
        write_text(output, _content(section, output))
    if section is not None:
        print_section(section, output, json_)
    printing.print_skipped_rows(outcome.skipped)
    _finish(outcome)


def _section(outcome: Outcome, folder: Path) -> Section | None:
    """The section of the analysis; None where failures left nothing to show, though cells that need
    no model may have been computed.
    """
    from babelscope.errors import StoreError
    from babelscope.reporting.build import sections
    from babelscope.store import open_store, read_study

    opened = open_store(folder, create=False)
    if outcome.filled + outcome.found == 0:
        return None
    try:
        return sections(opened, read_study(opened))[0]
    except StoreError:
        if not outcome.failed:
            raise
        return None


def _content(section: Section, output: Path) -> str:
    from babelscope.errors import InputError
    from babelscope.reporting.build import section_page
    from babelscope.reporting.figures import section_svg

    if output.suffix == ".html":
        return section_page(section)
    drawn = section_svg(section) if output.suffix == ".svg" else None
    content = next(iter(section.files.values()), None) if output.suffix == ".csv" else drawn
    if content is None:
        raise InputError(
            f"--output {output}: {section.name} has no {output.suffix} file; write .html"
        )
    return content


def print_section(section: Section, output: Path | None, json_: bool) -> None:
    """The tables and the answer for people, or the plain values for machines."""
    from babelscope.files import dumps, plain

    if json_:
        printing.print_text(dumps(plain(section.data)))
        return
    for table in section.terminal:
        printing.show(table)
    printing.print_text(section.answer.striptags())
    if output is not None:
        printing.print_text(f"written: {output}")


def _refuse_bad_input(outcome: Outcome) -> None:
    """Where there is nothing to show and the input is the reason (a model that cannot be loaded,
    say), that is an error, as it is in `explain`.
    """
    from babelscope.errors import InputError

    reasons = list(dict.fromkeys(failure.reason for failure in outcome.failed))
    if not reasons or not all(failure.refused for failure in outcome.failed):
        return
    more = f" (and {len(reasons) - 1} more reasons)" if len(reasons) > 1 else ""
    raise InputError(f"{reasons[0]}{more}")


def _finish(outcome: Outcome) -> None:
    if outcome.failed:
        printing.print_failures(outcome.failed)
        raise typer.Exit(1)
