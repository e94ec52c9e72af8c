"""Examples written to files: completely or not at all, and read back as they were."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from babelscope.data.formats import csv, jsonl, parquet
from babelscope.data.formats.lines import ending
from babelscope.data.formats.problems import Problem
from babelscope.data.formats.records import parse, record
from babelscope.errors import InputError
from babelscope.files import writing
from babelscope.types import Example


def write(examples: Iterable[Example], path: str | Path) -> int:
    """Writes a .jsonl, .csv, .tsv (these also with .gz) or .parquet file; the number of examples.

    The file appears when it is complete; if anything fails, an earlier file of that name is kept.
    CSV and TSV hold id, lang, group, label and texts; JSONL and Parquet also the gold. An example
    that would be read back as another is refused.

    *Law*: `read(write(x)) == x`, for JSONL and Parquet with all gold.
    """
    file = Path(path)
    if ending(file) not in WRITERS or file.name.endswith(".parquet.gz"):
        raise InputError(
            f"{file}: the ending must be one of {', '.join(WRITERS)} (the text formats also with "
            ".gz)"
        )
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no folder {file.parent}")
    with writing(file) as raw:
        if file.suffix == ".gz":
            with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                return WRITERS[ending(file)](writable(examples), packed)
        return WRITERS[ending(file)](writable(examples), raw)


def writable(examples: Iterable[Example]) -> Iterator[Example]:
    """The examples; one that would be read back as another is refused."""
    seen: set[tuple[str, str]] = set()
    for example in examples:
        for parsed in parse(example.id, 0, record(example), {}, None):
            if parsed != example:
                why = "an empty id, label, language or text"
                if isinstance(parsed, Problem):
                    why = f"{parsed.field or 'texts'}: {parsed.found}"
                raise InputError(f"the example {example.id!r} cannot be written: {why}")
        if (example.id, example.lang) in seen:
            raise InputError(
                f"the id {example.id!r} occurs twice for language {example.lang!r}; ids must be "
                "unique"
            )
        seen.add((example.id, example.lang))
        yield example


WRITERS: dict[str, Callable[[Iterable[Example], Any], int]] = {
    ".jsonl": jsonl.write,
    ".csv": csv.write_comma_separated,
    ".tsv": csv.write_tab_separated,
    ".parquet": parquet.write,
}
