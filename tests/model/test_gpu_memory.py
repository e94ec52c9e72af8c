"""Batches and transfers on a GPU, as far as a processor can show them: free memory is prescribed,
and a stand-in records what a tensor is told.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from babelscope.model import memory
from babelscope.model.forward import on_device
from babelscope.model.inference_state import ELSEWHERE
from babelscope.model.memory import KEPT, MOST_TOKENS, SHARE, token_budget
from conftest import tiny

GPU = torch.device("cuda", 0)


@pytest.fixture
def prescribe(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Sets the free bytes of every device."""

    def free(count: int | None) -> None:
        monkeypatch.setattr(memory, "available", lambda _: count)

    return free


def token_bytes() -> int:
    """Of the tiny BERT in float64."""
    config = tiny("bert").hf.config
    return KEPT * config.num_hidden_layers * config.hidden_size * 8


def test_a_batch_is_as_large_as_free_memory_allows(
    prescribe: Callable[[int | None], None],
) -> None:
    """Of 10,000 tokens' bytes 10,000 x SHARE fit; the limits hold at both ends."""
    model = tiny("bert")
    prescribe(10_000 * token_bytes())
    assert token_budget(model) == int(10_000 * SHARE)
    prescribe(token_bytes())
    assert token_budget(model) == ELSEWHERE
    prescribe(10**15)
    assert token_budget(model) == MOST_TOKENS
    prescribe(None)
    assert token_budget(model) == ELSEWHERE


def test_half_precision_fits_more(prescribe: Callable[[int | None], None]) -> None:
    model = tiny("bert")
    prescribe(10_000 * token_bytes())
    whole = token_budget(model)
    half = replace(model, hf=deepcopy(model.hf).to(torch.bfloat16))
    assert token_budget(half) == 4 * whole  # float64 has four times the bytes of bfloat16


def test_a_model_without_known_sizes_has_the_usual_batches(
    prescribe: Callable[[int | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny("bert")
    prescribe(10**15)
    config = type(model.hf.config)
    monkeypatch.setattr(config, "get_text_config", lambda _: SimpleNamespace())
    assert token_budget(model) == ELSEWHERE


class Told(torch.Tensor):
    """A tensor that records what it is told."""

    calls: list[Any]

    def pin_memory(self, device: object = None) -> Told:
        self.calls.append("pinned")
        return self

    def to(self, *args: Any, **kwargs: Any) -> Told:  # type: ignore[override]
        self.calls.append((args, kwargs))
        return self


def test_tables_go_to_a_gpu_from_pinned_memory_without_waiting() -> None:
    table = torch.arange(3).as_subclass(Told)
    table.calls = []
    on_device(table, GPU)
    assert table.calls == ["pinned", ((GPU,), {"non_blocking": True})]


def test_on_a_processor_nothing_is_copied() -> None:
    table = torch.arange(3)
    assert on_device(table, torch.device("cpu")) is table
