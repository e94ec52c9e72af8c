"""The command about attention heads: what they point at, and which to keep."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli.arguments import CorpusFolder, Json, ModelName
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command
from babelscope.files import write_text

if TYPE_CHECKING:
    from babelscope.types import Example

Treebanks = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCE",
        help="Sentences with trees: a .conllu file, or CORPUS/LANG,LANG/SPLIT/COUNT; repeatable.",
    ),
]
TextFile = Annotated[
    Path | None,
    typer.Option(
        help="Text file to parse with Stanza instead (pip install 'babelscope\\[parse]')."
    ),
]
TreebankLang = Annotated[
    str | None,
    typer.Option(help="Language of the text, or of a treebank whose file name lacks it."),
]
Kind = Annotated[
    str | None,
    typer.Option(
        help="Kind of mask: synt_pos, synt, pos, random, corrupted or all. Default: synt_pos."
    ),
]
MaskFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="File to write the mask to; mask-{lang}.json for several languages."
    ),
]
FigureFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File to write the figure to: .svg or .html."),
]


def heads(
    model: ModelName,
    treebank: Treebanks = None,
    text: TextFile = None,
    lang: TreebankLang = None,
    folder: CorpusFolder = None,
    kind: Kind = None,
    mask: MaskFile = None,
    figure: FigureFile = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """Which attention heads follow syntactic relations or look at a fixed offset?"""
    sentences = _sentences(treebank, text, lang, folder)
    values = _study(model, sentences, kind, named=text is None and folder is None)
    _check_files(mask, figure, values["languages"])
    with tempfile.TemporaryDirectory(prefix="babelscope-") as temporary:
        results = store or Path(temporary)
        try:
            run_command(
                "heads", values, spec=spec, settings=settings, store=results, output=output,
                json_=json_,
            )  # fmt: skip
        except typer.Exit:  # a language failed: the files of the others are written all the same
            _write_files(results, mask, figure)
            raise
        _write_files(results, mask, figure)


def _study(
    model: str, treebanks: Mapping[str, Sequence[Example]], kind: str | None, *, named: bool
) -> dict[str, Any]:
    """The study that the command runs: one model, one analysis.

    Treebanks that a study file could name are named, as there, so that the results are those of
    such a study; the sentences of others are part of the study.
    """
    from babelscope.data.formats.records import record

    sentences = [row for rows in treebanks.values() for row in rows]
    languages = {name: {row.lang for row in rows} for name, rows in treebanks.items()}
    single = {lang: name for name, listed in languages.items() for lang in listed}
    separate = len(single) == sum(map(len, languages.values())) == len(treebanks)
    block: dict[str, Any] = {"kinds": [kind]} if kind else {}
    return {
        "name": f"heads of {model}",
        "languages": list(dict.fromkeys(row.lang for row in sentences)),
        "models": [{"name": model, "source": model, "allow_untrained_head": True}],
        "tasks": [
            {"name": "treebank", "data": {"rows": list(map(record, sentences)), "examples": None}}
        ],
        "heads": block | ({"treebanks": single} if named and separate else {}),
    }


def _sentences(
    treebanks: list[str] | None,
    text: Path | None,
    lang: str | None,
    folder: Path | None,
) -> dict[str, list[Example]]:
    """The sentences of every treebank, of corpora language by language, or of the parsed text."""
    from babelscope.data.treebanks import parsed, treebank, treebank_names
    from babelscope.errors import InputError

    if bool(treebanks) == (text is not None):
        both = "; found both" if treebanks else ""
        raise InputError(f"give either --treebank SOURCE or --text FILE{both}")
    if text is None:
        names = [name for source in treebanks or () for name in treebank_names(source)]
        return {name: treebank(name, folder=folder, lang=lang) for name in names}
    if lang is None:
        raise InputError(f"--text {text}: name its language with --lang, so that it can be parsed")
    return {str(text): parsed(text, lang)}


def _check_files(mask: str | None, figure: Path | None, languages: Sequence[str]) -> None:
    """Everything that would fail at the end is refused at the beginning."""
    from babelscope.errors import InputError

    if mask is not None and len(languages) > 1 and "{lang}" not in mask:
        listed = ", ".join(languages)
        raise InputError(
            f"--mask {mask}: one mask per language ({listed}); put {{lang}} into the name"
        )
    path = None if mask is None else Path(mask)
    files = (("--mask", path, (".json",)), ("--figure", figure, (".svg", ".html")))
    for name, file, endings in files:
        if file is not None and file.suffix not in endings:
            raise InputError(f"{name} {file}: the ending must be one of {', '.join(endings)}")
        if file is not None and not file.parent.is_dir():
            raise InputError(f"{name} {file}: there is no folder {file.parent}")


def _write_files(results: Path, mask: str | None, figure: Path | None) -> None:
    """The mask of every language and the picture, from what the store holds."""
    from babelscope.analyses.heads.figure import page, svg
    from babelscope.analyses.heads.section import counted
    from babelscope.analyses.heads.tables import tables
    from babelscope.model.head_masks import write_mask
    from babelscope.store import open_store, read_study

    store = open_store(results, create=False)
    for model in tables(store, read_study(store)) or ():
        for language in model.languages if mask is not None else ():
            write_mask(language.mask, str(mask).replace("{lang}", language.lang))
        if figure is not None:
            draw = svg if figure.suffix == ".svg" else page
            write_text(figure, str(draw(counted(model))))
