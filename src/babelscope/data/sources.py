"""Examples by one short name: a file, a built-in corpus, a public one in a folder, or a data set of
the hub.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Literal

from babelscope.data import builtin, corpora
from babelscope.data.formats import hub
from babelscope.data.formats.tables import read as read_file
from babelscope.data.languages import language_fault
from babelscope.data.limits import MOST
from babelscope.errors import InputError
from babelscope.types import Example

BUILTIN = 100
"""Number of examples of a built-in corpus where none is given: it has no end."""
HUB = "hub:"
"""What the name of a data set of the hub begins with."""
ONLY = "default"
"""What stands for the configuration of a data set that has one only."""


def kind(source: str) -> Literal["file", "built-in corpus", "public corpus", "hub"]:
    """What a short name is the name of."""
    if source.startswith(HUB):
        return "hub"
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
    """The examples of `FILE`, of `CORPUS/LANG[/SPLIT[/COUNT]]` or of
    `hub:ORGANISATION/NAME[/CONFIG[/SPLIT[/COUNT]]]`: reviews.csv, nli/hi/train/4000,
    sib200/sw/test, hub:google/xquad/xquad.hi/validation.

    A corpus is a built-in or a public one (`babelscope data list`); a public one is in `folder`.
    The split is test by default. `columns` and `lang` are for files and the hub (see
    `babelscope.read`).
    """
    name, *rest = source.split("/")
    if kind(source) == "file":
        return read_file(source, columns=columns, lang=lang)
    if kind(source) == "hub":
        return _of_hub(source, columns, lang)
    if not rest or len(rest) > 3:
        raise InputError(
            f"{source}: a corpus is named with its language, {name}/LANG, {name}/LANG/SPLIT or "
            f"{name}/LANG/SPLIT/COUNT"
        )
    split = rest[1] if len(rest) > 1 else "test"
    count = _count(source, rest[2]) if len(rest) > 2 else None
    if name in builtin.CORPORA:
        return builtin.read(name, rest[0], split, BUILTIN if count is None else count)
    stream = corpora.read(name, folder or ".", lang=rest[0], split=split, bad_rows=True)
    examples = list(islice(stream, count))
    if not examples:
        raise InputError(f"{source}: no example was read; check the split and the folder")
    return examples


def _count(source: str, text: str) -> int:
    """The number of examples at the end of a name."""
    if not text.isdigit():
        raise InputError(f"{source}: the number of examples must be a whole number, not {text!r}")
    if not 1 <= int(text[:20]) <= MOST:
        raise InputError(f"{source}: the number of examples must be from 1 to {MOST}")
    return int(text)


def _of_hub(source: str, columns: Mapping[str, str] | None, lang: str | None) -> list[Example]:
    """The rows of a data set of the hub; their language is, where none is named, the configuration
    or its last part: hi, xquad.hi.
    """
    parts = source.removeprefix(HUB).split("/")
    if not 2 <= len(parts) <= 5 or not all(parts):
        raise InputError(
            f"{source}: a data set of the hub is {HUB}ORGANISATION/NAME, followed by /CONFIG, "
            f"/SPLIT and /COUNT as needed ({ONLY} is the only configuration)"
        )
    config = parts[2] if len(parts) > 2 and parts[2] != ONLY else None
    split = parts[3] if len(parts) > 3 else "test"
    count = _count(source, parts[4]) if len(parts) > 4 else None
    last = (config or "").rpartition(".")[2]
    known = last if len(last) == 2 and language_fault(last) is None else None
    rows = hub.read("/".join(parts[:2]), config, split, columns=columns, lang=lang or known)
    return list(islice(rows, count))
