"""Options that several commands share, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from babelscope.methods.row import Method
    from babelscope.metrics.row import Metric
    from babelscope.types import Example

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="A hub id or a folder.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="An option of a method or metric."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="FIELD=NAME", help="The file's name for a field."),
]
CorpusFolder = Annotated[
    Path | None,
    typer.Option("--folder", help="Where a public corpus lies: its folder, or the one above."),
]
Device = Annotated[
    str | None, typer.Option(help="cpu, cuda, cuda:1, mps; default: where the model is loaded.")
]
Untrained = Annotated[
    bool, typer.Option("--allow-untrained-head", help="Explain a head with random weights.")
]
Verbalizer = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL=WORD,...",
        help="What a language model goes on with, per label; several words: good/great.",
    ),
]


def verbalized(given: str | None) -> dict[str, list[str]] | None:
    """`positive=good/great,negative=bad` as labels with their words."""
    if given is None:
        return None
    return {
        label: words.split("/") for label, words in pairs(given.split(","), "--verbalizer").items()
    }


def pairs(given: list[str] | None, flag: str) -> dict[str, str]:
    from babelscope.errors import InputError

    found = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals or not name or not value:
            raise InputError(f"{flag} {one!r} is not of the form name=value")
        found[name.strip()] = value.strip()
    return found


def examples(
    text: str | None, pair: str | None, lang: str, file: Path | None, column: list[str] | None
) -> list[Example]:
    """The text that was given, or those of the file; checked before a model is loaded."""
    from babelscope.data.formats.tables import read
    from babelscope.data.texts import check_text
    from babelscope.errors import InputError
    from babelscope.types import Example

    if (text is None) == (file is None):
        raise InputError(
            "give either a text or --input FILE" + ("; both were given" if text is not None else "")
        )
    if file is not None:
        rows = read(file, columns=pairs(column, "--column"), lang=None if lang == "und" else lang)
    else:
        rows = [Example("1", (str(text),) if pair is None else (str(text), pair), lang)]
    for row in rows:
        check_text(row)
    return rows


def chosen_methods(names: str) -> list[Method]:
    from babelscope.methods import METHODS
    from babelscope.options import choose

    return [choose(METHODS, name.strip(), "method") for name in names.split(",")]


def refuse_unfit(model: Any, rows: Sequence[Example]) -> None:
    """Every row is encoded before the first is explained: a pair for a single-text model, say,
    must not come up late.
    """
    from babelscope.model.encode import encode

    encode(model, rows)


def share_options(
    rows: Sequence[Method | Metric], given: list[str] | None
) -> dict[str, dict[str, Any]]:
    """Each row gets the options that it knows; one that nobody knows is refused."""
    from babelscope.errors import InputError
    from babelscope.options import defaults, resolve_options, suggestion

    asked = pairs(given, "--option")
    known = {name for row in rows for name in defaults(row)}
    for name in asked:
        if name not in known:
            hint = suggestion(name, sorted(known)) if known else "they take none"
            raise InputError(
                f"none of {', '.join(row.name for row in rows)} has an option {name!r}; {hint}"
            )
    return {
        row.name: resolve_options(row, {n: v for n, v in asked.items() if n in defaults(row)})
        for row in rows
    }
