"""Data sets of the Hugging Face hub, streamed, and kept on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from babelscope.data.formats.in_memory import class_names, with_class_names
from babelscope.data.formats.problems import with_bad_rows
from babelscope.data.formats.records import parse
from babelscope.data.formats.row_cache import cached_rows
from babelscope.data.selection import Filters, matches
from babelscope.errors import InputError
from babelscope.files import canonical, write_text
from babelscope.hub import cache_folder, locate
from babelscope.types import Example


def read(
    name: str,
    config: str | None = None,
    split: str = "test",
    *,
    columns: Mapping[str, str] | None = None,
    lang: str | None = None,
    revision: str | None = None,
    data_dir: str | None = None,
    where: Filters | None = None,
) -> Iterator[Example]:
    """The rows of a split as examples, one by one; the columns are found as in files. Rows that
    were streamed from the hub are kept in the user's cache.

    Numbers of a ClassLabel become their names, lists of words one text, `answers` as in SQuAD an
    answer. Rows are numbered from 1 where they have no id, also those that `where` leaves out.
    """
    place, revision = locate(name, revision, kind="datasets")
    fetch = partial(_fetched, name, place, config, split, revision, data_dir)
    rows: Iterator[Mapping[str, Any]] = fetch(0)
    if not Path(place).is_dir():
        part = {"config": config, "split": split, "data_dir": data_dir}
        folder = _folder(place, revision) / hashlib.sha256(canonical(part).encode()).hexdigest()
        rows = cached_rows(folder, fetch)
    first = next(rows, None)
    if first is None:
        raise InputError(f"the data set {name}, split {split}, holds no row")
    selected = _selected(name, chain([first], rows), where or {})
    return _examples(name, selected, columns or {}, lang)


def _fetched(
    name: str, place: str, config: str | None, split: str, revision: str | None,
    data_dir: str | None, start: int,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """The rows from a number on, with the names of classes."""
    import datasets
    from datasets.exceptions import DatasetGenerationError

    origin = place if place != name and Path(place).is_dir() else "the Hugging Face hub"
    try:
        rows = datasets.load_dataset(
            place, config, split=split, streaming=True, revision=revision, data_dir=data_dir,
            trust_remote_code=False,
        )  # fmt: skip
        names = class_names(rows.features or {})
        for row in rows.skip(start) if start else rows:
            yield with_class_names(row, names)
    except (OSError, ValueError, RuntimeError, DatasetGenerationError) as error:
        why = " ".join(str(error).split())[:200]
        what = f"{name}{f' ({config})' if config else ''}, split {split}"
        raise InputError(
            f"the data set {what} cannot be read from {origin}: {type(error).__name__}: {why}"
        ) from error


def _folder(name: str, revision: str | None) -> Path:
    """The folder of a data set's rows at a commit; without a network, the commit that was read
    last.
    """
    folder = cache_folder() / "rows" / name.replace("/", "--")
    pointer = folder / f"commit-{(revision or 'main').replace('/', '--')}"
    commit = _commit(name, revision)
    if commit is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(pointer, commit)
    elif pointer.is_file():
        commit = pointer.read_text("utf-8")
    return folder / (commit or "unknown")


@cache
def _commit(name: str, revision: str | None) -> str | None:
    """The commit that a branch is at now; None where the hub cannot be reached."""
    from huggingface_hub import HfApi

    try:
        return HfApi().dataset_info(name, revision=revision, timeout=20).sha
    except Exception:  # of a connection: the classes differ between versions of the hub
        return None


def _selected(
    name: str, rows: Iterable[Mapping[str, Any]], where: Filters
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows that the filters leave, with their numbers."""
    for number, row in enumerate(rows, 1):
        if matches(row, where, name):
            yield number, dict(row)


def _examples(
    name: str,
    rows: Iterator[tuple[int, dict[str, Any]]],
    columns: Mapping[str, str],
    lang: str | None,
) -> Iterator[Example]:
    for number, cells in rows:
        for column, value in cells.items():
            if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
                cells[column] = ", ".join(value)
        yield from with_bad_rows(parse(name, number, cells, columns, lang, gold=False))
