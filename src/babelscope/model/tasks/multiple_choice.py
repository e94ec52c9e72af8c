"""Multiple choice: a context and two or more candidates, each scored with the context; the best is
chosen.

    head                   z_i = w . h(context, candidate_i)
    causal language model  z_i = sum_t log p(candidate_i[t] | context, candidate_i[<t])

The candidates' sequences are concatenated in an input, and its outputs are the z_i. A word of
the context has tokens in every sequence, so that erasing the word erases it everywhere. The
candidates of a language model are what it predicts, not what it reads: they are never
content.

*Laws*: z_i is that of the plain Hugging Face call; it does not depend on the other candidates.
*Left open by the papers*: whether likelihoods are divided by the candidates' lengths; they are not.
A candidate follows its context after a space, where either of them has one. Sources: Roemmele et
al. 2011 (COPA); Ponti et al. 2020 (XCOPA); Brown et al. 2020, section 2.4, for language models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import InputError
from babelscope.model.encode import to_encoded
from babelscope.model.tasks import task_of_class
from babelscope.model.tasks.classification import gold, predicted, read, read_out, right
from babelscope.model.tasks.functions import Arguments, TaskFunctions, Training
from babelscope.model.tokenized import (
    Tokenized,
    from_encoding,
    literal_specials,
    tokenize_alone,
)
from babelscope.types import Candidate, Encoded, Example, Target

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model


def compares_likelihoods(model: Model) -> bool:
    """Whether the model is a causal language model, without a head of its own for the task."""
    row = task_of_class(type(model.hf).__name__)
    return row is not None and row.generates


def inputs(model: Model, example: Example, *, part: str, long: str) -> list[Encoded]:
    if long != "truncate":
        raise InputError(
            f"{example.id}: candidates are compared as wholes; {model.name} cannot read them in "
            "windows"
        )
    continued = compares_likelihoods(model)
    if continued and part == "second":
        raise InputError(
            f"{example.id}: {model.name} predicts the candidates and does not read them; explain "
            "the first text"
        )
    sequences = [
        (_continued if continued else _paired)(model, example, number)
        for number in range(1, len(example.texts))
    ]
    candidates = tuple(
        Candidate(len(each.ids), continuation) for each, continuation, _ in sequences
    )
    row = to_encoded(
        example,
        [each for each, _, _ in sequences],
        part,
        candidates=candidates,
        fixed=1 if continued else None,
    )
    whole = sum(length for _, _, length in sequences)
    return [replace(row, truncated_from=whole) if whole > len(row.ids) else row]


def _paired(model: Model, example: Example, number: int) -> tuple[Tokenized, int, int]:
    """Context and candidate as a pair; the continuation's length, 0; the length without
    truncation.
    """
    pair = example.texts[0], example.texts[number]
    literal = literal_specials(model.tokenizer, pair)
    whole = model.tokenizer(*pair, split_special_tokens=literal, verbose=False)["input_ids"]
    tokenized = model.tokenizer(
        *pair, split_special_tokens=literal, truncation="longest_first", max_length=model.limit,
        return_special_tokens_mask=True,
    )  # fmt: skip
    tokens = from_encoding(model, tokenized.encodings[0], types="token_type_ids" in tokenized)
    segment = tuple(number if text == 1 else text for text in tokens.segment)
    return replace(tokens, segment=segment), 0, len(whole)


def _continued(model: Model, example: Example, number: int) -> tuple[Tokenized, int, int]:
    """The context and then the candidate, as a language model would continue it; the lengths of
    candidate and whole.
    """
    context, candidate = example.texts[0], example.texts[number]
    space = " " if " " in context.strip() + candidate.strip() else ""
    after = tokenize_alone(model, space + candidate, segment=number)
    offsets = tuple(
        (max(0, start - len(space)), max(0, end - len(space))) for start, end in after.offsets
    )
    room = model.limit - len(after.ids)
    literal = literal_specials(model.tokenizer, (context,))
    encoding = model.tokenizer(
        context, split_special_tokens=literal, return_special_tokens_mask=True, verbose=False
    ).encodings[0]
    before = from_encoding(model, encoding, types=False)
    open_end = len(
        np.trim_zeros(1 - np.array(encoding.special_tokens_mask), "b")
    )  # a text that is continued has no end token
    if room < 1:
        raise InputError(
            f"{example.id}: candidate {number} leaves no room for the context; {model.name} reads "
            f"{model.limit}"
        )
    sequence = _first(before, min(open_end, room)).followed_by(replace(after, offsets=offsets))
    return sequence, len(after.ids), open_end + len(after.ids)


def _first(tokens: Tokenized, count: int) -> Tokenized:
    return Tokenized(
        tokens.ids[:count],
        None,
        tokens.offsets[:count],
        tokens.tokens[:count],
        tokens.segment[:count],
    )


def kept(model: Model, batch: Sequence[Query]) -> list[int] | None:
    """The positions before the tokens of a candidate: logits at all of them would be large."""
    if not compares_likelihoods(model) or "logits_to_keep" not in model.accepts:
        return None
    ranges = [
        range(each.tokens - each.continuation - 1, each.tokens - 1)
        for query in batch
        for each in query.candidates
    ]
    return sorted({place for places in ranges for place in places})


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    """One number per candidate."""
    if not compares_likelihoods(model):
        return list(
            torch.split(output.logits.reshape(-1), [len(query.candidates) for query in batch])
        )
    rows = iter(output.logits)
    return [
        torch.stack([_likelihood(next(rows), *each, kept) for each in _continuations(query)])
        for query in batch
    ]


def _continuations(query: Query) -> list[tuple[NDArray[np.int64], int]]:
    """Per candidate the ids of its continuation, and the position of the first."""
    ends = np.cumsum(query.lengths)
    parts = zip(query.candidates, ends)
    return [
        (query.ids[end - each.continuation : end], each.tokens - each.continuation)
        for each, end in parts
    ]


def _likelihood(
    logits: Tensor, ids: NDArray[np.int64], start: int, kept: Sequence[int] | None
) -> Tensor:
    places = range(start - 1, start - 1 + len(ids))
    rows = logits[
        list(places) if kept is None else [kept.index(place) for place in places]
    ].double()
    tokens = torch.from_numpy(ids).to(rows.device)
    return torch.log_softmax(rows, dim=-1).gather(1, tokens[:, None]).sum()


def arguments(model: Model, arguments: Arguments) -> Arguments:
    """A head's class expects [input, candidate, token]: every sequence is given as an input with
    one candidate.
    """
    if compares_likelihoods(model):
        return arguments
    return {
        name: value.unsqueeze(1) if isinstance(value, Tensor) else value
        for name, value in arguments.items()
    }


def plain_call(model: Model, encoded: Encoded) -> Arguments:
    """All candidates in one call, [1, candidate, token] for a head and [candidate, token] for a
    language model.
    """
    lengths = [each.tokens for each in encoded.candidates]
    ends = np.cumsum(lengths)[:-1]
    columns = {"input_ids": encoded.ids, "attention_mask": np.ones_like(encoded.ids)}
    if encoded.types is not None and "token_type_ids" in model.accepts:
        columns["token_type_ids"] = encoded.types
    tables = {}
    for name, values in columns.items():
        rows = [torch.from_numpy(part) for part in np.split(values, ends)]
        tables[name] = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).to(model.device)
    if compares_likelihoods(model):
        return tables
    return {name: table[None] for name, table in tables.items()}


def named(model: Model, encoded: Encoded, label: str, token: int) -> Target:
    """The candidate of that number, from 0, or with that text."""
    candidates = encoded.example.texts[1:]
    if label in candidates:
        return Target(candidates.index(label))
    if not label.isdecimal() or int(label) >= len(candidates):
        raise InputError(
            f"{encoded.example.id}: there is no candidate {label!r}; they count from 0 to "
            f"{len(candidates) - 1}"
        )
    return Target(int(label))


def accuracy(model: Model, answered: Sequence[tuple[Example, str]]) -> dict[str, list[float]]:
    missing = next((example.id for example, _ in answered if example.label is None), None)
    if missing is not None:
        raise InputError(f"{missing}: no label to compare with")
    return {"accuracy": [float(example.label == answer) for example, answer in answered]}


def check_training(train: Sequence[Example], dev: Sequence[Example]) -> list[str]:
    for row in (*train, *dev):
        numbers = [str(number) for number in range(len(row.texts) - 1)]
        if row.label not in numbers or len(numbers) < 2:
            raise InputError(
                f"{row.id}: multiple choice needs a context, two candidates or more, and the right "
                "one's number"
            )
    if len({len(row.texts) for row in (*train, *dev)}) > 1:
        raise InputError(
            "the examples have different numbers of candidates; fine-tuning needs one number"
        )
    return []


def training_rows(
    tokenizer: Any, examples: Sequence[Example], names: Sequence[str], limit: int
) -> list[Arguments]:
    rows = []
    for row in examples:
        contexts = [row.texts[0]] * (len(row.texts) - 1)
        tokenized = tokenizer(
            contexts, list(row.texts[1:]), truncation=True, max_length=limit,
            split_special_tokens=literal_specials(tokenizer, row.texts),
        )  # fmt: skip
        rows.append({**tokenized, "labels": int(str(row.label))})
    return rows


FUNCTIONS = TaskFunctions(
    labels=lambda model: (), classes=lambda model, encoded: len(encoded.candidates), inputs=inputs,
    outputs=outputs, read=read, read_out=read_out, predicted=predicted, gold=gold, named=named,
    name=lambda model, encoded, target: str(target.index), evaluate=accuracy,
    plain_call=plain_call, kept=kept, arguments=arguments, training=Training(
        lambda example: len(example.texts) > 2, check_training, training_rows, right,
        "DataCollatorForMultipleChoice"
    ),
)  # fmt: skip
