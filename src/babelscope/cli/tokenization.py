"""The command about tokenizers: how they cut the words of each language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Columns, CorpusFolder, Json, pairs
from babelscope.files import write_text

if TYPE_CHECKING:
    from babelscope.analyses.tokenization.counts import Tokenization
    from babelscope.types import Estimate


def tokenization(
    tokenizer: Annotated[list[str], typer.Argument(metavar="TOKENIZER...", help="Hub ids or folders.")],
    input_: Annotated[list[str], typer.Option("--input", metavar="SOURCE", help="FILE or CORPUS/LANG/SPLIT/COUNT; repeat it.")],
    lang: Annotated[str | None, typer.Option(help="The language, where a file has no such column.")] = None,
    column: Columns = None,
    folder: CorpusFolder = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Tokens that the models read; default: what each says.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Write the picture: .svg, or a page: .html.")] = None,
    json_: Json = False,
) -> None:
    """How do tokenizers cut the words of each language? Fertility, split words, unknown pieces, agreement, with intervals."""
    from babelscope.data import sources
    from babelscope.display.progress import bar
    from babelscope.errors import InputError

    if figure is not None and (figure.suffix not in (".svg", ".html") or not figure.parent.is_dir()):
        raise InputError(f"--figure {figure}: the ending must be .svg or .html, and its folder must exist")
    names = pairs(column, "--column")
    rows = [row for each in input_ for row in sources.rows(each, folder=folder, columns=names, lang=lang)]
    from babelscope.analyses.tokenization.tables import tokenization as look
    from babelscope.model.tokenizers import load_tokenizer

    loaded = dict(zip(_names(tokenizer), map(load_tokenizer, tokenizer)))
    with bar("cutting words") as tell:
        found = look(loaded, rows, limit=limit, progress=tell)
    if figure is not None:
        _draw(found, figure)
    if json_:
        _print(found)
        return
    from babelscope.analyses.tokenization.section import tables

    for each in tables(found):
        printing.show(each)
    for tag, segmenter in found.segmenters.items():
        print(f"words of {tag}: {segmenter}")


def _names(given: Sequence[str]) -> list[str]:
    """The last part of a folder or hub id where that tells them apart, else all of it."""
    from babelscope.errors import InputError

    if len(set(given)) < len(given):
        raise InputError(f"tokenizer {next(each for each in given if given.count(each) > 1)!r} is given twice")
    short = [each.rstrip("/").rsplit("/", 1)[-1] for each in given]
    return short if len(set(short)) == len(short) else list(given)


def _draw(found: Tokenization, file: Path) -> None:
    from babelscope.analyses.tokenization import figure
    from babelscope.analyses.tokenization import section as pages

    text = figure.svg(found) if file.suffix == ".svg" else pages.page(found)
    write_text(file, str(text))


def _print(found: Tokenization) -> None:
    """One object per number; undefined ones are null."""
    rows = [
        {"tokenizer": one.tokenizer, "lang": one.lang, "measure": one.measure, **_numbers(one.estimate)}
        for one in found.measured
    ]
    alike = [{"first": two.first, "second": two.second, "lang": two.lang, **_numbers(two.estimate)} for two in found.agreed]
    told = {"measures": rows, "agreement": alike, "segmenters": found.segmenters, "limits": found.limits}
    print(json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False))


def _numbers(one: Estimate) -> dict[str, Any]:
    return {name: value if isfinite(value) else None for name, value in asdict(one).items()}
