"""Whether a checkpoint can be what was trained: weights, classes and tokenizer that fit."""

from __future__ import annotations

from typing import Any

import torch

from babelscope.errors import InputError


def check_checkpoint(hf: Any, tokenizer: Any, source: str) -> None:
    """Refuses a checkpoint that would give no numbers, or wrong ones, in one line."""
    _check_weights(hf, source)
    _check_classes(hf, source)
    _check_vocabulary(hf, tokenizer, source)


def _check_weights(hf: Any, source: str) -> None:
    for name, weight in hf.named_parameters():
        if not weight.is_meta and not _finite(weight):  # offloaded weights are not in memory
            raise InputError(
                f"{source} is damaged: its weights {name} hold values that are not finite; "
                "download or train it again"
            )


def _finite(weight: torch.Tensor) -> bool:
    values = weight.float() if weight.element_size() == 1 else weight  # of which torch knows less
    return bool(torch.isfinite(values).all())


def _check_classes(hf: Any, source: str) -> None:
    """Every class from 0 upwards has a name."""
    names = getattr(hf.config, "id2label", None) or {}
    missing = sorted(set(range(len(names))) - set(names))
    if missing:
        raise InputError(
            f"{source} names no class {missing[0]} in the id2label of its config.json, which has "
            f"{', '.join(map(str, sorted(names)))}; number the classes from 0"
        )


def _check_vocabulary(hf: Any, tokenizer: Any, source: str) -> None:
    """The vocabulary fits the embedding; tokens that were added later may lie outside of it."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    embedding = hf.get_input_embeddings()
    if embedding is not None and not isinstance(embedding, torch.nn.Embedding):
        return
    names = (
        {name: at for name, at in tokenizer.get_vocab().items() if at < tokenizer.vocab_size}
        if backend is None
        else backend.get_vocab(with_added_tokens=False)
    )
    largest = max(names.values(), default=-1)
    rows = hf.config.vocab_size if embedding is None else embedding.num_embeddings
    if largest >= rows:
        size = f"model counts {rows} ids" if embedding is None else f"embedding has {rows} rows"
        raise InputError(
            f"the tokenizer of {source} gives ids up to {largest}, and its {size}: they do not "
            "belong together"
        )
