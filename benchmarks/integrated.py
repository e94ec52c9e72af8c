"""Integrated gradients against Captum at the same required completeness gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from unittest.mock import patch

import numpy as np

from babelscope import corpus
from babelscope.methods.integrated import integrated_gradients
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import predicted, value
from babelscope.types import Encoded, Explained, Target
from benchmarks import material
from benchmarks.captum_peer import Peer
from benchmarks.timing import seconds, table

TEXTS = 200
PARTS = 5
"""The texts are timed in as many parts, each by ours and by Captum in turn."""
NODES = (4, 6, 8, 12, 16)


class Side:
    """A model with its texts, and what is explained about them."""

    def __init__(self, name: str, model: Model, rows: Sequence[Encoded]) -> None:
        self.name, self.model, self.rows = name, model, list(rows)
        outputs = inference.outputs(model, [inference.query(row) for row in rows])
        self.targets: list[Target] = [
            predicted(model, row, output) for row, output in zip(rows, outputs)
        ]
        self.values = [
            float(value(model, output, target)) for output, target in zip(outputs, self.targets)
        ]
        self.tokens = sum(len(row.ids) for row in rows)

    def ours(self, at: slice, tolerance: float, nodes: int = 8) -> list[Explained]:
        return integrated_gradients(
            self.model, self.rows[at], self.targets[at], tolerance=tolerance, nodes=nodes
        )

    def gap(self, found: Sequence[Explained]) -> float:
        pairs = zip(found, self.values)
        return max(
            abs(float(np.sum(one.scores)) - (full - (one.reference_value or 0.0)))
            for one, full in pairs
        )


def sides() -> list[Side]:
    multilingual, monolingual = material.multilingual(), material.monolingual()
    return [
        Side(material.material().model, multilingual, encode(multilingual, material.mixed(TEXTS))),
        Side(
            "BERT 2 x 128", monolingual, encode(monolingual, corpus.sentiment("en", "test", TEXTS))
        ),
    ]


def tuned(side: Side) -> Peer:
    """Captum with the inner batch that is fastest for it here."""
    times = {}
    for tokens in (512, 1024, 2048, 4096):
        peer = Peer(side.model, tokens)
        peer.gaps(side.rows[:5], side.targets[:5], 4)
        times[tokens] = seconds(lambda peer=peer: peer.gaps(side.rows[:20], side.targets[:20], 8))  # type: ignore[misc]
    return Peer(side.model, min(times, key=times.__getitem__))


class Steps:
    """Captum's gaps by number of steps and text, each computed once."""

    def __init__(self, side: Side, peer: Peer) -> None:
        self.side, self.peer = side, peer
        self.known: dict[int, dict[int, float]] = {}

    def failing(self, steps: int, among: Sequence[int], tolerance: float) -> list[int]:
        known = self.known.setdefault(steps, {})
        new = [at for at in among if at not in known]
        gaps = (
            self.peer.gaps(
                [self.side.rows[at] for at in new], [self.side.targets[at] for at in new], steps
            )
            if new
            else []
        )
        known |= dict(zip(new, gaps))
        return [at for at in among if known[at] > tolerance]

    def fewest(self, tolerance: float) -> int:
        """Doubled until every text passes, then bisected on the texts that failed last."""
        hard, low, high = list(range(len(self.side.rows))), 4, 8
        while left := self.failing(high, hard, tolerance):
            hard, low, high = left, high, 2 * high
        while high - low > max(1, low // 16):
            middle = (low + high) // 2
            low, high = (middle, high) if self.failing(middle, hard, tolerance) else (low, middle)
        return high


def compared(side: Side, steps: Steps, tolerance: float) -> tuple[list[object], list[object]]:
    """A row of the comparison, and one of how many evaluations the texts took."""
    number = steps.fewest(tolerance)
    while True:
        found, gaps, counts, times, passes = _timed(side, steps.peer, number, tolerance)
        if max(gaps) <= tolerance:
            break
        number += (
            1 + number // 16
        )  # a text that passed with fewer steps failed here: the gap need not fall steadily
    ratios = [theirs / ours for ours, theirs in times]
    whole = sum(theirs for _, theirs in times) / sum(ours for ours, _ in times)
    main = [
        side.name, f"{tolerance:g}", number, f"{passes[0] / side.tokens:.1f}", f"{passes[1] / passes[0]:.2f}",
        f"{whole:.2f} ({min(ratios):.2f} to "
        f"{max(ratios):.2f})", f"{side.gap(found):.1e}", f"{max(gaps):.1e}",
    ]  # fmt: skip
    return main, [
        side.name,
        f"{tolerance:g}",
        *(f"{np.percentile(counts, share):.0f}" for share in (0, 25, 50, 75, 100)),
    ]


def _timed(
    side: Side, peer: Peer, steps: int, tolerance: float
) -> tuple[list[Explained], list[float], list[int], list[tuple[float, float]], tuple[int, int]]:
    """Part by part in turn: what ours found, Captum's gaps, our evaluations by text, times and
    gradient passes of both.
    """
    peer.backward, before = 0, side.model.inference.backward
    found: list[Explained] = []
    gaps: list[float] = []
    times = []
    size = -(-len(side.rows) // PARTS)
    with patch.object(inference, "gradients", wraps=inference.gradients) as spy:
        for start in range(0, len(side.rows), size):
            part = slice(start, start + size)
            ours = partial(side.ours, part, tolerance)
            theirs = partial(peer.gaps, side.rows[part], side.targets[part], steps)
            if start % (2 * size) == 0:
                one = seconds(lambda ours=ours: found.extend(ours()))  # type: ignore[misc]
                two = seconds(lambda theirs=theirs: gaps.extend(theirs()))  # type: ignore[misc]
            else:
                two = seconds(lambda theirs=theirs: gaps.extend(theirs()))  # type: ignore[misc]
                one = seconds(lambda ours=ours: found.extend(ours()))  # type: ignore[misc]
            times.append((one, two))
    evaluated = Counter(
        query.ids.tobytes() for call in spy.call_args_list for query in call.args[1]
    )
    counts = [evaluated[row.ids.tobytes()] for row in side.rows]
    return found, gaps, counts, times, (side.model.inference.backward - before, peer.backward)


def by_nodes(side: Side, tolerance: float) -> list[object]:
    part = slice(0, 25)
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
        for tolerance in (1e-2, 1e-3)
    ]
    head = [
        "model", "required gap", "Captum's steps", "our evaluations per text", "gradient passes, "
                                                                               "Captum / ours",
        "time, Captum / ours", "our worst gap", "Captum's worst gap",
    ]  # fmt: skip
    places = ["minimum", "first quartile", "median", "third quartile", "maximum"]
    inner = ", ".join(f"{peer.tokens} tokens for {side.name}" for side, peer in zip(both, peers))
    return f"""## Integrated gradients against Captum

{TEXTS} texts, baseline of padding, until the attributions of *every* text sum to F(x) - F(b) within the required gap. Captum's
`LayerIntegratedGradients` needs one number of steps for all texts; it is given the smallest sufficient one (determined beforehand,
not timed), Gauss-Legendre nodes, explicit position ids, texts batched by equal length without padding, and the
internal batch size that is fastest for it on this machine ({inner}). Ours is adaptive: each text takes the evaluations it needs.
Gradient passes are counted in tokens that go through the backward pass. Times are totals over all texts; in brackets the
range over {PARTS} parts that were timed alternately.

{table(head, [main for main, _ in rows])}

Gradient evaluations per text:

{table(["model", "required gap", *places], [counts for _, counts in rows])}

Evaluations per text for other values of the option `nodes`, at a required gap of 0.001 (25 texts):

{table(["model", *map(str, NODES)], [by_nodes(side, 1e-3) for side in both])}
"""
