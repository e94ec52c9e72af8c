"""From examples to token ids, with the word and the characters of each token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.data.segmentation import segment, words_of_tokens
from babelscope.data.skipping import skipped_row
from babelscope.data.texts import check_text
from babelscope.errors import BadRow, InputError
from babelscope.model.slow_tokenizers import is_slow, slow_encodings
from babelscope.model.tokenized import Tokenized, from_encoding, literal_specials
from babelscope.model.transformer import Model
from babelscope.model.units import with_units
from babelscope.types import (
    Candidate,
    Encoded,
    Example,
    SkippedRow,
    Span,
    TokenlessWord,
    Window,
)

PARTS = ("all", "first", "second")
"""Which texts are attributed and erased: all, the first, or what follows it; the others stay
fixed.
"""
LONG = ("truncate", "window", "best")
"""What happens to a text that is longer than the model: truncated with a flag, explained window by
window, or in the window whose answer the model prefers.
"""
COUNTS = {1: "one text", 2: "two texts"}


def encode(
    model: Model,
    examples: Sequence[Example],
    *,
    part: str = "all",
    long: str = "truncate",
    task: bool = True,
) -> list[Encoded]:
    """Each example as the tokenizer gives it to the model, with content tokens, words and offsets.

    A text that is longer than the model reads is truncated (with a flag that says how much) or
    split into overlapping windows, each of which becomes an input of its own under the id `id#1`,
    `id#2`, ...
    Without `task` an example may have one text or two, whatever the model's task reads: hidden
    states and attention exist in any model.

    The tokens of an encoder-decoder are followed by those that only its decoder reads: its start
    token, which is never content, and for text-to-text models the second text, the beginning of
    the answer.

    *Laws*: ids are the tokenizer's own; special tokens are never content; the tokens of a word
    overlap its characters; a text that spells the padding or the mask token is read as text; words
    that share a token with another one are listed with their place (`tokenless`) and counted in a
    flag.

    The first text that the model cannot read raises BadRow; `encode_readable` skips such texts.
    """
    for name, value, known in (("part", part, PARTS), ("long", long, LONG)):
        if value not in known:
            raise InputError(f"{name} {value!r} is not one of: {', '.join(known)}")
    encoded = []
    for example in examples:
        _check_texts(model, example, part, task)
        inputs = model.functions.inputs if task else encode_texts
        encoded += inputs(model, example, part=part, long=long)
    for row in encoded:
        _refuse_empty(model, row)
    return encoded


def encode_readable(
    model: Model,
    examples: Sequence[Example],
    *,
    part: str = "all",
    long: str = "truncate",
    task: bool = True,
    unit: str = "token",
) -> tuple[list[Encoded], tuple[SkippedRow, ...]]:
    """The examples that the model can read, as `encode` gives them, in these units, and the others.

    *Law*: what is skipped changes nothing about the others.
    """
    encoded: list[Encoded] = []
    skipped: list[SkippedRow] = []
    for example in examples:
        try:
            rows = encode(model, [example], part=part, long=long, task=task)
            encoded += [with_units(row, unit) for row in rows]
        except BadRow as error:
            skipped.append(replace(error.row, model=model.name))
    return encoded, tuple(skipped)


def readable(
    model: Model, examples: Sequence[Example], *, task: bool = True
) -> tuple[list[Example], tuple[SkippedRow, ...]]:
    """The examples that the model can read, and the others with the reason."""
    _, skipped = encode_readable(model, examples, task=task)
    unread = {(row.id, row.lang) for row in skipped}
    return [row for row in examples if (row.id, row.lang) not in unread], skipped


def _check_texts(model: Model, example: Example, part: str, task: bool) -> None:
    count, row = len(example.texts), model.row
    required = model.texts if task else None
    fewest, most = (row.fewest, row.most) if task else (1, 2)
    if required is not None:
        fewest, most = required, required
    if count != (required or count) or not fewest <= count <= (most or count):
        takes = COUNTS.get(required or most or 0, f"at least {fewest} texts")
        detail = f"{model.name} ({model.task}) reads {takes}, {count} given"
        raise BadRow(skipped_row(example, "texts", detail))
    if part == "second" and count == 1:
        raise BadRow(skipped_row(example, "texts", "part 'second' needs a pair, one text given"))
    check_text(example)


def encode_texts(
    model: Model,
    example: Example,
    *,
    part: str,
    long: str,
    only_second: bool = False,
    count: int = 2,
    after: Tokenized | None = None,
) -> list[Encoded]:
    """The first `count` texts of the example in one sequence, and what a decoder reads `after`
    them.

    Of two texts that are too long together only the second is truncated, with `only_second` or in
    windows."""
    read = example.texts[:count]
    strategy = (
        "only_second" if len(read) == 2 and (only_second or long != "truncate") else "longest_first"
    )
    whole, encodings, types = _tokenize(model, example, read, strategy, split=long != "truncate")
    rows = []
    for number, encoding in enumerate(encodings, 1):
        tokens = from_encoding(model, encoding, types=types)
        row = to_encoded(example, [tokens if after is None else tokens.followed_by(after)], part)
        row = replace(row, decoder=0 if after is None else len(after.ids))
        if len(encodings) > 1:
            window = Window(number, len(encodings), example.id)
            row = replace(row, example=replace(example, id=f"{example.id}#{number}"), window=window)
        elif whole > len(encoding.ids):
            row = replace(row, truncated_from=whole)
        rows.append(row)
    return rows


def _tokenize(
    model: Model, example: Example, read: Sequence[str], strategy: Any, *, split: bool
) -> tuple[int, list[Any], bool]:
    """The number of tokens without truncation; the truncated sequence, or its windows; whether
    tokens have types.
    """
    overlap = (
        {"return_overflowing_tokens": True, "stride": max(0, model.limit // 8)} if split else {}
    )
    literal = literal_specials(model.tokenizer, read)
    try:
        if is_slow(model.tokenizer):
            return slow_encodings(
                model.tokenizer, read, limit=model.limit, strategy=strategy,
                stride=overlap.get("stride"), literal=literal,
            )  # fmt: skip
        whole = tokenized = model.tokenizer(
            *read, split_special_tokens=literal, verbose=False, return_special_tokens_mask=True
        )
        if len(whole["input_ids"]) > model.limit:
            tokenized = model.tokenizer(
                *read,
                split_special_tokens=literal,
                truncation=strategy,
                max_length=model.limit,
                return_special_tokens_mask=True,
                **overlap,
            )
    except Exception as error:
        # The tokenizers library raises bare exceptions when the fixed text alone is too long
        detail = f"the tokenizer refused it ({error})"
        raise BadRow(skipped_row(example, "tokenizer", detail)) from error
    return len(whole["input_ids"]), list(tokenized.encodings), "token_type_ids" in tokenized


def to_encoded(
    example: Example,
    sequences: Sequence[Tokenized],
    part: str,
    *,
    candidates: tuple[Candidate, ...] = (),
    fixed: int | None = None,
) -> Encoded:
    """The concatenated sequences, with the words of their texts; texts from number `fixed`
    on are never content.
    """
    whole = sequences[0]
    for sequence in sequences[1:]:
        whole = whole.followed_by(sequence)
    segments = np.array(whole.segment, dtype=np.int64)
    content = _content(segments, part) & (
        segments < (len(example.texts) if fixed is None else fixed)
    )
    spans = [
        example.words[at] if example.words else segment(text, example.lang)
        for at, text in enumerate(example.texts)
    ]
    word = np.concatenate([_words(example, sequence, spans) for sequence in sequences])
    present = sorted(set(word[content].tolist()))
    renumber = {old: new for new, old in enumerate(present)}
    listed = [(text, span) for text, each in enumerate(spans) for span in each]
    offsets = np.array(whole.offsets, dtype=np.int64).reshape(-1, 2)
    row = Encoded(
        example=example,
        ids=np.array(whole.ids, dtype=np.int64),
        types=None if whole.types is None else np.array(whole.types, dtype=np.int64),
        content=content,
        word=np.array(
            [renumber[old] if keep else -1 for old, keep in zip(word.tolist(), content)],
            dtype=np.int64,
        ),
        segment=segments,
        offsets=offsets,
        tokens=whole.tokens,
        words=tuple(example.texts[listed[old][0]][slice(*listed[old][1])] for old in present),
        word_offsets=tuple(listed[old][1] for old in present),
        word_segment=tuple(listed[old][0] for old in present),
        part=part,
        candidates=candidates,
    )
    missing = [listed[old] for old in sorted(set(range(len(listed))) - set(present))]
    return replace(row, tokenless=tuple(_tokenless(row, missing)))


def _tokenless(row: Encoded, missing: Sequence[tuple[int, Span]]) -> Iterator[TokenlessWord]:
    """Those of the missing words that a content token overlaps; the others were truncated or
    are fixed."""
    starts, ends = row.offsets.T
    for text, (start, end) in missing:
        inside = row.content & (row.segment == text) & (starts < end) & (ends > start)
        if inside.any():
            token = int(inside.argmax())
            owner = row.words[row.word[token]]
            word = row.example.texts[text][start:end]
            yield TokenlessWord(word, text, start, end, row.tokens[token], owner)


def _content(segments: NDArray[np.int64], part: str) -> NDArray[np.bool_]:
    if part == "all":
        return segments >= 0
    return segments == 0 if part == "first" else segments > 0


def _words(
    example: Example, sequence: Tokenized, spans: Sequence[Sequence[Span]]
) -> NDArray[np.int64]:
    """Per token of a sequence the word that it is in, counted over all texts; -1 for special
    tokens.
    """
    segments = np.array(sequence.segment, dtype=np.int64)
    word = np.full(len(segments), -1, dtype=np.int64)
    first = 0
    for place, (text, words) in enumerate(zip(example.texts, spans)):
        here = np.flatnonzero(segments == place)
        owners = words_of_tokens([sequence.offsets[token] for token in here], words, text)
        word[here] = np.array(owners, dtype=np.int64) + first
        first += len(words)
    return word


def _refuse_empty(model: Model, row: Encoded) -> None:
    if not row.content.any():
        detail = "the text holds only special tokens; give at least one word"
        raise BadRow(skipped_row(row.example, "special", detail))
    unknown = getattr(model.tokenizer, "unk_token_id", None)  # a function has no tokenizer
    if unknown is not None and (row.ids[row.content] == unknown).all():
        detail = "every token is unknown to the model's vocabulary; there is nothing to explain"
        raise BadRow(skipped_row(row.example, "unknown", detail))
