"""Memory of the trade-off dump: flat in the number of texts."""

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
    """MiB of a process that dumps so many texts of two languages, and reads the similarity of their states."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.tradeoffs", str(count)], check=True, capture_output=True, text=True
    )
    return float(done.stdout.split()[-1])


def work(count: int, folder: Path) -> None:
    """A small untrained model reads `count` distinct texts, states and attention kept; then two layers are compared."""
    from babelscope.analyses.tradeoffs.state_tables import activations_table

    from babelscope import corpus, store
    from babelscope.analyses.tradeoffs.cells import Tuned, dump, parallel_corpus
    from babelscope.training import small
    from babelscope.types import Example

    words = corpus.read("sentiment", "en", "test", 200)
    made = [f"{words[at % 200].texts[0]} {at}" for at in range(count)]
    rows = {
        lang: [Example(f"{lang}{at}", (text,), lang, str(at), ("negative", "positive")[at % 2]) for at, text in enumerate(made)]
        for lang in ("en", "xx")
    }
    models = []
    for seed in (0, 1):
        place = folder / str(seed)
        small.make(place, "bert", made[:200], ["negative", "positive"], layers=2, width=64, vocabulary=500, seed=seed)
        config = place / "config.json"
        config.write_text(config.read_text("utf-8").replace('"untrained": true', '"untrained": false'), "utf-8")
        models.append(Tuned("en", seed, str(place)))
    held = dump(store.open_store(folder / "store"), models, parallel_corpus({"test": rows}))
    activations_table(held)


def section() -> str:
    few, many = (peak(count) for count in COUNTS)
    verdict = "within" if many / few <= LIMIT else "above"
    lines = [[f"{count:,} texts per language", f"{each / few:.2f}"] for count, each in zip(COUNTS, (few, many))]
    return f"""## Memory of the trade-off study

The dump of two models (2 layers, width 64) over two languages with hidden states and attention kept, and the similarity of the
models from it; peak memory of the process, relative to the smaller number of texts. Texts go through in parts of 512.

{table(["texts", "peak memory"], lines)}

That is {verdict} the limit of {LIMIT}.
"""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as passing:
        work(int(sys.argv[1]), Path(passing))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
