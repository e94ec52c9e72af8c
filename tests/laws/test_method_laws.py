"""The laws of METHODS, run over the table and the architectures, in float64."""

from __future__ import annotations

import copy
from functools import cache
from itertools import product

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods import METHODS
from babelscope.methods.explain import (
    explain,
)
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.targets import predicted, value
from babelscope.training.small import ARCHITECTURES
from babelscope.types import Attribution, Example, Target
from conftest import PAIRS, TEXTS, tiny
from planted import WEIGHTS

QUICK = {
    "inverse_frequency": {"corpus": "sentiment/en/train/20"},
    "lime": {"samples": 30},
    "kernel_shap": {"samples": 60},
    "permutation_shapley": {"permutations": 2},
    "partition_shapley": {"samples": 27},  # the tree of the six tokens of a text allows 28 sets
    "smooth_gradient": {"samples": 4},
    "expected_gradients": {"baselines": 4},
}
"""So few draws that they are draws, and quick: the laws of this file hold for any number."""
COARSE = {**QUICK, "integrated_gradients": {"tolerance": 0.05}}
"""Where the gap itself is not looked at: nodes are still added text by text, until each text's own
gap is small enough.
"""

COMPLETE = [row.name for row in METHODS.values() if row.complete]
UNSIGNED = [row.name for row in METHODS.values() if not row.signed]


@cache
def model_of(architecture: str, method: str) -> Model:
    """The tiny model; for integrated gradients, the ReLU in DistilBERT's head stays open, because
    a path halves its intervals at each unit that switches. `test_integrated` lets them switch.
    """
    model = tiny(architecture)
    if (architecture, method) != ("distilbert", "integrated_gradients"):
        return model
    hf = copy.deepcopy(model.hf)
    with torch.no_grad():
        hf.pre_classifier.bias += 30.0
    return load((hf, model.tokenizer))


def scores_of(model: Model, data: object, method: str, **given: object) -> list[np.ndarray]:
    return [
        np.array(one.scores)
        for one in explain(model, data, method, options=COARSE.get(method), **given)
    ]


@cache
def explained(architecture: str, method: str) -> tuple[Attribution, ...]:
    """Every text and every pair, explained together: what several laws look at."""
    data = [Example(f"t{at}", (text,)) for at, text in enumerate(TEXTS)]
    data += [Example(f"p{at}", pair) for at, pair in enumerate(PAIRS)]
    return tuple(explain(model_of(architecture, method), data, method, options=QUICK.get(method)))


@pytest.mark.parametrize(("architecture", "method"), list(product(ARCHITECTURES, METHODS)))
def test_alone_is_in_a_batch_in_any_order_and_budget(architecture: str, method: str) -> None:
    """Each text alone, and all of them from the last to the first in batches of one, as together
    with the pairs."""
    model = model_of(architecture, method)
    data = [Example(f"t{at}", (text,)) for at, text in enumerate(TEXTS)]
    if COARSE.get(method) == QUICK.get(method):
        together = [np.array(each.scores) for each in explained(architecture, method)]
    else:
        together = scores_of(model, data, method)
    alone = [scores_of(model, row, method)[0] for row in data]
    budget = model.inference.budget
    try:
        model.inference.budget = 16
        narrow = scores_of(model, data[::-1], method)[::-1]
    finally:
        model.inference.budget = budget
    for at in range(len(data)):
        np.testing.assert_allclose(together[at], alone[at], atol=1e-9)
        np.testing.assert_allclose(together[at], narrow[at], atol=1e-9)


@pytest.mark.parametrize(("architecture", "method"), list(product(ARCHITECTURES, METHODS)))
def test_pairs_and_singles_have_one_finite_score_per_content_token(
    architecture: str, method: str
) -> None:
    for each in explained(architecture, method):
        fields = (each.scores, each.tokens, each.offsets, each.segment, each.word_index)
        assert len({len(field) for field in fields}) == 1
        assert np.isfinite(each.scores).all()
        assert len(each.words) == len(each.word_scores) == max(each.word_index) + 1


@pytest.mark.parametrize(("architecture", "method"), list(product(ARCHITECTURES, COMPLETE)))
def test_complete_methods_sum_to_the_difference(architecture: str, method: str) -> None:
    for each in explained(architecture, method):
        assert abs(sum(each.scores) - (each.value - each.reference_value)) < 1e-3
        assert sum(each.word_scores) == pytest.approx(sum(each.scores), abs=1e-9)


@pytest.mark.parametrize(("architecture", "method"), list(product(ARCHITECTURES, UNSIGNED)))
def test_unsigned_methods_are_never_negative(architecture: str, method: str) -> None:
    assert all(min(each.scores) >= 0 for each in explained(architecture, method))


@pytest.mark.parametrize(
    "method", ["occlusion", "gradient_norm", "input_x_gradient", "integrated_gradients"]
)
def test_a_constant_model_gives_zero(bert: Model, method: str) -> None:
    constant = Model(copy.deepcopy(bert.hf), bert.tokenizer, "constant", bert.task)
    with torch.no_grad():
        constant.hf.classifier.weight.zero_()
    for one in explain(constant, TEXTS, method):
        np.testing.assert_allclose(one.scores, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("occlusion", {"operator": "mask"}),
        ("occlusion", {"operator": "attention_zero"}),
        ("occlusion", {"operator": "delete"}),
        ("input_x_gradient", {}),
        ("integrated_gradients", {"baseline": "zero"}),
        ("integrated_gradients", {"baseline": "pad"}),
    ],
)
def test_a_linear_model_gives_its_weights(
    planted: Model, method: str, options: dict[str, str]
) -> None:
    text = "the good film fine good"
    (one,) = explain(planted, text, method, options=options, target="positive")
    np.testing.assert_allclose(one.scores, [WEIGHTS[word] for word in text.split()], atol=1e-9)


def test_interchangeable_tokens_score_alike(planted: Model) -> None:
    for method in ("occlusion", "gradient_norm", "input_x_gradient", "integrated_gradients"):
        (one,) = explain(planted, "good the good", method)
        assert one.scores[0] == pytest.approx(one.scores[2], abs=1e-12)


def test_a_token_equal_to_the_baseline_scores_zero(bert: Model) -> None:
    rows = encode(bert, as_examples("the food was good"))
    rows[0].ids[2] = bert.tokenizer.pad_token_id
    (found,) = METHODS["integrated_gradients"].function(bert, rows, [Target(0)], baseline="pad")
    assert found.scores[1] == 0
    assert np.abs(found.scores).sum() > 0


def test_the_gradient_is_the_central_difference(model: Model) -> None:
    """dF/de_t along a direction u equals (F(e + h u) - F(e - h u)) / 2h."""
    (row,) = encode(model, as_examples(TEXTS[0]))
    (output,) = inference.outputs(model, [inference.query(row)])
    torch.manual_seed(0)
    direction = torch.randn(len(row.ids), model.embeddings.weight.shape[1], dtype=torch.float64)
    step = 1e-5
    for quantity in ("logit", "probability", "log_odds"):
        target = predicted(model, row, output, quantity)
        ((_, slope),) = inference.gradients(
            model, [inference.query(row)], [target], lambda _, grad: (grad * direction).sum().item()
        )
        sides = [
            inference.Query(
                row.ids, row.types, edit=lambda e, s=side: e + s * step * direction, key=f"{side}"
            )
            for side in (1, -1)
        ]
        up, down = (float(value(model, out, target)) for out in inference.outputs(model, sides))
        assert slope == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("method", [row.name for row in METHODS.values() if row.seeded])
def test_the_seed_decides(bert: Model, method: str) -> None:
    texts = [
        *TEXTS[:2],
        *TEXTS[3:],
    ]  # not the text of one token: there is one way to take one token out
    first, again, other = (scores_of(bert, texts, method, seed=seed) for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(first, again))
    assert not any((a == b).all() for a, b in zip(first, other))
    assert len({tuple(row[:1]) for row in first}) == len(first), "each example has its own numbers"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fails", [False, True])
def test_the_model_is_left_as_it_was_found(model: Model, method: str, fails: bool) -> None:
    model.hf.train()
    model.hf.config._attn_implementation = before = "sdpa"
    pad = model.hf.config.pad_token_id
    weights = {name: tensor.clone() for name, tensor in model.hf.state_dict().items()}
    model.hf(
        torch.tensor([[5, 6]]), output_attentions=True
    )  # transformers puts hooks of its own on the first such call
    hooks = sum(len(module._forward_hooks) for module in model.hf.modules())
    hook = None
    try:
        if fails:
            calls = []

            def broken(*_: object) -> None:
                calls.append(1)
                if len(calls) > 2:
                    raise RuntimeError("planted failure")

            hook = model.hf.get_input_embeddings().register_forward_hook(broken)
        if fails and METHODS[method].family != "control":
            with pytest.raises(RuntimeError, match="planted failure"):
                explain(model, TEXTS, method, options=COARSE.get(method))
        else:
            explain(model, TEXTS[0], method, options=COARSE.get(method)) if not fails else None
        assert all(module.training for module in model.hf.modules())
        assert model.hf.config._attn_implementation == before
        assert model.hf.config.pad_token_id == pad
        assert all(
            parameter.grad is None and parameter.requires_grad
            for parameter in model.hf.parameters()
        )
        assert all(
            torch.equal(tensor, weights[name]) for name, tensor in model.hf.state_dict().items()
        )
        assert sum(len(module._forward_hooks) for module in model.hf.modules()) == hooks + (
            1 if hook else 0
        )
    finally:
        if hook:
            hook.remove()
        model.hf.eval()
