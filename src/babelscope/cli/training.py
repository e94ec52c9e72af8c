"""The commands that train and evaluate models: pretrain, finetune, evaluate."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import (
    SOURCES,
    STRICT,
    Columns,
    CorpusFolder,
    Device,
    Json,
    ModelName,
    Sources,
    separated,
    source_rows,
)
from babelscope.data.limits import MOST
from babelscope.files import writing_folder

if TYPE_CHECKING:
    from babelscope.cli.settings import FinetuneSettings
    from babelscope.training.evaluate import Score
    from babelscope.types import Example

Base = Annotated[
    str,
    typer.Argument(
        help="Hub id or folder of the model to start from, or new:bert, new:xlm-roberta, "
        "new:distilbert or new:gpt2 for a small new one; new:tf-idf or new:fully-connected for a "
        "network without attention."
    ),
]
Train = Annotated[
    str,
    typer.Option(metavar="SOURCE", help=f"Training examples: {SOURCES}."),
]
Dev = Annotated[
    str,
    typer.Option(
        metavar="SOURCE",
        help="Development examples; the epoch with the lowest loss on them is kept.",
    ),
]
ModelFolder = Annotated[Path, typer.Option(help="Folder to write the model to.")]
LearningRate = Annotated[float, typer.Option(min=1e-9, help="Learning rate of AdamW.")]
Epochs = Annotated[
    int, typer.Option(min=1, max=10_000, help="Number of passes over the training examples.")
]
Batch = Annotated[int, typer.Option(min=1, max=MOST, help="Number of examples per step.")]
Seed = Annotated[
    int,
    typer.Option(
        min=0, max=2**32 - 1, help="Seed of the initial weights and of the order of examples."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a further field: warmup, weight_decay, max_length, accumulation, precision, "
        "gradient_checkpointing, patience, select, layers, lora, freeze_embeddings, "
        "freeze_layers, head_only, strict or max_skipped; for new models also width and "
        "vocabulary; repeatable.",
    ),
]

MaxSkipped = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="Largest share of the rows that may be skipped as they cannot be used."
    ),
]
PretrainingRecipe = Annotated[
    str,
    typer.Argument(
        help="Kind of encoder: multilingual, multilingual-short, multilingual-deep or "
        "monolingual; with -tiny for a quick try."
    ),
]
CorpusLangs = Annotated[
    str | None,
    typer.Option(
        help="Languages of the built-in corpus, separated by commas. Default: all of them."
    ),
]
TokenizerKind = Annotated[
    str,
    typer.Option(
        help="Kind of tokenizer: bpe, unigram, wordpiece or characters. "
        "Default: that of the architecture."
    ),
]
VocabularySize = Annotated[
    int | None, typer.Option(min=100, help="Vocabulary size of the tokenizer.")
]


def finetune(
    base: Base,
    train: Train,
    dev: Dev,
    output: ModelFolder,
    learning_rate: LearningRate = 1e-5,
    epochs: Epochs = 5,
    batch: Batch = 16,
    seed: Seed = 0,
    column: Columns = None,
    folder: CorpusFolder = None,
    set_: Settings = None,
) -> None:
    """Fine-tune a model on labelled examples; an interrupted run is resumed."""
    from babelscope.cli.settings import FinetuneSettings, read_settings
    from babelscope.display.progress import bar
    from babelscope.errors import InputError, SkippedRows
    from babelscope.types import SkippedRow

    settings = read_settings(FinetuneSettings, set_)
    unused = sorted(settings.model_fields_set & {"width", "vocabulary"})
    if unused and not base.startswith("new:"):
        raise InputError(
            f"--set {unused[0]} has no effect on {base}: it is for new models (new:bert)"
        )
    rows, judged = source_rows((train, dev), column, folder)
    if (output / "config.json").exists():
        raise InputError(f"{output} holds a model already; choose another folder or remove it")
    from babelscope.training.finetune import finetune as train_model

    start = _new_model(base, output, (rows, judged), settings, seed)
    recipe = settings.recipe(learning_rate, epochs, batch, seed, new=base.startswith("new:"))
    with bar("fine-tuning") as update, warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedRows)  # they are printed below
        train_model(
            start, rows, judged, output, recipe, strict=settings.refuses,
            max_skipped=settings.max_skipped, progress=update,
        )  # fmt: skip
    printing.print_text(_accuracy(output, dev, epochs))
    skipped = json.loads((output / "training.json").read_text("utf-8"))["skipped"]
    printing.print_skipped([SkippedRow(**row) for row in skipped], len(rows) + len(judged))


def _new_model(
    base: str,
    output: Path,
    examples: tuple[Sequence[Example], Sequence[Example]],
    settings: FinetuneSettings,
    seed: int,
) -> str:
    """The base, made beside the output where it is a new model."""
    if not base.startswith("new:"):
        return base
    from babelscope.errors import InputError
    from babelscope.training import small
    from babelscope.training.finetune import check, trainable
    from babelscope.training.spec import NETWORKS

    architecture = base.removeprefix("new:")
    if settings.layers and architecture in NETWORKS:
        raise InputError(f"--set layers has no effect on {base}, which has no layers")
    train, dev, _ = trainable(*examples, strict=settings.refuses, max_skipped=settings.max_skipped)
    labels = check(train, dev)
    folder = Path(f"{output}.base")
    if not (folder / "tokenizer.json").exists():
        small.make(
            folder,
            architecture,
            [text for row in train for text in row.texts],
            labels,
            layers=settings.layers or small.LAYERS,
            width=settings.width,
            vocabulary=settings.vocabulary,
            seed=seed,
            positions=small.positions_of(architecture, settings.max_length),
        )
    return str(folder)


def _accuracy(folder: Path, dev: str, epochs: int) -> str:
    """The accuracy of the epoch that was kept, in one line."""
    from babelscope.display.numbers import number

    record = json.loads((folder / "training.json").read_text("utf-8"))
    best = next(row for row in record["dev"] if row["epoch"] == record["kept"])
    accuracy = number(best["eval_accuracy"])
    return f"{folder}: accuracy {accuracy} on {dev} (epoch {best['epoch']:g} of {epochs})"


def evaluate(
    model: ModelName,
    input_: Sources,
    column: Columns = None,
    folder: CorpusFolder = None,
    device: Device = None,
    max_skipped: MaxSkipped = 0.05,
    json_: Json = False,
) -> None:
    """How often is the model right? Accuracy and macro-F1, or exact match and F1 of answers, by
    language."""
    from dataclasses import asdict

    from babelscope.display.progress import bar
    from babelscope.model.load import load
    from babelscope.training.evaluate import evaluate_readable

    rows = [row for part in source_rows(input_, column, folder) for row in part]
    loaded = load(model, device=device)
    with bar("evaluating") as update:
        scores, skipped = evaluate_readable(
            loaded, rows, strict=STRICT.get(), max_skipped=max_skipped, progress=update
        )
    if json_:
        printing.print_text(json.dumps([asdict(score) for score in scores], indent=1))
    else:
        _show_scores(loaded.name, scores)
    printing.print_skipped(skipped, len(rows))


def _show_scores(model: str, scores: Sequence[Score]) -> None:
    from babelscope.display.numbers import few_groups, number, spoken, value_range
    from babelscope.display.terminal import table

    columns = ("language", "measure", "value", "interval", "most frequent label", "n")
    lines = []
    for score in scores:
        estimate = score.estimate
        chance = "" if score.chance is None else number(score.chance)
        bounds = value_range(estimate.low, estimate.high) + few_groups(estimate)
        value = number(estimate.mean)
        lines.append((score.lang, spoken(score.measure), value, bounds, chance, str(estimate.n)))
    printing.show(table(model, columns, lines))


def pretrain(
    recipe: PretrainingRecipe,
    output: ModelFolder,
    lang: CorpusLangs = None,
    tokenizer: TokenizerKind = "",
    vocabulary: VocabularySize = None,
    seed: Seed = 0,
) -> None:
    """Pretrain a small encoder on the built-in corpus, which needs no network."""
    import shutil

    from babelscope.data.builtin import LANGUAGES
    from babelscope.display.progress import bar
    from babelscope.errors import InputError
    from babelscope.training.recipes import pretrained

    if output.exists():
        raise InputError(f"{output} exists already; choose another folder or remove it")
    languages = tuple(separated(lang, "--lang")) if lang else LANGUAGES
    with bar("pretraining") as update:
        trained = pretrained(
            recipe, languages, tokenizer=tokenizer, vocabulary=vocabulary, seed=seed,
            progress=update,
        )  # fmt: skip
    with writing_folder(output) as part:
        shutil.copytree(trained, part, dirs_exist_ok=True)
    command = f"babelscope finetune {output} --train nli/{languages[0]}/train/4000 ..."
    printing.print_text(f"{output}: fine-tune it with {command}")
