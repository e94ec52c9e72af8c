"""How quickly the explorer and the report answer about a large store, and how much memory they take.

    python benchmarks/explorer.py [--rows 50000] [--page]

Writes a store into a temporary folder: the packaged model's own explanations of texts of the
built-in corpus in eight languages, with their real words, tokens, predictions and gold labels. Each
text is explained once; its scores are permuted to stand for five methods and the metrics are
sampled, because computing them would take an hour and change neither the size nor the shape of a
row. Then the index is read in
a process of its own, and everything is asked that the page can ask. Times are CPU times of single
requests, through the whole application; memory is that of the process. `--page` also writes the
report of that store and opens it in chromium.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / part) for part in ("support", "browser")]

LANGS = ("en", "es", "zh", "hi", "ar", "fr", "sw", "tr")
METHODS = ("occlusion", "input_x_gradient", "integrated_gradients", "attention", "random")
METRICS = {"comprehensiveness": True, "sufficiency": False}
"""Whether higher is better."""
QUERIES = {
    "first page": "examples?limit=20",
    "language, model, method": "examples?lang=hi&model=demo&method=input_x_gradient&limit=20",
    "wrong, sorted by a metric": "examples?right=wrong&sort=comprehensiveness&descending=true&limit=20",
    "text search": "examples?text=room&limit=20",
    "disagreement and flag": "examples?disagreement=true&flag=any&limit=20",
    "page 100": "examples?offset=2000&limit=20",
    "translations and methods": "related/17",
    "words of a method": "words?model=demo&method=occlusion",
    "words of everything": "words",
    "disagreements": "disagreements",
}


def write_store(path: Path, rows: int) -> None:
    from babelscope import corpus
    from babelscope.methods.explain import explain
    from babelscope.model.load import load
    from babelscope.store import open_store, write_study

    store, model = open_store(path), load("demo")
    count = -(-rows // (len(LANGS) * len(METHODS)))
    for lang in LANGS:
        examples = corpus.read("sentiment", lang, "test", count)
        known = list(explain(model, examples, "input_x_gradient"))
        for method in METHODS:
            _write_cell(store, lang, method, known)
    write_study(store, _study(count))


def _write_cell(store: Any, lang: str, method: str, known: Sequence[Any]) -> None:
    """The explanations of one language and method, and their metrics."""
    from babelscope.random import keyed
    from babelscope.store import Cell, put
    from babelscope.types import Measure

    rng = keyed("explorer", lang, method)
    listed = []
    for each in known:
        words = tuple((rng.permutation(each.word_scores) * rng.lognormal(0, 0.1)).tolist())
        tokens = tuple(rng.permutation(each.scores).tolist())
        listed.append(replace(each, method=method, word_scores=words, scores=tokens))
    measures = [
        Measure(row.id, row.group, lang, row.model, method, metric, {}, float(rng.random()))
        for row in listed
        for metric in METRICS
    ]
    place = {"model": "demo", "task": "", "lang": lang, "what": method, "setup": ""}
    identity = {"lang": lang, "model": "demo", "method": method}
    put(store, [
        Cell(identity | {"kind": "attributions"}, "attributions", listed,
             place | {"analysis": "explanations"}),
        Cell(identity | {"kind": "measures"}, "measures", measures,
             place | {"analysis": "faithfulness"}),
    ])  # fmt: skip


def _study(count: int) -> dict[str, Any]:
    from babelscope.methods import METHODS as KNOWN
    from babelscope.metrics import METRICS as METRIC_ROWS

    return {
        "name": f"{count:,} texts", "languages": list(LANGS), "task": "text-classification",
        "models": [{"name": "demo", "languages": list(LANGS)}],
        "methods": [
            {"name": name, "family": KNOWN[name].family, "summary": KNOWN[name].summary,
             "complete": KNOWN[name].complete, "signed": KNOWN[name].signed}
            for name in METHODS
        ],
        "analyses": {"faithfulness": {"metrics": [
            {"name": name, "summary": METRIC_ROWS[name].summary, "higher_is_better": higher,
             "bounds": [-1, 1], "may_be_undefined": False}
            for name, higher in METRICS.items()
        ]}},
        "seeds": [0], "examples": count, "data": {}, "segmenters": {}, "versions": {}, "cells": 0,
    }  # fmt: skip


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
    parser.add_argument("--page", action="store_true", help="the report too, in chromium")
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.measure), indent=1))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_store(Path(folder) / "store", chosen.rows)
        subprocess.run(
            [sys.executable, __file__, "--measure", str(Path(folder) / "store")], check=True
        )
        if chosen.page:
            print(json.dumps(open_page(Path(folder)), indent=1))


def open_page(folder: Path) -> dict[str, object]:
    """Writes the report and opens it: seconds until its list of examples is there, and until it
    shows what a search leaves."""
    from devtools import browser

    from babelscope.reporting.build import report

    start = time.process_time()
    address = report(folder / "store", folder / "page")
    written = time.process_time() - start
    with browser() as page:
        page._send("Performance.enable", {"timeDomain": "threadTicks"})
        start = time.monotonic()
        page.open(address.as_uri())
        page.until("document.querySelectorAll('#list article').length > 0")
        opened = time.monotonic() - start
        filtered = page.evaluate(
            "(() => { const at = performance.now(); const box = document.getElementById('lang');"
            " box.value = '3'; box.dispatchEvent(new Event('input', {bubbles: true}));"
            " return new Promise(done => setTimeout(() => done(performance.now() - at), 0)); })()"
        )
        memory = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
        metrics = page._send("Performance.getMetrics")["metrics"]
        busy = {each["name"]: each["value"] for each in metrics}["TaskDuration"]
    return {
        "page, MB": round(address.stat().st_size / 1e6, 1), "written, CPU s": round(written, 1),
        "opened, s": round(opened, 2), "opened and filtered, CPU s of the page": round(busy, 2),
        "filter, ms": round(filtered),
        "JavaScript heap, MB": round(memory),
    }  # fmt: skip


if __name__ == "__main__":
    main()
