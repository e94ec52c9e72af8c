"""The first explanation of a new process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.timing import table

REPETITIONS = 5
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


def section() -> str:
    first, imports = [], []
    for _ in range(REPETITIONS):
        imports.append(spent(IMPORTS)[0])
        arguments = ("explain", str(MODEL), "the food was good", "--method", "input_x_gradient")
        first.append(spent(COMMAND, *arguments)[0])
    more = statistics.median(a - b for a, b in zip(first, imports))
    rows = [
        [
            "imports of torch and transformers (with BERT's module)",
            f"{statistics.median(imports):.1f} s",
        ],
        ["`babelscope explain` of one text, whole process", f"{statistics.median(first):.1f} s"],
        ["difference", f"{more:.1f} s"],
    ]
    return f"""## Start-up

**The first explanation of a new process takes {more:.1f} s beyond the imports of torch and transformers.**

Processor time of new processes (median of {REPETITIONS}), with the packaged English model.

{table(["", "measured"], rows)}
"""
