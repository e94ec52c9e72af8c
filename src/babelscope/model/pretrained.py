"""The calls of transformers that read a checkpoint. Code that a checkpoint brings is never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from transformers import AutoConfig, AutoTokenizer

from babelscope.errors import InputError


def _register() -> None:
    """Makes our own architectures known to transformers; not before a checkpoint is read, as
    importing them takes a second.
    """
    import_module("babelscope.model.networks")


def read_config(source: str, revision: str | None, gguf: str | None = None) -> Any:
    """The configuration of a checkpoint, or of a GGUF file in it."""
    _register()
    return AutoConfig.from_pretrained(
        source, revision=revision, trust_remote_code=False, **_file(gguf)
    )


def _file(gguf: str | None) -> dict[str, Any]:
    return {} if gguf is None else {"gguf_file": gguf}


def read_weights(
    kind: Any,
    source: str,
    revision: str | None,
    labels: Sequence[str] = (),
    config: Any = None,
    arguments: Mapping[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The transformer of a checkpoint, of one of transformers' Auto classes, and what was missing
    in it; with `labels`, its head has these classes, with `config` it has this configuration
    instead of its own. `arguments` are further ones of transformers.
    """
    _register()
    head: dict[str, Any] = {}
    names = dict(enumerate(labels))
    numbers = {label: at for at, label in names.items()}
    if config is not None:
        head = {"config": config}
        if labels:
            config.id2label, config.label2id = names, numbers
    elif labels:
        head = {"num_labels": len(labels), "id2label": names, "label2id": numbers}
    hf, info = kind.from_pretrained(
        source,
        revision=revision,
        output_loading_info=True,
        trust_remote_code=False,
        **head,
        **(arguments or {}),
    )
    return hf, info


def read_tokenizer(source: str, revision: str | None, gguf: str | None = None) -> Any:
    """The tokenizer of a checkpoint, or of a GGUF file; refused if there is none, where
    transformers would build one that knows its special tokens only.
    """
    _register()
    tokenizer = AutoTokenizer.from_pretrained(
        source, revision=revision, trust_remote_code=False, **_file(gguf)
    )
    if gguf is not None:
        return tokenizer
    files = sorted({"tokenizer.json", *getattr(tokenizer, "vocab_files_names", {}).values()})
    folder = Path(source)
    present = any((folder / name).is_file() for name in files) if folder.is_dir() else True
    if not present or len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise InputError(
            f"{source} holds no tokenizer (none of {', '.join(files)} with a vocabulary); save it "
            "beside the model with tokenizer.save_pretrained"
        )
    return tokenizer
