"""Prompted decoders in float32 and bfloat16: how alike the scores are, what they are worth, and the
CPU time of a text.

    python -m benchmarks.decoders MODEL_FOLDER --data SHARED_DATA --langs en fr hi zh
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from babelscope.data import corpora
from babelscope.display.results import Attributions
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.load import Model, load
from babelscope.types import Example, Prompt

METHODS: dict[str, dict[str, Any]] = {
    "attnlrp": {},
    "occlusion": {},
    "slalom": {"samples": 64},
    "integrated_gradients": {"tolerance": 1.0},
}
METRICS = ("comprehensiveness", "sufficiency")
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


def texts(task: str, folder: Path, lang: str, count: int) -> list[Example]:
    """The first test texts of moderate length; of parallel corpora the same in every language."""
    rows = corpora.read(CORPORA[task], folder, lang="en", split="test")
    short = (row.group for row in rows if 40 <= len(row.texts[0]) <= 90)
    groups = list(islice(short, count))
    rows = corpora.read(CORPORA[task], folder, lang=lang, split="test")
    return [row for row in rows if row.group in groups][:count]


def explained(
    model: Model, rows: list[Example], methods: list[str]
) -> Iterator[tuple[str, Attributions, float]]:
    """Per method the explanations, and the CPU seconds of a text."""
    for method in methods:
        options = METHODS[method]
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attributions = explain(model, rows, method, options=options)
        yield method, attributions, (time.process_time() - start) / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--task", choices=PROMPTS, default="topic")
    parser.add_argument("--langs", nargs="+", default=["en"])
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    given = parser.parse_args()
    models = {
        dtype: load(given.model, dtype=dtype, prompt=PROMPTS[given.task])
        for dtype in ("float32", "bfloat16")
    }
    for lang in given.langs:
        rows = texts(given.task, given.data, lang, given.count)
        runs = zip(*(explained(model, rows, given.methods) for model in models.values()))
        for (method, full, seconds), (_, half, halved) in runs:
            print_method(models["float32"], lang, method, full, half, seconds, halved)


def print_method(
    model: Model, lang: str, method: str, full: Attributions, half: Attributions,
    seconds: float, halved: float,
) -> None:  # fmt: skip
    alike = [
        np.corrcoef(each.word_scores, other.word_scores)[0, 1] for each, other in zip(full, half)
    ]
    means = [
        float(np.mean([each.value for each in measure(model, full, metric)])) for metric in METRICS
    ]
    print(
        lang, method, "r", [round(float(each), 4) for each in alike], "measures", np.round(means, 3),
        "seconds", round(seconds, 1), round(halved, 1), half[0].flags, flush=True,
    )  # fmt: skip
    for each in full:
        order = np.argsort(each.word_scores)[::-1][:3]
        top = ", ".join(f"{each.words[at]} {each.word_scores[at]:.2f}" for at in order)
        print("   ", each.gold, "->", each.label, round(each.probability, 2), "|", top, flush=True)


if __name__ == "__main__":
    main()
