"""Peak memory of explain, measure, study run and report by the number of texts.

    python -m benchmarks.memory [explain | measure | study | report ...]

Every figure is the largest resident set of a new process, which reads short made-up reviews with
the packaged English model. The store of the report is that of a small study whose texts are
repeated under other names.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from babelscope.store import Store, key, open_store, read_study, write_study
from babelscope.store.folder import bring_in
from babelscope.store.manifests import Cell, cells, write_cell
from babelscope.study.run import run
from benchmarks.startup import COMMAND, MODEL, spent, write_texts
from benchmarks.timing import table

COUNTS = (2_000, 20_000)
REPORTED = (5_000, 50_000)
"""Explanations in a report."""
METHODS = ("input_x_gradient", "random")
SMALL: dict[str, Any] = {
    "name": "many texts",
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 50}}],
    "languages": ["en", "es", "zh", "hi", "ar"],
    "models": [{"name": "multilingual", "source": "demo"}],
    "methods": ["random", "position", "gradient_norm", "input_x_gradient"],
    "faithfulness": {"metrics": ["comprehensiveness"]},
}
"""A thousand explanations of 250 texts."""


def explain_command(folder: Path, count: int) -> list[str]:
    source = folder / "texts.jsonl"
    write_texts(count, source)
    output = str(folder / "out.parquet")
    return ["explain", str(MODEL), "--input", str(source), "--output", output,
            "--method", ",".join(METHODS)]  # fmt: skip


def measure_command(folder: Path, count: int) -> list[str]:
    source = folder / "texts.jsonl"
    write_texts(count, source)
    output = str(folder / "out.parquet")
    return ["measure", str(MODEL), "--input", str(source), "--output", output,
            "--method", ",".join(METHODS), "--metric", "comprehensiveness,sufficiency",
            "--option", "sampled=2"]  # fmt: skip


def study_command(folder: Path, count: int) -> list[str]:
    source, file = folder / "texts.jsonl", folder / "study.json"
    write_texts(count, source)
    few = {"grid": [0.2, 0.5]}
    study = {
        "name": "many texts",
        "tasks": [{"name": "reviews", "data": {"file": str(source), "examples": None}}],
        "languages": ["en"],
        "models": [{"name": "english", "source": "demo-en"}],
        "methods": list(METHODS),
        "faithfulness": {"metrics": [{"name": "comprehensiveness", "options": few}]},
    }
    file.write_text(json.dumps(study), "utf-8")
    return ["study", "run", str(file), "--store", str(folder / "store")]


def report_command(folder: Path, count: int) -> list[str]:
    few, many = folder / "few", folder / "many"
    if not few.exists():
        run(SMALL, few)
    repeated(open_store(few), open_store(many), count // 1000)
    return ["report", str(many), "--output", str(folder / "page")]


def repeated(source: Store, target: Store, times: int) -> None:
    """The study with every text so many times, each time under another name."""
    names, pending = {}, target.path / "pending-benchmark"
    pending.mkdir(parents=True)
    for manifest in cells(source):
        name, kind = key(manifest["identity"]), manifest["kind"]
        rows = pa.parquet.read_table(source.path / kind / f"{name}.parquet")
        identity = manifest["identity"] | {"repeated": times}
        if "of" in identity:
            identity["of"] = key(cells_by_key(source)[identity["of"]] | {"repeated": times})
        more = pa.concat_tables([_renamed(rows, at) for at in range(times)])
        cell = Cell(identity, kind, more, manifest["place"])
        write_cell(cell, pending)
        names[name] = key(identity)
    bring_in(target.path, pending)
    study = read_study(source)
    write_study(target, study | {"keys": sorted(names[name] for name in study["keys"])})


def cells_by_key(store: Store) -> dict[str, dict[str, Any]]:
    return {key(row["identity"]): row["identity"] for row in cells(store)}


def _renamed(rows: pa.Table, number: int) -> pa.Table:
    """The rows under other ids, of other translation groups, with other texts."""
    for name in ("id", "group"):
        if name in rows.column_names:
            values = [f"{value}-{number}" for value in rows[name].to_pylist()]
            rows = rows.set_column(rows.column_names.index(name), name, pa.array(values))
    if "texts" in rows.column_names:
        texts = [[f"{text} {number}" for text in each] for each in rows["texts"].to_pylist()]
        at = rows.column_names.index("texts")
        rows = rows.set_column(at, "texts", pa.array(texts, rows.schema.field("texts").type))
    return rows


PARTS: dict[str, tuple[Callable[[Path, int], list[str]], tuple[int, int]]] = {
    "explain": (explain_command, COUNTS),
    "measure": (measure_command, COUNTS),
    "study run": (study_command, COUNTS),
    "report": (report_command, REPORTED),
}


def measured(part: str, count: int) -> tuple[float, float]:
    """Processor seconds and peak MiB of the command on so many texts."""
    prepare, _ = PARTS[part]
    with tempfile.TemporaryDirectory() as folder:
        return spent(COMMAND, *prepare(Path(folder), count))


def lines(parts: Sequence[str], divisor: int = 1) -> list[list[object]]:
    rows: list[list[object]] = []
    for part in parts:
        counts = [count // divisor for count in PARTS[part][1]]
        (few_seconds, few), (many_seconds, many) = (measured(part, count) for count in counts)
        memory = [f"{few:.0f} MiB", f"{many:.0f} MiB", f"{many / few:.2f}"]
        rows.append([part, *(f"{count:,}" for count in counts), *memory,
                     f"{few_seconds:.1f} s", f"{many_seconds:.1f} s"])  # fmt: skip
        print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    return rows


def section() -> str:
    head = ["command", "few", "many", "peak of few", "of many", "many / few",
            "processor time of few", "of many"]  # fmt: skip
    rows = lines(list(PARTS))
    growth = max(float(str(row[5])) for row in rows if row[0] != "report")
    report = rows[-1]
    return f"""## Memory by the number of texts

**Ten times as many texts take at most {growth:.2f} times the memory; a report of {report[2]} explanations takes {report[7]} of processor time and {report[4]}.**

Peak memory of whole processes, with the packaged models; `explain`, `measure` and `study run` by the number of texts ({len(METHODS)}
methods), `report` by the number of explanations.

{table(head, rows)}
"""


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    chosen = [word for word in sys.argv[1:] if not word.isdigit()]
    print(*lines(chosen or list(PARTS), *numbers), sep="\n")
