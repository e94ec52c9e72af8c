"""TSV files with a header: sentences, or pairs of them, and a label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from babelscope.data.formats.csv import tab_separated
from babelscope.data.formats.problems import Problem
from babelscope.types import Example

POLARITY = {"0": "negative", "1": "positive"}
"""The labels of most files about sentiment, and their names."""


def labelled(
    texts: tuple[str, ...], label: str, names: Mapping[str, str], *, unlabelled: bool = False
) -> Callable[[Path, str, str], Iterator[Example | Problem]]:
    """A reader of TSV files with these columns.

    `names` gives each label of the file its name; a blank text or an unknown label is a fault of
    its row. An empty label is a
    fault too, unless the corpus is known to have `unlabelled` rows. Row i is the same text in every
    language, so its number is the group.
    """

    def read(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
        known = {**names, "": None} if unlabelled else names
        return _rows(file, lang, prefix, texts, label, known)

    return read


def _rows(
    file: Path,
    lang: str,
    prefix: str,
    texts: tuple[str, ...],
    label: str,
    names: Mapping[str, str | None],
) -> Iterator[Example | Problem]:
    number = 0
    for item in tab_separated(file):
        number += 1
        if isinstance(item, Problem):
            yield item
            continue
        line, row = item
        missing = next((name for name in (*texts, label) if name not in row), None)
        if missing is not None:
            reason = f"the columns {', '.join(row)}"
            yield Problem(str(file), line, missing, reason, f"a column {missing}")
            return
        group = f"{prefix}-{number}"
        cells = tuple(row[name] for name in texts)
        example = Example(f"{group}-{lang}", cells, lang, group, names.get(row[label], row[label]))
        blank = next((name for name in texts if not row[name].strip()), None)
        if blank is not None:
            yield Problem(str(file), line, blank, "nothing", "a text", example)
        elif row[label] not in names:
            known = ", ".join(map(repr, names))
            yield Problem(str(file), line, label, repr(row[label]), f"one of {known}", example)
        else:
            yield example
