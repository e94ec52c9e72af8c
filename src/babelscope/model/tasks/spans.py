"""Extractive question answering: an answer is a span of the context, from its first to its last
token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import InputError, Undefined
from babelscope.model.encode import encode_texts
from babelscope.model.slow_tokenizers import is_slow
from babelscope.model.tasks.classification import gold_label, inside, plain_call
from babelscope.model.tasks.functions import Arguments, TaskFunctions, Training
from babelscope.model.tokenized import decoder_start, literal_specials
from babelscope.stats.answers import answer_f1, answer_words
from babelscope.types import Encoded, Example, Span, Target

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model

LONGEST = 30
"""Tokens of a predicted answer, at most, as in BERT's scripts for SQuAD."""


def inputs(model: Model, example: Example, *, part: str, long: str) -> list[Encoded]:
    """Of a long input only the context is truncated."""
    return encode_texts(
        model, example, part=part, long=long, only_second=True, after=decoder_start(model)
    )


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    """Start and end logits, [2, token]."""
    counts = [len(each.ids) - each.decoder for each in batch]
    both = enumerate(counts)
    return [
        torch.stack((output.start_logits[row, :count], output.end_logits[row, :count]))
        for row, count in both
    ]


def read(output: Tensor, target: Target) -> list[tuple[Tensor, int]]:
    places = [
        (output[side], place)
        for side, place in enumerate((target.index, target.end))
        if place != -1
    ]
    if not places:
        raise Undefined("the target names neither the start nor the end of an answer")
    return [inside(row, place) for row, place in places]


def read_out(model: Model, target: Target) -> tuple[int, ...]:
    """The answer's ends."""
    return tuple(place for place in (target.index, target.end) if place >= 0)


def predicted(model: Model, encoded: Encoded, output: Tensor, token: int) -> Target:
    """The span of the context with the highest sum of logits, start <= end < start + LONGEST."""
    width = output.shape[1]
    context = torch.from_numpy(encoded.segment == encoded.segment.max())[:width]
    within = torch.where(context, 0.0, -torch.inf)
    pairs = (output[0] + within)[:, None] + (output[1] + within)[None, :]
    forwards = torch.ones_like(pairs, dtype=torch.bool).triu()
    allowed = forwards & ~forwards.triu(LONGEST)
    best = int(pairs.masked_fill(~allowed, -torch.inf).argmax())
    return Target(best // width, best % width)


def gold(model: Model, encoded: Encoded, token: int) -> Target:
    """The answer where the example says that it is, not where its text first occurs."""
    if encoded.example.answer is not None:
        return _span(encoded, encoded.example.answer)
    return named(model, encoded, gold_label(encoded.example), token)


def named(model: Model, encoded: Encoded, label: str, token: int) -> Target:
    """The first span of tokens with that answer's text in the context."""
    start = encoded.example.texts[-1].find(label)
    if start < 0 or not label:
        raise InputError(
            f"{encoded.example.id}: the answer {label!r} does not occur in the context"
        )
    return _span(encoded, (start, start + len(label)))


def name(model: Model, encoded: Encoded, target: Target) -> str:
    """The answer's text; of a single edge, its token's."""
    edges = [edge for edge in (target.index, target.end) if edge >= 0]
    return encoded.example.texts[-1][encoded.offsets[edges[0]][0] : encoded.offsets[edges[-1]][1]]


def _span(encoded: Encoded, answer: Span) -> Target:
    """The tokens of the context that overlap the answer's characters."""
    start, end = answer
    context = np.flatnonzero(encoded.segment == encoded.segment.max())
    tokens = [
        int(at) for at in context if encoded.offsets[at][0] < end and encoded.offsets[at][1] > start
    ]
    if not tokens:
        text = encoded.example.texts[-1][start:end]
        raise InputError(
            f"{encoded.example.id}: the answer {text!r} was truncated; explain it in windows"
        )
    return Target(tokens[0], tokens[-1])


def evaluate(model: Model, answered: Sequence[tuple[Example, str]]) -> dict[str, list[float]]:
    """Exact match, and F1 over words, both after SQuAD's normalisation; of several gold answers the
    best of each.
    """
    exact, overlap = [], []
    for example, answer in answered:
        if example.answer is None:
            raise InputError(f"{example.id}: no answer to compare with")
        golds = dict.fromkeys((example.texts[-1][slice(*example.answer)], *example.answers))
        words = answer_words(answer, example.lang)
        expected = [answer_words(text, example.lang) for text in golds]
        exact.append(max(float(words == each) for each in expected))
        overlap.append(max(answer_f1(words, each) for each in expected))
    return {"exact_match": exact, "f1": overlap}


def check_training(train: Sequence[Example], dev: Sequence[Example]) -> list[str]:
    unanswered = next(
        (row.id for row in (*train, *dev) if row.answer is None or len(row.texts) != 2), None
    )
    if unanswered is not None:
        raise InputError(
            f"{unanswered}: question answering needs a question, a context and an answer in it"
        )
    return []


def training_rows(
    tokenizer: Any, examples: Sequence[Example], names: Sequence[str], limit: int
) -> list[Arguments]:
    """One row for each example, or for each of the overlapping windows of a long context."""
    if is_slow(tokenizer):
        raise InputError(
            f"{type(tokenizer).__name__} is written in Python and gives no character offsets; "
            "question answering is fine-tuned with a tokenizer of the tokenizers library"
        )
    rows = []
    for example in examples:
        windows = tokenizer(
            *example.texts, truncation="only_second", max_length=limit,
            split_special_tokens=literal_specials(tokenizer, example.texts),
            stride=limit // OVERLAP, return_overflowing_tokens=True, return_offsets_mapping=True,
        )  # fmt: skip
        del windows["overflow_to_sample_mapping"]
        for at, offsets in enumerate(windows.pop("offset_mapping")):
            start, end = _answer(example, offsets, windows.sequence_ids(at))
            fields = {field: windows[field][at] for field in windows}
            rows.append(fields | {"start_positions": start, "end_positions": end})
    return rows


OVERLAP = 8
"""Windows of a long context share one in so many of their tokens, as in explanations."""


def _answer(
    example: Example, offsets: Sequence[Span], segments: Sequence[int | None]
) -> tuple[int, int]:
    """The first and last token of the answer; the first token of all if this window does not hold
    the whole of it, as in SQuAD.
    """
    assert example.answer is not None
    start, end = example.answer
    context = [at for at, segment in enumerate(segments) if segment == 1]
    inside = [at for at in context if offsets[at][0] < end and offsets[at][1] > start]
    if not inside or offsets[context[-1]][1] < end or offsets[context[0]][0] > start:
        return 0, 0
    return inside[0], inside[-1]


def right(logits: Any, gold_positions: Any) -> NDArray[np.bool_]:
    """Whether the first and the last token of the answer are right."""
    edges = [np.argmax(side, axis=-1) == places for side, places in zip(logits[:2], gold_positions)]
    agree: NDArray[np.bool_] = edges[0] & edges[1]
    return agree


FUNCTIONS = TaskFunctions(
    labels=lambda model: (), classes=lambda model, encoded: 0, inputs=inputs, outputs=outputs,
    read=read, read_out=read_out, predicted=predicted, gold=gold, named=named, name=name,
    evaluate=evaluate, plain_call=plain_call,
    training=Training(lambda example: example.answer is not None, check_training, training_rows,
                      right),
)  # fmt: skip
