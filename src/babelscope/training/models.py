"""The models of a study: loaded, or trained here and kept in the user's cache under what
determined them.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from babelscope.data import builtin
from babelscope.data.examples import examples
from babelscope.data.spec import DataSpec
from babelscope.files import folder_digest, remove_parts, writing_folder
from babelscope.hub import locate
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model, fastest, load
from babelscope.model.scopes import NARROW
from babelscope.store import key
from babelscope.training import small
from babelscope.training.cache import TRAINING, cache_folder, making, record, remove_damaged
from babelscope.training.finetune import Recipe, finetune, fingerprint
from babelscope.training.recipes import pretrained
from babelscope.training.spec import ModelSpec, TrainSpec
from babelscope.types import Example

PRETRAINED = "pretrained:"
"""The prefix of a base that is one of our pretraining recipes, in the languages of the model."""


def obtain(
    spec: ModelSpec,
    data: DataSpec,
    seed: int,
    lang: str,
    *,
    name: str | None = None,
    progress: Progress | None = None,
) -> Model:
    """The model that reads a language, trained first if it is not in the cache; by default under
    the study's name for it.
    """
    if spec.train is None:
        return load(
            str(spec.source),
            device=fastest(),
            revision=spec.revision,
            verbalizer=spec.verbalizer,
            allow_untrained_head=spec.allow_untrained_head,
            name=name or spec.name,
        )
    return load(
        train(spec.train.of(lang), data, seed, progress), device=fastest(), name=name or spec.name
    )


def train(spec: TrainSpec, data: DataSpec, seed: int, progress: Progress | None = None) -> Path:
    """The folder of the trained model, named by what determines it, so that it is trained once."""
    languages = [
        lang for lang in spec.languages if data.languages is None or lang in data.languages
    ]
    rows = [row for lang in languages for row in examples(data, lang, "train", spec.examples)]
    dev = [row for lang in languages for row in examples(data, lang, "dev", spec.dev_examples)]
    folder = cache_folder() / "models" / trained_name(spec, rows, dev, seed)
    recipe = Recipe(
        learning_rate=spec.learning_rate, epochs=spec.epochs, batch=spec.batch, seed=seed,
        freeze_embeddings=spec.freeze_embeddings, freeze_layers=spec.freeze_layers,
        weight_decay=spec.weight_decay, head_only=spec.head_only,
    )  # fmt: skip
    with making(folder):
        base = started(spec, progress) if spec.base else _untrained(folder, spec, rows, seed)
        return finetune(base, rows, dev, folder, recipe, revision=spec.revision, progress=progress)


def started(spec: TrainSpec, progress: Progress | None) -> str:
    """A base as it was given, or the folder of a recipe: multilingual ones in all languages of the
    corpus.

    Like any checkpoint a recipe is one model: the seeds of a study are seeds of fine-tuning,
    which share the base.
    """
    base = str(spec.base)
    if not base.startswith(PRETRAINED):
        return base
    name = base.removeprefix(PRETRAINED)
    languages = spec.languages if name.startswith("monolingual") else builtin.LANGUAGES
    return str(pretrained(name, languages, progress=progress))


def _decisive(spec: TrainSpec) -> dict[str, Any]:
    """The fields that determine the weights, without later ones at their default, so that models
    keep their names in the cache.
    """
    later = {name for name in ("freeze_layers", "head_only") if not getattr(spec, name)}
    # Whether it is one of several follows from its languages
    return spec.model_dump(exclude={"separately"} | later)


def trained_name(
    spec: TrainSpec, rows: Sequence[Example], dev: Sequence[Example], seed: int
) -> str:
    identity = {
        "training": TRAINING,
        "spec": _decisive(spec),
        "train": fingerprint(rows),
        "dev": fingerprint(dev),
        "base": _base_digest(spec),
        "seed": seed,
        "threads": 1 if spec.base is None and spec.width <= NARROW else torch.get_num_threads(),
    }
    if seed and str(spec.base).startswith(PRETRAINED):
        # Earlier models of the same name had a base of their own for every seed
        identity["base"] = PRETRAINED
    return key(identity)[:24]


def _base_digest(spec: TrainSpec) -> str | None:
    """The digest of a base in a folder, also in that of a mirror, whose content may differ from the
    hub's; a hub id is its own name, with the revision in the spec.
    """
    if not isinstance(spec.base, str) or spec.base.startswith(PRETRAINED):
        return None
    place, _ = locate(spec.base, spec.revision)
    return folder_digest(Path(place)) if Path(place).is_dir() else None


def _untrained(folder: Path, spec: TrainSpec, rows: Sequence[Example], seed: int) -> Path:
    """The untrained small model, beside the folder of the trained one."""
    base = folder.with_name(f"{folder.name}-base")
    remove_damaged(base)
    if (base / "config.json").exists() and (base / "tokenizer.json").exists():
        return base
    shutil.rmtree(base, ignore_errors=True)
    remove_parts(base.parent, base.name)
    texts = [text for row in rows for text in row.texts]
    labels = sorted({str(row.label) for row in rows})
    with writing_folder(base) as part:
        small.make(
            part, spec.architecture, texts, labels,
            layers=spec.layers, width=spec.width, vocabulary=spec.vocabulary, seed=seed,
        )  # fmt: skip
    record(base)
    return base
