"""Examples by one short name: a file, a built-in corpus, or a public one in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Literal

from babelscope.data import builtin, corpora
from babelscope.data.formats.tables import read as read_file
from babelscope.data.limits import MOST
from babelscope.errors import InputError
from babelscope.types import Example

BUILTIN = 100
"""Number of examples of a built-in corpus where none is given: it has no end."""


def kind(source: str) -> Literal["file", "built-in corpus", "public corpus"]:
    """What a short name is the name of."""
    name = source.split("/")[0]
    if Path(source).is_file() or (name not in builtin.CORPORA and name not in corpora.CORPORA):
        return "file"
    return "built-in corpus" if name in builtin.CORPORA else "public corpus"


def rows(
    source: str,
    *,
    folder: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    lang: str | None = None,
) -> list[Example]:
    """The examples of `FILE` or of `CORPUS/LANG[/SPLIT[/COUNT]]`: reviews.csv, nli/hi/train/4000,
    sib200/sw/test.

    A corpus is a built-in or a public one (`babelscope data list`); a public one is in `folder`.
    The split is test by default. `columns` and `lang` are for files (see `babelscope.read`).
    """
    name, *rest = source.split("/")
    if kind(source) == "file":
        return read_file(source, columns=columns, lang=lang)
    if not rest or len(rest) > 3:
        raise InputError(
            f"{source}: a corpus is named with its language, {name}/LANG, {name}/LANG/SPLIT or "
            f"{name}/LANG/SPLIT/COUNT"
        )
    split = rest[1] if len(rest) > 1 else "test"
    if len(rest) > 2 and not rest[2].isdigit():
        raise InputError(
            f"{source}: the number of examples must be a whole number, not {rest[2]!r}"
        )
    if len(rest) > 2 and not 1 <= int(rest[2][:20]) <= MOST:
        raise InputError(f"{source}: the number of examples must be from 1 to {MOST}")
    count = int(rest[2]) if len(rest) > 2 else None
    if name in builtin.CORPORA:
        return builtin.read(name, rest[0], split, BUILTIN if count is None else count)
    stream = corpora.read(name, folder or ".", lang=rest[0], split=split, bad_rows=True)
    examples = list(islice(stream, count))
    if not examples:
        raise InputError(f"{source}: no example was read; check the split and the folder")
    return examples
