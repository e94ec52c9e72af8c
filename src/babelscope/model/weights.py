"""How the weights of a checkpoint are loaded: precision, devices, quantization, an adapter, a GGUF
file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from babelscope.errors import InputError
from babelscope.hub import locate

DTYPES = ("float32", "float64", "bfloat16", "float16")
QUANTIZATIONS = ("8bit", "4bit")
ADAPTER = "adapter_config.json"
"""The file that makes a folder an adapter of peft."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What is asked for; None leaves it as the checkpoint has it."""

    dtype: str | None = None
    device_map: str | Mapping[str, Any] | None = None
    """As for transformers and accelerate: "auto", or a device for each module."""
    quantization: str | None = None
    """8bit or 4bit, by bitsandbytes or else torchao."""
    adapter: str | None = None
    """An adapter of peft, a folder or a hub id, that is merged into the weights."""

    def named(self) -> list[str]:
        """Which of them are asked for."""
        return [name for name in self.__slots__ if getattr(self, name) is not None]


def loading_arguments(weights: Weights) -> dict[str, Any]:
    """The arguments of transformers' `from_pretrained`; refuses what is not installed."""
    arguments: dict[str, Any] = {}
    if weights.dtype is not None:
        if weights.dtype not in DTYPES:
            raise InputError(f"dtype {weights.dtype!r} is not one of: {', '.join(DTYPES)}")
        arguments["dtype"] = getattr(torch, weights.dtype)
    if weights.device_map is not None:
        arguments["device_map"] = weights.device_map
    if weights.quantization is not None:
        arguments["quantization_config"] = _quantization(weights.quantization)
    if weights.adapter is not None and find_spec("peft") is None:
        raise InputError(
            f"adapter {weights.adapter} is loaded by peft, which is not installed: pip install "
            "'babelscope[peft]'"
        )
    return arguments


def _quantization(name: str) -> Any:
    if name not in QUANTIZATIONS:
        raise InputError(f"quantization {name!r} is not one of: {', '.join(QUANTIZATIONS)}")
    transformers = import_module("transformers")
    if find_spec("bitsandbytes") is not None:
        return transformers.BitsAndBytesConfig(**{f"load_in_{name}": True})
    if find_spec("torchao") is not None:
        kind = {"8bit": "Int8WeightOnlyConfig", "4bit": "Int4WeightOnlyConfig"}[name]
        return transformers.TorchAoConfig(getattr(import_module("torchao.quantization"), kind)())
    raise InputError(
        f"quantization {name!r} needs bitsandbytes or torchao, and neither is installed: pip "
        "install bitsandbytes"
    )


def merged(hf: Any, adapter: str, source: str) -> tuple[Any, tuple[str, ...]]:
    """The model with the adapter's weights in its own, and the modules that the adapter holds as a
    whole: often the head.
    """
    peft = import_module("peft")
    place, revision = locate(adapter)
    try:
        config = peft.PeftConfig.from_pretrained(place, revision=revision)
        model = peft.PeftModel.from_pretrained(hf, place, revision=revision)
        whole = tuple(config.modules_to_save or ())
        return model.merge_and_unload(), whole
    except Exception as error:  # of a missing or damaged adapter, or one of another base
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"adapter {adapter} does not fit {source} ({reason})") from error


def without_modules(keys: Sequence[str], modules: Sequence[str]) -> list[str]:
    """The keys of weights that are in none of the modules."""
    return [key for key in keys if not set(key.split(".")) & set(modules)]


def refuse_adapter(source: str) -> None:
    """A folder with an adapter alone is no model; its base is in its config."""
    file = Path(source) / ADAPTER
    if not file.is_file() or (Path(source) / "config.json").exists():
        return
    try:
        base = json.loads(file.read_text("utf-8")).get("base_model_name_or_path")
    except (ValueError, AttributeError, OSError):
        base = None
    raise InputError(
        f"{source} holds an adapter of {base or 'another model'}; load that model with "
        f"adapter={source!r}"
    )


def gguf_file(source: str) -> tuple[str, str | None]:
    """A file FOLDER/NAME.gguf, or ORGANISATION/NAME/FILE.gguf on the hub, as the folder or hub id
    and the file; any other source as it is.
    """
    if not source.endswith(".gguf"):
        return source, None
    if Path(source).is_file():
        path = Path(source)
        place, name = str(path.parent), path.name
    else:
        place, _, name = source.rpartition("/")
        if place.count("/") != 1:
            raise InputError(f"there is no GGUF file {source}")
    if find_spec("gguf") is None:
        raise InputError(
            f"{source} is read by gguf, which is not installed: pip install 'babelscope[gguf]'"
        )
    return place, name
