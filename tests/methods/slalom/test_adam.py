"""The published fit: torch's Adam to the digit, and where it ends beside the least squares."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.methods.slalom.adam import fit_adam
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted, predict
from conftest import tiny


def problem(count: int, size: int, spread: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Texts of three units and the answers of an exact SLALOM."""
    generator = np.random.default_rng(count)
    importance, value = generator.normal(size=size), spread * generator.normal(size=size)
    texts = generator.integers(0, size, (count, 3))
    return texts, predict(counted(texts.tolist()), importance, value), value


@pytest.mark.training
def test_equals_torchs_adam() -> None:
    """Two epochs of batches of 8 over positions, by autograd."""
    texts, answer, _ = problem(40, 6, 1.0)
    importance = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    value = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([importance, value], lr=5e-3)
    rows, wanted = torch.tensor(texts), torch.tensor(answer)
    for _ in range(2):
        for start in range(0, 40, 8):
            part = rows[start : start + 8]
            optimiser.zero_grad()
            predicted = (torch.softmax(importance[part], -1) * value[part]).sum(1)
            ((wanted[start : start + 8] - predicted) ** 2).sum().backward()
            optimiser.step()
    fitted = fit_adam(counted(texts.tolist()), answer, size=6, epochs=2, batch=8)
    np.testing.assert_allclose(fitted.value, value.detach().numpy(), atol=1e-12)
    centred = (importance - importance.mean()).detach().numpy()
    np.testing.assert_allclose(fitted.importance, centred, atol=1e-12)


def test_with_steps_enough_it_reaches_the_least_squares() -> None:
    """1000 texts make 600 * 8 = 4800 steps, each of at most about .005: 24 in all, and the values
    are below 3."""
    texts, answer, _ = problem(1000, 5, 1.0)
    slow = fit_adam(counted(texts.tolist()), answer, size=5, epochs=600)
    exact = fit(counted(texts.tolist()), answer, size=5)
    np.testing.assert_allclose(slow.value, exact.value, atol=5e-3)
    np.testing.assert_allclose(slow.importance, exact.importance, atol=5e-3)
    assert slow.trace[-1] < 1e-4 * slow.trace[0]


def test_with_few_texts_it_cannot_reach_large_values() -> None:
    """200 texts make 60 * 2 = 120 steps: no value beyond .6 (Adam's steps exceed the rate slightly
    at the start), while the model's reach 4 times as far; the least squares reach them."""
    texts, answer, value = problem(200, 10, 3.0)
    slow, fast = (each(counted(texts.tolist()), answer, size=10) for each in (fit_adam, fit))
    assert np.abs(value).max() > 4 * np.abs(slow.value).max()
    assert np.abs(slow.value).max() <= 1.1 * 120 * 5e-3
    errors = [
        float(
            ((predict(counted(texts.tolist()), each.importance, each.value) - answer) ** 2).mean()
        )
        for each in (slow, fast)
    ]
    assert errors[0] > 100 * errors[1]


def test_a_text_of_weight_two_is_that_text_twice() -> None:
    texts, answer, _ = problem(10, 4, 1.0)
    weight = np.array([2.0, *[1.0] * 9])
    twice = counted([texts[0].tolist(), *texts.tolist()])
    both = [
        fit_adam(counted(texts.tolist()), answer, size=4, weight=weight, epochs=3),
        fit_adam(twice, np.array([answer[0], *answer]), size=4, epochs=3),
    ]
    np.testing.assert_allclose(both[0].value, both[1].value, atol=1e-12)


def test_as_an_option_of_the_method() -> None:
    model, text = tiny("bert"), "the food was good"
    options = {"samples": 60, "score": "value"}
    one, two = (
        explain(model, text, "slalom", options={**options, "design": each})[0]
        for each in ("fixed(3)+adam", "fixed(3)")
    )
    assert one.scores != two.scores
    assert one.details["value_sd"] == [None] * 4
    with pytest.raises(InputError, match="design 'fixed\\(3\\)\\+sgd'"):
        explain(model, text, "slalom", options={"design": "fixed(3)+sgd"})
