"""Parallel text as token ids, and batches of it: texts alone, beside a translation, or aligned."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from babelscope.data.segmentation import words_of_tokens
from babelscope.training.pretraining_spec import Pretraining
from babelscope.types import Example


class Row(NamedTuple):
    """One example as token ids; `words` has for each token the number of its word, or -1."""

    ids: list[int]
    words: list[int]
    concepts: tuple[tuple[str, ...], ...]
    """Of the words in order, over both texts."""


class Batch(NamedTuple):
    """Sequences; for translations in separate sequences the aligned pairs of rows and of tokens."""

    ids: list[list[int]]
    pairs: list[tuple[int, int]]
    tokens: list[tuple[int, int, int, int]]
    """Row and position, row and position."""
    meanings: list[str]
    """The concept of each of these pairs: others of the same concept are not used as negatives."""


def encode_row(example: Example, tokenizer: Any) -> Row:
    encoding = tokenizer(*example.texts, return_offsets_mapping=True, truncation=True)
    words, before = [-1] * len(encoding["input_ids"]), 0
    segments = encoding.sequence_ids(0)
    concepts: list[tuple[str, ...]] = []
    for number, spans in enumerate(example.words or ()):
        places = [at for at, segment in enumerate(segments) if segment == number]
        offsets = [encoding["offset_mapping"][at] for at in places]
        for at, word in zip(places, words_of_tokens(offsets, spans, example.texts[number])):
            words[at] = before + word if word >= 0 else -1
        before += len(spans)
        if example.concepts:
            concepts += [
                tuple(f"{number}.{each}" for each in word) for word in example.concepts[number]
            ]
    return Row(list(encoding["input_ids"]), words, tuple(concepts))


def batches(
    rows: Sequence[dict[str, Row]], recipe: Pretraining, tokenizer: Any, rng: random.Random
) -> Iterator[Batch]:
    """Batches of sequences of similar length: many are sampled at a time and sorted."""
    ahead, done = 16, 0
    while done < recipe.steps:
        single = all(len(row) == 1 for row in rows)
        kinds = [
            "alone" if single else "together" if rng.random() < recipe.together else "apart"
            for _ in range(ahead)
        ]
        for kind in dict.fromkeys(kinds):
            count = kinds.count(kind)
            size = recipe.batch if kind == "alone" else recipe.batch // 2
            sampled = [_sample(rows, kind, rng) for _ in range(count * size)]
            sampled.sort(key=lambda pair: sum(len(row.ids) for row in pair))
            size = len(sampled) // count
            groups = [sampled[start : start + size] for start in range(0, len(sampled), size)]
            rng.shuffle(groups)
            for group in groups[: recipe.steps - done]:
                yield _batch(group, kind, tokenizer)
                done += 1


def _sample(rows: Sequence[dict[str, Row]], kind: str, rng: random.Random) -> tuple[Row, ...]:
    row = rows[int(rng.random() * len(rows))]
    if kind == "alone":
        return (row[rng.choice(list(row))],)
    while len(row) < 2:
        row = rows[int(rng.random() * len(rows))]
    first, second = rng.sample(list(row), 2)
    return row[first], row[second]


def _batch(sampled: Sequence[tuple[Row, ...]], kind: str, tokenizer: Any) -> Batch:
    if kind == "alone":
        return Batch([row.ids for (row,) in sampled], [], [], [])
    if kind == "together":
        limit = tokenizer.model_max_length
        return Batch(
            [(first.ids + second.ids[1:])[:limit] for first, second in sampled], [], [], []
        )
    ids = [row.ids for pair in sampled for row in pair]
    tokens, meanings = [], []
    for at, (first, second) in enumerate(sampled):
        firsts, seconds = first_tokens(first), first_tokens(second)
        shared = [name for name in firsts if name in seconds]
        tokens += [(2 * at, firsts[name], 2 * at + 1, seconds[name]) for name in shared]
        meanings += [name.rpartition(".")[2] for name in shared]
    return Batch(ids, [(2 * at, 2 * at + 1) for at in range(len(sampled))], tokens, meanings)


def first_tokens(row: Row) -> dict[str, int]:
    """The first token of the first word that expresses each concept."""
    places: dict[str, int] = {}
    for at, word in enumerate(row.words):
        if word >= 0 and row.concepts:
            for concept in row.concepts[word]:
                places.setdefault(concept, at)
    return places
