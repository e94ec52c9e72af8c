"""The models of a study: loaded, or trained here and kept in the user's cache under what
determined them.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from babelscope.data.examples import made_up_language, usable_examples
from babelscope.data.spec import DataSpec
from babelscope.files import remove_parts, writing_folder
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model, fastest, load
from babelscope.model.scopes import NARROW
from babelscope.store import key
from babelscope.training import small
from babelscope.training.bases import PRETRAINED, digest_of, prepared
from babelscope.training.bases import started as started
from babelscope.training.cache import TRAINING, cache_folder, making, record, remove_damaged
from babelscope.training.finetune import Recipe, finetune, fingerprint
from babelscope.training.spec import LAYERS, ModelSpec, TrainSpec
from babelscope.types import Example


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
            prompt=None if spec.prompt is None else spec.prompt.prompt(),
            allow_untrained_head=spec.allow_untrained_head,
            name=name or spec.name,
        )
    return load(
        train(spec.train.of(lang), data, seed, progress), device=fastest(), name=name or spec.name
    )


def train(spec: TrainSpec, data: DataSpec, seed: int, progress: Progress | None = None) -> Path:
    """The folder of the trained model, named by what determines it, so that it is trained once; so
    is every stage before the last.
    """
    folder: Path | None = None
    for stage in spec.stages():
        folder = _train_stage(stage, data, seed, folder, progress)
    assert folder is not None
    return folder


def _train_stage(
    spec: TrainSpec, data: DataSpec, seed: int, before: Path | None, progress: Progress | None
) -> Path:
    """The model of one stage, from the base or from the model of the stage before."""
    known = data.languages
    languages = [lang for lang in spec.languages if known is None or lang in known]
    judged = [lang for lang in spec.dev_languages or languages if known is None or lang in known]
    rows = _labelled(data, languages, "train", spec.examples)
    dev = _labelled(data, judged, "dev", spec.dev_examples)
    name = trained_name(spec, rows, dev, seed, after=before.name if before else None)
    folder = cache_folder() / "models" / name
    with making(folder):
        if before is not None:
            return finetune(before, rows, dev, folder, recipe_of(spec, seed), progress=progress)
        recipe = recipe_of(spec, seed)
        if spec.base is None:
            texts = [text for row in rows for text in row.texts]
            texts += _missing_words(data, languages, texts)
            base, revision = str(_untrained(folder, spec, rows, texts, seed)), None
        else:
            base, revision = prepared(spec, rows, progress)
        return finetune(base, rows, dev, folder, recipe, revision=revision, progress=progress)


def _labelled(data: DataSpec, languages: Sequence[str], split: str, count: int) -> list[Example]:
    """The rows of a split that can be trained on."""
    return [
        row
        for lang in languages
        for row in usable_examples(data, lang, split, count, labelled=True).rows
    ]


def recipe_of(spec: TrainSpec, seed: int) -> Recipe:
    """The recipe of a study's model; a small model is built with its layers."""
    return Recipe(
        learning_rate=spec.learning_rate, epochs=spec.epochs, batch=spec.batch, seed=seed,
        freeze_embeddings=spec.freeze_embeddings, freeze_layers=spec.freeze_layers,
        weight_decay=spec.weight_decay, head_only=spec.head_only, warmup=spec.warmup,
        max_length=spec.max_length, accumulation=spec.accumulation, precision=spec.precision,
        gradient_checkpointing=spec.gradient_checkpointing, patience=spec.patience,
        select="score" if spec.dev_languages else "loss", lora=spec.lora,
        layers=spec.layers if spec.base else None,
    )  # fmt: skip


LATER = (
    "freeze_layers", "head_only", "warmup", "max_length", "accumulation", "precision",
    "gradient_checkpointing", "patience", "dev_languages", "lora", "then", "tokenizer",
    "adaptation", "adaptation_rate",
)  # fmt: skip
"""Fields that earlier versions lacked."""


def _decisive(spec: TrainSpec) -> dict[str, Any]:
    """The fields that determine the weights, without later ones at their default, so that models
    keep their names in the cache.
    """
    plain = TrainSpec(languages=spec.languages)
    unset = {name for name in LATER if getattr(spec, name) == getattr(plain, name)}
    # Whether it is one of several follows from its languages
    fields = spec.model_dump(exclude={"separately"} | unset) | {"layers": spec.layers or LAYERS}
    return fields | ({"kept_layers": spec.layers} if spec.base and spec.layers else {})


def trained_name(
    spec: TrainSpec,
    rows: Sequence[Example],
    dev: Sequence[Example],
    seed: int,
    *,
    after: str | None = None,
) -> str:
    """The name of a model in the cache; `after` is that of the model of the stage before."""
    identity = {
        "training": TRAINING,
        "spec": _decisive(spec),
        "train": fingerprint(rows),
        "dev": fingerprint(dev),
        "base": digest_of(spec.base, spec),
        "seed": seed,
        "threads": 1 if spec.base is None and spec.width <= NARROW else torch.get_num_threads(),
    }
    if after is not None:
        identity["after"] = after
    if spec.tokenizer is not None:
        identity["tokenizer"] = digest_of(spec.tokenizer, spec)
    if seed and str(spec.base).startswith(PRETRAINED) and identity["base"] is None:
        # Earlier models of the same name had a base of their own for every seed
        identity["base"] = PRETRAINED
    return key(identity)[:24]


def _missing_words(data: DataSpec, languages: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The words of a made-up language that none of the few training texts holds: the tokenizer must
    know them, because surrogates ask the model about every word.
    """
    if data.synthetic is None:
        return []
    known = {word for text in texts for word in text.split()}
    return [
        word
        for lang in languages
        for word in made_up_language(data, lang).words
        if word not in known
    ]


def _untrained(
    folder: Path, spec: TrainSpec, rows: Sequence[Example], texts: Sequence[str], seed: int
) -> Path:
    """The untrained small model, beside the folder of the trained one; its tokenizer is trained on
    the texts.
    """
    base = folder.with_name(f"{folder.name}-base")
    remove_damaged(base)
    if (base / "config.json").exists() and (base / "tokenizer.json").exists():
        return base
    shutil.rmtree(base, ignore_errors=True)
    remove_parts(base.parent, base.name)
    labels = sorted({str(row.label) for row in rows})
    with writing_folder(base) as part:
        small.make(
            part, spec.architecture, texts, labels,
            layers=spec.layers or LAYERS, width=spec.width, vocabulary=spec.vocabulary, seed=seed,
        )  # fmt: skip
    record(base)
    return base
