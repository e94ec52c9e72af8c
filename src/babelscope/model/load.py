"""Everything about tokenizer families, heads, position ids and attention back ends ends at
`Model`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers
from huggingface_hub.utils import logging as hub_logging
from transformers import AutoConfig, AutoTokenizer
from transformers.utils import logging as transformers_logging

from babelscope.errors import InputError, UnsupportedModel, UntrainedHead
from babelscope.model.inference_state import ELSEWHERE, InferenceState
from babelscope.model.tasks import (
    TASKS,
    Task,
    accepts,
    loader,
    task_functions,
    task_of_class,
    task_row,
)
from babelscope.model.verbalizer import verbalizer as labelled

if TYPE_CHECKING:
    from babelscope.model.tasks.functions import TaskFunctions

DEFAULT = "text-classification"
"""The task of a checkpoint that has no head; loading it is refused, unless an untrained head is
allowed.
"""

NARROW = 128
"""The width up to which a model runs on one thread."""

HALF = (torch.float16, torch.bfloat16)
SAMPLED = 64
"""Weights of each parameter that are part of a model's signature."""


@dataclass(frozen=True, eq=False)
class Model:
    """A transformer with its tokenizer: the one deep class. What changes is in `inference`; the
    rest stays as loaded.
    """

    hf: Any
    tokenizer: Any
    name: str
    task: str
    inference: InferenceState = field(default_factory=InferenceState)
    verbalizer: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Per label the tokens that stand for it, where a language model is asked to classify."""

    @cached_property
    def row(self) -> Task:
        """The facts of the model's task."""
        return task_row(self.task)

    @cached_property
    def functions(self) -> TaskFunctions:
        """What the model's task does with examples and outputs."""
        return task_functions(self.row)

    @property
    def generates(self) -> bool:
        """Whether the outputs are the logits of a next token."""
        return self.row.generates

    @property
    def classifies(self) -> bool:
        """Whether the model gives one of its classes to a whole input."""
        return self.row.classifies and (not self.generates or bool(self.verbalizer))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Class names in the order of the outputs: of a language model the verbaliser's labels,
        else the vocabulary; empty where the classes are not the model's own but parts of the
        input."""
        return self.functions.labels(self)

    @cached_property
    def texts(self) -> int | None:
        """How many texts an input has; None where neither the task nor the checkpoint says."""
        return self.row.texts or getattr(self.hf.config, "texts_per_input", None)

    @cached_property
    def activation(self) -> str:
        """How logits become probabilities, as in a Hugging Face pipeline: softmax, or sigmoid for
        independent labels.
        """
        return self.functions.activation(self)

    @cached_property
    def accepts(self) -> frozenset[str]:
        """The names of the forward call's parameters."""
        return frozenset(inspect.signature(self.hf.forward).parameters)

    @cached_property
    def reads_last_token(self) -> bool:
        """Whether the output is read at the last token, as decoders do."""
        return self.pools_last_token or (self.generates and not self.is_encoder_decoder)

    @cached_property
    def pools_last_token(self) -> bool:
        """Whether the head is a decoder's, which looks among the ids for the last that is not
        padding.
        """
        return self.row.pools and isinstance(getattr(self.hf, "score", None), torch.nn.Linear)

    @cached_property
    def is_encoder_decoder(self) -> bool:
        """Whether the model has an encoder and a decoder, which both read tokens."""
        paths = (path.rpartition(".")[2] for path, _ in self.hf.named_modules())
        return bool(self.hf.config.is_encoder_decoder) and "decoder" in paths

    @cached_property
    def decoder_start(self) -> int:
        """The token that a decoder beside an encoder reads first."""
        found = self.hf.config.decoder_start_token_id
        if found is None:
            raise UnsupportedModel(
                f"{self.name} does not say what its decoder starts with; set decoder_start_token_id"
            )
        return int(found)

    @cached_property
    def unseen_attention(self) -> str:
        """Why no attention weights can be read; empty where they can."""
        kind = type(self.hf).__name__
        if not hasattr(self.hf.config.get_text_config(), "num_attention_heads"):
            return f"{kind} has no attention weights"
        if self.row.several:
            return (
                f"{kind} reads several sequences for one input, whose attention is no single matrix"
            )
        return (
            f"the attention of {kind} is of an encoder and a decoder, no single matrix"
            if self.is_encoder_decoder
            else ""
        )

    @cached_property
    def first_position(self) -> int:
        """The position id of the first token: RoBERTa and its kin start counting after the padding
        id.
        """
        for module in self.hf.modules():
            table = getattr(module, "position_embeddings", None)
            if isinstance(table, torch.nn.Embedding) and hasattr(
                module, "create_position_ids_from_input_ids"
            ):
                return int(module.padding_idx) + 1
        return 0

    @cached_property
    def limit(self) -> int:
        """The largest number of tokens that one input may have, special tokens included."""
        sizes = [self.tokenizer.model_max_length]
        config = self.hf.config.get_text_config()
        for name in ("max_position_embeddings", "n_positions"):
            if isinstance(getattr(config, name, None), int) and getattr(config, name) > 0:
                sizes.append(getattr(config, name) - self.first_position)
        return int(min(sizes))

    @property
    def embeddings(self) -> Any:
        return self.hf.get_input_embeddings()

    @property
    def device(self) -> torch.device:
        found: torch.device = next(iter(self.hf.parameters())).device
        return found

    @property
    def in_half(self) -> bool:
        """Whether weights are in half precision."""
        return any(one.dtype in HALF for one in self.hf.parameters())

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of weights, task and tokenizer: what decides every number that the
        model gives.
        """
        digest = self._interface()
        for name, tensor in sorted(self.hf.state_dict().items()):
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
            digest.update(
                tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
            )
        return digest.hexdigest()

    @cached_property
    def signature(self) -> str:
        """A quick fingerprint, kept with every explanation: SHA-256 of task, classes, tokenizer and
        a few of the weights.

        Up to `SAMPLED` weights of every parameter, evenly spaced, in float32: two trainings of one
        base differ in them, a copy on another device does not. The `fingerprint` of all weights
        would take a minute for a model of seven billion.
        """
        digest = self._interface()
        for weight in self.hf.parameters():
            flat = weight.detach().reshape(-1)
            sample = flat[:: max(1, len(flat) // SAMPLED)][:SAMPLED].float().cpu()
            digest.update(f"{tuple(weight.shape)}".encode() + sample.numpy().tobytes())
        return digest.hexdigest()

    def _interface(self) -> hashlib._Hash:
        """A hash of what gives token ids and classes their meaning; how the tokenizer was last
        used does not matter.
        """
        digest = hashlib.sha256()
        digest.update(json.dumps([type(self.hf).__name__, self.task, self.labels]).encode())
        if self.verbalizer:
            digest.update(json.dumps(list(self.verbalizer.values())).encode())
        _, _, vocabulary = self.tokenizer.backend_tokenizer.to_str().partition(
            '"added_tokens"'
        )  # truncation stands before
        digest.update(vocabulary.encode())
        return digest

    def label_index(self, label: str | int) -> int:
        """The class of that name (or index, or LABEL_k); an unknown one is refused with the known
        ones listed.
        """
        name = str(label)
        if name in self.labels:
            return self.labels.index(name)
        lowered = [known.lower() for known in self.labels]
        if lowered.count(name.lower()) == 1:
            return lowered.index(name.lower())
        if self.generates and not self.verbalizer:
            raise InputError(f"{name!r} is no token of {self.name}")
        digits = name.removeprefix("LABEL_")
        if digits.isdecimal() and int(digits) < len(self.labels):
            return int(digits)
        raise InputError(f"label {name!r} is not one of the model's: {', '.join(self.labels)}")

    @contextmanager
    def full_precision(self) -> Iterator[bool]:
        """Weights in half precision as float32, and restored to the bit on exit; whether there
        were any.
        """
        weights = (*self.hf.parameters(), *self.hf.buffers())
        halves = [(weight, weight.dtype) for weight in weights if weight.dtype in HALF]
        if not halves:
            yield False
            return
        with self.inference.without_cache():  # what is in it was computed in half precision
            try:
                for weight, _ in halves:
                    weight.data = weight.data.float()
                yield True
            finally:
                for weight, kind in halves:
                    weight.data = weight.data.to(kind)

    @contextmanager
    def inference_mode(self) -> Iterator[None]:
        """The model in evaluation mode with its parameters left alone; as it was found on exit."""
        modes = [(module, module.training) for module in self.hf.modules()]
        padding = self.hf.config.get_text_config().pad_token_id
        self.hf.eval()
        if padding is None:
            self.hf.config.get_text_config().pad_token_id = 0
        try:
            with quiet(), enough_threads(self.hf):
                yield
        finally:
            self.hf.config.get_text_config().pad_token_id = padding
            for module, training in modes:
                module.training = training

    @contextmanager
    def visible_attention(self) -> Iterator[None]:
        """Attention computed so that its weights can be read and differentiated; the back end
        restored on exit.
        """
        before = self.hf.config._attn_implementation
        try:
            self.hf.set_attn_implementation("eager")
            yield
        except (ValueError, NotImplementedError, AttributeError) as error:
            raise UnsupportedModel(
                f"{type(self.hf).__name__} has no attention weights to read ({error}); use a "
                "gradient or erasure method"
            ) from error
        finally:
            self.hf.set_attn_implementation(before)


def load(
    source: Any,
    *,
    task: str | None = None,
    device: str | None = None,
    revision: str | None = None,
    allow_untrained_head: bool = False,
    verbalizer: Mapping[str, str | Sequence[str]] | None = None,
    name: str | None = None,
) -> Model:
    """A model ready to be explained, from a hub id, a folder, a transformers pipeline or a (model,
    tokenizer) pair.

    The task is read from the checkpoint's architecture. A head that the checkpoint does not hold is
    refused, because transformers would fill it with random numbers and only log it. A `verbalizer`
    makes a language model a classifier: it gives for each label the word, or the words, that the
    model would go on with. `name` is what results call the model; by default the checkpoint.
    """
    if task is not None and task not in TASKS:
        raise InputError(f"task {task!r} is not one of: {', '.join(TASKS)}")
    if isinstance(source, (str, Path)):
        model = _from_pretrained(str(source), task, revision, allow_untrained_head, name)
    elif isinstance(source, tuple) and len(source) == 2:
        model = _wrap(source[0], source[1], task, name)
    elif hasattr(source, "model") and hasattr(source, "tokenizer"):
        model = _wrap(source.model, source.tokenizer, task, name)
    else:
        raise InputError(
            f"cannot load a model from {type(source).__name__}: give a hub id, a folder, a "
            "pipeline or (model, tokenizer)"
        )
    if verbalizer:
        model = replace(model, verbalizer=labelled(model, verbalizer))
    if device is not None:
        try:
            model.hf.to(device)
        except (RuntimeError, AssertionError) as error:
            raise InputError(
                f"device {device!r} cannot be used here: {str(error).splitlines()[0]}"
            ) from error
    if model.hf.device.type != "cpu":
        model.inference.budget = ELSEWHERE
    return model


def fastest() -> str | None:
    """Where the models of a study go: to a GPU where one is seen (CUDA_VISIBLE_DEVICES= hides it);
    None leaves them.
    """
    return "cuda" if torch.cuda.is_available() else None


def _wrap(hf: Any, tokenizer: Any, task: str | None, name: str | None) -> Model:
    if not getattr(tokenizer, "is_fast", False):
        raise UnsupportedModel(
            f"{type(tokenizer).__name__} gives no character offsets; load its fast version "
            "(AutoTokenizer, use_fast=True)"
        )
    row = TASKS[task] if task is not None else task_of_class(type(hf).__name__)
    if row is None:
        ends = ", *".join(end for each in TASKS.values() for end in each.heads)
        raise UnsupportedModel(
            f"{type(hf).__name__} is none of the classes that can be explained: *{ends}; load the "
            "checkpoint with one of them"
        )
    return Model(
        hf, tokenizer, name or str(getattr(hf, "name_or_path", "") or type(hf).__name__), row.name
    )


def _from_pretrained(
    source: str,
    task: str | None,
    revision: str | None,
    allow_untrained_head: bool,
    name: str | None,
) -> Model:
    architectures = _architectures(source, revision)
    own = next(filter(None, map(task_of_class, architectures)), None)
    row = TASKS[task] if task is not None else own or TASKS[DEFAULT]
    if not accepts(row, architectures) and not allow_untrained_head:
        head = "" if own is None else own.name
        raise UntrainedHead(
            f"{source} holds no trained weights for {row.name}: its head is for {head}; leave the "
            "task out"
        )
    with quiet():
        try:
            auto = getattr(transformers, loader(row, architectures))
            hf, info = auto.from_pretrained(source, revision=revision, output_loading_info=True)
            tokenizer = AutoTokenizer.from_pretrained(source, revision=revision)
        except (OSError, ValueError, KeyError) as error:
            raise not_found(source, error) from error
    if getattr(hf.config, "untrained", False) and not allow_untrained_head:
        raise UntrainedHead(
            f"{source} was made but never trained: fine-tune it first, or allow an untrained head"
        )
    missing = sorted(info["missing_keys"]) + sorted(
        str(row) for row in info.get("mismatched_keys", ())
    )
    if missing and not allow_untrained_head:
        raise UntrainedHead(
            f"{source} holds no trained weights for {', '.join(missing[:4])}: it was not "
            f"fine-tuned for {row.name}, so there "
            "is nothing to explain; fine-tune it first (babelscope finetune), or allow an "
            "untrained head"
        )
    hf.eval()
    return _wrap(hf, tokenizer, row.name, name)


def _architectures(source: str, revision: str | None) -> tuple[str, ...]:
    """The classes that the checkpoint was saved from."""
    with quiet():
        try:
            config = AutoConfig.from_pretrained(source, revision=revision)
        except (OSError, ValueError, KeyError) as error:
            raise not_found(source, error) from error
    return tuple(config.architectures or ())


def not_found(source: str, error: Exception) -> InputError:
    if Path(source).is_dir():
        reason = str(error).strip().splitlines()[0]
        return InputError(f"folder {source} holds no model that can be loaded ({reason})")
    if source.startswith((".", "/", "~")) or source.count("/") > 1:
        return InputError(f"there is no model folder {source}")
    return InputError(
        f"model {source!r} is neither a folder here nor could it be had from the Hugging Face hub; "
        "check the name and the network, or give a local folder"
    )


@contextmanager
def enough_threads(hf: Any) -> Iterator[None]:
    """One thread for a model whose width is 128 or less: two wait for each other longer than they
    compute, and many times longer on a machine that has other work. The number of threads is
    restored on exit."""
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
    """No notices and bars of transformers and its hub client: what matters in them is an error or
    a flag of ours.
    """
    level, bar, hub = (
        transformers_logging.get_verbosity(),
        transformers_logging.is_progress_bar_enabled(),
        hub_logging.get_verbosity(),
    )
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    hub_logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        transformers_logging.set_verbosity(level)
        hub_logging.set_verbosity(hub)
        if bar:
            transformers_logging.enable_progress_bar()
