"""Integrated gradients against Captum at the same required error of every token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
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

TEXTS = 100
"""Texts for small models."""
SEEN = {material.PROMPTED: 2}
"""So many texts at the beginning are left out, 100 of classifiers: the rule was chosen on some."""
DEEP = {"gte-small": 8, "chineseharm-bert": 4, material.PROMPTED: 2}
"""Texts for those of 12 and 30 layers, where a gradient pass takes up to a second."""
REQUIRED = (1e-2, 1e-3)
FINER = 30
"""The reference has an error that is so many times smaller."""
PARTS = 4
"""The texts are timed in as many parts, each by ours and by Captum in turn."""
NODES = (4, 6, 8, 12, 16)
LADDER = (4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512)
"""Numbers of steps among which the best one of each text is searched."""


class Side:
    """A model with its texts, and what is explained about them."""

    def __init__(self, name: str, model: Model, rows: Sequence[Encoded]) -> None:
        self.name, self.model, self.rows = name, model, list(rows)
        outputs = inference.outputs(model, [inference.query(row) for row in rows])
        self.targets: list[Target] = [
            predicted(model, row, output, model.functions.quantity(model, row))
            for row, output in zip(rows, outputs)
        ]
        self.references: dict[float, list[Explained]] = {}
        self.tokens = sum(len(row.ids) for row in rows)

    def ours(self, at: slice, tolerance: float, nodes: int = 8) -> list[Explained]:
        return integrated_gradients(
            self.model, self.rows[at], self.targets[at], tolerance=tolerance, nodes=nodes
        )

    def errors(
        self, scores: Sequence[NDArray[np.float64]], among: Sequence[int], tolerance: float
    ) -> list[float]:
        """The largest error of a token, per text."""
        if tolerance not in self.references:
            everything = slice(0, len(self.rows))
            self.references[tolerance] = self.ours(everything, tolerance / FINER)
        references = self.references[tolerance]
        return [
            float(np.abs(each - references[at].scores).max()) for each, at in zip(scores, among)
        ]


def sides() -> list[Side]:
    small = ("BERT 2 x 128", material.monolingual(), corpus.sentiment("en", "test", 200))
    deep = material.prompted(SEEN[material.PROMPTED] + DEEP[material.PROMPTED])
    return [side(*each) for each in (*material.classifiers(), *deep, small)]


def side(name: str, model: Model, texts: Sequence[Example]) -> Side:
    """Of the texts those on which the rule was not chosen."""
    unseen = texts[SEEN.get(name, 100) :]
    return Side(name, model, encode(model, unseen[: DEEP.get(name, TEXTS)]))


def tuned(side: Side) -> Peer:
    """Captum with the inner batch that is fastest for it here."""
    times = {}
    for tokens in (512, 1024, 2048, 4096):
        peer = Peer(side.model, tokens)
        peer.scores(side.rows[:5], side.targets[:5], 4)
        times[tokens] = seconds(lambda peer=peer: peer.scores(side.rows[:20], side.targets[:20], 8))  # type: ignore[misc]
    return Peer(side.model, min(times, key=times.__getitem__))


class Steps:
    """Captum's largest token errors by number of steps and text, each computed once."""

    def __init__(self, side: Side, peer: Peer) -> None:
        self.side, self.peer = side, peer
        self.known: dict[tuple[int, float], dict[int, float]] = {}

    def failing(self, steps: int, among: Sequence[int], tolerance: float) -> list[int]:
        known = self.known.setdefault((steps, tolerance), {})
        new = [at for at in among if at not in known]
        rows, targets = ([part[at] for at in new] for part in (self.side.rows, self.side.targets))
        scores = self.peer.scores(rows, targets, steps) if new else []
        known |= dict(zip(new, self.side.errors(scores, new, tolerance)))
        return [at for at in among if known[at] > tolerance]

    def fewest(self, tolerance: float) -> int:
        """Up the ladder until every text passes, then bisected on the texts that failed last."""
        hard, low, high = list(range(len(self.side.rows))), 2, LADDER[0]
        for high in LADDER:
            left = self.failing(high, hard, tolerance)
            if not left:
                break
            hard, low = left, high
        while high - low > max(1, low // 16):
            middle = (low + high) // 2
            low, high = (middle, high) if self.failing(middle, hard, tolerance) else (low, middle)
        return high


def best_of_each(steps: Steps, tolerance: float) -> int:
    """Tokens of Captum's gradient passes if somebody knew the fewest sufficient steps of every
    text, among LADDER; a text for which none suffices takes the most.
    """
    waiting, tokens = list(range(len(steps.side.rows))), 0
    for number in LADDER:
        left = waiting and steps.failing(number, waiting, tolerance)
        passed = waiting if number == LADDER[-1] else [at for at in waiting if at not in left]
        tokens += number * sum(len(steps.side.rows[at].ids) for at in passed)
        waiting = left
    return tokens


def doubled(side: Side, peer: Peer, tolerance: float) -> tuple[int, float]:
    """What a user of Captum can do who knows neither the truth nor the steps: from 8 steps on, each
    text is done again with twice as many until no token changes by more than the tolerance, up to
    512. The tokens of all these gradient passes, and the largest error of a token.
    """
    before, steps = peer.backward, 8
    waiting = list(range(len(side.rows)))
    last: dict[int, NDArray[np.float64]] = {}
    while waiting and steps <= LADDER[-1]:
        rows, targets = ([part[at] for at in waiting] for part in (side.rows, side.targets))
        scores = dict(zip(waiting, peer.scores(rows, targets, steps)))
        waiting = [
            at
            for at in waiting
            if at not in last or float(np.abs(scores[at] - last[at]).max()) > tolerance
        ]
        last |= scores
        steps *= 2
    everything = range(len(side.rows))
    off = max(side.errors([last[at] for at in everything], everything, tolerance))
    return peer.backward - before, off


def compared(side: Side, steps: Steps, tolerance: float) -> tuple[list[object], list[object]]:
    """A row of the comparison, and one of how many evaluations the texts took."""
    number = steps.fewest(tolerance)
    while True:
        found, scores, counts, times, passes = _timed(side, steps.peer, number, tolerance)
        everything = range(len(side.rows))
        theirs_off = max(side.errors(scores, everything, tolerance))
        if theirs_off <= tolerance or number > 512:
            break
        # a text that passed with fewer steps failed here: the error need not fall steadily
        number += 1 + number // 16
    ours_off = max(side.errors([each.scores for each in found], everything, tolerance))
    ratios = [theirs / ours for ours, theirs in times]
    again, again_off = doubled(side, steps.peer, tolerance)
    known = best_of_each(steps, tolerance)
    whole = sum(theirs for _, theirs in times) / sum(ours for ours, _ in times)
    main = [
        side.name, f"{tolerance:g}", number, f"{passes[0] / side.tokens:.1f}", f"{passes[1] / passes[0]:.2f}",
        f"{again / passes[0]:.2f}", f"{known / passes[0]:.2f}",
        f"{whole:.2f} ({min(ratios):.2f} to "
        f"{max(ratios):.2f})", f"{ours_off:.1e}", f"{theirs_off:.1e}",
        f"{again_off:.1e}",
    ]  # fmt: skip
    return main, [
        side.name,
        f"{tolerance:g}",
        *(f"{np.percentile(counts, share):.0f}" for share in (0, 25, 50, 75, 100)),
    ]


def _timed(
    side: Side, peer: Peer, steps: int, tolerance: float
) -> tuple[list[Explained], list[Any], list[int], list[tuple[float, float]], tuple[int, int]]:
    """Part by part in turn: what ours found, Captum's scores, our evaluations by text, times and
    gradient passes of both.
    """
    peer.backward, before = 0, side.model.inference.backward
    found: list[Explained] = []
    scores: list[Any] = []
    times = []
    size = -(-len(side.rows) // PARTS)
    with patch.object(inference, "gradients", wraps=inference.gradients) as spy:
        for start in range(0, len(side.rows), size):
            part = slice(start, start + size)
            ours = partial(side.ours, part, tolerance)
            theirs = partial(peer.scores, side.rows[part], side.targets[part], steps)
            if start % (2 * size) == 0:
                one = seconds(lambda ours=ours: found.extend(ours()))  # type: ignore[misc]
                two = seconds(lambda theirs=theirs: scores.extend(theirs()))  # type: ignore[misc]
            else:
                two = seconds(lambda theirs=theirs: scores.extend(theirs()))  # type: ignore[misc]
                one = seconds(lambda ours=ours: found.extend(ours()))  # type: ignore[misc]
            times.append((one, two))
    evaluated = Counter(
        query.ids.tobytes() for call in spy.call_args_list for query in call.args[1]
    )
    counts = [evaluated[row.ids.tobytes()] for row in side.rows]
    return found, scores, counts, times, (side.model.inference.backward - before, peer.backward)


def by_nodes(side: Side, tolerance: float) -> list[object]:
    part = slice(0, 12)
    tokens = sum(len(row.ids) for row in side.rows[part])
    cells: list[object] = [side.name]
    for nodes in NODES:
        before = side.model.inference.backward
        side.ours(part, tolerance, nodes)
        cells.append(f"{(side.model.inference.backward - before) / tokens:.1f}")
    return cells


def section() -> str:
    both = sides()
    peers = [tuned(side) for side in both]
    rows = [
        compared(side, steps, tolerance)
        for side, steps in ((side, Steps(side, peer)) for side, peer in zip(both, peers))
        for tolerance in REQUIRED
    ]
    head = [
        "model", "required error", "Captum's steps", "our evaluations per text",
        "one for all / ours", "doubled / ours", "best of each text / ours",
        "time, one for all / ours", "our worst error", "Captum's worst error", "worst error, doubled",
    ]  # fmt: skip
    places = ["minimum", "first quartile", "median", "third quartile", "maximum"]
    fewer = ", ".join(f"{count} for {name}" for name, count in DEEP.items())
    inner = ", ".join(f"{peer.tokens} tokens for {side.name}" for side, peer in zip(both, peers))
    return f"""## Integrated gradients against Captum

{TEXTS} texts ({fewer}) on which the rule was not chosen, baseline of padding (of prompted decoders the zero vector), until *every token* of every
text has at most the required error, against attributions with an error {FINER} times smaller.
Captum's `LayerIntegratedGradients` gets Gauss-Legendre nodes, explicit position ids, texts batched by equal length without padding, and the internal
batch size that is fastest for it on this machine ({inner}). Its user can choose the number of steps in three ways:

* *Doubled*: each text from 8 steps on with twice as many until no token changes by more than the required error, at most 512, all runs counted. Only this
  needs no truth, as ours does not. Claims of a factor over Captum, here and elsewhere, refer to this one.
* *One for all*: the smallest number that suffices for every text, up to 512. It is known only when the truth is; the search for it is neither counted nor timed.
* *Best of each text*: the fewest sufficient steps of every single text. Nobody can know them; it says how far from the best possible ours is.

Gradient passes are counted in tokens that go through the backward pass. Times are totals over all texts, of *one for all*; in brackets the
range over {PARTS} parts that were timed alternately.

{table(head, [main for main, _ in rows])}

Gradient evaluations per text:

{table(["model", "required error", *places], [counts for _, counts in rows])}

Evaluations per text for other values of the option `nodes`, at a required error of 0.001 (12 texts):

{table(["model", *map(str, NODES)], [by_nodes(side, 1e-3) for side in both])}
{material.absent(material.PROMPTED)}"""
