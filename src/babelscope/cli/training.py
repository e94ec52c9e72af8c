"""The commands that make models and judge them: pretrain, finetune, evaluate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Columns, CorpusFolder, Device, Json, ModelName, pairs
from babelscope.files import writing_folder


def finetune(
    base: Annotated[
        str,
        typer.Argument(
            help="A hub id, a folder, or new:bert, new:xlm-roberta, new:distilbert, new:gpt2."
        ),
    ],
    train: Annotated[
        str,
        typer.Option(metavar="SOURCE", help="Training examples: FILE or CORPUS/LANG/SPLIT/COUNT."),
    ],
    dev: Annotated[
        str, typer.Option(metavar="SOURCE", help="The epoch with the lowest loss on these is kept.")
    ],
    output: Annotated[Path, typer.Option(help="The folder to write.")],
    learning_rate: Annotated[float, typer.Option(min=1e-9)] = 1e-5,
    epochs: Annotated[int, typer.Option(min=1)] = 5,
    batch: Annotated[int, typer.Option(min=1)] = 16,
    weight_decay: Annotated[float, typer.Option(min=0)] = 0.01,
    seed: int = 0,
    freeze_embeddings: Annotated[
        bool, typer.Option("--freeze-embeddings", help="Keep the word embeddings.")
    ] = False,
    freeze_layers: Annotated[
        int, typer.Option(min=0, help="Keep so many of the lowest layers, and what is below them.")
    ] = 0,
    head_only: Annotated[
        bool, typer.Option("--head-only", help="Keep everything but the head.")
    ] = False,
    layers: Annotated[int, typer.Option(min=1, help="Of a new model.")] = 2,
    width: Annotated[int, typer.Option(min=32, help="Of a new model.")] = 128,
    vocabulary: Annotated[int, typer.Option(min=100, help="Of a new model's tokenizer.")] = 8000,
    column: Columns = None,
    folder: CorpusFolder = None,
) -> None:
    """Tune a classifier, or a reader of answers; a run that was stopped goes on where it was."""
    from babelscope.data import sources
    from babelscope.display.numbers import number
    from babelscope.display.progress import bar
    from babelscope.errors import InputError

    names = pairs(column, "--column")
    rows, judged = (sources.rows(each, folder=folder, columns=names) for each in (train, dev))
    if (output / "config.json").exists():
        raise InputError(f"{output} holds a model already; choose another folder or remove it")
    from babelscope.training import small
    from babelscope.training.finetune import Recipe, check
    from babelscope.training.finetune import finetune as tune

    start = base
    if base.startswith("new:"):
        labels = check(rows, judged)
        texts = [text for row in rows for text in row.texts]
        made = Path(f"{output}.base")
        if not (made / "tokenizer.json").exists():
            small.make(
                made,
                base[4:],
                texts,
                labels,
                layers=layers,
                width=width,
                vocabulary=vocabulary,
                seed=seed,
            )
        start = str(made)
    recipe = Recipe(
        learning_rate, epochs, batch, weight_decay=weight_decay, seed=seed,
        freeze_embeddings=freeze_embeddings, freeze_layers=freeze_layers, head_only=head_only,
    )  # fmt: skip
    with bar("fine-tuning") as tell:
        done = tune(start, rows, judged, output, recipe, progress=tell)
    last = json.loads((done / "training.json").read_text("utf-8"))["dev"]
    best = min(last, key=lambda row: row["eval_loss"])
    print(
        f"{done}: accuracy {number(best['eval_accuracy'])} on {dev} (epoch {best['epoch']:g} of "
        f"{epochs})"
    )


def evaluate(
    model: ModelName,
    input_: Annotated[
        list[str],
        typer.Option(
            "--input", metavar="SOURCE", help="FILE or CORPUS/LANG/SPLIT/COUNT; repeat it."
        ),
    ],
    column: Columns = None,
    folder: CorpusFolder = None,
    device: Device = None,
    json_: Json = False,
) -> None:
    """How often the model is right, by language: accuracy, or exact match and F1 of answers, with
    intervals.
    """
    from dataclasses import asdict

    from babelscope.data import sources
    from babelscope.display.progress import bar
    from babelscope.model.load import load
    from babelscope.training.evaluate import evaluate as judge

    names = pairs(column, "--column")
    rows = [row for each in input_ for row in sources.rows(each, folder=folder, columns=names)]
    loaded = load(model, device=device)
    with bar("evaluating") as tell:
        scores = judge(loaded, rows, progress=tell)
    if json_:
        print(json.dumps([asdict(one) for one in scores], indent=1))
        return
    from babelscope.display.numbers import number, spoken, value_range
    from babelscope.display.terminal import table

    columns = ("language", "measure", "value", "interval", "most frequent label", "n")
    lines = []
    for one in scores:
        chance = "" if one.chance is None else number(one.chance)
        bounds = value_range(one.estimate.low, one.estimate.high)
        value = number(one.estimate.mean)
        lines.append((one.lang, spoken(one.measure), value, bounds, chance, str(one.estimate.n)))
    printing.show(table(loaded.name, columns, lines))


def pretrain(
    recipe: Annotated[
        str,
        typer.Argument(
            help="multilingual, multilingual-deep or monolingual; or, quick, with -tiny."
        ),
    ],
    output: Annotated[Path, typer.Option(help="The folder to write.")],
    languages: Annotated[
        str | None, typer.Option(help="Of the built-in corpus; default: all.")
    ] = None,
    tokenizer: Annotated[
        str,
        typer.Option(help="bpe, unigram, wordpiece or characters; default: the architecture's."),
    ] = "",
    vocabulary: Annotated[int | None, typer.Option(min=100, help="Of the tokenizer.")] = None,
    seed: int = 0,
) -> None:
    """Pretrain a small encoder on the built-in corpus: masked words, translations side by side,
    translations alike.
    """
    import shutil

    from babelscope.data.builtin import LANGUAGES
    from babelscope.display.progress import bar
    from babelscope.errors import InputError
    from babelscope.training.recipes import pretrained

    if output.exists():
        raise InputError(f"{output} exists already; choose another folder or remove it")
    chosen = tuple(languages.split(",")) if languages else LANGUAGES
    with bar("pretraining") as tell:
        kept = pretrained(
            recipe, chosen, tokenizer=tokenizer, vocabulary=vocabulary, seed=seed, progress=tell
        )
    with writing_folder(output) as part:
        shutil.copytree(kept, part, dirs_exist_ok=True)
    print(
        f"{output}: tune it with babelscope finetune {output} --train nli/{chosen[0]}/train/4000 "
        "..."
    )
