"""A transformer with its tokenizer: what differs between architectures, heads, position ids and
attention implementations is known here and nowhere else.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model import fingerprints, scopes
from babelscope.model.description import describe
from babelscope.model.inference_state import InferenceState
from babelscope.model.scopes import HALF
from babelscope.model.slots import slots
from babelscope.model.tasks import Task, task_functions, task_row
from babelscope.types import Prompt

if TYPE_CHECKING:
    from babelscope.model.tasks.functions import TaskFunctions


SHOWN = 20
"""The most labels that a notebook shows of a model."""


def count_text(parameters: int) -> str:
    """`23.1 M parameters`."""
    return f"{parameters / 1e6:,.3g} M parameters" if parameters else "no parameters"


@dataclass(frozen=True, eq=False)
class Model:
    """A transformer with its tokenizer. What changes is in `inference`; the rest stays as
    loaded.
    """

    hf: Any
    tokenizer: Any
    name: str
    task: str
    inference: InferenceState = field(default_factory=InferenceState)
    verbalizer: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    """Per label the words that express it, each as its tokens, where a language model
    classifies.
    """
    prompt: Prompt | None = None
    """What a language model reads around its texts; None: nothing."""
    prior: tuple[float, ...] = ()
    """Per label its log-probability for a text without content, which is subtracted; empty where
    labels are not calibrated.
    """

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.task}, {self.family}, {count_text(self.parameters)}>"

    def _repr_html_(self) -> str:
        from babelscope.display.cards import card

        labels = self.labels if self.classifies and len(self.labels) <= SHOWN else ()
        facts = {
            "task": self.task.replace("_", " "), "architecture": self.family,
            "parameters": f"{self.parameters:,}" if self.parameters else None, "labels": labels,
            "tokenizer": type(self.tokenizer).__name__, "prompt": self.prompt and "yes",
        }  # fmt: skip
        return str(card(f"Model {self.name}", facts))

    @property
    def family(self) -> str:
        """The architecture's name; that of the class where the configuration has none."""
        config = getattr(self.hf, "config", None)
        return str(getattr(config, "model_type", "") or type(self.hf).__name__)

    @property
    def parameters(self) -> int:
        """How many weights there are; 0 of a function."""
        listed = getattr(self.hf, "parameters", None)
        return sum(each.numel() for each in listed()) if listed is not None else 0

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
        """Class names in the order of the outputs: of a language model the verbalizer's labels,
        else the vocabulary; empty where the classes are parts of the input.
        """
        return self.functions.labels(self)

    @cached_property
    def texts(self) -> int | None:
        """How many texts an input has; None where neither the task, the prompt nor the checkpoint
        fixes it.
        """
        if self.prompt is not None:
            return len(slots(self.prompt))
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
        """Whether the head is a decoder's, which reads at the last id that is not padding."""
        return self.row.pools and isinstance(getattr(self.hf, "score", None), torch.nn.Linear)

    @cached_property
    def is_encoder_decoder(self) -> bool:
        """Whether the model has an encoder and a decoder, which both read tokens."""
        paths = (path.rpartition(".")[2] for path, _ in self.hf.named_modules())
        return bool(self.hf.config.is_encoder_decoder) and "decoder" in paths

    @cached_property
    def decoder_start(self) -> int:
        """The token that the decoder of an encoder-decoder reads first."""
        start = self.hf.config.decoder_start_token_id
        if start is None:
            raise UnsupportedModel(
                f"the config of {self.name} has no decoder_start_token_id; set it to the token "
                "that the decoder reads first"
            )
        return int(start)

    @cached_property
    def unseen_attention(self) -> str:
        """Why no attention weights can be read; empty where they can."""
        if self.row.reads_text:
            return f"{self.name} is a function of texts"
        kind = type(self.hf).__name__
        if not hasattr(self.hf.config.get_text_config(), "num_attention_heads"):
            return f"{kind} has no attention weights"
        if self.row.several:
            return f"{kind} reads several sequences per input: its attention is no single matrix"
        if self.is_encoder_decoder:
            return f"{kind} is an encoder-decoder: its attention is no single matrix"
        return ""

    @cached_property
    def first_position(self) -> int:
        """The position id of the first token: RoBERTa and its like start after the padding id."""
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

    @cached_property
    def unseen_embeddings(self) -> str:
        """Why no word embeddings can be read or changed; empty where they can."""
        if self.row.reads_text:
            return f"{self.name} is a function of texts"
        if self.hf.get_input_embeddings() is None:
            return f"{type(self.hf).__name__} counts words and has no word embeddings"
        return ""

    @cached_property
    def has_layers(self) -> bool:
        """Whether states of tokens pass through layers, as in a transformer."""
        config = getattr(self.hf, "config", None)
        return config is not None and getattr(config, "num_hidden_layers", None) != 0

    @property
    def embeddings(self) -> Any:
        layer = self.hf.get_input_embeddings()
        if layer is None:
            raise UnsupportedModel(f"{self.name} cannot be used here: {self.unseen_embeddings}")
        return layer

    @property
    def device(self) -> torch.device:
        """That of its weights; a function of texts has none."""
        return next((weight.device for weight in self.hf.parameters()), torch.device("cpu"))

    @property
    def in_half(self) -> bool:
        """Whether weights are in half precision."""
        return any(weight.dtype in HALF for weight in self.hf.parameters())

    @property
    def quantized(self) -> bool:
        """Whether weights are integers of 8 or 4 bits. Those of a GGUF file no longer are:
        transformers has dequantized them.
        """
        quantizer = getattr(self.hf, "hf_quantizer", None)
        return quantizer is not None and type(quantizer).__name__ != "GgufHfQuantizer"

    @cached_property
    def description(self) -> str:
        """Architecture, head, labels, languages of the fine-tuning, precision and memory."""
        return describe(self)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of weights, task and tokenizer: everything that its outputs depend on."""
        return fingerprints.fingerprint(self)

    @cached_property
    def signature(self) -> str:
        """A quick fingerprint, from a few of the weights, that is stored with every explanation."""
        return fingerprints.signature(self)

    def label_index(self, label: str | int) -> int:
        """The class of that name, or index, or LABEL_k; an unknown one is refused."""
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
    def full_precision(self, precision: torch.dtype = torch.float32) -> Iterator[bool]:
        """Weights of lower precision in this one, and restored to the bit on exit; whether any
        were in half precision.
        """
        if not scopes.of_lower_precision(self.hf, precision):
            yield False
            return
        half = any(x.dtype in HALF for x in (*self.hf.parameters(), *self.hf.buffers()))
        # What is in the cache was computed in lower precision
        with self.inference.without_cache(), scopes.full_precision(self.hf, precision):
            yield half

    def inference_mode(self, padding_id: int = 0) -> AbstractContextManager[None]:
        """The model in evaluation mode; as it was on exit. `padding_id` is the padding of a model
        that has none.
        """
        return scopes.evaluation(self.hf, padding_id)

    def visible_attention(self) -> AbstractContextManager[None]:
        """Attention weights that can be read and differentiated; as it was on exit."""
        return scopes.visible_attention(self.hf)
