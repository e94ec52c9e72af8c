"""Adapters of peft: what their files say, and their weights merged into those of the base."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from huggingface_hub import snapshot_download

from babelscope.errors import InputError

CONFIG = "adapter_config.json"
"""The file that makes a folder an adapter."""
WEIGHTS = "adapter_model.safetensors"
TASKS = {
    "SEQ_CLS": "text-classification",
    "TOKEN_CLS": "token-classification",
    "QUESTION_ANS": "question-answering",
    "CAUSAL_LM": "text-generation",
    "SEQ_2_SEQ_LM": "text2text-generation",
}
"""The tasks of peft under our names."""
HEADS = {"SEQ_CLS": ("classifier", "score"), "TOKEN_CLS": ("classifier", "score")}
"""The heads that peft always saves as a whole with the adapter of a task."""
HEAD_WEIGHT = re.compile(
    r"\.(classifier|score)(\.modules_to_save)?(\.default)?(\.out_proj)?\.weight$"
)


@dataclass(frozen=True, slots=True)
class Adapter:
    """What the files of an adapter say."""

    folder: str
    base: str | None
    task: str | None
    """One of our tasks; None where the adapter names none that we have."""
    kind: str
    """Peft's name of its type: LORA, IA3, PROMPT_TUNING, ..."""
    modules: tuple[str, ...]
    """Modules that the adapter holds as a whole: often the head."""
    classes: int | None
    """Number of classes of the head that it holds."""


def is_adapter(source: str) -> bool:
    """Whether a folder holds an adapter alone."""
    folder = Path(source)
    return (folder / CONFIG).is_file() and not (folder / "config.json").exists()


def read_adapter(place: str, revision: str | None = None) -> Adapter:
    """The adapter in a folder, or of a hub id that is available; refused where peft is missing or
    its files cannot be read.
    """
    if find_spec("peft") is None:
        raise InputError(
            f"adapter {place} is loaded by peft, which is not installed: pip install "
            "'babelscope[peft]'"
        )
    try:
        folder = place
        if not Path(place).is_dir():
            folder = snapshot_download(place, revision=revision, allow_patterns=["adapter_*"])
        values = json.loads((Path(folder) / CONFIG).read_text("utf-8"))
        kind = str(values.get("task_type"))
        whole = (*(values.get("modules_to_save") or ()), *HEADS.get(kind, ()))
        return Adapter(
            folder, values.get("base_model_name_or_path"), TASKS.get(kind),
            str(values.get("peft_type")), tuple(dict.fromkeys(whole)), _classes(Path(folder)),
        )  # fmt: skip
    except (OSError, ValueError, AttributeError, TypeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{place} holds no adapter that can be read ({reason})") from error


def _classes(folder: Path) -> int | None:
    """The rows of the classification head among the adapter's weights."""
    if not (folder / WEIGHTS).is_file():
        return None
    from safetensors import safe_open

    with safe_open(folder / WEIGHTS, framework="pt") as tensors:
        for key in tensors.keys():  # noqa: SIM118 (it is no mapping)
            if HEAD_WEIGHT.search(key):
                return int(tensors.get_slice(key).get_shape()[0])
    return None


def merged(hf: Any, adapter: Adapter, source: str) -> Any:
    """The model with the adapter's weights in its own."""
    peft = import_module("peft")
    try:
        model = peft.PeftModel.from_pretrained(hf, adapter.folder)
        if not hasattr(model.base_model, "merge_and_unload"):
            raise InputError(
                f"adapter {adapter.folder} is of the type {adapter.kind}, which cannot be merged "
                "into weights; load one of LoRA or IA3"
            )
        return model.merge_and_unload()
    except InputError:
        raise
    except Exception as error:  # of a damaged adapter, or one of another base
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"adapter {adapter.folder} does not fit {source} ({reason})") from error


def without_modules(keys: Sequence[str], modules: Sequence[str]) -> list[str]:
    """The keys of weights that are in none of the modules."""
    return [key for key in keys if not set(key.split(".")) & set(modules)]
