"""What the commands print and write: coloured words, tables, JSON, files that are whole or not
there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelscope.files import json_lines, write_bytes, write_text, writing

if TYPE_CHECKING:
    from babelscope.analyses.trust.values import (
        Trust,
    )
    from babelscope.display.results import (
        Attributions,
        Measures,
    )
    from babelscope.methods.suitability import Suitability


def check_ending(output: Path | None, known: Sequence[str]) -> None:
    from babelscope.errors import InputError

    if output is not None and output.suffix not in known:
        raise InputError(f"--output {output}: the ending must be one of {', '.join(known)}")
    if output is not None and not output.parent.is_dir():
        raise InputError(f"--output {output}: there is no folder {output.parent}")


def deliver(found: Attributions, output: Path | None, json_: bool, unit: str) -> None:
    from babelscope.display.highlight import page_html
    from babelscope.display.png import png
    from babelscope.display.terminal import coloured
    from babelscope.files import (
        dumps,
    )

    if output is not None and output.suffix == ".jsonl":
        write_text(output, json_lines(found.to_json()))
    elif output is not None and output.suffix == ".html":
        write_text(output, page_html(found.items))
    elif output is not None and output.suffix == ".svg":
        write_text(output, _plane(found))
    elif output is not None and output.suffix == ".png":
        write_bytes(output, png(_plane(found)))
    elif output is not None:
        _write_parquet(output, "attributions", found.items)
    if json_:
        print(dumps(found.to_json()))
    elif output is not None:
        print(f"{output}: {len(found)} explanations")
    else:
        for one in found:
            show(coloured(one, unit))


def deliver_measures(values: Measures, output: Path | None, json_: bool) -> None:
    from babelscope.display.terminal import table
    from babelscope.files import (
        dumps,
    )
    from babelscope.metrics import METRICS

    if output is not None and output.suffix == ".jsonl":
        write_text(output, json_lines(values.to_json()))
    elif output is not None:
        _write_parquet(output, "measures", values.items)
    if json_:
        print(dumps(values.to_json()))
        return
    rows = []
    for (_, lang, method, metric), one in values.summary():
        arrow = "↑" if METRICS[metric].higher_is_better else "↓"
        rows.append(
            (lang, method, f"{metric} {arrow}", one.mean, one.low, one.high, one.n, one.undefined)
        )
    show(
        table(
            "means with 95 % intervals",
            ("language", "method", "metric", "mean", "low", "high", "n", "undefined"),
            rows,
        )
    )


def deliver_panels(panels: Sequence[Trust], output: Path | None, json_: bool) -> None:
    from babelscope.analyses.trust.section import page_html, panel
    from babelscope.files import (
        dumps,
    )

    if output is not None:
        write_text(output, page_html(panels))
    if json_:
        print(dumps([one.to_json() for one in panels]))
    elif output is not None:
        print(f"{output}: {len(panels)} panels")
    else:
        for one in panels:
            show(panel(one))


def show_rows(title: str, rows: Any, facts: Sequence[str], json_: bool) -> None:
    from babelscope.options import defaults

    listed = [
        {"name": row.name}
        | {fact: getattr(row, fact) for fact in facts}
        | {"options": defaults(row)}
        for row in rows
    ]
    if json_:
        plain = [
            row | ({"bounds": _limits(row["bounds"])} if "bounds" in row else {}) for row in listed
        ]
        print(json.dumps(plain, indent=1, allow_nan=False))
        return
    from babelscope.display.terminal import table

    def shown(value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, dict):
            return ", ".join(f"{name}={part}" for name, part in value.items())
        return str(value)

    show(
        table(
            title,
            ("name", *facts, "options"),
            [tuple(shown(value) for value in row.values()) for row in listed],
        )
    )


def deliver_suitable(rows: Sequence[Suitability], model: str, json_: bool) -> None:
    if json_:
        print(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False))
        return
    from babelscope.display.terminal import table

    listed = [(row.method, "yes" if row.works else "no", row.reason) for row in rows]
    show(table(f"methods on {model}", ("name", "works", "why"), listed))


def _limits(bounds: Sequence[float]) -> list[float | None]:
    """A side without a bound is null in JSON, which has no infinity."""
    return [side if isfinite(side) else None for side in bounds]


def show(thing: Any) -> None:
    from rich.console import Console

    Console(soft_wrap=False).print(thing)


def print_failures(failed: Sequence[Any]) -> None:
    for one in failed:
        cell = one.cell
        model = cell.get("name") or (
            cell["model"]["name"] if isinstance(cell.get("model"), dict) else cell.get("of", "")
        )
        place = " ".join(
            str(part)
            for part in (
                model,
                cell.get("lang", ""),
                cell.get("method") or cell.get("metric") or "",
            )
            if part
        )
        print(f"failed: {place}: {one.reason}", file=sys.stderr)


def _plane(found: Attributions) -> str:
    from babelscope.display.plane import plane_svg
    from babelscope.errors import InputError

    if len(found) != 1:
        raise InputError(
            f"an .svg or .png file is the plane of one explanation; {len(found)} given: write them "
            "to an .html file"
        )
    return str(plane_svg(found[0]))


def _write_parquet(output: Path, kind: str, rows: Sequence[Any]) -> None:
    import pyarrow.parquet as pq

    from babelscope.store import to_table

    with writing(output) as handle:
        pq.write_table(to_table(kind, rows), handle)
