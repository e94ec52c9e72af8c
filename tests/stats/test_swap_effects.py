"""Effects of a swap of tokenizers: planted ones are found, and the laws of the decomposition."""

from __future__ import annotations

from itertools import product
from math import isfinite

import numpy as np
import pandas as pd
import pytest

from babelscope.stats.tokenizer_swap import (
    CELLS,
    EFFECTS,
    Swap,
    effects_of,
    swap_effects,
    swap_instances,
)

SWAP = Swap(("MM",), ("Mm",), ("mM",), ("mm",))
UNITS = list(product(("nli", "topic", "reviews", "paws"), ("en", "hi")))


def store(
    body: float = 0.0, tokenizer: float = 0.0, cost: float = 0.0, noise: float = 0.0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Four models on eight units of six texts by two methods: a multilingual body adds `body`, a
    multilingual tokenizer `tokenizer`, a tokenizer that is not the body's own takes `cost`. Random
    scores differ between models, which must not matter. The last text of each unit is wrong in one
    of the models.
    """
    rng = np.random.default_rng(0)
    measures, read = [], []
    for (task, lang), text, model in product(UNITS, range(6), ("MM", "Mm", "mM", "mm")):
        place = {"model": model, "seed": 0, "task": task, "lang": lang, "id": f"{task}{lang}{text}"}
        right = text < 5 or model != "Mm"
        read.append(place | {"right": right, "tokens": 3, "words": 2, "split": 1})
        place |= {"cluster": f"{task}{lang}{text}", "metric": "nc"}
        control = {"MM": 0.1, "Mm": 0.4, "mM": 0.2, "mm": 0.3}[model]
        planted = body * (model[0] == "M") + tokenizer * (model[1] == "M")
        planted -= cost * (model[0] != model[1])
        for method, base in (("random", 0.0), ("ig", 0.3), ("attention", 0.1)):
            value = control if method == "random" else control + base + planted
            drawn = 0.0 if method == "random" else noise * rng.standard_normal()
            measures.append(place | {"method": method, "value": value + drawn})
    return pd.DataFrame(measures), pd.DataFrame(read)


def found(rows: pd.DataFrame, *, by_language: bool = False) -> dict[str, float]:
    effects = swap_effects(rows, by_language=by_language)
    return {each.effect: each.value.mean for each in effects}


def test_planted_effects_are_found() -> None:
    rows = swap_instances(*store(body=0.2, tokenizer=-0.5, cost=0.3), [SWAP])
    assert len(rows) == 8 * 6 * 2
    assert rows["correct"].mean() == pytest.approx(5 / 6)
    # (MM + mm) / 2 - (Mm + mM) / 2: the body and the tokenizer cancel, both swapped models pay .3
    planted = {"gap": -0.3, "tokenizer": -0.5, "body": 0.2, "interaction": 0.3}
    assert found(rows) == pytest.approx(planted)
    effects = {each.effect: each for each in swap_effects(rows)}
    assert {name: each.units for name, each in effects.items()} == dict.fromkeys(EFFECTS, 8)
    # all eight units on one side: 2 of 256 sign patterns, and Holm over four effects
    assert effects["tokenizer"].p == pytest.approx(2 / 256)
    assert effects["tokenizer"].adjusted == pytest.approx(4 * 2 / 256)
    assert effects["tokenizer"].share.mean == pytest.approx(5 / 3)
    assert effects["body"].share.mean == pytest.approx(-2 / 3)
    assert not isfinite(effects["gap"].share.mean)


def test_the_price_of_a_swap_is_in_the_interaction_alone() -> None:
    rows = swap_instances(*store(body=0.1, cost=0.4), [SWAP])
    planted = {"gap": 0.1, "tokenizer": 0.0, "body": 0.1, "interaction": 0.4}
    assert found(rows) == pytest.approx(planted, abs=1e-12)


def test_a_gap_that_cannot_be_told_from_0_has_no_shares() -> None:
    rows = swap_instances(*store(noise=0.2), [SWAP])
    assert all(not isfinite(each.share.mean) for each in swap_effects(rows))


def test_parts_add_up_and_exchange() -> None:
    rows = swap_instances(*store(0.1, 0.3, 0.2, noise=0.1), [SWAP])
    assert np.allclose(rows["tokenizer"] + rows["body"], rows["gap"])
    turned = swap_instances(
        *store(0.1, 0.3, 0.2, noise=0.1), [Swap(("mm",), ("mM",), ("Mm",), ("MM",))]
    )
    keys = ["task", "lang", "id", "method"]
    for name in EFFECTS:
        sign = 1 if name == "interaction" else -1
        first, second = (each.set_index(keys)[name].sort_index() for each in (rows, turned))
        assert np.allclose(first, sign * second)


def test_copies_change_no_effect_and_no_p() -> None:
    rows = swap_instances(*store(0.1, 0.3, 0.2, noise=0.3), [SWAP])
    once, twice = (swap_effects(each) for each in (rows, pd.concat([rows, rows])))
    for one, two in zip(once, twice):
        assert (one.effect, one.units) == (two.effect, two.units)
        assert one.value.mean == pytest.approx(two.value.mean)
        assert one.p == two.p


def test_metrics_where_less_is_better_are_turned() -> None:
    plain = found(swap_instances(*store(0.2, -0.5), [SWAP]))
    turned = found(swap_instances(*store(0.2, -0.5), [SWAP], lower=["nc"]))
    assert turned == pytest.approx({name: -value for name, value in plain.items()})


def test_one_language_has_an_interval_over_texts_and_no_p() -> None:
    rows = swap_instances(*store(0.2, 0.1, noise=0.1), [SWAP])
    effects = swap_effects(rows, by_language=True)
    assert {each.lang for each in effects} == {"en", "hi"}
    for each in effects:
        assert each.units == 4
        assert not isfinite(each.p)
        assert each.value.low < each.value.mean < each.value.high


def test_effects_by_hand() -> None:
    """MM 8, Mm 5, mM 6, mm 1: tokenizer ((8 - 5) + (6 - 1)) / 2 = 4, body ((8 - 6) + (5 - 1)) / 2
    = 3, interaction ((8 + 1) - (5 + 6)) / 2 = -1."""
    values = [np.array([number]) for number in (8.0, 5.0, 6.0, 1.0)]
    assert [float(each[0]) for each in effects_of(*values)] == [7, 4, 3, -1]
    assert CELLS == ("multilingual", "multilingual_swapped", "monolingual_swapped", "monolingual")
