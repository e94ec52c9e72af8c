"""The published way to fit a SLALOM (Adam, from zero, 60 epochs, rate 5e-3, batches of 128) beside
ours on the same answers.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted, predict


def published(rows: np.ndarray, answer: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    s, v = torch.zeros(size, requires_grad=True), torch.zeros(size, requires_grad=True)
    index, wanted = torch.from_numpy(rows), torch.from_numpy(answer).float()
    optimiser = torch.optim.Adam([s, v], lr=5e-3)
    with torch.enable_grad():
        for _ in range(60):
            for start in range(0, len(rows), 128):
                batch = index[start : start + 128]
                optimiser.zero_grad()
                found = (torch.softmax(s[batch], -1) * v[batch]).sum(1)
                ((wanted[start : start + 128] - found) ** 2).sum().backward()
                optimiser.step()
    return s.detach().double().numpy(), v.detach().double().numpy()


@pytest.mark.training
@pytest.mark.parametrize(("size", "count"), [(30, 500), (100, 500), (100, 1000), (200, 1000)])
def test_lower_error_at_equal_questions(size: int, count: int) -> None:
    """Adam moves a parameter by at most its rate a step: 240 steps at 500 questions, so that no
    value exceeds 1.2.
    """
    generator = np.random.default_rng(size + count)
    s, v = generator.normal(size=size), 2 * generator.normal(size=size)
    rows, fresh = (
        generator.integers(0, size, (count, 3)),
        counted(generator.integers(0, size, (2000, 3)).tolist()),
    )
    clean = predict(counted(rows.tolist()), s, v)
    answer = clean + 0.1 * generator.normal(size=count)
    theirs, ours = published(rows, answer, size), fit(counted(rows.tolist()), answer, size=size)
    wanted = predict(fresh, s, v)
    error = [
        float(((predict(fresh, *one) - wanted) ** 2).mean())
        for one in (theirs, (ours.importance, ours.value))
    ]
    inside = [
        float(((predict(counted(rows.tolist()), *one) - answer) ** 2).mean())
        for one in (theirs, (ours.importance, ours.value))
    ]
    assert error[1] < error[0] / 5
    assert inside[1] < inside[0]
    steps = 60 * -(-count // 128)
    assert np.abs(theirs[1]).max() < 1.1 * 5e-3 * steps
