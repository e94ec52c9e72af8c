"""The first explanation of a new process, and the memory of many texts."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import table

REPETITIONS = 5
COUNTS = (2_000, 20_000)
MODEL = Path(__file__).resolve().parents[1] / "src" / "babelscope" / "packaged" / "demo-en"
IMPORTS = (
    "import torch, transformers.models.bert.modeling_bert, transformers.models.auto.modeling_auto"
)
COMMAND = "from babelscope.cli import main; main()"


def spent(code: str, *arguments: str) -> tuple[float, float]:
    """Processor seconds and peak MiB of a new process."""
    program = (
        "import sys, time, atexit\n"
        "def report():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    peak = next(int(line.split()[1]) for line in lines if line.startswith('VmHWM'))\n"
        "    print(time.process_time(), peak / 1024, file=sys.stderr)\n"
        "atexit.register(report)\n" + code
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True
    )
    seconds, peak = done.stderr.splitlines()[-1].split()
    return float(seconds), float(peak)


def write_texts(count: int, file: Path) -> None:
    words = ("the", "food", "was", "good", "but", "room", "cold", "film", "phone", "great", "bad")
    with file.open("w", encoding="utf-8") as lines:
        for at in range(count):
            text = " ".join(
                words[(at * 7 + place * (at % 5 + 1)) % len(words)] for place in range(10)
            )
            lines.write(json.dumps({"id": str(at), "lang": "en", "text": f"{text} {at}"}) + "\n")


def peaks() -> list[float]:
    found = []
    for count in COUNTS:
        with tempfile.TemporaryDirectory() as folder:
            source, output = Path(folder) / "texts.jsonl", Path(folder) / "out.parquet"
            write_texts(count, source)
            arguments = ("explain", str(MODEL), "--input", str(source), "--output", str(output))
            found.append(spent(COMMAND, *arguments, "--method", "input_x_gradient")[1])
    return found


def section() -> str:
    first, imports = [], []
    for _ in range(REPETITIONS):
        imports.append(spent(IMPORTS)[0])
        arguments = ("explain", str(MODEL), "the food was good", "--method", "input_x_gradient")
        first.append(spent(COMMAND, *arguments)[0])
    more = statistics.median(a - b for a, b in zip(first, imports))
    few, many = peaks()
    rows = [
        [
            "imports of torch and transformers (with BERT's module)",
            f"{statistics.median(imports):.1f} s",
        ],
        ["`babelscope explain` of one text, whole process", f"{statistics.median(first):.1f} s"],
        ["difference", f"{more:.1f} s"],
        [f"peak memory, {COUNTS[0]:,} texts", f"{few:.0f} MiB"],
        [f"peak memory, {COUNTS[1]:,} texts", f"{many:.0f} MiB ({many / few:.2f})"],
    ]
    return f"""## Start-up and memory

Processor time of new processes (median of {REPETITIONS}), with the packaged English model; peak memory of `babelscope explain
--input TEXTS --output FILE.parquet`, which explains and writes some texts at a time.

{table(["", "measured"], rows)}
"""
