"""What identifies a model: hashes of its weights, tokenizer, task and classes."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import torch

from babelscope.model.slow_tokenizers import is_slow, tokenizer_state

if TYPE_CHECKING:
    from babelscope.model.transformer import Model

SAMPLED = 64
"""Weights of each parameter that are part of a model's signature."""


def fingerprint(model: Model) -> str:
    """SHA-256 of weights, task and tokenizer: everything that the model's outputs depend on."""
    digest = _interface(model)
    for name, tensor in sorted(model.hf.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(
            tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        )
    return digest.hexdigest()


def signature(model: Model) -> str:
    """A quick fingerprint, stored with every explanation: SHA-256 of task, classes, tokenizer and a
    few of the weights.

    Up to `SAMPLED` weights of every parameter, evenly spaced, in float32: two trainings of one base
    differ in them, a copy on another device does not. The `fingerprint` of all weights would take a
    minute for a model of seven billion.
    """
    digest = _interface(model)
    fixed = model.hf.buffers() if model.family == "tf-idf" else ()  # document frequencies
    for weight in (*model.hf.parameters(), *fixed):
        digest.update(f"{tuple(weight.shape)}".encode())
        if weight.is_meta:  # offloaded: not in memory
            continue
        flat = weight.detach().reshape(-1)
        sample = flat[:: max(1, len(flat) // SAMPLED)][:SAMPLED].float().cpu()
        digest.update(sample.numpy().tobytes())
    return digest.hexdigest()


def _interface(model: Model) -> hashlib._Hash:
    """A hash of what gives token ids and classes their meaning, whatever truncation or padding the
    tokenizer was last used with.
    """
    digest = hashlib.sha256()
    digest.update(json.dumps([type(model.hf).__name__, model.task, model.labels]).encode())
    if model.verbalizer:
        digest.update(json.dumps(list(model.verbalizer.values())).encode())
    if model.prompt is not None:
        digest.update(repr(model.prompt).encode())
    if model.row.reads_text:
        digest.update(json.dumps([model.hf.name, model.hf.outputs, model.hf.mask]).encode())
        return digest
    if is_slow(model.tokenizer):
        digest.update(tokenizer_state(model.tokenizer).encode())
        return digest
    # The settings of truncation and padding come before the added tokens
    _, _, vocabulary = model.tokenizer.backend_tokenizer.to_str().partition('"added_tokens"')
    digest.update(vocabulary.encode())
    return digest
