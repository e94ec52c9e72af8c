"""How good designs of SLALOM are by number of samples, beside LIME, Kernel SHAP and two trivial
surrogates, on the models of the benchmarks:

    python -m benchmarks.slalom_budgets [MODEL] [--texts 8] [--skip 0] [--samples 28 40 80]
        [--designs mix+text mix+deletion+text] [--peers 160 320]

Deletion score, gap and error as in `benchmarks.surrogate`; a peer with 0 samples takes its default.
The trivial surrogates are the value of the text itself for every text, which costs one input and
ranks no words, and leave-one-out: that value minus, for each word that is left out, how far the
value falls without that word alone.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import torch

from babelscope.model.load import Model
from benchmarks.surrogate import PEERS, SEEDS, Case, Point, cases, point, sides
from benchmarks.surrogate_fits import DESIGN, METHODS, USUAL, Surrogate, log_odds, probabilities
from benchmarks.surrogate_fits import slalom as fitted_slalom


def own_value(case: Case) -> Surrogate:
    value = case.answers[0]
    return Surrogate(np.zeros(len(case.text.words)), lambda kept: np.full(len(kept), value), 1, 0.0)


def leave_one_out(model: Model, case: Case) -> Surrogate:
    n, begin = len(case.text.words), time.process_time()
    texts = [case.text.without(kept) for kept in ~np.eye(n, dtype=bool)]
    value = case.answers[0]
    falls = value - log_odds(probabilities(model, texts)[:, case.label])
    seconds = time.process_time() - begin
    return Surrogate(falls, lambda kept: value - ~kept @ falls, n + 1, seconds)


def points(
    model: Model,
    some: Sequence[Case],
    designs: Sequence[str],
    samples: Sequence[int],
    peers: Sequence[int],
) -> Iterator[tuple[str, Point]]:
    """What is measured, in the order of the table."""
    yield "own value", point(model, 1, [(own_value(case), case) for case in some])
    yield "leave one out", point(model, 0, [(leave_one_out(model, case), case) for case in some])
    runs = [(name, METHODS[name], count, SEEDS[name]) for name in PEERS for count in peers]
    runs += [
        (design, partial(fitted_slalom, design=design), count, SEEDS["slalom"])
        for count in samples
        for design in designs
    ]
    for name, method, count, seeds in runs:
        fits = [
            (method(model, case.text, case.label, count, 100 * seed + at), case)
            for at, case in enumerate(some)
            for seed in range(seeds)
        ]
        yield name, point(model, count, fits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="mini-multilingual")
    parser.add_argument("--texts", type=int, default=8)
    parser.add_argument("--skip", type=int, default=0, help="texts before the first")
    parser.add_argument("--designs", nargs="+", default=[USUAL, DESIGN])
    parser.add_argument("--samples", nargs="+", type=int, default=[28, 40, 57, 80, 160, 320])
    parser.add_argument("--peers", nargs="*", type=int, default=[160, 320, 640])
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    model, examples, lengths = next(side[1:] for side in sides() if side[0] == chosen.model)
    some = cases(model, examples, chosen.skip + chosen.texts, lengths)[chosen.skip :]
    print("| what | samples | inputs | CPU s | deletion score | gap | error |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, each in points(model, some, chosen.designs, chosen.samples, chosen.peers):
        print(
            f"| {name} | {each.samples or ''} | {each.queries:.0f} | {each.seconds:.2f} | "
            f"{each.score:.3f} | {each.gap:.2f} | {each.error:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
