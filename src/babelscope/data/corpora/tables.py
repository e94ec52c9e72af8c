"""Corpora that are tables with a header: sentences or pairs of them, and a label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from babelscope.data.formats.lines import tab_separated
from babelscope.data.formats.problems import Problem, sound
from babelscope.types import Example

POLARITY = {"0": "negative", "1": "positive"}


def table(
    texts: tuple[str, ...], label: str, names: Mapping[str, str], *, unlabelled: bool = False
) -> Callable[[Path, str, str], Iterator[Example]]:
    """A reader of TSV files with these columns.

    `names` gives each label of the file its name: an unknown one is a fault. An empty label is one too, unless the corpus is
    known to have `unlabelled` rows. Row i of every language is the same pair, so its number is the group.
    """

    def read(file: Path, lang: str, prefix: str) -> Iterator[Example]:
        return sound(_rows(file, lang, prefix, texts, label, {**names, "": None} if unlabelled else names))

    return read


def _rows(
    file: Path, lang: str, prefix: str, texts: tuple[str, ...], label: str, names: Mapping[str, str | None]
) -> Iterator[Example | Problem]:
    number = 0
    for one in tab_separated(file):
        number += 1
        if isinstance(one, Problem):
            yield one
            continue
        line, row = one
        wrong = next((name for name in (*texts, label) if name not in row), None)
        if wrong is not None:
            yield Problem(str(file), line, wrong, f"the columns {', '.join(row)}", f"a column {wrong}")
            return
        blank = next((name for name in texts if not row[name].strip()), None)
        if blank is not None:
            yield Problem(str(file), line, blank, "nothing", "a text")
        elif row[label] not in names:
            yield Problem(str(file), line, label, repr(row[label]), f"one of {', '.join(map(repr, names))}")
        else:
            group = f"{prefix}-{number}"
            yield Example(f"{group}-{lang}", tuple(row[name] for name in texts), lang, group, names[row[label]])
