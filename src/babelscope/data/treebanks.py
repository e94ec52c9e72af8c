"""Sentences with their trees: from a treebank, a corpus with gold trees, or a parser."""

from __future__ import annotations

import re
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from babelscope.data import sources
from babelscope.data.formats import conllu
from babelscope.data.formats.lines import (
    ending,
)
from babelscope.errors import InputError
from babelscope.types import Example

_UD = re.compile(r"([a-z]{2,3})_[a-z0-9]+-ud-")


def treebank_names(source: str) -> list[str]:
    """A treebank by itself, or those of `CORPUS/LANG,LANG[/SPLIT[/COUNT]]` language by language."""
    name, *rest = source.split("/")
    if not rest or ending(Path(source)) == ".conllu" or Path(source).is_file():
        return [source]
    return ["/".join((name, tag, *rest[1:])) for tag in rest[0].split(",")]


def treebank(
    source: str, *, folder: str | Path | None = None, lang: str | None = None
) -> list[Example]:
    """The sentences of `FILE.conllu`, of a file of examples with gold trees, or of
    `CORPUS/LANG,LANG[/SPLIT[/COUNT]]`.

    Universal Dependencies name a file after its language (en_pud-ud-test.conllu), so `lang` may be
    left out then.
    """
    file = Path(source)
    if ending(file) == ".conllu":
        if not file.is_file():
            raise InputError(f"there is no file {file}")
        match = _UD.match(file.name)
        rows = list(
            conllu.read(file, lang or (match.group(1) if match else "und"), file.name.split(".")[0])
        )
    else:
        names = treebank_names(source)
        rows = [row for each in names for row in sources.rows(each, folder=folder, lang=lang)]
    if not rows:
        raise InputError(f"{source} holds no sentence")
    for row in rows:
        if row.words is None or row.heads is None or row.relations is None:
            raise InputError(
                f"{source}: {row.id} has no tree; give a .conllu file or a corpus with trees "
                "(ud-pud/LANG, sentiment/LANG)"
            )
    return rows


def parsed(file: str | Path, lang: str) -> list[Example]:
    """The sentences of a text file with the trees that Stanza finds; its models must have been
    downloaded before.
    """
    path = Path(file)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error}); save it as UTF-8") from error
    document = _parser(lang)(text)
    with tempfile.TemporaryDirectory() as folder:
        trees = Path(folder) / f"{path.stem}.conllu"
        trees.write_text(f"{document:C}\n\n", "utf-8")
        return list(conllu.read(trees, lang, path.stem))


def _parser(lang: str) -> Any:
    """Stanza's pipeline for a language, from what is on this machine: nothing is downloaded."""
    try:
        stanza: Any = import_module("stanza")
    except ImportError as error:
        raise InputError(
            "to parse raw text, install Stanza: pip install 'babelscope[parse]'; or give a treebank"
        ) from error
    steps = (
        "tokenize,pos,lemma,depparse"  # it adds multiword tokens itself where a language has them
    )
    try:
        return stanza.Pipeline(lang, processors=steps, download_method=None, verbose=False)
    except (
        Exception
    ) as error:  # Stanza raises many kinds where a model, a language or a processor is not there
        reason = " ".join(str(error).split())[:160]
        raise InputError(
            f"Stanza has no models for {lang!r} here ({reason}); get them: "
            f"stanza.download({lang!r})"
        ) from error
