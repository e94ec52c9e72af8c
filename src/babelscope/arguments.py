"""Options that several commands share, and how they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="A hub id or a folder.")]
Options = Annotated[list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of a method or metric.")]
Columns = Annotated[list[str] | None, typer.Option("--column", metavar="FIELD=NAME", help="The file's name for a field.")]
CorpusFolder = Annotated[
    Path | None, typer.Option("--folder", help="Where a public corpus lies: its folder, or the one above.")
]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps; default: where the model is loaded.")]
Untrained = Annotated[bool, typer.Option("--allow-untrained-head", help="Explain a head with random weights.")]
Verbalizer = Annotated[
    str | None,
    typer.Option(metavar="LABEL=WORD,...", help="What a language model goes on with, per label; several words: good/great."),
]


def verbalized(given: str | None) -> dict[str, list[str]] | None:
    """`positive=good/great,negative=bad` as labels with their words."""
    if given is None:
        return None
    return {label: words.split("/") for label, words in pairs(given.split(","), "--verbalizer").items()}


def pairs(given: list[str] | None, flag: str) -> dict[str, str]:
    from babelscope.errors import InputError

    found = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals or not name or not value:
            raise InputError(f"{flag} {one!r} is not of the form name=value")
        found[name.strip()] = value.strip()
    return found
