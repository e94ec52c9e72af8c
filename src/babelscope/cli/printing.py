"""What the commands print and write: highlighted words, tables, JSON, and files, each written
completely or not at all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from babelscope.display.numbers import items
from babelscope.files import json_lines, write_bytes, write_text, writing

if TYPE_CHECKING:
    from babelscope.display.results import Attributions, Measures
    from babelscope.methods.suitability import Suitability
    from babelscope.types import Failure, SkippedRow


TOGETHER = 5000
"""Rows of a Parquet file that are converted at a time."""


def check_ending(output: Path | None, known: Sequence[str]) -> None:
    from babelscope.errors import InputError

    if output is not None and output.suffix not in known:
        raise InputError(f"--output {output}: the ending must be one of {', '.join(known)}")
    if output is not None and not output.parent.is_dir():
        raise InputError(f"--output {output}: there is no folder {output.parent}")


def deliver(attributions: Attributions, output: Path | None, json_: bool, unit: str) -> None:
    from babelscope.display.export import pdf, png
    from babelscope.display.highlight import page_html
    from babelscope.display.terminal import coloured
    from babelscope.files import dumps

    if output is not None and output.suffix == ".jsonl":
        write_text(output, json_lines(attributions.to_json()))
    elif output is not None and output.suffix == ".html":
        write_text(output, page_html(attributions.items))
    elif output is not None and output.suffix == ".svg":
        write_text(output, _plane(attributions))
    elif output is not None and output.suffix in (".png", ".pdf"):
        convert = png if output.suffix == ".png" else pdf
        write_bytes(output, convert(_plane(attributions)))
    elif output is not None:
        _write_parquet(output, "attributions", attributions.items)
    if json_:
        print_text(dumps(attributions.to_json()))
    elif output is not None:
        print_text(f"{output}: {items(len(attributions), 'explanation')}")
    else:
        for attribution in attributions:
            show(coloured(attribution, unit))


@contextmanager
def stream(output: Path, kind: str) -> Iterator[Callable[[Attributions], None]]:
    """Within, a function that adds explanations to the file, .jsonl or .parquet; the file is there
    when the block ends without an error.
    """
    import pyarrow.parquet as pq

    from babelscope.store import to_table

    with writing(output) as handle:
        if output.suffix == ".jsonl":
            yield lambda part: _write_lines(handle, part)
            return
        schema = to_table(kind, ()).schema
        with pq.ParquetWriter(handle, schema) as writer:
            yield lambda part: writer.write_table(to_table(kind, part.items))


def _write_lines(handle: BinaryIO, part: Attributions) -> None:
    handle.write(json_lines(part.to_json()).encode("utf-8", "backslashreplace"))


def deliver_measures(values: Measures, output: Path | None, json_: bool) -> None:
    from babelscope.display.terminal import table
    from babelscope.files import dumps
    from babelscope.metrics import METRICS

    if output is not None and output.suffix == ".jsonl":
        write_text(output, json_lines(values.to_json()))
    elif output is not None:
        _write_parquet(output, "measures", values.items)
    if json_:
        print_text(dumps(values.to_json()))
        return
    rows = []
    for (_, lang, method, metric), mean in values.summary():
        arrow = "↑" if METRICS[metric].higher_is_better else "↓"
        numbers = (mean.mean, mean.low, mean.high, mean.n, mean.undefined, mean.groups)
        rows.append((lang, method, f"{metric} {arrow}", *numbers))
    columns = ("language", "method", "metric", "mean", "low", "high", "n", "undefined", "groups")
    show(table("means with 95 % intervals", columns, rows))


def show_rows(title: str, rows: Any, facts: Sequence[str], json_: bool) -> None:
    from babelscope.options import defaults

    listed = [
        {"name": row.name}
        | {fact: getattr(row, fact) for fact in facts}
        | {"options": defaults(row)}
        for row in rows
    ]
    if json_:
        finite = [
            row | ({"bounds": _limits(row["bounds"])} if "bounds" in row else {}) for row in listed
        ]
        print_text(json.dumps(finite, indent=1, allow_nan=False))
        return
    from babelscope.display.terminal import table

    cells = [tuple(_cell(value) for value in row.values()) for row in listed]
    show(table(title, ("name", *facts, "options"), cells))


def _cell(value: Any) -> str:
    """A property of a method or metric, as a table shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name}={part}" for name, part in value.items())
    return str(value)


def deliver_suitable(rows: Sequence[Suitability], model: str, json_: bool) -> None:
    if json_:
        print_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False))
        return
    from babelscope.display.terminal import table

    listed = [(row.method, "yes" if row.works else "no", row.reason) for row in rows]
    show(table(f"methods on {model}", ("name", "works", "why"), listed))


def _limits(bounds: Sequence[float]) -> list[float | None]:
    """A side without a bound is null in JSON, which has no infinity."""
    return [side if isfinite(side) else None for side in bounds]


def print_text(text: str, *, error: bool = False) -> None:
    """Prints lines, also of JSON, on standard output or on standard error; no character in them
    can control the terminal.
    """
    from babelscope.display.terminal import escaped

    print(escaped(text), file=sys.stderr if error else sys.stdout)


def show(renderable: Any) -> None:
    """Prints a table or a highlighted text; no character in it can control the terminal."""
    from rich.console import Console
    from rich.segment import Segment, Segments
    from rich.table import Table

    from babelscope.display.terminal import fitted, plain

    console = Console(soft_wrap=False)
    if isinstance(renderable, Table):
        renderable = fitted(renderable, console.width)
    parts = [
        part if part.control else Segment(plain(part.text), part.style)
        for part in console.render(renderable)
    ]
    console.print(Segments(parts), end="")


def print_skipped(skipped: Sequence[SkippedRow], total: int) -> None:
    """One line on standard error: how many rows were skipped, why, and which."""
    from babelscope.data.skipping import describe

    if skipped:
        print_text(describe(skipped, total), error=True)


def print_skipped_rows(skipped: Sequence[SkippedRow]) -> None:
    """One line on standard error for every task, split, language and model of a study."""
    from babelscope.data.skipping import describe

    places: dict[tuple[str, str, str, str], list[SkippedRow]] = {}
    for row in skipped:
        places.setdefault((row.task, row.split, row.lang, row.model), []).append(row)
    for (task, split, lang, model), rows in places.items():
        where = ", ".join(part for part in (task, split, lang, model) if part not in ("", "test"))
        print_text(f"{where}: {describe(rows, rows[0].total)}", error=True)


def print_failures(failed: Sequence[Failure]) -> None:
    """One line per failed cell on standard error: its model, language and method, the reason."""
    for failure in failed:
        cell = failure.cell
        described = cell.get("model")
        model = described["name"] if isinstance(described, dict) else described
        names = (
            cell.get("name") or model or cell.get("of"),
            cell.get("lang"),
            cell.get("method") or cell.get("metric") or cell.get("analysis"),
        )
        place = " ".join(str(name) for name in names if name)
        print_text(f"failed: {place}: {failure.reason}", error=True)


def _plane(attributions: Attributions) -> str:
    from babelscope.display.plane import plane_svg
    from babelscope.errors import InputError

    if len(attributions) != 1:
        raise InputError(
            f"an .svg, .png or .pdf file shows one explanation; found {len(attributions)}: write "
            "them to an .html file"
        )
    return plane_svg(attributions[0])


def _write_parquet(output: Path, kind: str, rows: Sequence[Any]) -> None:
    import pyarrow.parquet as pq

    from babelscope.store import to_table

    with writing(output) as handle, pq.ParquetWriter(handle, to_table(kind, ()).schema) as writer:
        for start in range(0, max(1, len(rows)), TOGETHER):
            writer.write_table(to_table(kind, rows[start : start + TOGETHER]))
