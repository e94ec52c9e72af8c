"""From examples to token ids, with the words and characters that each token stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from babelscope.data.segmentation import segment, words_of_tokens
from babelscope.data.texts import check_text
from babelscope.errors import InputError
from babelscope.model.load import Model
from babelscope.types import Attribution, Encoded, Example, ModelInput, Span, Window

PARTS = ("all", "first", "second")
"""Which texts of a pair are attributed and erased; the others stay fixed."""
LONG = ("truncate", "window")
"""What happens to a text that is longer than the model: cut with a flag, or explained piece by piece."""


def encode(
    model: Model, examples: Sequence[Example], *, part: str = "all", long: str = "truncate", task: bool = True
) -> list[Encoded]:
    """Each example as the tokenizer gives it to the model, with content tokens, words and offsets.

    A text that exceeds the model is cut (with a flag that says how much) or split into overlapping windows, each of
    which becomes an input of its own under the id `id#1`, `id#2`, ... Without `task` an example may have one text or two,
    whatever the model's task reads: what its layers do with a sentence can be asked of any model.

    Behind the tokens of an encoder-decoder stand those that only its decoder reads: its start token, which is never
    content, and for text-to-text models the second text, the beginning of the answer.

    *Laws*: ids are the tokenizer's own; special tokens are never content; the tokens of a word overlap its characters.
    """
    for name, given, known in (("part", part, PARTS), ("long", long, LONG)):
        if given not in known:
            raise InputError(f"{name} {given!r} is not one of: {', '.join(known)}")
    encoded = [row for example in examples for row in _encode(model, example, part, long, task)]
    for row in encoded:
        _refuse_empty(model, row)
    return encoded


def _encode(model: Model, example: Example, part: str, long: str, task: bool) -> list[Encoded]:
    wanted = (model.texts if task else None) or len(example.texts)
    if len(example.texts) != wanted or not 1 <= len(example.texts) <= 2:
        takes = "one text" if wanted == 1 else "two texts"
        raise InputError(f"{example.id}: {model.name} ({model.task}) reads {takes}, {len(example.texts)} given")
    if part == "second" and len(example.texts) == 1:
        raise InputError(f"{example.id}: part 'second' needs a pair, one text given")
    check_text(example)
    read = example.texts[:1] if model.task == "text2text-generation" else example.texts
    pair = len(read) == 2
    second = pair and (model.task == "question-answering" or long == "window")
    strategy: Any = "only_second" if second else "longest_first"
    split = long == "window"
    overlap = {"return_overflowing_tokens": True, "stride": max(0, model.limit // 8)} if split else {}
    try:
        whole = model.tokenizer(*read, return_offsets_mapping=False, verbose=False)["input_ids"]
        made = model.tokenizer(
            *read,
            truncation=strategy,
            max_length=model.limit,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            **overlap,
        )
    except Exception as error:  # the tokenizers library raises bare exceptions when the fixed text alone is too long
        raise InputError(f"{example.id}: the tokenizer refused it ({error})") from error
    count = len(made.encodings)
    rows = []
    for number in range(count):
        row = _row(model, example, made, number, part)
        if split and count > 1:
            window = Window(number + 1, count, example.id)
            row = replace(row, example=replace(example, id=f"{example.id}#{number + 1}"), window=window)
        elif len(whole) > len(made.encodings[0].ids):
            row = replace(row, truncated_from=len(whole))
        rows.append(row)
    return rows


def _row(model: Model, example: Example, made: Any, number: int, part: str) -> Encoded:
    one = made.encodings[number]
    ids, offsets, tokens = [*one.ids], [*one.offsets], [*one.tokens]
    places = [-1 if alone or place is None else place for place, alone in zip(one.sequence_ids, one.special_tokens_mask)]
    after = _decoder(model, example)
    ids, offsets, tokens = ids + after[0], offsets + after[1], tokens + after[2]
    segments = np.array(places + after[3], dtype=np.int64)
    special = [known for known in model.tokenizer.all_special_ids if known != model.tokenizer.unk_token_id]
    segments[np.isin(ids, special)] = -1
    spans: list[Span] = []
    owners: list[int] = []
    word = np.full(len(segments), -1, dtype=np.int64)
    for place, text in enumerate(example.texts):
        mine = example.words[place] if example.words else segment(text, example.lang)
        here = np.flatnonzero(segments == place)
        found = words_of_tokens([offsets[token] for token in here], mine, text)
        word[here] = np.array(found, dtype=np.int64) + len(spans)
        spans.extend(mine)
        owners.extend([place] * len(mine))
    content = (segments >= 0) if part == "all" else segments == PARTS.index(part) - 1
    present = sorted(set(word[content].tolist()))
    renumber = {old: new for new, old in enumerate(present)}
    word = np.array([renumber[old] if keep else -1 for old, keep in zip(word.tolist(), content)], dtype=np.int64)
    types = np.array([*one.type_ids, *(0 for _ in after[0])], dtype=np.int64) if "token_type_ids" in made else None
    return Encoded(
        example=example,
        ids=np.array(ids, dtype=np.int64),
        types=types,
        content=content,
        word=word,
        segment=segments,
        offsets=np.array(offsets, dtype=np.int64).reshape(-1, 2),
        tokens=tuple(tokens),
        words=tuple(example.texts[owners[old]][slice(*spans[old])] for old in present),
        word_offsets=tuple(spans[old] for old in present),
        word_segment=tuple(owners[old] for old in present),
        decoder=len(after[0]),
        part=part,
    )


def _decoder(model: Model, example: Example) -> tuple[list[int], list[Span], list[str], list[int]]:
    """Ids, offsets, tokens and texts of what only a decoder beside an encoder reads."""
    if not model.is_encoder_decoder:
        return [], [], [], []
    start = model.decoder_start
    shown = model.tokenizer.convert_ids_to_tokens(start)
    if model.task != "text2text-generation" or len(example.texts) == 1:
        return [start], [(0, 0)], [shown], [-1]
    begun = model.tokenizer(example.texts[1], add_special_tokens=False).encodings[0]
    return [start, *begun.ids], [(0, 0), *begun.offsets], [shown, *begun.tokens], [-1, *(1 for _ in begun.ids)]


def _refuse_empty(model: Model, row: Encoded) -> None:
    if not row.content.any():
        raise InputError(f"{row.example.id}: the text holds only special tokens; give at least one word")
    unknown = model.tokenizer.unk_token_id
    if unknown is not None and (row.ids[row.content] == unknown).all():
        raise InputError(f"{row.example.id}: every token is unknown to the model's vocabulary; there is nothing to explain")


def model_input(row: Encoded) -> ModelInput:
    """The whole input, in values that are stored with an explanation."""
    return ModelInput(
        ids=tuple(row.ids.tolist()),
        types=None if row.types is None else tuple(row.types.tolist()),
        content=tuple(row.content.tolist()),
        segment=tuple(row.segment.tolist()),
        offsets=tuple((start, end) for start, end in row.offsets.tolist()),
        tokens=row.tokens,
        decoder=row.decoder,
        part=row.part,
        window=row.window,
        truncated_from=row.truncated_from,
    )


def encoded_input(attribution: Attribution) -> Encoded:
    """The input that was explained, with the explanation's own words, from what the explanation keeps and nothing else.

    *Law*: it equals what `encode` gave, array by array, whatever the tokenizer has become since.
    """
    read = attribution.input
    if read is None:
        raise InputError(f"{attribution.id}: the explanation keeps no tokens: it is of a function, not of a transformer")
    word = np.full(len(read.ids), -1, dtype=np.int64)
    word[np.array(read.content, dtype=bool)] = attribution.word_index
    return Encoded(
        example=_example(attribution),
        ids=np.array(read.ids, dtype=np.int64),
        types=None if read.types is None else np.array(read.types, dtype=np.int64),
        content=np.array(read.content, dtype=bool),
        word=word,
        segment=np.array(read.segment, dtype=np.int64),
        offsets=np.array(read.offsets, dtype=np.int64).reshape(-1, 2),
        tokens=read.tokens,
        words=attribution.words,
        word_offsets=attribution.word_offsets,
        word_segment=attribution.word_segment,
        decoder=read.decoder,
        part=read.part,
        window=read.window,
        truncated_from=read.truncated_from,
    )


def _example(attribution: Attribution) -> Example:
    """The example with its gold as the explanation keeps it: marks of a rationale over the words that it has."""
    row = Example(attribution.id, attribution.texts, attribution.lang, attribution.group, attribution.gold)
    if attribution.rationale is None:
        return row
    words: list[list[Span]] = [[] for _ in attribution.texts]
    marks: list[list[bool]] = [[] for _ in attribution.texts]
    for text, span, mark in zip(attribution.word_segment, attribution.word_offsets, attribution.rationale):
        words[text].append(span)
        marks[text].append(mark)
    return replace(row, words=tuple(map(tuple, words)), rationale=tuple(map(tuple, marks)))
