"""FreeDict: English headwords, and the translations that their definitions contain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats.dictionaries import Pair, tab_separated

_NUMBER = re.compile(r"^\d+\.\s*")
_REMARK = re.compile(r"\([^()]*\)?|\[[^\[\]]*\]?|\{[^{}]*\}?")
_SEPARATOR = re.compile(r"[,;،؛]")
OTHER_SCRIPT = ("ar", "el", "hi", "ru")
"""Languages not in Latin letters: a part in nothing else is an English remark or example."""


def read(file: Path, lang: str, prefix: str) -> Iterator[Pair]:
    """Headword, tab, definition, which is split into its translations.

    Senses are numbered and separated by slashes, translations of a sense by commas. Quoted examples
    and remarks in brackets are removed; `~` is a blank. The rest may still be a description and not
    a translation, in Turkish often.
    """
    for word, definition in tab_separated(file, lang, prefix):
        for translation in dict.fromkeys(translations(definition, lang)):
            yield word.strip(), translation


def translations(definition: str, lang: str) -> Iterator[str]:
    """The translations in a definition."""
    for sense in re.split(r"\s/\s", f" {definition} "):
        if sense.strip().startswith('"'):
            continue
        plain = _REMARK.sub(" ", _NUMBER.sub("", sense.strip())).replace("~", " ")
        for part in _SEPARATOR.split(plain):
            translation = " ".join(part.split()).strip(" .!?:-")
            if translation and not (lang in OTHER_SCRIPT and translation.isascii()):
                yield translation


_LANGUAGES = tags("ar el es fr hi ru sw tr")

ROW = Corpus(
    name="freedict",
    task="dictionary",
    summary="English headwords and what their definitions offer as translations",
    licence="GPL-2+",
    source="https://freedict.org",
    languages=_LANGUAGES,
    splits=("all",),
    folder="bilingual-dictionaries",
    files=("freedict/eng-{code}.tsv",),
    read=read,
    codes=dict(zip(_LANGUAGES, tags("ara ell spa fra hin rus swh tur"))),
    yields="pairs",
    notes="Some definitions describe and do not translate, in Turkish many.",
)
