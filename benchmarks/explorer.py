"""How quickly the explorer answers about a large store, and how much memory it takes.

    python benchmarks/explorer.py [--rows 50000]

Writes a synthetic store (20 languages, 5 models, 5 methods, two metrics) into a temporary folder,
reads its index in a process of its own, and asks everything that the page can ask. Times are CPU
times of single requests, through the whole application; memory is that of the process.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "support")]

LANGS = [
    "en",
    "es",
    "zh",
    "hi",
    "ar",
    "fr",
    "de",
    "it",
    "pt",
    "ru",
    "ja",
    "ko",
    "th",
    "tr",
    "sw",
    "vi",
    "id",
    "bn",
    "ur",
    "fa",
]
METHODS = ("occlusion", "input_x_gradient", "integrated_gradients", "attention", "random")
QUERIES = {
    "first page": "examples?limit=20",
    "language, model, method": "examples?lang=hi&model=model-2&method=input_x_gradient&limit=20",
    "wrong, sorted by a metric": "examples?right=wrong&sort=comprehensiveness&descending=true&limit=20",
    "text search": "examples?text=reception&limit=20",
    "disagreement and flag": "examples?disagreement=true&flag=any&limit=20",
    "page 100": "examples?offset=2000&limit=20",
    "translations and methods": "related/17",
    "words of a method": "words?model=model-1&method=occlusion",
    "words of everything": "words",
    "disagreements": "disagreements",
}


def write_store(path: Path, rows: int) -> None:
    import synthetic_study
    from babelscope.random import keyed
    from babelscope.store import Cell, open_store, put
    from babelscope.types import Measure

    store = open_store(path)
    cells = [(lang, model, method) for lang in LANGS for model in range(5) for method in METHODS]
    each = -(-rows // len(cells))
    for lang, model, method in cells:
        known = [synthetic_study.explanation(number, "en", "multi", method) for number in range(8)]
        rng = keyed("explorer", lang, model, method)
        listed = []
        for number in range(each):
            base, name = known[number % 8], f"{number}-{lang}"
            text = f"{base.texts[0]} {number}"
            listed.append(
                replace(
                    base,
                    id=name,
                    group=f"g{number}",
                    lang=lang,
                    model=f"model-{model}",
                    texts=(text,),
                    flags=base.flags,
                    label=base.label if rng.random() > 0.1 else "negative",
                )
            )
        measures = [
            Measure(row.id, row.group, row.lang, row.model, row.method, metric, {}, float(rng.random()))
            for row in listed for metric in ("comprehensiveness", "sufficiency")
        ]  # fmt: skip
        identity = {"lang": lang, "model": model, "method": method}
        put(
            store,
            [
                Cell(identity | {"kind": "a"}, "attributions", listed),
                Cell(identity | {"kind": "m"}, "measures", measures),
            ],
        )


def resident() -> float:
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def measure(path: Path) -> dict[str, object]:
    from starlette.testclient import TestClient

    from babelscope.web.app import Explorer, make_app
    from babelscope.web.indexing import read_index

    before, start = resident(), time.process_time()
    index = read_index(path)
    seconds, client = time.process_time() - start, None
    client = TestClient(make_app(Explorer(index=index)), base_url="http://127.0.0.1")
    times = {}
    for name, query in QUERIES.items():
        taken = []
        for _ in range(5):
            at = time.process_time()
            response = client.get(f"/api/store/{query}")
            taken.append(1000 * (time.process_time() - at))
            assert response.status_code == 200, response.text
        times[name] = {"first": round(taken[0]), "best": round(min(taken))}
    return {
        "rows": len(index),
        "index seconds": round(seconds, 1),
        "memory before, MB": round(before),
        "memory after, MB": round(resident()),
        "milliseconds": times,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--measure", type=Path, help="a store that was written before")
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.measure), indent=1))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_store(Path(folder) / "store", chosen.rows)
        subprocess.run(
            [sys.executable, __file__, "--measure", str(Path(folder) / "store")], check=True
        )


if __name__ == "__main__":
    main()
