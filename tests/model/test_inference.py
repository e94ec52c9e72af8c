"""The laws of inference."""

from __future__ import annotations

import copy
from itertools import combinations, pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import UnsupportedModel
from babelscope.model import inference
from babelscope.model.batches import FULL, WASTE, batch_cost, pack
from babelscope.model.encode import encode
from babelscope.model.inference import Query, outputs, query
from babelscope.model.load import Model
from conftest import TEXTS, tiny


@given(st.lists(st.integers(1, 600), max_size=200), st.integers(1, 5000))
@settings(max_examples=300, deadline=None)
def test_packing(lengths: list[int], budget: int) -> None:
    batches = pack(lengths, budget)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        mine = [lengths[row] for row in batch]
        assert len(batch) == 1 or max(mine) * len(mine) <= budget
        padding = 1 - sum(mine) / (max(mine) * len(mine))
        assert padding <= WASTE or sum(mine) - mine[-1] < FULL


def padded(batches: list[list[int]], lengths: list[int], cost: int) -> int:
    return sum(cost + max(lengths[row] for row in batch) * len(batch) for batch in batches)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(0, 100))
@settings(max_examples=200, deadline=None)
def test_no_other_batches_of_neighbours_cost_less(lengths: list[int], cost: int) -> None:
    """All ways to part the sorted rows, of which 8 of 40 tokens are below FULL."""
    order = sorted(lengths, reverse=True)
    everything = [
        padded([list(range(*ends)) for ends in pairwise((0, *cuts, len(order)))], order, cost)
        for count in range(len(order))
        for cuts in combinations(range(1, len(order)), count)
    ]
    assert padded(pack(lengths, 10**6, cost), lengths, cost) == min(everything)


def test_rows_of_far_lengths_share_a_batch_where_a_batch_is_dear() -> None:
    """6 rows of 15 tokens beside 9 of 20 are padded by 30."""
    lengths = [20] * 9 + [15] * 6
    assert [len(batch) for batch in pack(lengths, 4096, 29)] == [9, 6]
    assert [len(batch) for batch in pack(lengths, 4096, 31)] == [15]


def test_a_batch_costs_more_tokens_where_a_token_is_cheap(bert: Model) -> None:
    width = bert.embeddings.weight.shape[1]
    assert batch_cost(bert) == 16 + round((1100 / width) ** 2)


def test_results_are_those_of_the_plain_call(model: Model) -> None:
    rows = encode(model, as_examples(list(TEXTS)))
    found = outputs(model, [query(row) for row in rows])
    for row, output in zip(rows, found):
        given = {"input_ids": torch.from_numpy(row.ids)[None]}
        if row.types is not None and "token_type_ids" in model.accepts:
            given["token_type_ids"] = torch.from_numpy(row.types)[None]
        torch.testing.assert_close(output, model.hf(**given).logits[0].detach(), atol=1e-10, rtol=0)


def test_identical_inputs_are_computed_once(bert: Model) -> None:
    rows = [query(row) for row in encode(bert, as_examples(list(TEXTS)))]
    before = (bert.inference.queries, bert.inference.distinct, bert.inference.tokens)
    found = outputs(bert, rows * 3)
    assert bert.inference.queries - before[0] == 3 * len(rows)
    assert bert.inference.distinct - before[1] == len(rows)
    assert bert.inference.tokens - before[2] == sum(len(row.ids) for row in rows)
    assert all(torch.equal(found[at], found[at + len(rows)]) for at in range(len(rows)))


def test_within_caching_an_input_is_computed_once_and_never_after(bert: Model) -> None:
    rows = [query(row) for row in encode(bert, as_examples(list(TEXTS)))]
    with bert.inference.caching():
        outputs(bert, rows)
        before = bert.inference.distinct
        outputs(bert, rows[::-1])
        assert bert.inference.distinct == before
    outputs(bert, rows)
    assert bert.inference.distinct == before + len(rows)


def test_attended_positions_and_edits_are_part_of_an_inputs_identity(bert: Model) -> None:
    (row,) = encode(bert, as_examples(TEXTS[0]))
    hidden = np.ones(len(row.ids), dtype=bool)
    hidden[2] = False
    asked = [
        query(row),
        Query(row.ids, row.types, hidden),
        Query(row.ids, row.types, edit=lambda e: e * 0.5, key="half"),
        Query(row.ids, row.types, edit=lambda e: e * 0.25, key="quarter"),
    ]
    found = outputs(bert, asked)
    assert len({asked_one.digest() for asked_one in asked}) == 4
    assert all(not torch.allclose(found[0], other) for other in found[1:])


def test_a_hidden_token_does_not_matter(model: Model) -> None:
    """With its attention mask at 0 a token (but for the one that a decoder reads out) can be any
    token.
    """
    (row,) = encode(model, as_examples(TEXTS[0]))
    hidden = np.ones(len(row.ids), dtype=bool)
    hidden[2] = False
    other = row.ids.copy()
    other[2] = (other[2] + 7) % len(model.tokenizer)
    one, two = outputs(model, [Query(row.ids, row.types, hidden), Query(other, row.types, hidden)])
    torch.testing.assert_close(one, two, atol=1e-12, rtol=0)


def test_pad_tokens_in_the_text_do_not_move_positions(xlmr: Model) -> None:
    """RoBERTa's own position ids skip padding ids; an attended pad must keep its place and those
    after it theirs.
    """
    (row,) = encode(xlmr, as_examples(TEXTS[0]))
    ids = row.ids.copy()
    ids[2] = xlmr.tokenizer.pad_token_id
    (found,) = outputs(xlmr, [Query(ids)])
    positions = torch.arange(2, 2 + len(ids))[None]
    own = xlmr.hf(
        input_ids=torch.from_numpy(ids)[None],
        position_ids=positions,
        attention_mask=torch.ones(1, len(ids)),
    )
    torch.testing.assert_close(found, own.logits[0].detach(), atol=1e-10, rtol=0)


def test_memory_running_out_shrinks_the_batch_and_keeps_the_results(bert: Model) -> None:
    rows = [query(row) for row in encode(bert, as_examples(list(TEXTS)))]
    expected = outputs(bert, rows)
    crowded = Model(copy.deepcopy(bert.hf), bert.tokenizer, "crowded", bert.task)
    sizes: list[int] = []

    def greedy(module: object, given: object, named: dict[str, torch.Tensor]) -> None:
        sizes.append(named["input_ids"].numel())
        if named["input_ids"].numel() > 40:
            raise torch.OutOfMemoryError("planted: out of memory")

    crowded.hf.register_forward_pre_hook(greedy, with_kwargs=True)
    found = outputs(crowded, rows)
    assert max(sizes) > 40
    assert crowded.inference.budget <= max(sizes) // 2
    for one, other in zip(found, expected):
        torch.testing.assert_close(one, other, atol=1e-10, rtol=0)


def test_one_input_that_is_too_large_says_so(bert: Model) -> None:
    crowded = Model(copy.deepcopy(bert.hf), bert.tokenizer, "crowded", bert.task)

    def greedy(module: object, given: object, named: object) -> None:
        raise torch.OutOfMemoryError("planted: out of memory")

    crowded.hf.register_forward_pre_hook(greedy, with_kwargs=True)
    with pytest.raises(torch.OutOfMemoryError, match="planted"):
        outputs(crowded, [query(row) for row in encode(bert, as_examples(TEXTS[:2]))])


def test_progress_ends_at_the_total(bert: Model) -> None:
    rows = [query(row) for row in encode(bert, as_examples(list(TEXTS)))]
    told: list[tuple[int, int]] = []
    with bert.inference.reporting_progress(lambda done, total: told.append((done, total))):
        outputs(bert, rows)
    assert told[-1] == (sum(len(row.ids) for row in rows),) * 2
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    outputs(bert, rows)
    assert len(told) == len([one for one in told if one])


def test_logits_that_are_not_finite_are_refused(bert: Model) -> None:
    broken = Model(copy.deepcopy(bert.hf), bert.tokenizer, "broken", bert.task)
    with torch.no_grad():
        broken.hf.classifier.bias[0] = float("nan")
    with pytest.raises(UnsupportedModel, match="not finite"):
        outputs(broken, [query(row) for row in encode(bert, as_examples(TEXTS[0]))])


def test_float32_agrees_with_itself_alone_and_in_a_batch() -> None:
    model = tiny("xlm-roberta")
    single = Model(copy.deepcopy(model.hf).float(), model.tokenizer, "float32", model.task)
    rows = [query(row) for row in encode(single, as_examples(list(TEXTS)))]
    together = outputs(single, rows)
    for row, output in zip(rows, together):
        torch.testing.assert_close(outputs(single, [row])[0], output, atol=1e-5, rtol=0)
    assert inference.outputs(single, rows)[0].dtype == torch.float64
