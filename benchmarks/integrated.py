"""Integrated gradients against Captum at the same required error of every token."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from babelscope import corpus
from babelscope.methods.integrated import integrated_gradients
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import predicted
from babelscope.types import Encoded, Example, Explained, Target
from benchmarks import material
from benchmarks.captum_peer import Peer
from benchmarks.timing import seconds, table

SMALL_BERT = "BERT 2 x 128"
SEEN = {material.PROMPTED: 2, SMALL_BERT: 100, "mini-multilingual": 100}
"""The first texts are left out, 50 of the other models: the rule was chosen on some of them."""
TEXTS = {"gte-small": 8, "chineseharm-bert": 3, material.PROMPTED: 1}
"""For the others 40."""
LENGTHS = {"gte-small": range(12, 41), "chineseharm-bert": range(12, 31)}
"""Tokens of the texts of 12 layers, where a gradient pass takes up to half a second."""
REQUIRED = (1e-2, 1e-3)
FINEST = 1e-4
"""The required error of the reference."""
FIRST, LAST = 8, 512
"""Captum's steps, doubled from the first to the last."""
LADDER = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""Numbers of steps among which the fewest sufficient ones are searched; of the decoder only those
that doubling takes anyway."""


class Side:
    """A model with its texts, and what is explained about them."""

    def __init__(self, name: str, model: Model, rows: Sequence[Encoded]) -> None:
        self.name, self.model, self.rows = name, model, list(rows)
        outputs = inference.outputs(model, [inference.query(row) for row in rows])
        self.targets: list[Target] = [
            predicted(model, row, output, model.functions.quantity(model, row))
            for row, output in zip(rows, outputs)
        ]
        self.tokens = np.array([len(row.ids) for row in rows])

    def ours(self, tolerance: float) -> list[Explained]:
        return integrated_gradients(self.model, self.rows, self.targets, tolerance=tolerance)


@dataclass(slots=True)
class Steps:
    """Captum's scores by text and number of steps, each computed once, with the seconds that the
    text took.
    """

    side: Side
    peer: Peer
    scores: dict[tuple[int, int], NDArray[np.float64]] = field(default_factory=dict)
    seconds: dict[tuple[int, int], float] = field(default_factory=dict)

    def compute(self, steps: int, among: Sequence[int]) -> None:
        """The seconds of a call are shared by its texts according to their tokens."""
        new = [at for at in among if (at, steps) not in self.scores]
        if not new:
            return
        rows, targets = ([part[at] for at in new] for part in (self.side.rows, self.side.targets))
        begin = time.perf_counter()
        tables = self.peer.scores(rows, targets, steps)
        taken = time.perf_counter() - begin
        for at, scores in zip(new, tables):
            self.scores[at, steps] = scores
            self.seconds[at, steps] = (
                taken * self.side.tokens[at] / sum(self.side.tokens[n] for n in new)
            )
        print(f"{self.side.name}: {steps} steps, {taken:.0f} s", file=sys.stderr, flush=True)

    def doubled(self, tolerance: float) -> list[int]:
        """What a user of Captum can do who knows neither the truth nor the steps: from 8 steps on,
        each text is done again with twice as many until no token changes by more than the
        tolerance, up to 512. The last number of steps of every text.
        """
        last, steps = [FIRST] * len(self.side.rows), FIRST
        waiting = list(range(len(last)))
        while waiting and steps <= LAST:
            self.compute(steps, waiting)
            for at in waiting:
                last[at] = steps
            waiting = [at for at in waiting if self._change(at, steps) > tolerance]
            steps *= 2
        return last

    def _change(self, at: int, steps: int) -> float:
        if steps == FIRST:
            return float("inf")
        return float(np.abs(self.scores[at, steps] - self.scores[at, steps // 2]).max())

    def fewest(self, tolerance: float, truth: Sequence[NDArray[np.float64]]) -> list[int]:
        """The first number of steps of the ladder that suffices for each text; the last one where
        none does.
        """
        fewest: dict[int, int] = {}
        waiting = list(range(len(truth)))
        for steps in LADDER:
            if self.side.name != material.PROMPTED:
                self.compute(steps, waiting)
            known = [at for at in waiting if (at, steps) in self.scores]
            passed = [at for at in known if self.error(at, steps, truth) <= tolerance]
            fewest |= dict.fromkeys(passed, steps)
            waiting = [at for at in waiting if at not in fewest]
        return [fewest.get(at, LADDER[-1]) for at in range(len(truth))]

    def error(self, at: int, steps: int, truth: Sequence[NDArray[np.float64]]) -> float:
        """Of the worst token."""
        return float(np.abs(self.scores[at, steps] - truth[at]).max())


def sides() -> list[Side]:
    small = (SMALL_BERT, material.monolingual(), corpus.sentiment("en", "test", 200))
    deep = material.prompted(SEEN[material.PROMPTED] + TEXTS[material.PROMPTED])
    return [side(*each) for each in (*material.classifiers(), *deep, small)]


def side(name: str, model: Model, texts: Sequence[Example]) -> Side:
    """Of the texts those on which the rule was not chosen."""
    rows = encode(model, texts[SEEN.get(name, 50) :])
    if name in LENGTHS:
        rows = [row for row in rows if len(row.ids) in LENGTHS[name]]
    return Side(name, model, rows[: TEXTS.get(name, 40)])


def tuned(side: Side) -> Peer:
    """Captum with the inner batch that is fastest for it here."""
    times = {}
    for tokens in (512, 1024, 2048):
        peer = Peer(side.model, tokens)
        peer.scores(side.rows[:1], side.targets[:1], 4)
        times[tokens] = seconds(lambda peer=peer: peer.scores(side.rows[:8], side.targets[:8], 8))  # type: ignore[misc]
    return Peer(side.model, min(times, key=times.__getitem__))


def lines(side: Side, peer: Peer) -> list[list[object]]:
    """A row for each required error."""
    steps = Steps(side, peer)
    truth = [each.scores for each in side.ours(FINEST)]
    return [compared(side, steps, truth, tolerance) for tolerance in REQUIRED]


def compared(
    side: Side, steps: Steps, truth: Sequence[NDArray[np.float64]], tolerance: float
) -> list[object]:
    before, begin = side.model.inference.backward, time.perf_counter()
    explained = side.ours(tolerance)
    taken, passes = time.perf_counter() - begin, side.model.inference.backward - before
    print(f"{side.name}: ours, {tolerance:g}, {taken:.0f} s", file=sys.stderr, flush=True)
    last = steps.doubled(tolerance)
    runs = [(at, step) for at, end in enumerate(last) for step in LADDER if _ran(step, end)]
    again = sum(step * int(side.tokens[at]) for at, step in runs)
    theirs = sum(steps.seconds[run] for run in runs)
    fewest = steps.fewest(tolerance, truth)
    off = [float(np.abs(each.scores - scores).max()) for each, scores in zip(explained, truth)]
    doubled_off = [steps.error(at, end, truth) for at, end in enumerate(last)]
    claims = [
        each.details["token_error"] / max(error, 1e-12) for each, error in zip(explained, off)
    ]
    whole = int(side.tokens.sum())
    return [
        side.name, len(side.rows), f"{tolerance:g}", f"{passes / whole:.1f}", f"{again / whole:.1f}",
        f"{again / passes:.2f}", f"{theirs / taken:.2f}",
        max(fewest), f"{max(fewest) * whole / passes:.2f}",
        f"{float(np.dot(fewest, side.tokens)) / passes:.2f}",
        f"{max(off):.1e}", f"{max(doubled_off):.1e}", f"{min(claims):.2f}",
    ]  # fmt: skip


def _ran(steps: int, last: int) -> bool:
    """Whether doubling up to the last number of steps takes this one."""
    return FIRST <= steps <= last and steps & (steps - 1) == 0


def section() -> str:
    both = sides()
    peers = [tuned(side) for side in both]
    rows = [row for side, peer in zip(both, peers) for row in lines(side, peer)]
    head = [
        "model", "texts", "required error", "our evaluations", "Captum's, doubled",
        "doubled / ours", "time, doubled / ours", "one for all", "one for all / ours",
        "best of each text / ours", "our worst error", "worst error, doubled",
        "claimed / true error, least",
    ]  # fmt: skip
    inner = ", ".join(f"{peer.tokens} tokens for {side.name}" for side, peer in zip(both, peers))
    lengths = ", ".join(
        f"{some.start} to {some.stop - 1} tokens for {name}" for name, some in LENGTHS.items()
    )
    ratios = [float(str(row[head.index("doubled / ours")])) for row in rows]
    return f"""## Integrated gradients against Captum

**At an equal error of every token, where neither side knows the truth, Captum's takes {min(ratios):.1f} to {max(ratios):.1f} times the gradient passes of ours.**

Texts on which the rule was not chosen ({lengths}), baseline of padding (of prompted decoders the zero vector), until *every token* of every
text has at most the required error. The reference is ours to an error of {FINEST:g}; Captum's doubled runs are an independent check of it.
Captum's `LayerIntegratedGradients` gets Gauss-Legendre nodes, explicit position ids, texts batched by equal length without padding, and the internal
batch size that is fastest for it on this machine ({inner}). Its user can choose the number of steps in three ways:

* *Doubled*: each text from {FIRST} steps on with twice as many until no token changes by more than the required error, at most {LAST}, all runs counted. Only this
  needs no truth, as ours does not. Claims of a factor over Captum, here and elsewhere, refer to this one.
* *One for all*: the smallest number of steps with which each text has the required error. It is known only when the truth is; the search for it is neither counted nor timed.
* *Best of each text*: the fewest sufficient steps of every single text. Nobody can know them; it says how far from the best possible ours is.

Numbers of steps are searched among {", ".join(map(str, LADDER))} (of {material.PROMPTED} among the powers of two from {FIRST} on). Evaluations are gradient
passes per text, counted in the tokens that they read; times are seconds of the whole call on {torch.get_num_threads()} threads. The errors of a text are those of its worst token; the
last column is the error that ours states over the true one, in the text where it is smallest.

{table(head, rows)}
{material.absent(material.PROMPTED)}"""
