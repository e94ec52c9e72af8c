"""The command about tokenizers: how they segment the words of each language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from babelscope.cli.arguments import Columns, CorpusFolder, Json, pairs
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command


def tokenization(
    tokenizer: Annotated[
        list[str], typer.Argument(metavar="TOKENIZER...", help="Hub ids or folders of tokenizers.")
    ],
    input_: Annotated[
        list[str],
        typer.Option(
            "--input", metavar="SOURCE", help="FILE or CORPUS/LANG/SPLIT/COUNT; repeatable."
        ),
    ],
    lang: Annotated[
        str | None, typer.Option(help="Language of the texts, where a file has no such column.")
    ] = None,
    column: Columns = None,
    folder: CorpusFolder = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Tokens that the models read; default: what each tokenizer says."),
    ] = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """How do tokenizers segment the words of each language? Fertility, split words, agreement."""
    names = _names(tokenizer)
    models = [
        {"name": name, "source": each, "allow_untrained_head": True}
        for name, each in zip(names, tokenizer)
    ]
    task, languages = source_task(input_, lang, column, folder)
    values: dict[str, Any] = {
        "name": "tokenization",
        "languages": languages,
        "models": models,
        "tasks": [task],
        "tokenization": {"limit": limit},
    }
    run_command(
        "tokenization",
        values,
        spec=spec,
        settings=settings,
        store=store,
        output=output,
        json_=json_,
    )


def source_task(
    sources: Sequence[str], lang: str | None, column: list[str] | None, folder: Path | None
) -> tuple[dict[str, Any], list[str]]:
    """The texts of files and corpora as a study's task, and their languages."""
    from babelscope.data.formats.records import record
    from babelscope.data.sources import rows

    columns = pairs(column, "--column")
    texts = [
        row for each in sources for row in rows(each, folder=folder, columns=columns, lang=lang)
    ]
    data = {"rows": [record(row) for row in texts], "examples": None}
    return {"name": "texts", "data": data}, list(dict.fromkeys(row.lang for row in texts))


def _names(tokenizers: Sequence[str]) -> list[str]:
    """The last part of a folder or hub id where that tells them apart, else all of it."""
    from babelscope.errors import InputError

    if len(set(tokenizers)) < len(tokenizers):
        repeated = next(each for each in tokenizers if tokenizers.count(each) > 1)
        raise InputError(f"tokenizer {repeated!r} is given twice")
    short = [each.rstrip("/").rsplit("/", 1)[-1] for each in tokenizers]
    return short if len(set(short)) == len(short) else list(tokenizers)
