"""Memory of the trade-offs: flat in the number of texts."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import table

COUNTS = (1_000, 10_000)
LIMIT = 1.2
"""By how much ten times as many texts may raise the peak."""


def peak(count: int) -> float:
    """MiB of a process that reads so many texts of two languages, and compares the states of two
    models.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.tradeoffs", str(count)],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.split()[-1])


def work(count: int, folder: Path) -> None:
    """Two small untrained models read `count` distinct texts in two languages; then their layers
    are compared.
    """
    from babelscope.analyses.tradeoffs.activations_table import activations_table
    from babelscope.analyses.tradeoffs.contents import read_records
    from babelscope.data import builtin
    from babelscope.data.formats.export import write
    from babelscope.store import open_store, read_study
    from babelscope.study.config import parse_study
    from babelscope.study.run import run
    from babelscope.training import small
    from babelscope.types import Example

    words = builtin.read("sentiment", "en", "test", 200)
    texts = [f"{words[at % 200].texts[0]} {at}" for at in range(count)]
    labels = ["negative", "positive"]
    for lang in ("en", "es"):
        rows = (
            Example(f"{lang}{at}", (text,), lang, str(at), labels[at % 2])
            for at, text in enumerate(texts)
        )
        write(rows, folder / f"{lang}.jsonl")
    for seed in (0, 1):
        place = folder / str(seed)
        small.make(
            place, "bert", texts[:200], labels, layers=2, width=64, vocabulary=500, seed=seed
        )
        config = place / "config.json"
        config.write_text(
            config.read_text("utf-8").replace('"untrained": true', '"untrained": false'), "utf-8"
        )
    names = ("0", "1")
    study = {
        "name": "memory",
        "tasks": [
            {"name": "reviews", "data": {"file": str(folder / "{lang}.jsonl"), "examples": None}}
        ],
        "languages": ["en", "es"],
        "models": [{"name": name, "source": str(folder / name)} for name in names],
        "tradeoffs": {"stated": {name: {"language": "en", "seed": int(name)} for name in names}},
    }
    assert not run(parse_study(study), folder / "store").failed
    store = open_store(folder / "store")
    records = read_records(store, read_study(store), "reviews")
    assert records is not None
    activations_table(records)


def section() -> str:
    few, many = (peak(count) for count in COUNTS)
    verdict = "within" if many / few <= LIMIT else "above"
    lines = [
        [f"{count:,} texts per language", f"{each / few:.2f}"]
        for count, each in zip(COUNTS, (few, many))
    ]
    return f"""## Memory of the trade-off study

Two models (2 layers, width 64) read texts in two languages, hidden states and attention are stored, and the models are compared
from the store; peak memory of the process, relative to the smaller number of texts. Texts are read in parts of 512.

{table(["texts", "peak memory"], lines)}

This is {verdict} the limit of {LIMIT}.
"""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        work(int(sys.argv[1]), Path(folder))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
