"""Checkpoints of the Hugging Face hub or of a folder: found, loaded, and refused where the task's
head was never trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import transformers
from huggingface_hub import get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
from huggingface_hub.errors import HfHubHTTPError

from babelscope.errors import InputError, UntrainedHead
from babelscope.hub import is_path, locate
from babelscope.model.adapters import CONFIG as ADAPTER
from babelscope.model.adapters import Adapter, is_adapter, merged, read_adapter, without_modules
from babelscope.model.integrity import check_checkpoint
from babelscope.model.pretrained import read_config, read_tokenizer, read_weights
from babelscope.model.scopes import quiet
from babelscope.model.tasks import TASKS, Task, accepts, loader, task_of_class
from babelscope.model.weights import Weights, gguf_file, loading_arguments

DEFAULT = "text-classification"
"""The task of a checkpoint that has no head; loading it is refused, unless an untrained head is
allowed.
"""


GENERATION = "text-generation"
"""The task of a GGUF file that does not name its architecture."""

CONFIG = "config.json"
"""The file of a checkpoint that shows whether the hub, or its cache here, has it."""


def resolve(source: str, revision: str | None = None, file: str = CONFIG) -> tuple[str, str | None]:
    """What to load, a folder or a hub id with this file, and its revision; refused if it is neither
    a folder here nor in the cache, and the hub cannot be reached.

    The hub is asked once. Loading would ask again and again, and a mistyped name wait for half a
    minute.
    """
    if not source.strip():
        raise InputError("the name of the model is empty; give a hub id or a folder")
    place, revision = locate(source, revision)
    if Path(place).is_dir():
        return place, revision
    try:
        if is_path(place):
            raise FileNotFoundError(place)
        if try_to_load_from_cache(place, file, revision=revision) is None:
            get_hf_file_metadata(hf_hub_url(place, file, revision=revision))
    except HfHubHTTPError:
        pass  # the hub has answered: loading gives the reason, or does without the file
    except Exception as error:  # of a connection: the classes differ between versions of the hub
        raise not_found(place, error, "adapter" if file == ADAPTER else "model") from error
    return place, revision


def from_pretrained(
    source: str,
    task: str | None,
    revision: str | None,
    allow_untrained_head: bool,
    weights: Weights,
) -> tuple[Any, Any, Task]:
    """The transformer, its tokenizer and its task, which is read from the checkpoint where none is
    named.
    """
    source, file = gguf_file(source)
    if file is None and Path(source).is_file():
        raise InputError(f"{source} is a file; name the folder with its config.json")
    source, revision = resolve(source, revision)
    adapter = _adapter(source, revision, weights)
    if adapter is not None and weights.adapter is None:
        source, revision = resolve(str(adapter.base))
    if file is None and Path(source).is_dir() and not (Path(source) / CONFIG).exists():
        for other in sorted(Path(source).glob("*.gguf")):
            raise InputError(f"folder {source} has no {CONFIG}; name its GGUF file: {other}")
    arguments = loading_arguments(weights) | ({"gguf_file": file} if file else {})
    architectures = _architectures(source, revision, file)
    row = _task(source, task, architectures, adapter, allow_untrained_head, file)
    if adapter is not None and adapter.classes is not None and (row.classifies or row.tags):
        arguments |= {"num_labels": adapter.classes, "ignore_mismatched_sizes": True}
    with quiet():
        try:
            auto = getattr(transformers, loader(row, architectures))
            hf, info = read_weights(auto, source, revision, arguments=arguments)
            tokenizer = read_tokenizer(source, revision, file)
        except InputError:
            raise
        except Exception as error:  # of a damaged file: whatever its reader raises
            raise not_found(source, error) from error
        if adapter is not None:
            hf = merged(hf, adapter, source)
    if not allow_untrained_head:
        _check_head(source, row, hf, info, () if adapter is None else adapter.modules)
    check_checkpoint(hf, tokenizer, source)
    return hf.eval(), tokenizer, row


def _available(source: str, file: str, revision: str | None) -> bool:
    """Whether a hub id has a file, here in the cache or on the hub."""
    if isinstance(try_to_load_from_cache(source, file, revision=revision), str):
        return True
    try:
        get_hf_file_metadata(hf_hub_url(source, file, revision=revision))
    except Exception:  # it has not, or there is no connection
        return False
    return True


def _holds_adapter(source: str, revision: str | None) -> bool:
    """Whether a folder or hub id holds an adapter alone."""
    if Path(source).is_dir():
        return is_adapter(source)
    return not _available(source, CONFIG, revision) and _available(source, ADAPTER, revision)


def _adapter(source: str, revision: str | None, weights: Weights) -> Adapter | None:
    """The adapter that is asked for, or the source itself where it is one."""
    if weights.adapter is not None:
        if is_adapter(source):
            raise InputError(f"{source} is an adapter itself; name its base, or it alone")
        return read_adapter(*resolve(weights.adapter, None, ADAPTER))
    if not _holds_adapter(source, revision):
        return None
    adapter = read_adapter(source, revision)
    if not adapter.base:
        raise InputError(
            f"{source} holds an adapter that does not name its base; load the base with "
            f"adapter={source!r}"
        )
    return adapter


def _task(
    source: str, task: str | None, architectures: tuple[str, ...], adapter: Adapter | None,
    allow_untrained_head: bool, file: str | None,
) -> Task:  # fmt: skip
    """The task that is asked for, or that of the adapter, or of the checkpoint; refused where the
    checkpoint's head is for another task.
    """
    native = next(filter(None, map(task_of_class, architectures)), None)
    learnt = None if adapter is None or adapter.task is None else TASKS[adapter.task]
    default = learnt or native or TASKS[GENERATION if file else DEFAULT]
    row = TASKS[task] if task is not None else default
    if not accepts(row, architectures) and not allow_untrained_head and row is not learnt:
        head = "" if native is None else native.name
        raise UntrainedHead(
            f"{source} holds no trained weights for {row.name}: its head is for {head}; leave the "
            "task out"
        )
    return row


def _architectures(source: str, revision: str | None, file: str | None) -> tuple[str, ...]:
    """The classes that the checkpoint was saved from."""
    with quiet():
        try:
            config = read_config(source, revision, file)
        except Exception as error:  # of a damaged file: whatever its reader raises
            raise not_found(source, error) from error
    return tuple(config.architectures or ())


def _check_head(source: str, row: Task, hf: Any, info: Any, saved: Sequence[str]) -> None:
    """Refuses weights that neither the checkpoint holds nor an adapter has `saved`: transformers
    would fill them with random numbers and only log it.
    """
    if getattr(hf.config, "untrained", False):
        raise UntrainedHead(
            f"{source} was created but never trained: fine-tune it first, or allow an untrained "
            "head"
        )
    missing = without_modules(sorted(info["missing_keys"]), saved) + sorted(
        str(entry) for entry in info.get("mismatched_keys", ())
    )
    if missing:
        raise UntrainedHead(
            f"{source} holds no trained weights for {', '.join(missing[:4])}: it was not "
            f"fine-tuned for {row.name}, so there is nothing to explain; fine-tune it first "
            "(babelscope finetune), or allow an untrained head"
        )


def not_found(source: str, error: Exception, what: str = "model") -> InputError:
    """The error of a model or adapter that is in no folder and not on the hub, or cannot be
    loaded.
    """
    if "trust_remote_code" in str(error):
        return InputError(
            f"{source} can only be loaded with Python code that it brings (auto_map in its "
            "config.json or tokenizer_config.json), and such code is never run; use a model whose "
            "architecture transformers has"
        )
    if isinstance(error, UnpicklingError):
        return InputError(
            f"{source} has weights as a pickle that holds more than tensors or is damaged; it "
            "might run code and is not loaded; use weights in safetensors"
        )
    if Path(source).is_dir():
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        return InputError(f"folder {source} holds no model that can be loaded ({reason})")
    if is_path(source):
        return InputError(f"there is no {what} folder {source}")
    return InputError(
        f"{what} {source!r} is neither a folder here nor available from the Hugging Face hub; "
        "check the name and the network, or give a local folder"
    )
