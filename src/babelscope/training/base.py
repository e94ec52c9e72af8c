"""The base of a fine-tuning job: a checkpoint with a head for the task, perhaps with fewer layers,
frozen weights or LoRA.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import transformers

from babelscope.errors import InputError
from babelscope.model.adapters import is_adapter
from babelscope.model.checkpoints import not_found, resolve
from babelscope.model.integrity import check_checkpoint
from babelscope.model.layers import freeze
from babelscope.model.pretrained import read_config, read_tokenizer, read_weights
from babelscope.model.scopes import quiet
from babelscope.model.tasks import Task
from babelscope.training.recipe import Recipe


def load_base(
    base: str, revision: str | None, task: Task, labels: Sequence[str], layers: int | None
) -> tuple[Any, Any]:
    """The base with a head for the task, untrained where the base has none, and its tokenizer, with
    a padding token.
    """
    source, revision = resolve(base, revision)
    if is_adapter(source):
        raise InputError(
            f"{source} holds an adapter, which is no base; name the model that it was trained on, "
            "or a folder with both merged"
        )
    with quiet():
        try:
            tokenizer = read_tokenizer(source, revision)
            auto = getattr(transformers, next(iter(task.heads.values())))
            config = _config(source, revision, task, layers)
            arguments = {"ignore_mismatched_sizes": True}  # of a head for other classes
            hf, info = read_weights(auto, source, revision, labels, config, arguments)
        except InputError:
            raise
        except Exception as error:  # of a damaged file: whatever its reader raises
            raise not_found(source, error) from error
    _check_mismatches(hf, info, source)
    check_checkpoint(hf, tokenizer, source)
    _set_padding(hf, tokenizer)
    return hf, tokenizer


def _check_mismatches(hf: Any, info: Any, source: str) -> None:
    """Only a head may be replaced by an untrained one; all else must have the shape that the
    configuration says.
    """
    names = sorted(str(entry[0]) for entry in info.get("mismatched_keys", ()))
    damaged = [name for name in names if name.startswith(f"{hf.base_model_prefix}.")]
    if damaged:
        raise InputError(
            f"{source} is damaged: its weights {damaged[0]} have another shape than its "
            "config.json says"
        )


def _config(source: str, revision: str | None, task: Task, layers: int | None) -> Any:
    """The configuration, where it is not to be the checkpoint's own: of fewer layers, or of an
    answer's two ends in place of the classes that the checkpoint had.
    """
    config = read_config(source, revision)
    if task.spans and config.num_labels != 2:
        config.num_labels = 2
        return config if not layers else keep_layers(config, layers, source)
    return keep_layers(config, layers, source) if layers else None


def keep_layers(config: Any, count: int, name: str) -> Any:
    """Reduces a config to the lowest `count` layers, so that only their weights are loaded.

    *Laws*: the weights are those of the whole model, to the bit; the states of every kept layer are
    too.
    """
    total = getattr(config, "num_hidden_layers", None)
    if config.is_encoder_decoder or total is None:
        raise InputError(f"{name} has no one stack of layers: leave out 'layers'")
    if count > total:
        raise InputError(f"{name} has {total} layers; {count} cannot be kept")
    for field, value in config.to_dict().items():
        # Some configs have one entry for each layer
        if isinstance(value, list) and len(value) == total and hasattr(config, field):
            setattr(config, field, value[:count])
    config.num_hidden_layers = count
    return config


def _set_padding(hf: Any, tokenizer: Any) -> None:
    """A decoder without a padding token is padded with its end token behind the attention mask; its
    head reads the last token before the padding.
    """
    if tokenizer.pad_token_id is None and tokenizer.eos_token_id is not None:
        tokenizer.pad_token = tokenizer.eos_token
    if hf.config.pad_token_id is None and tokenizer.pad_token_id is not None:
        hf.config.pad_token_id = tokenizer.pad_token_id


def prepare(hf: Any, recipe: Recipe, texts: int) -> Any:
    """The model that is trained: the config that it is saved with, frozen weights, LoRA."""
    hf.config.texts_per_input = texts
    hf.config.untrained = False
    if recipe.freeze_embeddings and hf.get_input_embeddings() is None:
        raise InputError(f"{type(hf).__name__} has no embeddings: leave out freeze_embeddings")
    if recipe.freeze_embeddings:
        hf.get_input_embeddings().weight.requires_grad_(False)
    freeze(hf, recipe.freeze_layers)
    if recipe.head_only:
        hf.base_model.requires_grad_(False)
    return _with_lora(hf, recipe) if recipe.lora else hf


def _with_lora(hf: Any, recipe: Recipe) -> Any:
    """Low-rank matrices beside all linear layers of the encoder; the head is trained in full.

        W x + 2 B A x,  A of shape [rank, in], B of shape [out, rank], B = 0 at the start

    Source: Hu et al. 2022, section 4.1, with alpha = 2 rank.
    """
    if find_spec("peft") is None:
        raise InputError("LoRA needs the package peft: pip install 'babelscope[peft]'")
    peft = import_module("peft")
    below = {id(module) for module in hf.base_model.modules()}
    heads = [
        name
        for name, module in hf.named_children()
        if id(module) not in below and any(True for _ in module.parameters())
    ]  # peft matches the ends of names: a head's "dropout" would match its own "lora_dropout"
    settings = peft.LoraConfig(
        r=recipe.lora,
        lora_alpha=2 * recipe.lora,
        target_modules="all-linear",
        exclude_modules=heads,
        modules_to_save=heads,
    )
    return peft.get_peft_model(hf, settings)


def trained(model: Any) -> Any:
    """The model as it is saved: with LoRA's matrices added to the weights."""
    return model.merge_and_unload() if hasattr(model, "merge_and_unload") else model
