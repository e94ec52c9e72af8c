"""One rule in all analyses: for the same values of the same texts, the same interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from babelscope.analyses.consistency.pairs import Pair as TranslatedPair
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.summary import summarise as summarise_pairs
from babelscope.analyses.faithfulness.families import Pair, adjusted
from babelscope.analyses.faithfulness.summary import Summary
from babelscope.analyses.stored import stored_clusters, with_clusters
from babelscope.analyses.tokenization.responses import responses
from babelscope.analyses.tokenization.summary import summarise
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.data.independence import clusters, clusters_by_task
from babelscope.display.results import Measures
from babelscope.stats import estimate
from babelscope.stats.disparity import Pairing, compared, disparities, instances
from babelscope.stats.intervals import ratio
from babelscope.types import DoseOutcome, Estimate, Example, Measure, TokenizedText

PREMISES, HYPOTHESES = 12, 3
TASK = "nli"


def examples() -> list[Example]:
    """Twelve premises with three hypotheses each: 36 translation groups, 12 clusters."""
    return [
        Example(f"en-{at:02}-{which}", (f"premise {at}", f"hypothesis {at} {which}"), "en",
                f"g{at:02}-{which}")
        for at in range(PREMISES) for which in range(HYPOTHESES)
    ]  # fmt: skip


ROWS = examples()
VALUES = [
    float(value)
    for value in np.repeat(np.random.default_rng(3).normal(size=PREMISES), HYPOTHESES)
    + 0.1 * np.random.default_rng(4).normal(size=len(ROWS))
]
"""The hypotheses of a premise have nearly the same value: what intervals by group overlook."""
CLUSTERS = clusters(ROWS)
EXPECTED = estimate(VALUES, [CLUSTERS[row.group] for row in ROWS])
BY_GROUP = estimate(VALUES, [row.group for row in ROWS])


def measures(values: list[float], model: str = "m", method: str = "a") -> list[Measure]:
    return [
        Measure(row.id, row.group, row.lang, model, method, "metric", {}, value, "", TASK)
        for row, value in zip(ROWS, values)
    ]


def frame(rows: list[Measure]) -> pd.DataFrame:
    table = pd.DataFrame([
        {"id": row.id, "group": row.group, "lang": row.lang, "model": row.model, "task": row.task,
         "method": row.method, "metric": row.metric, "value": row.value, "seed": 0}
        for row in rows
    ])  # fmt: skip
    return with_clusters(table, stored())


def stored() -> dict[tuple[str, str], str]:
    """The clusters of a stored table of texts."""
    columns = {"task": [TASK] * len(ROWS), "group": [row.group for row in ROWS]}
    return stored_clusters(pa.table({**columns, "texts": [list(row.texts) for row in ROWS]}))


def faithfulness_cell() -> Estimate:
    return Summary(frame(measures(VALUES)), {}).cells["m", "en", "a", "metric"]


def faithfulness_pooled() -> Estimate:
    return Summary(frame(measures(VALUES)), {}).pooled["m", "a", "metric"]


def faithfulness_difference() -> Estimate:
    """Against a method whose values are 0, the difference is the value."""
    rows = measures(VALUES) + measures([0.0] * len(ROWS), method="b")
    return Summary(frame(rows), {}).between("metric", Pair("methods", "a", "b", "m"))


def faithfulness_disparity() -> Estimate:
    """Against a model whose values are 0, both above controls of 0."""
    zeros = [0.0] * len(ROWS)
    rows = measures(VALUES) + measures(zeros, "n")
    rows += measures(zeros, "m", "random") + measures(zeros, "n", "random")
    table = frame(rows)
    right = table.drop_duplicates(["model", "id"]).assign(right=True)
    paired = instances(table, right, [Pairing("m", ("n",))])
    (line,) = disparities(compared(paired), ("pairing", "lang"))
    return line.paired.difference


def measure_summary() -> Estimate:
    texts = frozenset((row.group, row.texts) for row in ROWS)
    both = Measures(tuple(measures(VALUES)[:9]), texts) + Measures(tuple(measures(VALUES)[9:]))
    ((_, line),) = both.summary()
    return line


def consistency_line() -> Estimate:
    pairs = [
        TranslatedPair(row.group, "hi", Consistency(c=value), cluster=CLUSTERS[row.group])
        for row, value in zip(ROWS, VALUES)
    ]
    (line,) = summarise_pairs(pairs)
    return line.means["c"]


def intervention() -> Estimate:
    outcomes = [
        DoseOutcome("arm", 0.0, row.id, row.group, row.lang, "a", "metric", value, 1.0, True,
                    task=TASK)
        for row, value in zip(ROWS, VALUES)
    ]  # fmt: skip
    (response,) = responses(outcomes, stored())
    ((_, mean),) = response.means
    return mean


@pytest.mark.parametrize(
    "interval",
    [
        faithfulness_cell, faithfulness_pooled, faithfulness_difference, faithfulness_disparity,
        measure_summary, consistency_line, intervention,
    ],
)  # fmt: skip
def test_the_same_values_have_the_same_interval_in_every_analysis(
    interval: Callable[[], Estimate],
) -> None:
    assert interval() == EXPECTED
    assert EXPECTED.high - EXPECTED.low > 1.3 * (BY_GROUP.high - BY_GROUP.low)
    # three nearly equal values per premise: sqrt(3) times as wide, about


def test_tradeoffs_resample_the_same_clusters() -> None:
    """Their resamples are keyed differently: the interval is equal but for the resampling error."""
    right = np.array(VALUES)[None, None, None]
    interval = intervals(right, [CLUSTERS[row.group] for row in ROWS], lambda table: table[..., 0])
    width = EXPECTED.high - EXPECTED.low
    assert interval.value[0] == pytest.approx(EXPECTED.mean)
    assert interval.low[0] == pytest.approx(EXPECTED.low, abs=0.1 * width)
    assert interval.high[0] == pytest.approx(EXPECTED.high, abs=0.1 * width)


def test_tests_flip_whole_clusters() -> None:
    """Two models whose differences are all 1: with c clusters the exact two-sided p is 2 / 2^c."""
    few = [row for row in ROWS if row.group < "g03"]  # 3 premises, 9 groups
    rows = [
        Measure(row.id, row.group, "en", model, "a", "metric", {}, float(model == "m"), "", TASK)
        for row in few for model in ("m", "n")
    ]  # fmt: skip
    summary = Summary(frame(rows), {})
    pair = Pair("models", "m", "n", method="a", lang="en")
    clusters_of = summary.differences("metric", pair).index.get_level_values("cluster")
    assert len(set(clusters_of)) == 3
    assert set(adjusted(summary, "metric").values()) == {2 / 2**3}


def test_tokenization_resamples_clusters() -> None:
    """The texts of a premise have the same number of tokens: 1 to 12 per text of two words."""

    def text(row: Example, tokens: int) -> TokenizedText:
        offsets = tuple((at % 7, at % 7 + 1) for at in range(tokens))
        return TokenizedText(
            id=row.id, group=row.group, lang="en", tokenizer="t", task=TASK, texts=row.texts,
            words=(((0, 7),), ((0, 10),)), ids=(tuple(range(tokens)), ()), offsets=(offsets, ()),
            unknown=-1, length=tokens, limit=-1, vocabulary=100,
        )  # fmt: skip

    sizes = [1 + at // HYPOTHESES for at in range(len(ROWS))]
    table = summarise([text(row, size) for row, size in zip(ROWS, sizes)])
    fertility = next(row.estimate for row in table.measured if row.measure == "fertility")
    words = [2.0] * len(ROWS)
    by_cluster = ratio(sizes, words, [CLUSTERS[row.group] for row in ROWS])
    by_group = ratio(sizes, words, [row.group for row in ROWS])
    assert fertility == by_cluster
    assert by_cluster.high - by_cluster.low > 1.3 * (by_group.high - by_group.low)


def test_a_translation_can_join_two_clusters_and_tasks_never_do() -> None:
    texts = [
        ("a", "g1", ["one"]), ("a", "g2", ["two"]), ("a", "g1", ["eins"]), ("a", "g2", ["eins"]),
        ("b", "g1", ["one"]), ("b", "g2", ["two"]), ("b", "g3", ["two"]),
    ]  # fmt: skip
    assert clusters_by_task(texts) == {
        ("a", "g1"): "g1", ("a", "g2"): "g1",
        ("b", "g1"): "g1", ("b", "g2"): "g2", ("b", "g3"): "g2",
    }  # fmt: skip
    assert clusters_by_task(texts[:2]) == {("a", "g1"): "g1", ("a", "g2"): "g2"}
