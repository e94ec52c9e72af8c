"""The examples of a task in one language, from the source that its specification names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from babelscope.data import builtin, corpora
from babelscope.data.formats import hub
from babelscope.data.formats.problems import sound
from babelscope.data.formats.records import parse
from babelscope.data.formats.tables import read
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.random import keyed
from babelscope.types import Example

SHARED = 20
"""Where one split serves both training and model selection, one row in so many is for selection."""


def examples(
    data: DataSpec, lang: str, split: str | None = None, count: int | None = None
) -> list[Example]:
    """The examples of one language: those to explain, or with `split` those to train on.

    *Law*: with `sampled`, the examples to explain are the same translation groups in every language
    that has them.
    """
    wanted = split or data.split
    number = count if count is not None else data.examples
    if data.sampled and split is None:
        rows = examples(data.model_copy(update={"sampled": False, "examples": None}), lang)
        return sorted(rows, key=lambda row: keyed(data.seed, "drawn", row.group).random())[:number]
    if data.builtin is not None:
        return builtin.read(data.builtin, lang, wanted, number or 0, data.seed)
    if data.corpus is not None:
        return list(
            islice(corpora.read(data.corpus, data.folder or ".", lang=lang, split=wanted), number)
        )
    if data.hub is not None:
        return list(islice(_of_hub(data, lang, split), number))
    if data.rows is not None:
        return _of_rows(data.rows, data.columns, lang)[:number]
    pattern = {"train": data.train_file, "dev": data.dev_file}.get(split or "", data.file)
    if pattern is None:
        raise InputError(f"data: training needs a {split}_file beside 'file'")
    by_language = "{lang}" in pattern
    rows = read(
        pattern.replace("{lang}", lang), columns=data.columns, lang=lang if by_language else None
    )
    if not by_language and any(row.lang == "und" for row in rows):
        raise InputError(
            f"{pattern}: some rows have no language; add a column 'lang', or name one file per "
            "language with {lang}"
        )
    chosen = [row for row in rows if row.lang == lang]
    if not chosen:
        known = ", ".join(sorted({row.lang for row in rows}))
        raise InputError(f"{pattern}: no row of language {lang!r}; there are: {known}")
    return chosen[:number]


def _of_rows(rows: list[dict[str, Any]], columns: Mapping[str, str], lang: str) -> list[Example]:
    """The examples that are written into the study, those of one language."""
    origin = Path("the rows of the study")
    parsed = [
        each
        for number, row in enumerate(rows, 1)
        for each in parse(origin, number, row, columns, None, True)
    ]
    return [example for example in sound(parsed) if example.lang == lang]


def _of_hub(data: DataSpec, lang: str, split: str | None) -> Iterator[Example]:
    """Rows of a data set of the hub, whose name and configuration may contain {lang}.

    Where one split serves both training and model selection, every twentieth row is for
    selection."""
    name, config = (each and each.replace("{lang}", lang) for each in (data.hub, data.config))
    wanted = {"train": data.train_split, "dev": data.dev_split}.get(split or "", data.split)
    rows = hub.read(
        str(name), config, wanted, columns=data.columns, lang=lang, revision=data.revision
    )
    if split is None or data.train_split != data.dev_split:
        return rows
    return (row for number, row in enumerate(rows) if (number % SHARED == 0) == (split == "dev"))
