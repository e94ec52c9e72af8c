"""The laws of the soft metrics, in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.metrics import METRICS, soft
from babelscope.metrics.soft import shares
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Target
from conftest import PAIRS, TEXTS

SOFT = [name for name in METRICS if "soft" in name]
FINITE = st.floats(-1e3, 1e3, allow_subnormal=False)


def valued(
    model: Model, rows: object, scores: list[np.ndarray], metric: str, **options: object
) -> list[float]:
    return [
        one.value
        for one in METRICS[metric].function(model, rows, scores, [Target(1)] * len(rows), **options)
    ]


@given(
    st.lists(FINITE, min_size=1, max_size=12), st.sampled_from(soft.SCALINGS), st.floats(0.05, 0.95)
)
@settings(max_examples=150, deadline=None)
def test_shares_keep_the_order_and_meet_the_budget(
    scores: list[float], scaling: str, budget: float
) -> None:
    given_ = np.array(scores)
    ranked = np.abs(given_) if scaling.startswith("abs") else given_
    plain, matched = shares(given_, scaling, 0.0), shares(given_, scaling, budget)
    for found in (plain, matched):
        assert ((found >= 0) & (found <= 1)).all()
        assert (np.diff(found[np.argsort(ranked)]) >= -1e-12).all()
    assert matched.mean() == pytest.approx(budget, abs=1e-9)
    if np.ptp(ranked) == 0:
        assert (plain == 0.5).all()
    elif scaling.endswith("minmax"):
        assert (plain.min(), plain.max()) == (0, 1)
    elif scaling == "softmax":
        assert plain.sum() == pytest.approx(1)


def test_shares_by_hand() -> None:
    """Scores -2, 0, 0, 6: the range is 8; the ranks from 0 are 0, 1.5, 1.5, 3 of 3."""
    given_ = np.array([-2.0, 0.0, 0.0, 6.0])
    np.testing.assert_allclose(shares(given_, "minmax", 0.0), [0, 0.25, 0.25, 1])
    np.testing.assert_allclose(shares(given_, "rank", 0.0), [0, 0.5, 0.5, 1])
    np.testing.assert_allclose(shares(given_, "rank", 0.5), [0, 0.5, 0.5, 1], atol=1e-12)


def test_the_other_scalings_by_hand() -> None:
    """Scores -ln 3, 0, ln 2. sigmoid: odds 1/3, 1, 2, so 1/4, 1/2, 2/3. softmax: 1/3, 1, 2 of
    10/3, so .1, .3, .6. Absolute values ln 3, 0, ln 2: 1, 0, ln 2 / ln 3.
    """
    scores = np.log([1 / 3, 1, 2])
    np.testing.assert_allclose(shares(scores, "sigmoid", 0.0), [0.25, 0.5, 2 / 3])
    np.testing.assert_allclose(shares(scores, "softmax", 0.0), [0.1, 0.3, 0.6])
    expected = [1, 0, np.log(2) / np.log(3)]
    np.testing.assert_allclose(shares(scores, "abs_then_minmax", 0.0), expected)


def test_equal_absolute_values_say_nothing() -> None:
    scores = np.array([-2.0, 2.0, 2.0])
    np.testing.assert_array_equal(shares(scores, "abs_then_minmax", 0.0), [0.5, 0.5, 0.5])


def ends(model: Model, row: object, kept: float) -> float:
    """The probability when all content embeddings are multiplied by 0 or 1, from the
    model itself.
    """
    content = torch.from_numpy(row.content)[:, None]
    edit = inference.Query(
        row.ids,
        row.types,
        edit=lambda all_: torch.where(content, kept * all_, all_),
        key=f"all {kept}",
    )
    return float(torch.softmax(inference.outputs(model, [edit])[0], -1)[1])


@pytest.mark.parametrize("draws", [0, 3])
def test_everything_kept_and_nothing_kept(model: Model, draws: int) -> None:
    """q = 1 is the input: no fall, nothing lost, all saved. q = 0 is the null: the whole fall, all
    lost, nothing saved.
    """
    rows = encode(model, as_examples([*TEXTS[:4], PAIRS[0]]))
    judged = []
    for keep in (1.0, 0.0):
        plans = [soft._Plan(np.where(row.content, keep, 1.0)) for row in rows]
        judged.append(
            [
                [
                    one.value
                    for one in soft._measured(
                        model,
                        rows,
                        [Target(1)] * len(rows),
                        plans,
                        judge,
                        draws,
                        0.02,
                        normalised=n,
                    )
                ]
                for judge, n in ((soft._fall, False), (soft._lost, True), (soft._saved, True))
            ]
        )
    drops = np.array([ends(model, row, 1.0) - ends(model, row, 0.0) for row in rows])
    np.testing.assert_allclose(judged[0][0], 0, atol=1e-12)
    np.testing.assert_allclose(judged[1][0], drops, atol=1e-9)
    assert (drops >= 1e-3).any()
    for kept, (_, lost, saved) in zip((1.0, 0.0), judged):
        np.testing.assert_allclose(lost, np.where(drops >= 1e-3, 1 - kept, np.nan), atol=1e-9)
        np.testing.assert_allclose(saved, np.where(drops >= 1e-3, kept, np.nan), atol=1e-9)


@pytest.mark.parametrize("metric", SOFT)
def test_equal_shares_meet_equal_luck(bert: Model, metric: str) -> None:
    """Two methods whose shares are the same get the same value to the bit; and so does a text in
    any company.
    """
    rows = encode(bert, as_examples(list(TEXTS[:4])))
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=len(row.words)) for row in rows]
    first = valued(bert, rows, scores, metric, draws=4, error=1.0)
    again = valued(
        bert, rows[::-1], [4 * score for score in scores[::-1]], metric, draws=4, error=1.0
    )[::-1]
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("metric", SOFT)
def test_ranks_know_only_the_order(bert: Model, metric: str) -> None:
    rows = encode(bert, as_examples([*TEXTS[:2], PAIRS[0]]))
    rng = np.random.default_rng(1)
    scores = [rng.normal(size=len(row.words)) for row in rows]
    plain = valued(bert, rows, scores, metric, draws=3, error=1.0, scaling="rank")
    np.testing.assert_array_equal(
        valued(
            bert, rows, [np.exp(one) for one in scores], metric, draws=3, error=1.0, scaling="rank"
        ),
        plain,
    )
    other = valued(bert, rows, [np.exp(one) for one in scores], metric, draws=3, error=1.0)
    assert not np.array_equal(
        other, valued(bert, rows, scores, metric, draws=3, error=1.0), equal_nan=True
    )


def test_special_tokens_and_the_fixed_text_are_never_touched(model: Model) -> None:
    """Seen at inference: in every perturbed input their embeddings are the tokenizer's own, and
    each content embedding is its own numbers or zeros."""
    (row,) = encode(model, as_examples([PAIRS[0]]), part="first")
    seen: list[torch.Tensor] = []
    asked = soft._query(row, np.where(row.content, 0.5, 1.0), 0)
    own = model.embeddings(torch.from_numpy(row.ids)).detach()
    seen.append(asked.edit(own))
    fixed = torch.from_numpy(~row.content)
    assert torch.equal(seen[0][fixed], own[fixed])
    inside = seen[0][~fixed]
    assert bool(((inside == own[~fixed]) | (inside == 0)).all())
    assert 0.3 < float((inside == 0).double().mean()) < 0.7


def test_draws_go_on_until_the_mean_is_known(bert: Model) -> None:
    rows = encode(bert, as_examples(TEXTS[0]))
    scores = [np.random.default_rng(2).normal(size=len(rows[0].words))]
    asked = []
    for error in (1.0, 0.02, 0.0):
        before = bert.inference.queries
        valued(bert, rows, scores, "soft_comprehensiveness", draws=8, error=error)
        asked.append(bert.inference.queries - before - 2)
    assert asked[0] == 8
    assert 8 < asked[1] <= 64
    assert asked[1] % 8 == 0
    assert asked[2] == 64


def test_without_draws_the_embeddings_are_multiplied(bert: Model) -> None:
    rows = encode(bert, as_examples(TEXTS[0]))
    (row,) = rows
    scores = np.random.default_rng(2).normal(size=len(row.words))
    times = np.ones(len(row.ids))
    times[row.content] = (1 - (scores - scores.min()) / np.ptp(scores))[row.word[row.content]]
    embedded = bert.embeddings(torch.from_numpy(row.ids)) * torch.from_numpy(times)[:, None]
    given_ = {"attention_mask": torch.ones(1, len(row.ids), dtype=torch.long)}
    left, full = (
        float(torch.softmax(bert.hf(**one, **given_).logits[0], -1)[1].detach())
        for one in (
            {"inputs_embeds": embedded[None]},
            {"input_ids": torch.from_numpy(row.ids)[None]},
        )
    )
    (found,) = valued(bert, rows, [scores], "soft_comprehensiveness", draws=0)
    assert found == pytest.approx(full - left, abs=1e-9)


def masks(row: object, keep: np.ndarray, draws: int, width: int = 64) -> np.ndarray:
    """Which entries of the content are kept, per draw."""
    ones = torch.ones(len(row.ids), width)
    kept = [soft._query(row, keep, draw).edit(ones).numpy() for draw in range(draws)]
    return np.stack(kept)[:, row.content]


@pytest.mark.parametrize("chance", [0.1, 0.25, 0.5, 0.6])
def test_a_group_keeps_an_entry_in_its_share_of_the_draws(bert: Model, chance: float) -> None:
    """Of four draws, 4 q rounded down or up keep an entry; of the first two, 2 q rounded; and the
    entries of one draw are kept with probability q, independently of each other.
    """
    (row,) = encode(bert, as_examples(TEXTS[0]))
    kept = masks(row, np.where(row.content, chance, 1.0), 8)
    for first, last in ((0, 4), (4, 8), (0, 2)):
        counts = kept[first:last].sum(axis=0)
        share = (last - first) * chance
        assert ((counts >= np.floor(share)) & (counts <= np.ceil(share))).all()
    size = kept[0].size
    for one in kept:
        assert abs(one.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / size)
        pairs = np.corrcoef(one[:, :-1].ravel(), one[:, 1:].ravel())[0, 1]
        assert abs(pairs) < 4 / np.sqrt(size)
    assert not np.array_equal(kept[0], kept[4])


def test_grouped_draws_are_unbiased_and_vary_less(bert: Model) -> None:
    """The mean of 16 groups is that of 64 independent draws within the error of both, and means of
    four draws of a group vary less than means of four from four groups.
    """
    (row,) = encode(bert, as_examples(TEXTS[0]))
    keep = np.where(row.content, 0.5, 1.0)
    asked = [soft._query(row, keep, draw) for draw in range(256)]
    values = np.array(soft._probabilities(bert, asked, [Target(1)] * 256)).reshape(64, 4)
    together, apart = values.mean(axis=1), values[:, 0].reshape(16, 4).mean(axis=1)
    error = np.sqrt(together.var(ddof=1) / 64 + apart.var(ddof=1) / 16)
    assert abs(together.mean() - apart.mean()) < 4 * error
    assert together.var(ddof=1) < values[:, 0].var(ddof=1) / 4
