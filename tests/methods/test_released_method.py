"""Masked relevance as its study's released code computes it: every deviation by hand, and the
written definition without any."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.methods.released import DEVIATIONS, spread
from babelscope.model.load import Model
from babelscope.propagation.backward import Run
from babelscope.propagation.rules import rule
from conftest import PAIRS, TEXTS, tiny, tiny_reader

ALL = "builtin:all"
SOME = "builtin:random@0.5"


def scores(model: Model, data: object, *deviations: str, heads: str = SOME) -> np.ndarray:
    options = {"heads": heads, "deviations": deviations}
    (attribution,) = explain(model, data, "released_masked_lrp", options=options)
    return np.array(attribution.scores)


def plain(model: Model, data: object, method: str, **options: object) -> np.ndarray:
    (attribution,) = explain(model, data, method, options=options)
    return np.array(attribution.scores)


def test_without_deviations_it_is_the_written_definition(model: Model) -> None:
    written = plain(model, TEXTS[0], "masked_lrp", heads=SOME)
    np.testing.assert_array_equal(scores(model, TEXTS[0]), written)


def test_the_relevance_is_halved_where_all_heads_are_kept() -> None:
    model = tiny("bert")
    whole = scores(model, TEXTS[0], "halved", heads=ALL)
    np.testing.assert_array_equal(whole, plain(model, TEXTS[0], "transatt", normalised=True))
    assert np.abs(whole - scores(model, TEXTS[0], heads=ALL)).max() > 1e-6
    part = scores(model, TEXTS[0], "halved")
    np.testing.assert_array_equal(part, scores(model, TEXTS[0]))


def test_what_a_separator_is_does_not_matter_where_nobody_attends_to_it() -> None:
    """With another embedding of the separator the scores differ, unless it is never attended to.
    The model reads the first token, and separators of the text only through attention."""
    model, other = tiny.__wrapped__("bert"), tiny.__wrapped__("bert")
    with torch.no_grad():
        other.embeddings.weight[other.tokenizer.sep_token_id] *= -1
    moved = scores(model, TEXTS[0]) - scores(other, TEXTS[0])
    assert np.abs(moved).max() > 1e-6
    np.testing.assert_allclose(
        scores(model, TEXTS[0], "separators"), scores(other, TEXTS[0], "separators"), atol=1e-12
    )


def test_without_types_both_texts_of_a_pair_are_of_the_first() -> None:
    model, alike = tiny.__wrapped__("bert"), tiny.__wrapped__("bert")
    with torch.no_grad():
        table = alike.hf.bert.embeddings.token_type_embeddings.weight
        table[1] = table[0]
    data = [PAIRS[0]]
    np.testing.assert_allclose(scores(model, data, "types"), scores(alike, data), atol=1e-12)
    assert np.abs(scores(model, data, "types") - scores(model, data)).max() > 1e-6


def test_half_of_the_relevance_of_a_product_is_lost() -> None:
    """x = (1, 2), W = (3, 1)', b = 5: z = 5 + 5 = 10, of which relevance 10 goes to the product and
    to the bias alike, 5 each; of the product's 5, x gets half, in parts of 3 and 2 of 5."""
    x = torch.tensor([[1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    weight = torch.tensor([[3.0], [1.0]], dtype=torch.float64)
    bias = torch.tensor([5.0], dtype=torch.float64)
    relevances = {}
    for name in ("chefer", "chefer_products"):
        run = Run(name, {})
        run.begin(1)
        z = rule(run, torch.addmm, (bias, x, weight), {})
        assert z.item() == 10
        (gradient,) = torch.autograd.grad(z.sum(), x)
        relevances[name] = (x * gradient)[0].tolist()
    assert relevances["chefer"] == pytest.approx([6, 4])
    assert relevances["chefer_products"] == pytest.approx([1.5, 1])


def test_products_are_those_of_gpt2_alone() -> None:
    bert, gpt2 = tiny("bert"), tiny("gpt2")
    np.testing.assert_array_equal(scores(bert, TEXTS[0], "products"), scores(bert, TEXTS[0]))
    assert np.abs(scores(gpt2, TEXTS[0], "products") - scores(gpt2, TEXTS[0])).max() > 1e-9


def test_relevance_of_a_row_is_spread_over_all_tokens() -> None:
    """Two tokens of two numbers; only the second has relevance: (3 * 2, 4 * 0.5) = (6, 2)."""
    states = torch.tensor([[[2.0, 0.0], [3.0, 4.0]]])
    gradient = torch.tensor([[[0.0, 0.0], [2.0, 0.5]]])
    changed = spread(states, gradient)
    assert (states * changed)[0].tolist() == [[6.0, 0.0], [6.0, 2.0]]
    torch.testing.assert_close(spread(states[:, 1:], gradient[:, 1:]), gradient[:, 1:])


def test_an_answer_is_read_from_a_relevance_that_all_tokens_have() -> None:
    """Of a classifier, which is read at one place, nothing changes; of an answer everything does,
    and no text of a batch changes another."""
    model, reader = tiny("bert"), tiny_reader()
    np.testing.assert_array_equal(scores(model, TEXTS[0], "row"), scores(model, TEXTS[0]))
    data = [("What was good?", text) for text in TEXTS[:2]]
    options = {"heads": SOME, "deviations": ("row",)}
    together = explain(reader, data, "released_masked_lrp", options=options)
    for attribution, each in zip(together, data):
        (alone,) = explain(reader, [each], "released_masked_lrp", options=options)
        np.testing.assert_allclose(attribution.scores, alone.scores, rtol=0, atol=1e-9)
        (written,) = explain(reader, [each], "masked_lrp", options={"heads": SOME})
        assert np.abs(np.array(alone.scores) - written.scores).max() > 1e-6


def test_an_unknown_deviation_is_refused() -> None:
    with pytest.raises(InputError, match="deviation 'pad' is not one of: halved, separators"):
        scores(tiny("bert"), TEXTS[0], "pad")
    assert DEVIATIONS[0] == "halved"


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_alone_as_in_a_batch(deviation: str) -> None:
    model = tiny("bert")
    options = {"heads": SOME, "deviations": (deviation,)}
    together = explain(model, TEXTS[:3], "released_masked_lrp", options=options)
    for attribution, text in zip(together, TEXTS):
        np.testing.assert_allclose(
            attribution.scores, scores(model, text, deviation), rtol=0, atol=1e-9
        )
