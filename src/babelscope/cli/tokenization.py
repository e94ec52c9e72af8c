"""The command about tokenizers: how they segment the words of each language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from babelscope.cli.arguments import (
    Columns,
    CorpusFolder,
    FileLang,
    Json,
    Sources,
    source_rows,
)
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command
from babelscope.data.limits import MOST

Tokenizers = Annotated[
    list[str],
    typer.Argument(metavar="TOKENIZER...", help="Hub ids or folders of tokenizers to compare."),
]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST,
        help="Number of tokens that the models can read. Default: what each tokenizer states.",
    ),
]


def tokenization(
    tokenizer: Tokenizers,
    input_: Sources,
    lang: FileLang = None,
    column: Columns = None,
    folder: CorpusFolder = None,
    limit: Limit = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """How do tokenizers segment the words of each language? Fertility, split words, agreement."""
    names = _names(tokenizer)
    models = [
        {"name": name, "source": source, "allow_untrained_head": True}
        for name, source in zip(names, tokenizer)
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
        "tokenization", values, spec=spec, settings=settings, store=store, output=output,
        json_=json_,
    )  # fmt: skip


def source_task(
    sources: Sequence[str], lang: str | None, column: list[str] | None, folder: Path | None
) -> tuple[dict[str, Any], list[str]]:
    """The texts of files and corpora as a study's task, and their languages."""
    from babelscope.data.formats.records import record

    texts = [row for part in source_rows(sources, column, folder, lang) for row in part]
    data = {"rows": [record(row) for row in texts], "examples": None}
    return {"name": "texts", "data": data}, list(dict.fromkeys(row.lang for row in texts))


def _names(tokenizers: Sequence[str]) -> list[str]:
    """The last part of each folder or hub id where these differ, else all of it."""
    from babelscope.errors import InputError

    if len(set(tokenizers)) < len(tokenizers):
        repeated = next(name for name in tokenizers if tokenizers.count(name) > 1)
        raise InputError(f"tokenizer {repeated!r} is listed twice; list each once")
    short = [name.rstrip("/").rsplit("/", 1)[-1] for name in tokenizers]
    return short if len(set(short)) == len(short) else list(tokenizers)
