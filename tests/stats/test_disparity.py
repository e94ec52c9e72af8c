"""Paired models: what the comparison does to texts, floors, seeds and languages, and one question
asked in every way.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import isnan, log

import numpy as np
import pandas as pd
import pytest

from babelscope.errors import InputError
from babelscope.stats.disparity import (
    Pairing,
    claims,
    compared,
    covariates,
    disparities,
    instances,
    points,
    ratios,
)
from babelscope.stats.paired import sign_flip
from babelscope.stats.specifications import EXACT, specification_curve

PAIRING = Pairing("multi", ("mono",))
LANGS, TASKS, METHODS, METRICS, SEEDS = (
    ("en", "hi", "zh"),
    ("topic", "nli"),
    ("attention", "deeplift"),
    ("nc", "ns"),
    (0, 1),
)


def store(
    effect: float = 0.1, models: tuple[str, ...] = ("multi", "mono"), seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measures and readings of two models; `effect` is what the first has more, beyond a floor
    that is higher by 0.3.
    """
    draw = np.random.default_rng(seed)
    measures, read = [], []
    for model, task, lang, number, tuned in product(models, TASKS, LANGS, range(8), SEEDS):
        text = {
            "model": model,
            "seed": tuned,
            "task": task,
            "lang": lang,
            "cluster": f"{task}{number}",
            "id": f"{task}{number}-{lang}",
        }
        first = model == models[0]
        read.append(
            text
            | {"right": bool(draw.random() < 0.8), "tokens": 12 + 3 * first, "words": 6}
            | {"split": 1 + 2 * first}
        )
        for metric in METRICS:
            chance = 0.4 + 0.3 * first + 0.05 * draw.standard_normal(3)
            measures += [
                text | {"method": "random", "metric": metric, "value": each} for each in chance
            ]
            for method in METHODS:
                value = chance.mean() + 0.2 + effect * first + 0.02 * draw.standard_normal()
                measures.append(text | {"method": method, "metric": metric, "value": value})
    return pd.DataFrame(measures), pd.DataFrame(read)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return instances(*store(), [PAIRING])


def test_a_row_holds_both_models_and_the_mean_of_the_draws(table: pd.DataFrame) -> None:
    measures, read = store()
    one = table.sample(1, random_state=3).iloc[0]
    mine = measures[
        (
            measures[["seed", "task", "lang", "id", "metric"]]
            == one[["seed", "task", "lang", "id", "metric"]]
        ).all(axis=1)
    ]
    for side, model in (("multilingual", "multi"), ("monolingual", "mono")):
        own = mine[mine["model"] == model]
        assert one[side] == own.loc[own["method"] == one["method"], "value"].item()
        assert one[f"{side}_control"] == pytest.approx(
            own.loc[own["method"] == "random", "value"].sum() / 3
        )
    right = read.groupby(["seed", "task", "lang", "id"])["right"].all()
    places = pd.MultiIndex.from_frame(table[["seed", "task", "lang", "id"]])
    assert (table["correct"].to_numpy() == right.loc[places].to_numpy()).all()
    assert 0 < right.mean() < 1
    assert len(table) == len(TASKS) * len(LANGS) * 8 * len(SEEDS) * len(METHODS) * len(METRICS)
    assert "random" not in set(table["method"])


def test_order_exchange_and_missing_texts(table: pd.DataFrame) -> None:
    measures, read = store()
    keys = ["seed", "task", "lang", "id", "method", "metric"]

    def placed(found: pd.DataFrame) -> pd.DataFrame:
        return found.set_index(keys).sort_index()

    again = instances(
        measures.sample(frac=1, random_state=0), read.sample(frac=1, random_state=1), [PAIRING]
    )
    assert np.allclose(placed(again)["multilingual"], placed(table)["multilingual"])
    turned = instances(measures, read, [Pairing("mono", ("multi",))])
    for one, two in (
        ("multilingual", "monolingual"),
        ("multilingual_control", "monolingual_control"),
    ):
        assert np.allclose(placed(turned)[one], placed(table)[two])
    fewer = instances(
        measures[~((measures["model"] == "mono") & (measures["id"] == "topic3-hi"))],
        read,
        [PAIRING],
    )
    assert set(table["id"]) - set(fewer["id"]) == {"topic3-hi"}
    negated = instances(measures, read, [PAIRING], lower=["ns"])
    assert np.allclose(placed(negated)["multilingual"], placed(table)["multilingual"] * np.where(
        placed(table).index.get_level_values("metric") == "ns", -1, 1))  # fmt: skip
    with pytest.raises(InputError, match="random scores as the control"):
        instances(measures[measures["method"] != "random"], read, [PAIRING])


def test_the_floor_is_taken_off_and_texts_are_those_of_both(table: pd.DataFrame) -> None:
    """The planted effect is .1 beyond the floors; plain, the floors' .3 is added to it."""
    above, plain = (compared(table, form)["difference"].mean() for form in ("above", "plain"))
    assert above == pytest.approx(0.1, abs=0.01)
    assert plain == pytest.approx(0.4, abs=0.03)
    assert compared(table)["correct"].all()
    assert len(compared(table, correct=False)) == len(table) > len(compared(table)) > 0
    with pytest.raises(InputError, match="form"):
        compared(table, "nothing")


def test_disparities_by_place_are_corrected_within_their_pairing(table: pd.DataFrame) -> None:
    twice = pd.concat([table, table.assign(pairing="another")])
    found = disparities(compared(twice), ("pairing", "lang", "metric"))
    assert len(found) == 2 * len(LANGS) * len(METRICS)
    alone = {one.place: one for one in disparities(compared(table), ("pairing", "lang", "metric"))}
    for one in found:
        if one.place[0] == PAIRING.name:
            assert one == alone[one.place]
        assert one.means[0] - one.means[1] == pytest.approx(one.paired.difference.mean)
        assert one.paired.p <= one.adjusted <= min(1, 6 * one.paired.p) + 1e-12
    hi = compared(table[(table["lang"] == "hi") & (table["metric"] == "nc")])
    assert alone[PAIRING.name, "hi", "nc"].paired.difference.mean == pytest.approx(
        hi["difference"].mean()
    )
    assert (
        alone[PAIRING.name, "hi", "nc"].paired.p
        == sign_flip(hi["difference"].tolist(), hi["cluster"].tolist()).p
    )


def test_claims_take_tasks_and_languages_as_units(table: pd.DataFrame) -> None:
    rows = compared(table)
    (first, second) = claims(rows, ("pairing", "metric"))
    mine = rows[rows["metric"] == first.place[1]]
    units = mine.groupby(["task", "lang"])["difference"].mean()
    assert first.across.n == len(units) == len(TASKS) * len(LANGS)
    assert first.across.effect == pytest.approx(units.mean())
    assert first.across.sign_flip == 2 / 2 ** len(units), "all six units have the planted sign"
    assert first.adjusted == min(1.0, 2 * first.across.sign_flip) == second.adjusted
    assert first.interval.low < 0.1 < first.interval.high
    assert first.alike.p > 0.5, "an effect of .1 is not within .05"
    doubled = claims(pd.concat([rows, rows]), ("pairing", "metric"))[0]
    assert doubled.across.effect == pytest.approx(first.across.effect)
    assert doubled.across.sign_flip == first.across.sign_flip
    turned = claims(
        rows.assign(first=rows["second"], second=rows["first"], difference=-rows["difference"]),
        ("pairing", "metric"),
    )[0]
    assert turned.across.effect == pytest.approx(-first.across.effect)
    assert turned.across.sign_flip == first.across.sign_flip


def test_ratios_are_those_of_sums(table: pd.DataFrame) -> None:
    one, two, both = ratios(table)
    assert one.mean == pytest.approx(
        table["multilingual"].sum() / table["multilingual_control"].sum()
    )
    assert two.mean == pytest.approx(
        table["monolingual"].sum() / table["monolingual_control"].sum()
    )
    assert both.mean == pytest.approx(log(one.mean / two.mean))
    assert both.low < both.mean < both.high
    same = table.assign(
        monolingual=table["multilingual"], monolingual_control=table["multilingual_control"]
    )
    assert ratios(same)[2].low == ratios(same)[2].high == pytest.approx(0, abs=1e-12)
    larger = table.assign(
        multilingual=2 * table["multilingual"],
        multilingual_control=2 * table["multilingual_control"],
    )
    assert ratios(larger)[2].mean == pytest.approx(both.mean)
    names = ["multilingual", "monolingual"]
    turned = table.rename(
        columns=dict(zip(names, names[::-1]))
        | {f"{a}_control": f"{b}_control" for a, b in zip(names, names[::-1])}
    )
    assert ratios(turned)[2].mean == pytest.approx(-both.mean)
    assert isnan(ratios(table.assign(monolingual_control=0.0))[2].low)
    holed = table.copy()
    holed.loc[holed.index[:5], "multilingual"] = np.nan
    assert [each.undefined for each in ratios(holed)] == [5, 5, 5], (
        "undefined in one is undefined in all"
    )


def test_points_carry_the_covariates(table: pd.DataFrame) -> None:
    _, read = store()
    found = points(compared(table), read, [PAIRING])
    assert len(found) == len(METRICS) * len(TASKS) * len(LANGS)
    assert np.allclose(found["fertility"], 15 / 6 - 12 / 6)
    assert np.allclose(found["splitting"], 3 / 6 - 1 / 6)
    each = covariates(read)
    here = found[(found["task"] == "nli") & (found["lang"] == "zh")]
    own = [
        read[(read["model"] == model) & (read["task"] == "nli") & (read["lang"] == "zh")][
            "right"
        ].mean()
        for model in ("multi", "mono")
    ]
    assert np.allclose(here["accuracy"], own[0] - own[1])
    assert each.loc[("multi", "nli", "zh"), "accuracy"] == own[0]
    same = points(compared(table), pd.concat([
        read[read["model"] == "multi"], read[read["model"] == "multi"].assign(model="mono")]),
        [PAIRING])  # fmt: skip
    assert np.allclose(same[["accuracy", "fertility", "splitting"]], 0)


def differences(
    specifications: int, groups: int, shift: float = 0.0
) -> tuple[np.ndarray, list[str]]:
    draw = np.random.default_rng(specifications + groups)
    made = (
        draw.standard_normal((specifications, 3 * groups))
        + draw.standard_normal(3 * groups)
        + shift
    )
    made[draw.random(made.shape) < 0.1] = np.nan
    return made, [f"g{at % groups}" for at in range(3 * groups)]


def test_one_specification_has_the_p_of_a_sign_flip() -> None:
    made, groups = differences(1, 9)
    curve = specification_curve(made, groups)
    assert curve.p == sign_flip(made[0].tolist(), groups).p
    assert curve.median == pytest.approx(float(np.nanmean(made)))


def test_a_curve_is_symmetric_and_blind_to_order_and_repetition() -> None:
    made, groups = differences(7, 10, 0.2)
    curve = specification_curve(made, groups)
    negated = specification_curve(-made, groups)
    assert (negated.median, negated.below, negated.p) == (-curve.median, curve.above, curve.p)
    assert negated.significant_above == curve.significant_below
    twice = specification_curve(np.concatenate([made, made]), groups)
    assert replace(twice, effects=()) == replace(curve, effects=())
    order = np.random.default_rng(0).permutation(len(groups))
    moved = specification_curve(made[::-1][:, order], [groups[at] for at in order])
    assert moved.median == pytest.approx(curve.median)
    assert moved.p == curve.p
    assert curve.below + curve.above == 1
    assert [one.mean for one in curve.effects] == pytest.approx(
        [float(np.nanmean(row)) for row in made]
    )


def test_the_joint_p_is_the_share_of_all_flips() -> None:
    """By brute force over the signs of the groups, from the definition."""
    made, groups = differences(5, 6, 0.4)
    names = sorted(set(groups))

    def median(signs: tuple[int, ...]) -> float:
        sign = np.array([signs[names.index(group)] for group in groups])
        return float(np.median(np.nanmean(made * sign, axis=1)))

    every = [abs(median(signs)) for signs in product((1, -1), repeat=len(names))]
    assert specification_curve(made, groups).p == np.mean(
        [each >= every[0] - 1e-9 for each in every]
    )


def test_no_difference_anywhere_and_nothing_defined() -> None:
    assert specification_curve(np.zeros((4, 12)), [f"g{at % 6}" for at in range(12)]).p == 1
    empty = specification_curve(np.full((2, 12), np.nan), [f"g{at % 6}" for at in range(12)])
    assert isnan(empty.p)
    assert [one.n for one in empty.effects] == [0, 0]
    some = np.concatenate([np.full((1, 12), np.nan), np.ones((1, 12))])
    assert specification_curve(some, [f"g{at % 6}" for at in range(12)]).median == pytest.approx(1)


def test_drawn_flips_are_near_all_of_them() -> None:
    made, groups = differences(6, EXACT, 0.35)
    exact = specification_curve(made, groups).p
    copied = np.concatenate([made, np.zeros_like(made)], axis=1)
    drawn = specification_curve(copied, [*groups, *(f"n{at}" for at in range(len(groups)))]).p
    assert drawn == pytest.approx(exact, abs=0.02), (
        "groups of zeros change no flip, but make them too many to enumerate"
    )
