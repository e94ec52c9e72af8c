"""The command about attention heads: what they point at, and which to keep."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli.arguments import CorpusFolder, Json, ModelName
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command
from babelscope.files import write_text

if TYPE_CHECKING:
    from babelscope.types import Example


def heads(
    model: ModelName,
    treebank: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE",
            help="Sentences with trees: FILE.conllu, or CORPUS/LANG,LANG/SPLIT/COUNT; repeatable.",
        ),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(help="Text file instead, parsed by Stanza (pip install 'babelscope[parse]')."),
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(help="Language of the text, or of a treebank whose name does not say it."),
    ] = None,
    folder: CorpusFolder = None,
    kind: Annotated[
        str | None,
        typer.Option(help="Mask: synt_pos (default), synt, pos, random, corrupted or all."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the mask; for several languages: mask-{lang}.json."
        ),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the picture: an .svg or .html file.")
    ] = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """Which attention heads follow syntactic relations or look at a fixed offset?"""
    from babelscope.data.formats.records import record

    sentences = _sentences(treebank, text, lang, folder)
    languages = list(dict.fromkeys(row.lang for row in sentences))
    _check_files(out, figure, languages)
    rows = list(map(record, sentences))
    values: dict[str, Any] = {
        "name": f"heads of {model}",
        "languages": languages,
        "models": [{"name": model, "source": model, "allow_untrained_head": True}],
        "tasks": [{"name": "treebank", "data": {"rows": rows, "examples": None}}],
        "heads": {"kinds": [kind]} if kind else {},
    }
    with tempfile.TemporaryDirectory(prefix="babelscope-") as passing:
        results = store or Path(passing)
        try:
            run_command(
                "heads",
                values,
                spec=spec,
                settings=settings,
                store=results,
                output=output,
                json_=json_,
            )
        except typer.Exit:  # a language failed: the files of the others are written all the same
            _write_files(results, out, figure)
            raise
        _write_files(results, out, figure)


def _sentences(
    treebanks: list[str] | None,
    text: Path | None,
    lang: str | None,
    folder: Path | None,
) -> list[Example]:
    from babelscope.data.treebanks import parsed, treebank
    from babelscope.errors import InputError

    if bool(treebanks) == (text is not None):
        both = "; both were given" if treebanks else ""
        raise InputError(f"give either --treebank SOURCE or --text FILE{both}")
    if text is None:
        sources = treebanks or ()
        return [row for source in sources for row in treebank(source, folder=folder, lang=lang)]
    if lang is None:
        raise InputError(f"--text {text}: name its language with --lang, so that it can be parsed")
    return parsed(text, lang)


def _check_files(out: str | None, figure: Path | None, languages: Sequence[str]) -> None:
    """Everything that would fail at the end is refused at the beginning."""
    from babelscope.errors import InputError

    if out is not None and len(languages) > 1 and "{lang}" not in out:
        listed = ", ".join(languages)
        raise InputError(
            f"--out {out}: one mask per language ({listed}); put {{lang}} into the name"
        )
    mask = None if out is None else Path(out)
    files = (("--out", mask, (".json",)), ("--figure", figure, (".svg", ".html")))
    for name, file, endings in files:
        if file is not None and file.suffix not in endings:
            raise InputError(f"{name} {file}: the ending must be one of {', '.join(endings)}")
        if file is not None and not file.parent.is_dir():
            raise InputError(f"{name} {file}: there is no folder {file.parent}")


def _write_files(results: Path, out: str | None, figure: Path | None) -> None:
    """The mask of every language and the picture, from what the store holds."""
    from babelscope.analyses.heads.figure import page, svg
    from babelscope.analyses.heads.section import counted
    from babelscope.analyses.heads.tables import tables
    from babelscope.model.head_masks import write_mask
    from babelscope.store import open_store, read_study

    store = open_store(results, create=False)
    for model in tables(store, read_study(store)) or ():
        for language in model.languages if out is not None else ():
            write_mask(language.mask, str(out).replace("{lang}", language.lang))
        if figure is not None:
            draw = svg if figure.suffix == ".svg" else page
            write_text(figure, str(draw(counted(model))))
