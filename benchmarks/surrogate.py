"""SLALOM against LIME and Kernel SHAP: the inputs and the time that each needs for an equally good
ranking of the words and an equally good description of the model on the text and near it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from babelscope import corpus
from babelscope.model.load import Model
from babelscope.random import keyed
from babelscope.types import Example
from benchmarks import material
from benchmarks.surrogate_fits import (
    DESIGN,
    LIME_SAMPLES,
    METHODS,
    USUAL,
    Kept,
    Surrogate,
    Text,
    as_text,
    log_odds,
    probabilities,
)
from benchmarks.timing import table

LONG, STEPS = 60, 12
"""Words of a concatenated text, and the sets of words at which deletion is measured, at most."""
NEAR, FEWEST, MOST = 40, 1, 5
"""Texts without one to five words on which a surrogate is measured."""
TEXTS = {"BERT 6 x 128": 3, "mini-multilingual": 6, "gte-small": 2, "chineseharm-bert": 1}
LENGTHS = range(16, 41)
"""Words of the texts of the real models."""
SEEDS = {"slalom": 3, USUAL: 3, "LIME": 1, "Kernel SHAP": 1}
"""Samples of a method for each text and budget: SLALOM's are the smallest."""
PEERS = ("LIME", "Kernel SHAP")
SLACK, SPARE = 0.005, 1.02
"""Deletion scores this near to each other count as equal, and errors within this factor."""
BUDGETS = {
    "slalom": (14, 20, 28, 40, 57, 80, 113, 160, 226, 320),
    USUAL: (28, 57, 113, 0),
    "LIME": (160, 320, 640, 0),
    "Kernel SHAP": (160, 320, 640, 0),
}
"""Samples: of SLALOM in steps of the square root of two; 0 is a method's own number."""
OWN = {USUAL: "default", "LIME": f"{LIME_SAMPLES} (default)", "Kernel SHAP": "2n + 2048 (default)"}
"""What a method's own number of samples is."""
MOST_SAMPLES = {"chineseharm-bert": 320}
"""The largest number of samples on a model on which more, and the defaults of the peers, would take
minutes for each text."""
TENFOLD = 10


@dataclass(frozen=True, slots=True)
class Case:
    """A text, its predicted class, and what the model says where surrogates are measured."""

    text: Text
    label: int
    near: Kept
    """The whole text first, then texts without some of its words."""
    answers: np.ndarray


@dataclass(frozen=True, slots=True)
class Point:
    """A method with a number of samples: means over the texts."""

    samples: int
    queries: float
    seconds: float
    score: float
    gap: float
    """On the text itself."""
    error: float
    """Root mean squared error on the text and near it."""


@dataclass(frozen=True, slots=True)
class Side:
    """What was measured on a model."""

    name: str
    texts: int
    error: float
    """Of answering the text's own value for every text."""
    points: dict[str, list[Point]]


def long_examples() -> list[Example]:
    """Texts of 60 words, each several reviews in a row, words parted by blanks."""
    words = [word for row in corpus.sentiment("en", "test", 200) for word in row.texts[0].split()]
    starts = range(0, len(words) - LONG, LONG)
    return [Example(str(at), (" ".join(words[at : at + LONG]),), "en") for at in starts]


def cases(model: Model, examples: Sequence[Example], count: int, lengths: range) -> list[Case]:
    chosen: list[Case] = []
    for example in examples:
        text = as_text(example.texts[0], example.lang)
        n = len(text.words)
        if n not in lengths or len(chosen) == count:
            continue
        generator = keyed("near", example.lang, example.id)
        near = np.ones((NEAR + 1, n), dtype=bool)
        for row in near[1:]:
            row[generator.permutation(n)[: generator.integers(FEWEST, MOST + 1)]] = False
        p = probabilities(model, [text.without(kept) for kept in near])
        label = int(p[0].argmax())
        chosen.append(Case(text, label, near, log_odds(p[:, label])))
    return chosen


def deletion(model: Model, case: Case, scores: np.ndarray) -> float:
    """1 - mean_k p_k, p_k the probability of the predicted class with only the k lowest words
    left, at up to twelve k in equal steps.
    """
    n, order = len(scores), np.argsort(scores, kind="stable")
    step = max(1, -(-n // STEPS))
    kept = np.zeros((len(range(step, n, step)), n), dtype=bool)
    for row, k in zip(kept, range(step, n, step)):
        row[order[:k]] = True
    p = probabilities(model, [case.text.without(row) for row in kept])
    return 1 - float(p[:, case.label].mean())


def curves(model: Model, some: Sequence[Case], most: int | None = None) -> dict[str, list[Point]]:
    """Every method with every number of samples on every text, in turn forwards and backwards;
    with `most`, without larger numbers of samples and the defaults of the peers.
    """
    cells = [
        (name, samples)
        for name in METHODS
        for samples in BUDGETS[name]
        if most is None or (samples <= most and (samples or name not in PEERS))
    ]
    for name in METHODS:
        METHODS[name](model, some[0].text, some[0].label, BUDGETS[name][0], 0)  # for warming up
    runs: dict[tuple[str, int], list[tuple[Surrogate, Case]]] = {cell: [] for cell in cells}
    for turn, case in enumerate(some):
        for name, samples in cells if turn % 2 == 0 else reversed(cells):
            for seed in range(SEEDS[name]):
                fitted = METHODS[name](model, case.text, case.label, samples, 100 * seed + turn)
                runs[name, samples].append((fitted, case))
        print(f"text {turn + 1} of {len(some)}", file=sys.stderr, flush=True)
    return {
        name: [
            point(model, samples, runs[name, samples]) for other, samples in cells if other == name
        ]
        for name in METHODS
    }


def point(model: Model, samples: int, runs: Sequence[tuple[Surrogate, Case]]) -> Point:
    """The means over the fits of a method with that many samples."""
    off = [fitted.predict(case.near) - case.answers for fitted, case in runs]
    return Point(
        samples,
        float(np.mean([fitted.queries for fitted, _ in runs])),
        float(np.mean([fitted.seconds for fitted, _ in runs])),
        float(np.mean([deletion(model, case, fitted.scores) for fitted, case in runs])),
        float(np.mean([abs(each[0]) for each in off])),
        float(np.sqrt(np.mean(np.square(off)))),
    )


def as_good(points: Sequence[Point], goal: Point, *, near: bool) -> tuple[float, float] | None:
    """Inputs and seconds of the smallest budget whose score, and near the text also whose error,
    are as good as the goal's, up to the slack; None where no budget's are.
    """
    for each in points:
        close = not near or each.error <= SPARE * goal.error
        if close and each.score >= goal.score - SLACK:
            return each.queries, each.seconds
    return None


def lines(name: str, points: dict[str, list[Point]]) -> Iterator[list[object]]:
    """For every peer and number of samples: what SLALOM needs to be as good."""
    for peer in PEERS:
        for goal in points[peer]:
            cells: list[object] = [name, peer, goal.samples or OWN[peer], f"{goal.score:.3f}"]
            cells += [f"{goal.gap:.2f}", f"{goal.error:.2f}", f"{goal.queries:.0f}"]
            for near in (False, True):
                needed = as_good(points["slalom"], goal, near=near)
                if needed is None:
                    cells += ["-", "-", "-"]
                    continue
                ratios = (goal.queries / needed[0], goal.seconds / needed[1])
                cells += [f"{needed[0]:.0f}", *(f"{ratio:.1f}" for ratio in ratios)]
            yield cells


def own_lines(name: str, points: dict[str, list[Point]]) -> Iterator[list[object]]:
    for method, design in (("slalom", DESIGN), (USUAL, USUAL)):
        for each in points[method]:
            cells = [f"{each.score:.3f}", f"{each.gap:.2f}", f"{each.error:.2f}"]
            samples = each.samples or OWN[method]
            yield [name, f"`{design}`", samples, f"{each.queries:.0f}", *cells]


def tenfold(side: Side) -> Iterator[tuple[str, bool, bool]]:
    """For every peer and number of samples, whether SLALOM is as good in score and error with a
    tenth of the inputs, and in a tenth of the time.
    """
    for peer in PEERS:
        for goal in side.points[peer]:
            needed = as_good(side.points["slalom"], goal, near=True) or (np.inf, np.inf)
            name = f"{side.name}, {peer} {goal.samples or OWN[peer]}"
            yield (
                name,
                goal.queries >= TENFOLD * needed[0],
                goal.seconds >= TENFOLD * needed[1],
            )


def verdict(reached: Sequence[tuple[str, bool, bool]]) -> str:
    """At how many numbers of samples of the peers, and at which."""
    inputs, seconds = ([name for name, *enough in reached if enough[which]] for which in range(2))
    return f"""**As good in score and error, SLALOM takes a tenth of the inputs or fewer at {len(inputs)} of {len(reached)} numbers of samples of LIME and Kernel SHAP, and a tenth of the CPU time at {len(seconds)}.**

A tenth of the inputs: {"; ".join(inputs) or "nowhere"}. A tenth of the CPU time: {"; ".join(seconds) or "nowhere"}. At the others it is not."""


def sides() -> Iterator[tuple[str, Model, list[Example], range]]:
    yield "BERT 6 x 128", material.six_layers(), long_examples(), range(LONG, LONG + 1)
    for name, model, examples in material.classifiers():
        if name == material.material().model:
            examples = [row for row in examples if row.lang != "zh"]
        yield name, model, examples, LENGTHS


def measured() -> Iterator[Side]:
    for name, model, examples, lengths in sides():
        some = cases(model, examples, TEXTS.get(name, 4), lengths)
        off = [case.answers - case.answers[0] for case in some]
        error = float(np.sqrt(np.mean(np.square(off))))
        side = Side(name, len(some), error, curves(model, some, MOST_SAMPLES.get(name)))
        print(side, file=sys.stderr, flush=True)
        yield side


def section() -> str:
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return page(list(measured()))


def page(measurements: Sequence[Side]) -> str:
    rows = [cells for side in measurements for cells in lines(side.name, side.points)]
    ours = [
        cells
        for side in measurements
        for cells in own_lines(
            f"{side.name} ({side.texts} text{'s'[: side.texts > 1]})", side.points
        )
    ]
    reached = [each for side in measurements for each in tenfold(side)]
    scale = [[side.name, f"{side.error:.2f}"] for side in measurements]
    own_head = ["model", "design", "samples", "inputs", "deletion score", "gap", "error"]
    head = [
        "model", "against", "its samples", "deletion score", "gap", "error", "its inputs",
        "at an equal score: inputs of slalom", "inputs, its / slalom's", "CPU time",
        "at an equal score and error: inputs of slalom", "inputs, its / slalom's", "CPU time",
    ]  # fmt: skip
    return f"""## SLALOM against LIME and Kernel SHAP

{verdict(reached)}

How many inputs, and how much CPU time on one thread, does SLALOM with the design `{DESIGN}` need to be as good as the released LIME and shap's `KernelExplainer` (all features kept) are with a number of
samples? (n is the number of words.) As good is both: a *deletion score* at least as high, 1 - mean p of the predicted class while the words are deleted, the highest first, in up to twelve
equal steps, the mean over the texts; and an *error* at most as large, the root mean squared difference in log-odds between surrogate and model on the text itself and on {NEAR} texts
without {FEWEST} to {MOST} random words. *Gap* is the mean absolute difference on the text itself; Kernel SHAP's is 0 by construction. All three explain the log-odds of the predicted class by
the same words, which they erase by leaving them out; the peers query the model in batches of 64 through its own tokenizer. Texts: BERT 6 x 128 (6 layers, trained on built-in reviews) reads {LONG} words
of concatenated reviews, the others test sentences of {LENGTHS.start} to {LENGTHS.stop - 1} words (in Chinese, characters); mini-multilingual in en, es, hi and ar. Scores within {SLACK} and errors within {SPARE - 1:.0%} count as equal. Budgets of
SLALOM go in steps of a square root of two, and the smallest that is as good is listed; its figures are means of {SEEDS["slalom"]} seeds. Inputs are distinct ones. The peers' defaults are not measured on {" and ".join(MOST_SAMPLES)}.

{table(head, rows)}

A dash: SLALOM is not as good with any number of samples up to {BUDGETS["slalom"][-1]}. What an error means: a surrogate that answers the value of the text itself for every text has

{table(["model", "error"], scale)}

SLALOM alone, with the design above and with its default:

{table(own_head, ours)}
{material.absent()}"""
