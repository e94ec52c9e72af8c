"""How the weights of a checkpoint are loaded: precision, devices, quantization, an adapter, a GGUF
file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from babelscope.errors import InputError

DTYPES = ("float32", "float64", "bfloat16", "float16")
QUANTIZATIONS = ("8bit", "4bit")
MAPS = ("auto", "balanced", "balanced_low_0", "sequential")
"""The names of device maps that accelerate makes."""


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
        _check_devices(weights.device_map)
        arguments["device_map"] = weights.device_map
    if weights.quantization is not None:
        arguments["quantization_config"] = _quantization(weights.quantization)
    return arguments


def _check_devices(devices: str | Mapping[str, Any]) -> None:
    """Refuses a device map with a device that is not here."""
    values = [devices] if isinstance(devices, str) else list(devices.values())
    for value in values:
        if value in (*MAPS, "disk"):
            continue
        try:
            torch.empty(0, device=value)
        except (RuntimeError, AssertionError, TypeError) as error:
            raise InputError(
                f"device_map {devices!r}: {value!r} is no device of this machine, nor one of: "
                f"{', '.join(MAPS)}"
            ) from error


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
