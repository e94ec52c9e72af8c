"""Ratios, disparities, likeness of models and complexity of tasks, on hand-made tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from babelscope.analyses.faithfulness import model_similarity, ratios, task_complexity
from babelscope.analyses.faithfulness.pairings import MeasuredTexts
from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.stats.disparity import Pairing

MODELS = {"multi": 0, "twin": 0, "mono": 1}
"""`twin` has the tokenizer and the explanations of `multi`; `mono` splits no word."""
METHODS = {"ig": 2.0, "attention": 1.5, "occlusion": 1.0}
PAIRING = Pairing("multi", ("mono",))


@pytest.fixture(scope="module")
def made() -> Comparison:
    """Two tasks, three models, four texts "aaa b" of two words: `multi` and `twin` read a aa b (3
    tokens, one word split), `mono` aaa b. A method's value is its number times random's; of
    `mono`, half more for nli and twice as much for topic. Every model is right on the first three
    texts.
    """
    rows, readings, explained = [], [], []
    for (model, kind), task, text in product(MODELS.items(), ("nli", "topic"), range(4)):
        place = {"model": model, "seed": 0, "task": task, "lang": "en", "id": f"t{text}"}
        gold = "ab"[text % 2]
        label = gold if text < 3 else "a"
        count = {"tokens": 3 - kind, "words": 2, "split": 1 - kind}
        readings.append(
            place
            | {"group": f"t{text}", "name": model, "label": label, "gold": gold}
            | {"right": label == gold, **count}
        )
        control = 0.1 + 0.01 * text
        for method, times in {"random": 1.0, **METHODS}.items():
            more = kind * (0.5 if task == "nli" else 1.0)
            value = control * times * (1 if method == "random" else 1 + more)
            rows.append(
                place | {"cluster": f"t{text}", "method": method, "metric": "nc", "value": value}
            )
            scores = [times, 1.0 + text] if not kind else [1.0, times + text]
            explained.append(
                place
                | {"method": method, "word_scores": scores, "words": ["aaa", "b"]}
                | {"group": f"t{text}", "gold": gold}
                | {"segment": [0] * count["tokens"], "texts": ["aaa b"] * (1 + (task == "nli"))}
                | {"offsets": [[0, 3], [4, 5]] if kind else [[0, 1], [1, 3], [4, 5]]}
            )
    measured = MeasuredTexts(pd.DataFrame(rows), pd.DataFrame(readings), {"nc": "nc"}, ())
    clusters = {(task, f"t{text}"): f"t{text}" for task in ("nli", "topic") for text in range(4)}
    return Comparison(measured, pa.Table.from_pylist(explained), (PAIRING,), clusters)


def test_ratios_and_counts(made: Comparison) -> None:
    table = ratios.ratios(made)
    assert len(table) == 3 * 2 * 3
    by_place = table.set_index(["model", "task", "method"])["ratio"]
    assert by_place["multi", "nli", "ig"] == pytest.approx(2)
    assert by_place["mono", "topic", "attention"] == pytest.approx(2 * 1.5)
    counted = ratios.counts(table, made).set_index(["kind", "method"])
    # occlusion of the multilingual model is as good as random: a ratio of 1 is not above it
    assert counted.loc[("multilingual", "occlusion"), "faithful"] == 0
    assert counted.loc[("monolingual", "occlusion"), "faithful"] == 2
    assert (counted["cells"] == 2).all(), "twin is in no pairing"


def test_disparities_by_hand(made: Comparison) -> None:
    """2 - 3, 1.5 - 2.25 and 1 - 1.5: -.75 on average for nli; 2 - 4, 1.5 - 3 and 1 - 2: -1.5 for
    topic. The signs of two tasks can be flipped in four ways, two of which are as large: p is 1/2.
    """
    table = ratios.ratios(made)
    (line,) = ratios.ratio_disparities(table, [PAIRING]).to_dict("records")
    assert line["disparity"] == pytest.approx(-1.125)
    assert (line["cells"], line["units"]) == (6, 2)
    assert line["p_units"] == pytest.approx(0.5)
    by_method = ratios.ratio_disparities(table, [PAIRING], "method").set_index("method")
    assert by_method["disparity"].to_dict() == pytest.approx(
        {"ig": -1.5, "attention": -1.125, "occlusion": -0.75}
    )
    by_lang = ratios.ratio_disparities(table, [PAIRING], "lang")
    assert by_lang["lang"].tolist() == ["en"]


def test_performance_and_splitting(made: Comparison) -> None:
    """Gold a b a b, predicted a b a a: F1 of a is 4/5, of b 2/3."""
    row = ratios.performance(made).iloc[0]
    assert row["accuracy"] == 0.75
    assert row["macro_f1"] == pytest.approx((4 / 5 + 2 / 3) / 2)
    split = ratios.splitting(made).set_index(["model", "task"])
    assert split.loc[("multi", "nli"), "fertility"] == 1.5
    assert split.loc[("multi", "nli"), "splitting"] == 0.5
    assert split.loc[("mono", "nli"), "splitting"] == 0


def test_likeness_of_models(made: Comparison) -> None:
    pairs = model_similarity.similarities(ratios.ratios(made), made)
    by_pair = pairs.set_index(["task", "first", "second"])
    twins = by_pair.loc[("nli", "multi", "twin")]
    assert twins["pearson"] == pytest.approx(1)
    assert twins["difference"] == pytest.approx(0)
    assert (twins["kendall"], twins["top_overlap"], twins["rank_biased_overlap"]) == (1, 1, 1)
    assert (twins["boundary_f1"], twins["group"]) == (1, "same tokenizer")
    other = by_pair.loc[("nli", "mono", "multi")]
    # 3 and 2 starts per text, both of mono's among multi's: 2 * 2 / (3 + 2)
    assert other["boundary_f1"] == pytest.approx(0.8)
    assert (other["fertility_gap"], other["group"]) == (0.5, "different")
    assert other["difference"] == pytest.approx(0.75)
    groups = model_similarity.by_group(pairs)
    assert groups["group"].tolist() == ["same tokenizer", "different"]
    tests = {
        (each.measure, each.task): each.test for each in model_similarity.similarity_tests(pairs)
    }
    # Three pairs: a difference of 0 where boundaries agree wholly, .75 where they do not
    assert tests["difference", "nli"].r == pytest.approx(-1)
    assert tests["difference", "nli"].p == pytest.approx(2 / 6)
    assert tests["difference", ""].n == 2


def test_complexity_of_tasks(made: Comparison) -> None:
    table = ratios.ratios(made)
    complexity = task_complexity.task_complexity(ratios.performance(made), made)
    rows = complexity.set_index("task")
    assert rows["texts"].to_dict() == {"nli": 2, "topic": 1}
    assert rows["classes"].to_dict() == {"nli": 2, "topic": 2}
    assert rows["error"].to_numpy() == pytest.approx(1 - (4 / 5 + 2 / 3) / 2)
    points = task_complexity.complexity_points(table, complexity, (PAIRING,))
    assert points.set_index("task")[PAIRING.name].to_dict() == pytest.approx(
        {"nli": -0.75, "topic": -1.5}
    )
    outcomes = ("ratio", PAIRING.name)
    listed = task_complexity.complexity_correlations(points, outcomes)
    assert len(listed) == 2 * 4
    by_measure = {(outcome, measure): test for _, outcome, measure, test in listed}
    assert by_measure[PAIRING.name, "texts"].r == pytest.approx(1)
    assert np.isnan(by_measure[PAIRING.name, "classes"].r), "both tasks have two classes"
