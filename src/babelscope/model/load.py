"""Models ready to be explained, from a checkpoint, a pipeline, or a transformer in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model.calibration import label_prior
from babelscope.model.checkpoints import from_pretrained
from babelscope.model.functions import from_function
from babelscope.model.memory import token_budget
from babelscope.model.prompt_spec import as_prompt
from babelscope.model.prompts import word_tokens
from babelscope.model.slots import pieces
from babelscope.model.slow_tokenizers import is_slow
from babelscope.model.tasks import TASKS, task_of_class
from babelscope.model.transformer import Model as Model
from babelscope.model.verbalizer import verbalizer as label_tokens
from babelscope.model.weights import Weights
from babelscope.types import Prompt


def load(
    source: Any,
    *,
    task: str | None = None,
    device: str | None = None,
    device_map: str | Mapping[str, Any] | None = None,
    dtype: str | torch.dtype | None = None,
    quantization: str | None = None,
    adapter: str | None = None,
    revision: str | None = None,
    allow_untrained_head: bool = False,
    verbalizer: Mapping[str, str | Sequence[str]] | None = None,
    prompt: Prompt | Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Model:
    """A model ready to be explained, from a hub id, a folder, a transformers pipeline, a (model,
    tokenizer) pair, or a fitted classifier of scikit-learn that takes texts.

    The task is read from the checkpoint's architecture. A head that the checkpoint does not hold is
    refused, because transformers would fill it with random numbers and only log it. A `verbalizer`
    makes a language model a classifier: it gives for each label the word, or the words, that
    continue the text. A `prompt` is what it reads around each text, with labels or without
    (`Prompt`, or a mapping with its fields). `name` is what results call the model; by default the
    checkpoint.

    Of a checkpoint, `dtype` is the precision of its weights (float32, bfloat16, ...; by default as
    they were saved), `device_map` spreads them over devices as in transformers, `quantization`
    (8bit, 4bit) needs bitsandbytes or torchao, `adapter` is a folder or hub id of peft and is
    merged (a folder with an adapter alone is loaded with the base that it names). A file of GGUF is
    loaded by its path. `description` of the model is one line about it.
    """
    precision = None if dtype is None else str(dtype).removeprefix("torch.")
    weights = Weights(precision, device_map, quantization, adapter)
    if task is not None and task not in TASKS:
        raise InputError(f"task {task!r} is not one of: {', '.join(TASKS)}")
    if device is not None and device_map is not None:
        raise InputError("give device or device_map, not both")
    if isinstance(source, (str, Path)):
        hf, tokenizer, row = from_pretrained(
            str(source), task, revision, allow_untrained_head, weights
        )
        model = _wrap(hf, tokenizer, row.name, name or _named(source, adapter))
    elif names := [*weights.named(), *(["revision"] if revision else [])]:
        raise InputError(f"{names[0]} is for checkpoints; load a model in memory with it yourself")
    elif isinstance(source, torch.nn.Module) and not _is_pipeline(source):
        raise InputError(
            f"{type(source).__name__} comes without its tokenizer; give both: (model, tokenizer)"
        )
    elif isinstance(source, tuple) and len(source) == 2:
        if isinstance(source[1], torch.nn.Module):
            raise InputError("the pair is (tokenizer, model); give (model, tokenizer)")
        model = _wrap(source[0], source[1], task, name)
    elif _is_pipeline(source):
        model = _wrap(source.model, source.tokenizer, task, name)
    elif hasattr(source, "predict_proba") and hasattr(source, "classes_"):
        return from_function(source.predict_proba, labels=[*map(str, source.classes_)], name=name)
    else:
        raise InputError(_unknown_source(source))
    if verbalizer and prompt is not None:
        raise InputError("give the labels' words in the prompt (labels), not also as a verbalizer")
    if verbalizer:
        model = replace(model, verbalizer=label_tokens(model, verbalizer))
    _move(model, device)
    return model if prompt is None else _prompted(model, as_prompt(prompt))


def _unknown_source(source: Any) -> str:
    """Why no model can be loaded from an object, and what to do."""
    kind = type(source).__name__
    if isinstance(source, Model):
        return f"{source.name} is loaded already; pass it as it is"
    if hasattr(source, "get_params") and hasattr(source, "predict"):  # of scikit-learn
        if not hasattr(source, "classes_"):
            return (
                f"{kind} has no classes: fit a classifier to texts and labels first; what predicts "
                "numbers is babelscope.from_function(model.predict, labels=['value'], "
                "outputs='scores')"
            )
        return (
            f"{kind} gives no probabilities (predict_proba); give what scores the texts, for "
            "example babelscope.from_function(classifier.decision_function, "
            "labels=classifier.classes_, outputs='logits')"
        )
    if callable(source):
        return (
            f"{kind} is a function of texts whose labels are unknown; wrap it with "
            "babelscope.from_function(function, labels=[...])"
        )
    return (
        f"cannot load a model from {kind}: pass a hub id, a folder, a pipeline or (model, "
        "tokenizer)"
    )


def _is_pipeline(source: Any) -> bool:
    return hasattr(source, "model") and hasattr(source, "tokenizer")


def _named(source: str | Path, adapter: str | None) -> str:
    """What results call a checkpoint; with an adapter it is another model."""
    return str(source) if adapter is None else f"{source} with {adapter}"


def _prompted(model: Model, prompt: Prompt) -> Model:
    """The model with a prompt around its texts, and the labels' words."""
    if not model.generates:
        raise InputError(
            f"{model.name} ({model.task}) has classes of its own; a prompt is for language models"
        )
    pieces(prompt)
    model = replace(model, prompt=prompt)
    if prompt.labels:
        model = replace(model, verbalizer=label_tokens(model, prompt.labels, word_tokens))
    return replace(model, prior=label_prior(model)) if prompt.calibrate else model


def as_model(source: Any) -> Model:
    """A model as it is; anything else is loaded with the defaults of `load`."""
    return source if isinstance(source, Model) else load(source)


def fastest() -> str | None:
    """The device of a study's models: a GPU if one is visible (CUDA_VISIBLE_DEVICES= hides it);
    None leaves them where they are.
    """
    return "cuda" if torch.cuda.is_available() else None


def _wrap(hf: Any, tokenizer: Any, task: str | None, name: str | None) -> Model:
    row = TASKS[task] if task is not None else task_of_class(type(hf).__name__)
    if is_slow(tokenizer) and row is not None and row.several:
        raise UnsupportedModel(
            f"{type(tokenizer).__name__} is written in Python and gives no character offsets; "
            f"{row.name} needs a tokenizer of the tokenizers library"
        )
    if row is None:
        ends = ", *".join(end for each in TASKS.values() for end in each.heads)
        raise UnsupportedModel(
            f"{type(hf).__name__} is none of the classes that can be explained: *{ends}; load the "
            "checkpoint with one of them"
        )
    return Model(
        hf, tokenizer, name or str(getattr(hf, "name_or_path", "") or type(hf).__name__), row.name
    )


def _move(model: Model, device: str | None) -> None:
    if device == "meta":
        raise InputError("device 'meta' cannot be used here: it holds shapes without numbers")
    if device is not None:
        try:
            model.hf.to(device)
        except (RuntimeError, AssertionError, ValueError) as error:
            reason = str(error).splitlines()[0]
            if "Expected one of" in reason:  # torch lists every kind that it was ever built for
                reason = "there is no such device; write cpu, cuda, cuda:0, mps or the like"
            raise InputError(f"device {device!r} cannot be used here: {reason}") from error
    if model.hf.device.type != "cpu":
        model.inference.budget = token_budget(model)
