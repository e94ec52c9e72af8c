"""From examples to stored explanations."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from babelscope.data.formats.in_memory import Texts, as_examples
from babelscope.data.skipping import describe
from babelscope.display.results import Attributions
from babelscope.errors import BadRow, InputError, SkippedRows
from babelscope.methods import METHODS
from babelscope.methods.apply import apply_method, check_method
from babelscope.methods.attribution import to_attribution
from babelscope.methods.first_pass import Choice, first_pass, late_faults
from babelscope.model import inference, targets
from babelscope.model.encode import encode_readable
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model, as_model
from babelscope.model.scopes import quiet
from babelscope.options import choose, resolve_options
from babelscope.types import (
    Aim,
    Attribution,
    Encoded,
    Example,
    SkippedRow,
)

DEFAULT_METHOD = "integrated_gradients"
TOGETHER = 512
"""Examples that are tokenized and explained together. More of them would fill no batch better; the
memory for their inputs and outputs would grow with the number of texts."""


def explain(
    model: Model | Any,
    data: Texts,
    method: str | Sequence[str] = DEFAULT_METHOD,
    *,
    target: str | Aim | None = None,
    quantity: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    lang: str = "und",
    part: str = "all",
    long: str = "truncate",
    unit: str = "token",
    strict: bool = False,
    progress: Progress | None = None,
) -> Attributions:
    """Which words made the model say that: one explanation per text and method.

    `model` is a loaded model, or what `load` takes: a folder, a hub id, a pipeline, a classifier of
    scikit-learn. `data` is a text, a pair (two texts in a tuple), a row (a mapping by column), an
    Example, a list of these, a table of pandas, polars, Arrow or datasets, whose columns are found
    as in files, or the Path of a file.
    `target` names a class or an answer; "gold" takes each example's label; None, the default,
    explains what the model predicts; an `Aim` also says which word's tag, which edge of an answer,
    and which class is contrasted. The `quantity` is by default the logit, of a verbalizer's labels
    the log-odds. `options` belong to the method. `part` fixes one text of a pair; `long` says what
    happens to texts longer than the model: truncate, window, or for answers best, the window that
    the model answers from. `unit` is what is scored as a whole: token, word, sentence, paragraph,
    text, or units that the data name. Methods that erase then erase whole units; of the others the
    scores of tokens are summed (`units` of the result).

    A text that cannot be explained (blank, with control characters, of unknown tokens only) is
    skipped, listed in `skipped` of the result and named in a SkippedRows warning. With `strict`, or
    where no text is left, it is an error.
    """
    if not method:
        raise InputError("no method is named; give at least one, such as integrated_gradients")
    examples = as_examples(data, lang)
    attributions = explain_readable(
        as_model(model), examples, method, target=target, quantity=quantity, options=options,
        seed=seed, part=part, long=long, unit=unit, progress=progress,
    )  # fmt: skip
    if attributions.skipped:
        if strict or not attributions:
            raise BadRow(attributions.skipped[0])
        message = describe(attributions.skipped, len(examples))
        warnings.warn(message, SkippedRows, stacklevel=2)
    return attributions


def explain_readable(
    model: Model,
    examples: Sequence[Example],
    method: str | Sequence[str],
    *,
    target: str | Aim | None = None,
    quantity: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    part: str = "all",
    long: str = "truncate",
    unit: str = "token",
    progress: Progress | None = None,
) -> Attributions:
    """The same without the warning, and without an error where no text is left.

    *Law*: a text that is skipped changes no number of another one.
    """
    names = [method] if isinstance(method, str) else list(method)
    if len(set(names)) < len(names):
        raise InputError(f"a method is named twice in {', '.join(names)}; name each once")
    rows = [choose(METHODS, name, "method") for name in names]
    if options and len(rows) > 1:
        raise InputError(
            f"options belong to one method, and {len(rows)} are named; explain with each in a call "
            "of its own"
        )
    resolved = [resolve_options(row, options or {}) for row in rows]
    for row in rows:
        check_method(model, row)
    aim = target if isinstance(target, Aim) else Aim(target)
    chosen = [*zip(rows, resolved)]
    by_method: list[list[Attribution]] = [[] for _ in rows]
    skipped: list[SkippedRow] = []
    with quiet(), model.inference.reporting_progress(progress):
        for start in range(0, len(examples), TOGETHER):
            some = examples[start : start + TOGETHER]
            encoded, unread = encode_readable(model, some, part=part, long=long, unit=unit)
            explained, contradicted = _explained(model, encoded, chosen, seed, aim, quantity, long)
            for attributions, new in zip(by_method, explained):
                attributions += new
            skipped += [*unread, *contradicted]
    return Attributions(tuple(chain.from_iterable(by_method)), tuple(skipped))


def _explained(
    model: Model, encoded: Sequence[Encoded], chosen: Sequence[Choice], seed: int, aim: Aim,
    quantity: str | None, long: str,
) -> tuple[list[list[Attribution]], tuple[SkippedRow, ...]]:  # fmt: skip
    """Per method the explanations of some inputs, and the inputs that cannot be explained. What
    was needed for them is not kept.
    """
    with model.inference.caching(only=[inference.query(row).digest() for row in encoded]):
        first = first_pass(model, encoded, chosen, aim, quantity, long)
        by_method = []
        for row, values in chosen if first.encoded else ():
            scores = first.explained.get(row.name) or apply_method(
                model, row, values, seed, first.encoded, first.targets
            )
            parts = zip(first.encoded, first.outputs, first.targets, scores)
            used = seed if row.seeded else 0
            by_method.append([to_attribution(model, row, values, used, *each) for each in parts])
        faults = late_faults(model, first)
    kept = first.without(faults)
    return [[each[at] for at in kept] for each in by_method], (*first.skipped, *faults.values())


def explain_encoded(
    model: Model,
    encoded: Sequence[Encoded],
    method: str,
    *,
    aim: Aim | None = None,
    quantity: str = "logit",
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Attribution]:
    """The explanations of inputs that are tokenized already, such as inputs with erased words.

    *Law*: of what `encode` gives, they are those of `explain`.
    """
    row = choose(METHODS, method, "method")
    values = resolve_options(row, options or {})
    with model.inference.reporting_progress(progress):
        queries = [inference.query(each) for each in encoded]
        with model.inference.caching(only=[each.digest() for each in queries]):
            outputs = inference.outputs(model, queries)
            goals = [
                targets.chosen(model, each, output, aim or Aim(), quantity)
                for each, output in zip(encoded, outputs)
            ]
            explained = apply_method(model, row, values, seed, encoded, goals)
    return [
        to_attribution(model, row, values, seed if row.seeded else 0, *each)
        for each in zip(encoded, outputs, goals, explained)
    ]
