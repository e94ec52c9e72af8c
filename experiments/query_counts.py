"""Three ways to fit a SLALOM: their errors at equal queries, and their queries at equal error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from babelscope import options
from babelscope.methods.slalom.design import parse_design, sample_texts
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.random import keyed
from experiments.black_boxes import BlackBox, Tests, fresh_texts
from experiments.query_bounds import cramer_rao
from experiments.slalom_models import published_fit

PUBLISHED, SAME, HERE = "published", "same texts", "here"
"""Texts of three units and the published fit; the same texts and the fit here; the design and the
fit here."""


class Counts(options.Spec):
    """How many queries are compared."""

    queries: list[int]
    """That the published fit is given."""
    tried: list[int]
    """To find the least number whose error is no larger than that of the published fit."""
    repeats: int
    """Samples of texts and noise, of which errors are means."""
    fresh: int
    """Texts that errors are measured on."""
    tolerance: float
    """The factor up to which an error counts as nearly equal."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What a fit reached: its distinct queries, and the mean squared error by length of the test
    texts."""

    queries: int
    error: dict[str, float]


def compare(box: BlackBox, spec: Counts) -> list[dict[str, Any]]:
    """A row for each number of queries that the published fit is given."""
    tests = fresh_texts(box, spec.fresh)

    @cache
    def reach(way: str, count: int) -> Reached:
        return _mean([fitted(box, tests, way, count, at) for at in range(spec.repeats)])

    tried = [count for count in spec.tried if box.most is None or count <= box.most]

    def enough(way: str, test: str, largest: float) -> int | None:
        counts = (count for count in tried if reach(way, count).error[test] <= largest)
        least = next(counts, None)
        return None if least is None else reach(way, least).queries

    return [_row(box, spec, count, reach, enough) for count in spec.queries]


def _row(
    box: BlackBox,
    spec: Counts,
    count: int,
    reach: Callable[[str, int], Reached],
    enough: Callable[[str, str, float], int | None],
) -> dict[str, Any]:
    published = reach(PUBLISHED, count).error
    most = reach(SAME, max(spec.queries))
    return {
        "name": box.name,
        "units": box.size,
        "queries": count,
        "exact": box.truth is not None,
        "errors": [reach(way, count).error["3"] for way in (PUBLISHED, SAME, HERE)],
        "enough": [
            enough(SAME, "3", published["3"]),
            enough(SAME, "3", spec.tolerance * published["3"]),
            enough(HERE, "3", published["3"]),
            enough(HERE, "1 to 8", published["1 to 8"]),
        ],
        "bound": cramer_rao(box, published["3"], fitted=most.error["3"], queries=most.queries),
    }


def fitted(box: BlackBox, tests: Tests, way: str, count: int, repeat: int) -> Reached:
    """A SLALOM fitted to that number of samples; where the fit is ours, equal texts are queried
    once."""
    times = None
    if way == HERE:
        generator = keyed(box.size, count, repeat, "mix")
        design = sample_texts([list(range(box.size))], parse_design("mix"), count, generator)
        texts = [list(text[0]) for text in design]
        times = np.array(list(design.values()), np.float64)
    else:
        generator = keyed(box.size, count, repeat, "rows")
        texts = generator.integers(0, box.size, (count, 3)).tolist()
    log_odds = box.answers(texts, f"{way == HERE} {count} {repeat}")
    if way == PUBLISHED:
        surrogate = published_fit(texts, log_odds, box.size)
        queries = len(texts)
    else:
        result = fit(counted(texts), log_odds, size=box.size, weight=times)
        surrogate = result.importance, result.value
        queries = len({tuple(text) for text in texts})
    differences = {
        name: predict(test, *surrogate) - expected for name, (test, expected) in tests.items()
    }
    return Reached(queries, {name: float((each**2).mean()) for name, each in differences.items()})


def _mean(repeats: list[Reached]) -> Reached:
    error = {
        name: float(np.mean([each.error[name] for each in repeats])) for name in repeats[0].error
    }
    return Reached(round(float(np.mean([each.queries for each in repeats]))), error)
