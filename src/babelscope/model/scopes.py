"""Temporary settings of torch and transformers: each is restored on exit, also after an error."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from huggingface_hub.utils import logging as hub_logging
from torch import Tensor
from transformers.utils import logging as transformers_logging

from babelscope.errors import UnsupportedModel

NARROW = 128
"""The width up to which a model runs on one thread."""

HALF = (torch.float16, torch.bfloat16)


@contextmanager
def full_precision(hf: Any, precision: torch.dtype) -> Iterator[None]:
    """Weights of lower precision in this one, and restored to the bit on exit."""
    lower = [(weight, weight.dtype) for weight in of_lower_precision(hf, precision)]
    try:
        for weight, _ in lower:
            weight.data = weight.data.to(precision)
        yield
    finally:
        for weight, dtype in lower:
            weight.data = weight.data.to(dtype)


def of_lower_precision(hf: Any, precision: torch.dtype) -> list[Tensor]:
    """The parameters and buffers of floating point with fewer bits."""
    return [
        weight
        for weight in (*hf.parameters(), *hf.buffers())
        if weight.dtype.is_floating_point and weight.dtype.itemsize < precision.itemsize
    ]


@contextmanager
def evaluation(hf: Any, padding_id: int = 0) -> Iterator[None]:
    """Evaluation mode, with a padding token where the model has none; as it was on exit.

    A batch is read behind its embeddings and can be padded with any id; for a text as it is, -1 is
    no token at all.
    """
    training = [module for module in hf.modules() if module.training]
    config = hf.config.get_text_config()
    padding = config.pad_token_id
    if training:
        hf.eval()
    if padding is None:
        config.pad_token_id = padding_id
    try:
        with quiet(), enough_threads(hf):
            yield
    finally:
        config.pad_token_id = padding
        for module in training:
            module.training = True


@contextmanager
def visible_attention(hf: Any) -> Iterator[None]:
    """Attention computed so that its weights can be read and differentiated; the implementation
    restored on exit.
    """
    before = hf.config._attn_implementation
    try:
        hf.set_attn_implementation("eager")
        yield
    except (ValueError, NotImplementedError, AttributeError) as error:
        raise UnsupportedModel(
            f"{type(hf).__name__} has no attention weights to read ({error}); use a gradient or "
            "erasure method"
        ) from error
    finally:
        hf.set_attn_implementation(before)


@contextmanager
def enough_threads(hf: Any) -> Iterator[None]:
    """One thread for a model of width 128 or less: two would wait for each other longer than they
    compute, and many times longer on a busy machine. The number is restored on exit.
    """
    width = getattr(hf.config.get_text_config(), "hidden_size", NARROW + 1)
    before = torch.get_num_threads()
    if width <= NARROW and hf.device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def quiet() -> Iterator[None]:
    """No notices and progress bars of transformers and its hub client: what matters in them is
    raised as an error or reported as a flag here.

    Within another `quiet` it changes nothing: levels are set anew only where they differ, since
    that empties the caches of all loggers.
    """
    level, bar, hub = (
        transformers_logging.get_verbosity(),
        transformers_logging.is_progress_bar_enabled(),
        hub_logging.get_verbosity(),
    )
    if level != logging.ERROR:
        transformers_logging.set_verbosity_error()
    if bar:
        transformers_logging.disable_progress_bar()
    if hub != logging.ERROR:
        hub_logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        if transformers_logging.get_verbosity() != level:
            transformers_logging.set_verbosity(level)
        if hub_logging.get_verbosity() != hub:
            hub_logging.set_verbosity(hub)
        if bar:
            transformers_logging.enable_progress_bar()
