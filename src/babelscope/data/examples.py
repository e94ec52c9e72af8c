"""The examples of a task in one language, from the source that its specification names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from babelscope.data import builtin, corpora, synthetic
from babelscope.data.corpora import CORPORA
from babelscope.data.counted_words import counted_words
from babelscope.data.formats import hub
from babelscope.data.formats.problems import with_bad_rows
from babelscope.data.formats.records import parse
from babelscope.data.formats.tables import read
from babelscope.data.selection import matches, relabelled
from babelscope.data.skipping import Partition, partition
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.files import canonical
from babelscope.random import keyed
from babelscope.types import Example

SHARED = 20
"""Where one split serves both training and model selection, one row in so many is for selection."""


def examples(
    data: DataSpec, lang: str, split: str | None = None, count: int | None = None
) -> list[Example]:
    """The examples of one language: those to explain, or with `split` those to train on.

    *Laws*: with `sampled`, the examples to explain are the same translation groups in every
    language that has them; they are of as many groups as they can be.
    """
    return _selection(data, lang, split, count)[0]


def _selection(
    data: DataSpec, lang: str, split: str | None, count: int | None
) -> tuple[list[Example], Counter[str]]:
    """The examples, and how many rows of each label the label map leaves out."""
    number = count if count is not None else data.examples
    if data.sampled if split is None else data.train_sampled:
        whole = {"sampled": False, "train_sampled": False, "examples": None}
        rows, dropped = _selection(data.model_copy(update=whole), lang, split, None)
        return _in_random_order(rows, data.seed)[:number], dropped
    dropped = Counter()
    if data.labels is None:
        return list(islice(_stream(data, lang, split, number), number)), dropped
    return list(
        islice(relabelled(_stream(data, lang, split, None), data.labels, dropped), number)
    ), dropped


def _in_random_order(rows: list[Example], seed: int) -> list[Example]:
    """The first row of every group in random order, then the second of every group and so on: the
    rows of one group depend on each other."""
    ranks: Counter[str] = Counter()
    order = []
    for row in rows:
        order.append((ranks[row.group], keyed(seed, "drawn", row.group).random()))
        ranks[row.group] += 1
    return [rows[at] for at in sorted(range(len(rows)), key=order.__getitem__)]


def _stream(data: DataSpec, lang: str, split: str | None, number: int | None) -> Iterable[Example]:
    """The rows of the source in their order; of the built-in corpus, which has no end, `number`."""
    wanted = split or data.split
    if split is not None and data.train_hub is not None:
        return _of_hub(data, lang, split)
    if data.builtin is not None:
        return builtin.read(data.builtin, lang, wanted, number or data.examples or 0, data.seed)
    if data.synthetic is not None:
        made_up = made_up_language(data, lang)
        return synthetic.read(made_up, wanted, number or data.examples or 0, data.seed)
    if data.corpus is not None:
        folder = data.folder or "."
        return corpora.read(data.corpus, folder, lang=lang, split=wanted, bad_rows=True)
    if data.hub is not None:
        return _of_hub(data, lang, split)
    if data.rows is not None:
        return _of_rows(data, lang)
    return _of_file(data, lang, split)


def made_up_language(data: DataSpec, lang: str) -> synthetic.Language:
    """The language of `synthetic` data, its words counted in texts where these are named."""
    plain = synthetic.language(str(data.synthetic))
    if data.counts is None:
        return plain
    return _counted_language(canonical([data.counts.model_dump(), lang]), len(plain.words))


@lru_cache(8)
def _counted_language(texts: str, count: int) -> synthetic.Language:
    described, lang = json.loads(texts)
    counted = DataSpec.model_validate(described)
    return counted_words(usable_examples(counted, lang, labelled=True).rows, count)


def _of_file(data: DataSpec, lang: str, split: str | None) -> list[Example]:
    pattern = {"train": data.train_file, "dev": data.dev_file}.get(split or "", data.file)
    if pattern is None:
        raise InputError(f"data: training needs a {split}_file beside 'file'")
    by_language = "{lang}" in pattern
    name = pattern.replace("{lang}", lang)
    rows = read(name, columns=data.columns, lang=lang if by_language else None, where=data.where)
    if not by_language and any(row.lang == "und" for row in rows):
        raise InputError(
            f"{pattern}: some rows have no language; add a column 'lang', or name one file per "
            "language with {lang}"
        )
    chosen = [row for row in rows if row.lang == lang]
    if not chosen:
        known = ", ".join(sorted({row.lang for row in rows}))
        raise InputError(f"{pattern}: no row of language {lang!r}; there are: {known}")
    return chosen


def usable_examples(
    data: DataSpec,
    lang: str,
    split: str | None = None,
    count: int | None = None,
    *,
    labelled: bool = False,
) -> Partition:
    """The same without the rows that no model can read, and these with the reason
    (`skipping.partition`).

    *Law*: a bad row counts among the first `count`, so that translations stay the same rows.
    """
    return usable_and_dropped(data, lang, split, count, labelled=labelled)[0]


def usable_and_dropped(
    data: DataSpec,
    lang: str,
    split: str | None = None,
    count: int | None = None,
    *,
    labelled: bool = False,
) -> tuple[Partition, Mapping[str, int]]:
    """The same, and how many rows of each label the task's label map leaves out, which is no
    fault.
    """
    labels = CORPORA[data.corpus].labels if data.corpus in CORPORA else ()
    rows, dropped = _selection(data, lang, split, count)
    return partition(rows, labels=labels, labelled=labelled), dropped


def _of_rows(data: DataSpec, lang: str) -> list[Example]:
    """The examples that are written into the study, those of one language."""
    origin = "the rows of the study"
    numbered = [
        (number, row)
        for number, row in enumerate(data.rows or (), 1)
        if matches(row, data.where, origin)
    ]
    parsed = [
        each
        for number, row in numbered
        for each in parse(origin, number, row, data.columns, None, True)
    ]
    examples = list(with_bad_rows(parsed))
    if lang != "und" and any(example.lang == "und" for example in examples):
        raise InputError(
            f"{origin}: some have no language; add a column 'lang', or give babelscope.read(data, "
            "lang='en')"
        )
    known = ", ".join(sorted({example.lang for example in examples}))
    chosen = [example for example in examples if example.lang == lang]
    if not chosen:
        raise InputError(f"{origin}: none is of language {lang!r}; there are: {known or 'none'}")
    return chosen


def _of_hub(data: DataSpec, lang: str, split: str | None) -> Iterator[Example]:
    """Rows of a data set of the hub, whose name and configuration may contain {lang}; rows to train
    on may be those of another one.

    Where one split serves both training and model selection, every twentieth row is for
    selection."""
    other = data.train_hub is not None and split is not None
    source = (
        (data.train_hub, data.train_config, None)
        if other
        else (data.hub, data.config, data.data_dir)
    )
    name, config, folder = (each and each.replace("{lang}", lang) for each in source)
    wanted = {"train": data.train_split, "dev": data.dev_split}.get(split or "", data.split)
    rows = hub.read(
        str(name), config, wanted, columns=data.columns, lang=lang,
        revision=None if other else data.revision, data_dir=folder, where=data.where,
    )  # fmt: skip
    if split is None or data.train_split != data.dev_split:
        return rows
    return (row for number, row in enumerate(rows) if (number % SHARED == 0) == (split == "dev"))
