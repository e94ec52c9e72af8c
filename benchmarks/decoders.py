"""Prompted decoders in float32 and bfloat16: how alike the scores are, what they are worth, and the
CPU time of a text.

    python -m benchmarks.decoders MODEL_FOLDER --data SHARED_DATA --langs en fr hi zh --output FILE

Each method's explanations of the shortest test sentences, with the options of METHODS, and their
comprehensiveness and sufficiency, are added to FILE when they are computed; what it holds already
is not computed again. The table is printed.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from babelscope.data import corpora
from babelscope.files import write_text
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.load import Model, load
from babelscope.types import Attribution, Example, Prompt

# Fewer queries for SLALOM, and the same 32 nodes for both precisions of integrated gradients: the
# defaults cost five to ten times as much and compare nothing else.
METHODS: dict[str, dict[str, Any]] = {
    "attnlrp": {},
    "occlusion": {},
    "slalom": {"samples": 128},
    "integrated_gradients": {"nodes": 32, "tolerance": 1.0},
}
METRICS = ("comprehensiveness", "sufficiency")
DTYPES = ("float32", "bfloat16")
TOPICS = (
    "science/technology", "travel", "politics", "sports", "health", "entertainment", "geography",
)  # fmt: skip
PROMPTS = {
    "topic": Prompt(
        "Text: {text}\nTopic:", labels={topic: f" {topic.split('/')[0]}" for topic in TOPICS},
        calibrate=True,
    ),
    "sentiment": Prompt(
        "Review: {text}\nIs the review positive or negative? Answer with one word.",
        labels={"positive": "Positive", "negative": "Negative"}, chat=True, calibrate=True,
    ),
}  # fmt: skip
CORPORA = {"topic": "sib200", "sentiment": "sst2"}
SHORTEST = 20
"""Characters; below are fragments."""
Row = dict[str, Any]
"""What is stored of a method on the sentences of a language in a precision."""


def texts(task: str, folder: Path, lang: str, count: int) -> list[Example]:
    """The shortest test sentences in English; of parallel corpora the same in every language."""
    english = corpora.read(CORPORA[task], folder, lang="en", split="test")
    sentences = [row for row in english if len(row.texts[0].strip()) >= SHORTEST]
    groups = [row.group for row in sorted(sentences, key=lambda row: len(row.texts[0]))[:count]]
    rows = {row.group: row for row in corpora.read(CORPORA[task], folder, lang=lang, split="test")}
    return [rows[group] for group in groups]


def compute(model: Model, examples: list[Example], method: str) -> Row:
    """The explanations of a method with their measures, and the CPU seconds of a text."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attributions = explain(model, examples, method, options=METHODS[method])
    explained = time.process_time() - start
    measures = {
        metric: [each.value for each in measure(model, attributions, metric)] for metric in METRICS
    }
    measured = time.process_time() - start - explained
    seconds = {"explained": explained, "measured": measured}
    return {
        "texts": [_stored(each) for each in attributions],
        "measures": measures,
        "seconds": {name: amount / len(examples) for name, amount in seconds.items()},
        "skipped": len(attributions.skipped),
    }


def _stored(attribution: Attribution) -> Row:
    return {
        "id": attribution.id,
        "words": list(attribution.words),
        "scores": [float(score) for score in attribution.word_scores],
        "tokens": len(attribution.scores),
        "gold": attribution.gold,
        "label": attribution.label,
        "probability": float(attribution.probability),
        "value": float(attribution.value),
        "flags": list(attribution.flags),
        "token_error": attribution.details.get("token_error"),
    }


def run(given: argparse.Namespace) -> dict[str, Row]:
    """All rows of the file, those that it lacks computed first."""
    rows: dict[str, Row] = json.loads(given.output.read_text()) if given.output.is_file() else {}
    models: dict[str, Model] = {}
    for method in given.methods:
        for lang in given.langs:
            for dtype in DTYPES:
                key = f"{Path(given.model).name} {given.task} {lang} {method} {dtype}"
                if key in rows:
                    continue
                if dtype not in models:
                    models[dtype] = load(given.model, dtype=dtype, prompt=PROMPTS[given.task])
                examples = texts(given.task, given.data, lang, given.count)
                rows[key] = compute(models[dtype], examples, method)
                write_text(given.output, json.dumps(rows, ensure_ascii=False, indent=1))
                print(key, rows[key]["seconds"], flush=True)
    return rows


def correlations(full: Row, half: Row) -> list[float]:
    """Of the word scores of each sentence in the two precisions; NaN where they explain different
    labels."""
    return [
        float(np.corrcoef(a["scores"], b["scores"])[0, 1]) if a["label"] == b["label"] else np.nan
        for a, b in zip(full["texts"], half["texts"])
    ]


def table(rows: dict[str, Row], names: Sequence[str]) -> str:
    """One line for each model, language and method that has both precisions."""
    lines = []
    for name in names:
        full, half = (rows.get(f"{name} {dtype}") for dtype in DTYPES)
        if not full or not half:
            continue
        model, _, lang, method = name.split()
        alike = ", ".join("other label" if r != r else f"{r:.4f}" for r in correlations(full, half))
        cells = [model, lang, f"`{method}`", alike]
        for metric in METRICS:
            means = (f"{np.mean(row['measures'][metric]):.3f}" for row in (full, half))
            cells.append(", ".join(means))
        for kind in ("explained", "measured"):
            cells.append(", ".join(f"{row['seconds'][kind]:.1f}" for row in (full, half)))
        flagged = sum(any(flag for flag in each["flags"]) for each in half["texts"])
        lines.append("| " + " | ".join([*cells, str(flagged)]) + " |")
    heads = ("model", "language", "method", "r", *METRICS, "explain", "measure", "flagged")
    return "\n".join(
        ["| " + " | ".join(heads) + " |", "|---|---|---|---|--:|--:|--:|--:|--:|", *lines]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--task", choices=PROMPTS, default="topic")
    parser.add_argument("--langs", nargs="+", default=["en"])
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--output", type=Path, default=Path("decoders.json"))
    rows = run(parser.parse_args())
    print(table(rows, list(dict.fromkeys(key.rsplit(" ", 1)[0] for key in rows))))


if __name__ == "__main__":
    main()
