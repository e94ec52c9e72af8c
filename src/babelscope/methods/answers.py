"""Answers of language models, explained as a whole and token by token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from babelscope.data.formats.in_memory import Texts, as_examples
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.methods.apply import apply_method, check_method
from babelscope.methods.attribution import to_attribution
from babelscope.model import inference
from babelscope.model.answers import with_answer, with_generated
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.options import choose, resolve_options
from babelscope.types import AnswerExplanation, Encoded, Target

WHOLE = -1
"""The target that is a whole answer (see `model.tasks.generation`)."""


def explain_answers(
    model: Model,
    data: Texts,
    method: str = "integrated_gradients",
    *,
    answers: Sequence[str] | None = None,
    tokens: int = 32,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    lang: str = "und",
) -> list[AnswerExplanation]:
    """Which words of a text made a language model answer that, token by token.

        model = babelscope.load("your-name/your-chat-model", prompt=Prompt(chat=True))
        (answer,) = explain_answers(model, "Where is the Louvre?", "occlusion")

    `answers` are explained instead of the model's own (greedy, at most `tokens` tokens), exactly as
    they are written.

        whole         a of  sum_t log p(y_t | x, y_<t)
        by_token[t]   a of  log p(y_t | x, y_<t)

    *Laws*: the whole's value is the sum of the tokens' values; where the method is complete, each
    row sums to the token's value less that at the reference, and the rows sum to the whole.
    """
    if not model.generates:
        raise InputError(f"{model.name} ({model.task}) generates no answers; explain its classes")
    row = choose(METHODS, method, "method")
    check_method(model, row)
    values = resolve_options(row, options or {})
    examples = as_examples(data, lang)
    if answers is not None and len(answers) != len(examples):
        raise InputError(f"{len(answers)} answers for {len(examples)} texts; give one for each")
    inputs = encode(model, examples)
    inputs = [
        with_generated(model, each, tokens) if answers is None else with_answer(model, each, answer)
        for each, answer in zip(inputs, answers or [""] * len(inputs))
    ]
    pairs = [(each, target) for each in inputs for target in _targets(each)]
    rows, targets = [each for each, _ in pairs], [target for _, target in pairs]
    outputs = inference.outputs(model, [inference.query(each) for each in rows])
    explained = apply_method(model, row, values, seed, rows, targets)
    rest = iter(zip(rows, outputs, targets, explained))
    keyed = seed if row.seeded else 0
    return [_explanation(model, each, [to_attribution(model, row, values, keyed, *next(rest))
                                       for _ in _targets(each)])
            for each in inputs]  # fmt: skip


def _targets(row: Encoded) -> list[Target]:
    """The whole answer, and each of its tokens."""
    (ids,) = row.continuations
    return [Target(at, quantity="log_probability") for at in range(WHOLE, len(ids))]


def _explanation(model: Model, row: Encoded, attributions: Sequence[Any]) -> AnswerExplanation:
    (ids,) = row.continuations
    tokens = tuple(str(model.tokenizer.decode([token])) for token in ids)
    return AnswerExplanation(tokens, attributions[0], tuple(attributions[1:]))
