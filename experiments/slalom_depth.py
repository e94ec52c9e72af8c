"""Table 6 for other and deeper models: which surrogate is nearest to a transformer that was
trained on words that add up.
"""

from __future__ import annotations

import statistics

from benchmarks.timing import table

from babelscope.data.synthetic import linear_words
from experiments.slalom import FITTED, STEPS, TESTED, errors, shown
from experiments.slalom_models import trained

CELLS = {
    "small": [("distilbert", 1), ("distilbert", 2)],
    "full": [
        (name, layers) for name in ("bert", "distilbert", "gpt2") for layers in (1, 2, 4, 6, 12)
    ],
}
SEEDS = {"small": (0, 1), "full": (0, 1, 2, 3, 4)}
CONSTANT = 0.01
"""A variance of the log-odds below which a model has learnt nothing: deep ones sometimes do."""
PUBLISHED = {
    ("distilbert", 1): "28.3 / 44.4 / 10.8", ("distilbert", 2): "32.6 / 53.9 / 16.8", ("distilbert", 6): "31.5 / 49.4 / 17.3",
    ("distilbert", 12): "50.8 / 71.6 / 27.5", ("bert", 1): "26.3 / 43.3 / 7.3", ("bert", 2): "28.4 / 48.3 / 9.9",
    ("bert", 6): "50.8 / 68.2 / 24.0", ("bert", 12): "44.6 / 51.4 / 18.8", ("gpt2", 1): "20.3 / 48.8 / 16.9",
    ("gpt2", 2): "24.8 / 54.3 / 22.2", ("gpt2", 6): "32.7 / 57.1 / 21.6", ("gpt2", 12): "25.7 / 54.4 / 20.3",
}  # fmt: skip
"""Leemann et al. 2024, table 6: linear / GAM / SLALOM."""


def page(which: str = "small") -> str:
    lines, right, runs = [], 0, 0
    for architecture, layers in CELLS[which]:
        found = []
        for seed in SEEDS[which]:
            found.append(errors(trained(linear_words(), architecture, layers, seed, STEPS), seed))
            print(architecture, layers, seed, found[-1], flush=True)
        learnt = [one for one in found if one["variance"] > CONSTANT]
        holds = sum(one["GAM"] > one["linear"] > one["SLALOM"] for one in learnt)
        right, runs = right + holds, runs + len(learnt)
        told = ["undefined"] * 3 if len(learnt) < 2 else [shown([one[name] for one in learnt]) for name in
                                                          ("linear", "GAM", "SLALOM")]  # fmt: skip
        variance = statistics.mean(one["variance"] for one in found)
        name = f"{architecture} {layers}"
        lines.append(
            [
                name,
                *told,
                f"{holds} of {len(learnt)}",
                f"{variance:.2f}",
                PUBLISHED.get((architecture, layers), ""),
            ]
        )
    head = [
        "model, layers",
        "linear",
        "GAM",
        "SLALOM",
        "seeds in the paper's order",
        "variance of the log-odds",
        "published",
    ]
    command = "slalom-depth" if which == "small" else "slalom-depth-full"
    return f"""# Surrogates of other and deeper transformers

This page is written by `python -m experiments {command}`. As on the page [surrogates](slalom.md): models of width 64, {STEPS}
steps of 64 texts of ten words whose weights add up; {FITTED} texts fit each surrogate, {TESTED} fresh ones test it. Mean
squared error of the log-odds times 100, mean and standard error over {len(SEEDS[which])} seeds; models that learnt nothing
(variance below {CONSTANT}) are left out. The paper's order, GAM > linear > SLALOM, holds in {right} of {runs} runs.

{table(head, lines)}

`python -m experiments slalom-depth-full` does it for BERT, DistilBERT and GPT-2 with 1, 2, 4, 6 and 12 layers.
"""


def full_page() -> str:
    return page("full")
