"""Text generation: the next token of a causal language model, a label of a verbalizer, or an
answer.

Labels compete, and the output is a logit for each. An answer is a continuation of the input
(`Encoded.continuations`) without labels, and the output has for each of its tokens the logit, and
that of all other tokens together. A target is then one of its tokens, or the whole answer (-1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from babelscope.errors import InputError
from babelscope.model.continuations import (
    against_the_rest,
    last_place,
    likelihood,
    places,
    read_after,
    sequences,
    token_logits,
)
from babelscope.model.encode import encode_texts
from babelscope.model.forward import query
from babelscope.model.tasks.classification import accuracy, gold, inside, read_out
from babelscope.model.tasks.functions import Arguments, TaskFunctions
from babelscope.model.verbalizer import continuations, label_log_probabilities, label_logits
from babelscope.model.verbalizer import token as token_of
from babelscope.types import Encoded, Example, Target

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model


def labels(model: Model) -> tuple[str, ...]:
    """The verbalizer's labels, else the vocabulary."""
    if model.verbalizer:
        return tuple(model.verbalizer)
    size, known = model.hf.config.get_text_config().vocab_size, len(model.tokenizer)
    tokens = model.tokenizer.convert_ids_to_tokens(list(range(min(size, known))))
    return (*tokens, *(f"<{index}>" for index in range(known, size)))


def inputs(model: Model, example: Example, *, part: str, long: str) -> list[Encoded]:
    """The text in the prompt, or alone."""
    if model.prompt is not None:
        return prompted(model, example, part, long)
    rows = encode_texts(model, example, part=part, long=long, after=None)
    return [replace(row, continuations=continuations(model.verbalizer)) for row in rows]


def prompted(model: Model, example: Example, part: str, long: str) -> list[Encoded]:
    if long != "truncate":
        raise InputError(
            f"{example.id}: a prompt is read as a whole; {model.name} cannot read it in windows"
        )
    encode_prompt = import_module("babelscope.model.prompts").encode_prompt
    return [encode_prompt(model, example, part=part)]


def kept(model: Model, batch: Sequence[Query]) -> list[int] | None:
    """The positions that predict the next token or a continuation: logits at all of them would be
    large.
    """
    if "logits_to_keep" not in model.accepts:
        return None
    ranges = [where for each in batch for _, where in places(each)]
    return sorted(
        {*(last_place(each) for each in batch), *(at for where in ranges for at in where)}
    )


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    """The logits of the next token, or of the labels; of an answer [token, 2]."""
    tables = iter(output.logits)
    return [_output(model, each, [next(tables) for _ in read_after(each)], kept) for each in batch]


def _output(
    model: Model, each: Query, tables: Sequence[Tensor], kept: Sequence[int] | None
) -> Tensor:
    if not each.continuations:
        last = last_place(each)
        return verbalized(model, tables[0][last if kept is None else kept.index(last)])
    rows = zip(token_logits(each, tables, kept), each.continuations)
    if not model.verbalizer:
        ((logits, ids),) = rows
        return against_the_rest(logits, ids)
    words = [likelihood(logits, ids) for logits, ids in rows]
    return calibrated(model, label_log_probabilities(words, model.verbalizer).to("cpu"))


def verbalized(model: Model, logits: Tensor) -> Tensor:
    if not model.verbalizer:
        return logits
    return calibrated(model, label_logits(logits.double().to("cpu"), model.verbalizer))


def calibrated(model: Model, logits: Tensor) -> Tensor:
    """The labels' logits without those of a text without content (see `calibration`)."""
    return logits - torch.tensor(model.prior, dtype=logits.dtype) if model.prior else logits


def is_answer(model: Model, encoded: Encoded) -> bool:
    """Whether an answer is explained, and not the next token or a label."""
    return bool(encoded.continuations) and not model.verbalizer


def classes(model: Model, encoded: Encoded) -> int:
    return 0 if is_answer(model, encoded) else len(model.labels)


def read(output: Tensor, target: Target) -> list[tuple[Tensor, int]]:
    """A label or the next token; of an answer all of its tokens, or one."""
    if output.ndim == 1:
        return [inside(output, target.index)]
    return [(row, 0) for row in (output if target.index < 0 else output[[target.index]])]


def predicted(model: Model, encoded: Encoded, output: Tensor, token: int) -> Target:
    """The best label or next token; of an input with an answer, the whole answer."""
    return Target(-1 if is_answer(model, encoded) else int(output.argmax()))


def named(model: Model, encoded: Encoded, label: str, token: int) -> Target:
    """The label; without a verbalizer the token that the word would be, continuing the text."""
    return Target(model.label_index(label) if model.verbalizer else token_of(model, label), token)


def name(model: Model, encoded: Encoded, target: Target) -> str:
    """The label or the next token; of an answer its text, or a token."""
    if not is_answer(model, encoded):
        return model.labels[target.index]
    (ids,) = encoded.continuations
    chosen = list(ids) if target.index < 0 else [ids[target.index]]
    return str(model.tokenizer.decode(chosen))


def quantity(model: Model, encoded: Encoded) -> str:
    """The log-odds of a label against the others; the log-probability of an answer; the logit of a
    next token.
    """
    if model.verbalizer:
        return "log_odds"
    return "log_probability" if encoded.continuations else "logit"


def plain_call(model: Model, encoded: Encoded) -> Arguments:
    """All sequences in one call, padded on the right."""
    rows = [torch.from_numpy(each.ids) for each in sequences([query(encoded)])]
    pad = torch.nn.utils.rnn.pad_sequence
    masks = pad([torch.ones_like(row) for row in rows], batch_first=True)
    ids = pad(rows, batch_first=True)
    return {"input_ids": ids.to(model.device), "attention_mask": masks.to(model.device)}


FUNCTIONS = TaskFunctions(
    labels=labels, classes=classes, inputs=inputs, outputs=outputs, read=read, read_out=read_out,
    predicted=predicted, gold=gold, named=named, name=name, evaluate=accuracy,
    plain_call=plain_call, kept=kept, quantity=quantity,
)  # fmt: skip
