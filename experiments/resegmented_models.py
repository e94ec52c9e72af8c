"""Models fine-tuned on re-segmented words, or from scratch with other vocabularies: what becomes of
their explanations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from babelscope import options
from babelscope.analyses.tokenization.intervention import graded, trained
from babelscope.data.builtin import read
from babelscope.data.independence import clusters_by_task
from babelscope.data.spec import DataSpec
from babelscope.display.progress import bar
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.resegmentation import Resegmentation
from babelscope.store import key
from babelscope.training.cache import TRAINING, cache_folder
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.models import obtain, started
from babelscope.training.spec import ModelSpec, TrainSpec
from babelscope.types import DoseOutcome, Example
from experiments.cached import cached

Doses = list[tuple[float, Model, Resegmentation | None]]


class Arms(options.Spec):
    """The arms in which every dose is a model of its own."""

    tasks: list[str]
    """Of the built-in corpus."""
    seen: int
    """First test texts, by which settings were once chosen: left out."""
    texts: int
    """Test texts after these."""
    methods: list[str]
    metrics: list[str]
    train: TrainSpec
    """Fine-tuning on re-segmented words."""
    ways: dict[str, list[float]]
    """Ways to re-segment words, with the shares of words; none for `truncate`."""
    pieces: list[int]
    """For `truncate`: pieces that are left of the vocabulary, beside single characters."""
    scratch: TrainSpec
    """Training from scratch."""
    vocabularies: list[int]
    """Vocabulary sizes of the models from scratch."""
    seed: int = 0


def outcomes(task: str, spec: Arms) -> list[DoseOutcome]:
    """Of every arm: the metrics of every method on every text, by dose."""
    arms: dict[str, Callable[[], Doses]] = {
        f"{way}, tuned": partial(finetuned_doses, task, way, spec) for way in spec.ways
    }
    arms["vocabulary, from scratch"] = partial(scratch_doses, task, spec)
    rows: list[DoseOutcome] = []
    for arm, doses in arms.items():
        identity = {"task": task, "arm": arm, "spec": spec.model_dump()}
        stored = cached("intervention", identity, partial(_measured, arm, doses, task, spec))
        rows += [DoseOutcome(**row) for row in stored]
    return rows


def _measured(
    arm: str, doses: Callable[[], Doses], task: str, spec: Arms
) -> list[dict[str, object]]:
    results = trained(arm, doses(), explained_texts(task, spec), spec.methods, spec.metrics)
    return [asdict(each) for each in results]


def explained_texts(task: str, spec: Arms) -> list[Example]:
    return read(task, "en", "test", spec.seen + spec.texts)[spec.seen :]


def clusters(task: str, spec: Arms) -> dict[tuple[str, str], str]:
    """Which of the test texts are not independent."""
    return clusters_by_task(("", row.group, row.texts) for row in explained_texts(task, spec))


def finetuned_doses(task: str, way: str, spec: Arms) -> Doses:
    """The pretrained model, fine-tuned on words re-segmented so at every dose."""
    whole = finetuned(task, "whole", None, spec)
    texts = read(task, "en", "train", spec.train.examples)
    known = encode(whole, texts) if way == "truncate" else []
    doses = graded(whole, [way], [0.0, *spec.ways[way]], spec.pieces, known, spec.seed)
    return [
        (dose, finetuned(task, f"{way} {dose:g}", how, spec) if how else whole, how)
        for _, dose, how in doses
    ]


def finetuned(task: str, name: str, how: Resegmentation | None, spec: Arms) -> Model:
    """A model fine-tuned on English texts with words re-segmented so; `name` says how."""
    train = spec.train
    rows, dev = (
        read(task, "en", split, count)
        for split, count in (("train", train.examples), ("dev", train.dev_examples))
    )
    recipe = Recipe(
        learning_rate=train.learning_rate,
        epochs=train.epochs,
        batch=train.batch,
        seed=spec.seed,
        freeze_embeddings=train.freeze_embeddings,
    )
    identity = [TRAINING, task, name, train.model_dump(), spec.pieces, spec.seed]
    folder = cache_folder() / "experiments" / f"resegmented-{key({'model': identity})[:16]}"
    base = started(train, None)
    with bar(f"{task}, {name}") as progress:
        return load(
            finetune(base, rows, dev, folder, recipe, resegmentation=how, progress=progress)
        )


def scratch_doses(task: str, spec: Arms) -> Doses:
    """Models from scratch, equal but for the vocabulary: dose 0 is the largest."""
    data = DataSpec(builtin=task)
    models = [
        ModelSpec(name=str(size), train=spec.scratch.model_copy(update={"vocabulary": size}))
        for size in spec.vocabularies
    ]
    return [
        (float(dose), obtain(model, data, spec.seed, "en"), None)
        for dose, model in enumerate(models)
    ]
