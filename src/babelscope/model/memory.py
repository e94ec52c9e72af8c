"""Whether the tensors that a method needs at once fit into free memory: checked before they are
allocated.
"""

from __future__ import annotations

from pathlib import Path

import torch

from babelscope.errors import UnsupportedModel
from babelscope.model.inference_state import ELSEWHERE
from babelscope.model.scopes import of_lower_precision
from babelscope.model.transformer import Model

MEMORY = Path("/proc/meminfo")
SHARE = 0.8
"""The part of the free memory that one call may take."""
KEPT = 20
"""Numbers that a layer keeps for the backward pass, by token and dimension: its input, two norms,
queries, keys, values, attended values and the inner layer of four times the width, before and after
the activation."""
MOST_TOKENS = 2**17
"""Tokens in a batch from which on a larger one is no faster on a GPU."""


def available(device: torch.device) -> int | None:
    """Free bytes on the device; None where that is unknown."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type != "cpu" or not MEMORY.exists():
        return None
    line = next(
        (line for line in MEMORY.read_text().splitlines() if line.startswith("MemAvailable:")), None
    )
    return None if line is None else int(line.split()[1]) * 1024


def token_budget(model: Model) -> int:
    """Tokens in a batch, padding included, on another device than the processor: as many as fit
    into its free memory with what a backward pass keeps.

        tokens = share free / (kept layers width bytes)

    bytes those of a number of the weights. Where free memory or sizes are unknown, ELSEWHERE. A
    batch that does not fit after all is halved (`batches.run`), and so is the budget.

    *Laws*: between ELSEWHERE and MOST_TOKENS; never less with more free memory, or in half
    precision.
    """
    config, free = model.hf.config.get_text_config(), available(model.device)
    layers, width = (getattr(config, name, None) for name in ("num_hidden_layers", "hidden_size"))
    if free is None or not layers or not width:
        return ELSEWHERE
    tokens = int(free * SHARE) // (KEPT * layers * width * number_bytes(model))
    return int(max(ELSEWHERE, min(tokens, MOST_TOKENS)))


def check_conversion(model: Model, precision: torch.dtype, what: str) -> None:
    """Refuses a conversion of the weights to that precision which does not fit.

    Each weight is replaced by its conversion in turn: all grow, and of one there are both at once.

    *Laws*: nothing is needed in that precision or a higher one; more than is free is refused with
    both numbers, before any weight is converted.
    """
    growths = [
        weight.numel() * (precision.itemsize - weight.dtype.itemsize)
        for weight in of_lower_precision(model.hf, precision)
        if weight.device == model.device
    ]
    free = available(model.device)
    if not growths or free is None or sum(growths) + max(growths) <= free:
        return
    name = str(precision).removeprefix("torch.")
    raise UnsupportedModel(
        f"{what} needs the weights in {name}, {(sum(growths) + max(growths)) / 2**30:.1f} GiB more "
        f"than {model.name} takes now, and {free / 2**30:.1f} GiB are free; use a method without "
        "this need, or a machine with more memory"
    )


def weight_bytes(model: Model, tokens: int) -> int:
    """The attention weights of one input: layers x heads x tokens x tokens x bytes per number."""
    config = model.hf.config.get_text_config()
    return int(
        config.num_hidden_layers
        * config.num_attention_heads
        * tokens
        * tokens
        * number_bytes(model)
    )


def number_bytes(model: Model) -> int:
    return int(next(iter(model.hf.parameters())).element_size())


def fitting(model: Model, tokens: int, each: int, what: str) -> int:
    """How many inputs of `tokens` tokens fit at once, when each takes `each` bytes; refuses if not
    even one does.

    *Laws*: n inputs take at most `SHARE` of the free memory; one more would not; none is refused
    with both numbers.
    """
    free = available(model.device)
    if free is None:
        return model.inference.budget
    count = int(free * SHARE) // max(1, each)
    if count < 1:
        raise UnsupportedModel(
            f"{what} of a text of {tokens} tokens need {each / 2**30:.1f} GiB of memory and "
            f"{free / 2**30:.1f} GiB are free; explain it in windows or use a gradient or erasure "
            "method"
        )
    return count
