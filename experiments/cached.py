"""What experiments compute once and keep in the user's cache, so that an interrupted run resumes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save

from babelscope.files import write_bytes, write_text
from babelscope.store import key
from babelscope.training.cache import TRAINING, cache_folder


def cached(name: str, identity: Mapping[str, Any], compute: Callable[[], Any]) -> Any:
    """What `compute` returns, as JSON; read from the cache if it was computed with this identity
    before."""
    digest = key({**identity, "training": TRAINING})[:16]
    file = _folder() / f"{name}-{digest}.json"
    if not file.is_file():
        write_text(file, json.dumps(compute()))
    return json.loads(file.read_text("utf-8"))


def cached_weights(
    hf: Any, name: str, identity: Mapping[str, Any], train: Callable[[], None]
) -> None:
    """Trains the model, or loads its weights if it was trained with this identity before."""
    file = _folder() / f"{name}-{key(identity)[:16]}.safetensors"
    if file.is_file():
        hf.load_state_dict(load_file(file), strict=False)  # tied weights are stored once
    else:
        train()
        first: dict[int, str] = {}
        weights = {
            name: tensor
            for name, tensor in hf.state_dict().items()
            if first.setdefault(tensor.data_ptr(), name) == name
        }
        write_bytes(file, save(weights))
    hf.eval()


def _folder() -> Path:
    folder = cache_folder() / "experiments"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
