"""Public corpora by name, from a folder: one file and one row each.

Nothing is downloaded: the files are those that the corpus' authors publish, compressed or not, in a
folder of the user's. A new corpus is one file with its row, and one line in CORPORA.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from babelscope.data.corpora import (
    chnsenticorp,
    eraser_movies,
    freedict,
    hindi_reviews,
    mnli_parallel,
    muse,
    pawsx,
    pud_alignments,
    sentiment_rationales,
    sib200,
    sst2,
    ud_pud,
    xcopa,
    xling,
    xnli,
    xquad,
    yelp_hat,
)
from babelscope.data.corpora.row import Corpus
from babelscope.data.formats.alignments import Aligned
from babelscope.data.formats.problems import sound, with_bad_rows
from babelscope.errors import InputError
from babelscope.types import Example

CORPORA = {
    row.name: row
    for row in (
        xnli.ROW,
        mnli_parallel.ROW,
        pawsx.ROW,
        xquad.ROW,
        sib200.ROW,
        sst2.ROW,
        chnsenticorp.ROW,
        hindi_reviews.ROW,
        ud_pud.ROW,
        pud_alignments.ROW,
        yelp_hat.ROW,
        yelp_hat.READERS,
        yelp_hat.UNANIMOUS,
        eraser_movies.ROW,
        sentiment_rationales.ROW,
        xcopa.ROW,
        muse.ROW,
        xling.ROW,
        freedict.ROW,
    )
}
"""The public corpora, by name."""


def read(
    name: str,
    folder: str | Path,
    *,
    lang: str | None = None,
    split: str | None = None,
    bad_rows: bool = False,
) -> Iterator[Example]:
    """The examples of a corpus, one by one.

        rows = list(corpora.read("xnli", "data", lang="hi", split="dev"))

    The folder is that of the corpus, or the one that contains it. `lang` may be left out where
    there is one language. `split` None is test where there is one, otherwise all that exist, in
    order. Translations share their group. A fault in a file is raised with its line when that is
    reached; with `bad_rows`, a row that is blank or has an unknown label is given like the others.
    """
    stream = _read(name, folder, lang, split, "examples")
    return with_bad_rows(stream) if bad_rows else sound(stream)


def aligned(name: str, folder: str | Path, *, lang: str) -> Iterator[Aligned]:
    """The pairs of translations of a corpus of word alignments, English and `lang`."""
    return _read(name, folder, lang, None, "alignments")


def dictionary(
    name: str, folder: str | Path, *, lang: str, split: str | None = None
) -> Iterator[tuple[str, str]]:
    """The pairs of a dictionary from English to `lang`: a word and one translation."""
    return _read(name, folder, lang, split, "pairs")


def choose(name: str) -> Corpus:
    """The row of that name."""
    if name not in CORPORA:
        raise InputError(f"there is no public corpus {name!r}; there are: {', '.join(CORPORA)}")
    return CORPORA[name]


def language(row: Corpus, lang: str | None) -> str:
    """The tag of a language, given its tag or the files' own code."""
    if lang is None and len(row.languages) == 1:
        return row.languages[0]
    tag = next((tag for tag, code in row.codes.items() if code == lang), lang)
    if tag is None:
        raise InputError(f"{row.name}: name one of {', '.join(row.languages)}")
    if tag not in row.languages:
        known = ", ".join(row.languages)
        raise InputError(f"{row.name} has no language {lang!r}; there are: {known}")
    return tag


def _read(
    name: str, folder: str | Path, lang: str | None, split: str | None, yields: str
) -> Iterator[Any]:
    row = choose(name)
    if row.yields != yields:
        function = {"examples": "read", "alignments": "aligned", "pairs": "dictionary"}[row.yields]
        raise InputError(
            f"{name} holds {row.yields}, not {yields}: read it with corpora.{function}"
        )
    tag = language(row, lang)
    if split is not None and split not in row.splits:
        raise InputError(f"{name} has no split {split!r}; there are: {', '.join(row.splits)}")
    splits = [split] if split else ["test"] if "test" in row.splits else list(row.splits)
    files = {each: _file(row, Path(folder), tag, each) for each in splits}
    present = {each: file for each, file in files.items() if file is not None}
    if not present:
        names = " or ".join(_names(row, tag, splits[0]))
        places = f"{Path(folder)} or {Path(folder) / row.folder}"
        raise InputError(
            f"{name}: there is no {names} (or these with .gz) in {places}; get it from {row.source}"
        )
    return chain.from_iterable(
        row.read(file, tag, _prefix(row, each)) for each, file in present.items()
    )


def _file(row: Corpus, folder: Path, lang: str, split: str) -> Path | None:
    for base in (folder, folder / row.folder):
        for name in _names(row, lang, split):
            for place in (base / name, base / f"{name}.gz"):
                if place.is_file():
                    return place
    return None


def _names(row: Corpus, lang: str, split: str) -> list[str]:
    code = row.codes.get(lang, lang)
    return [name.format(lang=lang, code=code, split=split) for name in row.files]


def _prefix(row: Corpus, split: str) -> str:
    """The start of a group: the corpus, and the split where there are several."""
    return row.prefix or (f"{row.name}-{split}" if len(row.splits) > 1 else row.name)
