"""Which language a model was fine-tuned on, with which seed, and how."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from babelscope.errors import InputError
from babelscope.options import Spec as StrictSpec
from babelscope.training.spec import ModelSpec

SINGLE, JOINT, HEAD_ONLY, BASE = "single", "joint", "head_only", "base"
"""Fine-tuned on one language, on several, with everything below the head frozen; not fine-tuned."""
SEQUENTIAL = "sequential"
"""Fine-tuned on one language after another; its source is their order: "en, then hi"."""


class Stated(StrictSpec):
    """How an existing model was fine-tuned; what is not stated is read from its training.json."""

    language: str | None = None
    """`joint` for a model that was fine-tuned on several."""
    seed: int | None = None
    head_only: bool | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """`source` is the language, or "joint"; `kind` is one of those above."""

    source: str
    seed: int
    kind: str = SINGLE


def provenance(model: ModelSpec, seed: int, stated: Stated | None = None) -> Provenance:
    """What a study says about a model that it trains; of an existing one what is stated, and the
    training.json that `babelscope finetune` writes."""
    if model.train is not None and model.train.then:
        order = ("+".join(stage.languages) for stage in model.train.stages())
        return Provenance(", then ".join(order), seed, SEQUENTIAL)
    if model.train is not None:
        source = model.train.languages[0] if len(model.train.languages) == 1 else JOINT
        return Provenance(source, seed, _kind(source, model.train.head_only))
    return folder_provenance(str(model.source), stated or Stated())


def folder_provenance(folder: str, stated: Stated) -> Provenance:
    file = Path(folder) / "training.json"
    written = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    recipe, languages = written.get("recipe", {}), written.get("languages", [])
    source = stated.language or (languages[0] if len(languages) == 1 else JOINT)
    if not stated.language and not Path(folder).is_dir():
        raise InputError(
            f"there is no folder {folder}; of a model on the hub state the language that it was "
            "fine-tuned on: "
            f"LANG={folder}, or 'stated' in a study file"
        )
    if not stated.language and not languages:
        raise InputError(
            f"{folder} has no training.json that says which language it was fine-tuned on; write "
            f"LANG={folder} or "
            f"LANG:SEED={folder}, or 'stated' in a study file"
        )
    head_only = recipe.get("head_only") if stated.head_only is None else stated.head_only
    seed = recipe.get("seed", 0) if stated.seed is None else stated.seed
    return Provenance(source, int(seed), _kind(source, bool(head_only)))


def _kind(source: str, head_only: bool) -> str:
    return HEAD_ONLY if head_only else JOINT if source == JOINT else SINGLE


def parse_model(argument: str) -> tuple[str, Stated]:
    """`DIR`, `LANG=DIR` or `LANG:SEED=DIR`: the folder, and what the argument states about it."""
    prefix, _, folder = argument.rpartition("=")
    lang, _, seed = prefix.partition(":")
    if seed and not seed.isdecimal():
        raise InputError(f"--model {argument}: the seed must be a whole number, not {seed!r}")
    return folder, Stated(language=lang or None, seed=int(seed) if seed else None)
