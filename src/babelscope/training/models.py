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
from babelscope.data.skipping import MOST
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
from babelscope.training.spec import LAYERS, STEP, ModelSpec, TrainSpec
from babelscope.types import Example


def obtain(
    spec: ModelSpec,
    data: DataSpec,
    seed: int,
    lang: str,
    *,
    name: str | None = None,
    max_skipped: float = MOST,
    progress: Progress | None = None,
) -> Model:
    """The model that reads a language, trained first if it is not in the cache; by default under
    the study's name for it. `max_skipped` is the largest share of training and development rows
    that may be skipped.
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
    folder = train(spec.train.of(lang), data, seed, progress, max_skipped=max_skipped)
    return load(folder, device=fastest(), name=name or spec.name)


def train(
    spec: TrainSpec,
    data: DataSpec,
    seed: int,
    progress: Progress | None = None,
    *,
    max_skipped: float = MOST,
) -> Path:
    """The folder of the trained model, named by what determines it, so that it is trained once; so
    is every stage before the last.
    """
    folder: Path | None = None
    for stage in spec.stages():
        rows, dev = _splits(stage, data)
        name = trained_name(stage, rows, dev, seed, after=folder.name if folder else None)
        place = cache_folder() / "models" / name
        with making(place):
            base, revision = (
                (folder, None) if folder else _base(place, stage, data, rows, seed, progress)
            )
            folder = finetune(
                base, rows, dev, place, recipe_of(stage, seed),
                revision=revision, max_skipped=max_skipped, progress=progress,
            )  # fmt: skip
    assert folder is not None
    return folder


def _splits(spec: TrainSpec, data: DataSpec) -> tuple[list[Example], list[Example]]:
    """The rows that a stage is trained on, and those that choose its epoch."""
    known = data.languages
    languages = [lang for lang in spec.languages if known is None or lang in known]
    judged = [lang for lang in spec.dev_languages or languages if known is None or lang in known]
    rows = _labelled(data, languages, "train", spec.examples)
    return rows, _labelled(data, judged, "dev", spec.dev_examples)


def _base(
    place: Path,
    spec: TrainSpec,
    data: DataSpec,
    rows: Sequence[Example],
    seed: int,
    progress: Progress | None,
) -> tuple[str, str | None]:
    """The checkpoint that the first stage starts from, and its revision; where the study names
    none, a small untrained model."""
    if spec.base is not None:
        return prepared(spec, rows, progress)
    known = data.languages
    languages = [lang for lang in spec.languages if known is None or lang in known]
    texts = [text for row in rows for text in row.texts]
    texts += _missing_words(data, languages, texts)
    return str(_untrained(place, spec, rows, texts, seed)), None


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
    if spec.precision != "float32":
        identity["padded to"] = STEP
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
            positions=small.positions_of(spec.architecture, spec.max_length),
        )  # fmt: skip
    record(base)
    return base
