"""From examples to stored explanations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from babelscope.data.formats.in_memory import Texts, as_examples
from babelscope.data.skipping import describe, skipped_row
from babelscope.display.results import Attributions
from babelscope.errors import BadRow, InputError, SkippedRows, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.row import (
    Method,
)
from babelscope.model import inference, targets
from babelscope.model.encode import encode_readable
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model, as_model
from babelscope.model.stored_input import model_input
from babelscope.model.units import aggregated, players
from babelscope.model.windows import best_windows
from babelscope.options import choose, resolve_options
from babelscope.types import (
    Aim,
    Attribution,
    Encoded,
    Example,
    Explained,
    ScoredUnits,
    SkippedRow,
    Target,
)

OWN_TOLERANCE = 1e-4
"""How far the explained probability may be from the one of the model's own call."""
HALF_TOLERANCE = 2e-2
"""The same in half precision, where a batch and a single text round differently."""


def explain(
    model: Model | Any,
    data: Texts,
    method: str | Sequence[str] = "integrated_gradients",
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

    `model` is a loaded model, or what `load` takes: a folder, a hub id, a pipeline. `data` is a
    text, a pair (two texts in a tuple), a row (a mapping by column), an Example, a list of these, a
    table of pandas, polars, Arrow or datasets, whose columns are found as in files, or the Path of
    a file.
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
    attributions: list[Attribution] = []
    with model.inference.reporting_progress(progress):
        inputs = _inputs(model, examples, aim, quantity, part, long, unit)
        encoded, outputs, aims = inputs.encoded, inputs.outputs, inputs.aims
        for row, values in zip(rows, resolved) if encoded else ():
            explained = apply_method(model, row, values, seed, encoded, aims)
            attributions += [
                to_attribution(model, row, values, seed if row.seeded else 0, *each)
                for each in zip(encoded, outputs, aims, explained)
            ]
    return Attributions(tuple(attributions), inputs.skipped)


def check_method(model: Model, row: Method) -> None:
    """Refuses a method that needs what the model does not have."""
    if row.attentions and model.unseen_attention:
        raise UnsupportedModel(
            f"{row.name} reads attention weights, but {model.unseen_attention}; use another method"
        )
    if row.gradients and model.row.reads_text:
        raise UnsupportedModel(
            f"{row.name} needs gradients, but {model.name} is a function of texts; use an "
            "erasure method such as occlusion"
        )
    if row.precise and model.quantized:
        raise UnsupportedModel(
            f"{row.name} needs {row.precise} weights, and those of {model.name} are quantized; "
            "load it without quantization, or use another method"
        )


class _Inputs(NamedTuple):
    """What is explained: inputs, the model's outputs for them, and their targets."""

    encoded: list[Encoded]
    outputs: list[torch.Tensor]
    aims: list[Target]
    skipped: tuple[SkippedRow, ...]


def _inputs(
    model: Model, examples: Sequence[Example], aim: Aim, quantity: str | None, part: str,
    long: str, unit: str,
) -> _Inputs:  # fmt: skip
    """The inputs that can be explained, and the examples that cannot."""
    encoded, skipped = encode_readable(model, examples, part=part, long=long, unit=unit)
    outputs = inference.outputs(model, [inference.query(row) for row in encoded]) if encoded else []
    if long == "best":
        chosen = best_windows(model, encoded, outputs, aim)
        encoded, outputs = [encoded[at] for at in chosen], [outputs[at] for at in chosen]
    faults: dict[str, SkippedRow] = {}
    aims: list[Target | None] = []
    for row, output, fault in zip(encoded, outputs, contradictions(model, encoded, outputs)):
        goal, wrong = _goal(model, row, output, aim, quantity)
        aims.append(goal)
        if (skip := wrong or fault) is not None:
            faults.setdefault(_whole(row), replace(skip, model=model.name))
    kept = [at for at, row in enumerate(encoded) if _whole(row) not in faults]
    return _Inputs(
        [encoded[at] for at in kept],
        [outputs[at] for at in kept],
        [goal for at in kept if (goal := aims[at]) is not None],
        (*skipped, *faults.values()),
    )


def _whole(row: Encoded) -> str:
    """The id of the example, also of a window of it."""
    return row.example.id if row.window is None else row.window.of


def _goal(
    model: Model, row: Encoded, output: torch.Tensor, aim: Aim, quantity: str | None
) -> tuple[Target | None, SkippedRow | None]:
    """What is explained in an input; a gold label that is missing or unknown to the model is a
    fault of its row.
    """
    if aim.name != "gold":
        return targets.chosen(model, row, output, aim, quantity), None
    example = replace(row.example, id=_whole(row))
    try:
        return targets.chosen(model, row, output, aim, quantity), None
    except InputError as error:
        reason = "unlabelled" if example.label is None else "label"
        return None, skipped_row(example, reason, str(error).removeprefix(f"{row.example.id}: "))


def apply_method(
    model: Model, method: Method, options: Mapping[str, Any], seed: int,
    encoded: Sequence[Encoded], explained: Sequence[Target],
) -> list[Explained]:  # fmt: skip
    """The method's scores, in the precision that it needs."""
    seeded = {"seed": seed} if method.seeded else {}
    with ready(model, method) as upcast:
        results = list(method.function(model, encoded, explained, **options, **seeded))
    return (
        [replace(each, flags=(*each.flags, f"computed in {method.precise}")) for each in results]
        if upcast
        else results
    )


@contextmanager
def ready(model: Model, method: Method) -> Iterator[bool]:
    """Within, gradients are computed, also where the caller has switched them off, and the model is
    in the precision that the method needs; whether it was in half."""
    precision = (
        model.full_precision(getattr(torch, method.precise))
        if method.precise
        else nullcontext(False)
    )
    with torch.inference_mode(False), torch.enable_grad(), precision as upcast:
        yield upcast


def contradictions(
    model: Model, encoded: Sequence[Encoded], outputs: Sequence[torch.Tensor]
) -> list[SkippedRow | None]:
    """The inputs whose explained output is not the model's own: the plain Hugging Face call on the
    tokenizer's ids gives another one.

    The plain call derives positions and masks itself, one text at a time, so that an error of ours
    cannot hide in it.
    """
    rows: list[SkippedRow | None] = []
    with model.inference_mode(padding_id=-1), torch.no_grad():
        for row, output in zip(encoded, outputs):
            answer = model.hf(**model.functions.plain_call(model, row))
            (again,) = model.functions.outputs(model, answer, [inference.query(row)], None)
            differs = _repeated if model.row.reads_text else _plain
            detail = differs(model, row, output, again.double().to("cpu"))
            example = replace(row.example, id=_whole(row))
            rows.append(skipped_row(example, "contradicted", detail) if detail else None)
    return rows


def _plain(model: Model, row: Encoded, output: torch.Tensor, again: torch.Tensor) -> str:
    """How the explained probability differs from that of the plain call; empty if it does not."""
    target = targets.predicted(model, row, output)
    what, of = ("value", targets.value) if model.activation == "none" else (
        "probability", targets.probability)  # fmt: skip
    first, second = (float(of(model, each, target)) for each in (output, again))
    gap, scale = abs(first - second), max(1.0, abs(first)) if what == "value" else 1.0
    if gap <= scale * (HALF_TOLERANCE if model.in_half else OWN_TOLERANCE):
        return ""
    return (
        f"the explained {what} differs by {gap:.2g} from that of {type(model.hf).__name__} "
        "itself; this architecture reads its input in a way that is not understood here: please "
        "report it"
    )


def _repeated(model: Model, row: Encoded, output: torch.Tensor, again: torch.Tensor) -> str:
    """How a function's answer to the text alone differs from that in a batch; endpoints round a
    little differently.
    """
    target = targets.predicted(model, row, output)
    of = targets.value if model.activation == "none" else targets.probability
    first, second = (float(of(model, each, target)) for each in (output, again))
    if abs(first - second) <= HALF_TOLERANCE * max(1.0, abs(first)):
        return ""
    return (
        f"{model.name} answers {first:.4g} and then {second:.4g} to the same text; make it "
        "deterministic (temperature 0, dropout off)"
    )


def word_scores(row: Encoded, scores: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    """A word's score: the sum (or maximum) of its tokens' scores; undefined if one of them is."""
    return aggregated(row.word[row.content], len(row.words), scores, how)


def _units(row: Encoded, scores: NDArray[np.float64], how: str) -> ScoredUnits | None:
    """The scores of the units, where these are not tokens."""
    if row.units is None:
        return None
    owner = players(row)
    values = aggregated(owner, len(row.units.texts), scores, how)
    return ScoredUnits(
        row.units.name,
        tuple(owner.tolist()),
        row.units.texts,
        row.units.offsets,
        row.units.segment,
        tuple(float(score) if isfinite(score) else nan for score in values),
    )


def to_attribution(
    model: Model, method: Method, options: Mapping[str, Any], seed: int,
    row: Encoded, output: torch.Tensor, target: Target, explained: Explained,
) -> Attribution:  # fmt: skip
    scores = np.asarray(explained.scores, dtype=np.float64)
    words = word_scores(row, scores, method.words)
    content = np.flatnonzero(row.content)
    lost = int((~np.isfinite(scores)).sum())
    constant = len(scores) > 1 and lost == 0 and np.ptp(scores) == 0
    flags = row.flags + explained.flags + (("all scores are equal",) if constant else ())
    word = int(row.word[target.end]) if model.row.tags else None
    if word is not None:
        flags = (f"the tag of word {word}, {row.words[word]!r}", *flags)
    return Attribution(
        id=row.example.id,
        group=row.example.group,
        lang=row.example.lang,
        method=method.name,
        options=dict(options),
        seed=seed,
        model=model.name,
        texts=row.example.texts,
        target=targets.name(model, row, target),
        quantity=target.quantity,
        label=targets.name(model, row, targets.predicted(model, row, output, token=target.end)),
        gold=row.example.label,
        probability=targets.probability(model, output, target),
        value=float(targets.value(model, output, target)),
        reference_value=explained.reference_value,
        tokens=tuple(row.tokens[token] for token in content),
        offsets=tuple(
            (int(row.offsets[token][0]), int(row.offsets[token][1])) for token in content
        ),
        segment=tuple(int(row.segment[token]) for token in content),
        word_index=tuple(int(row.word[token]) for token in content),
        words=row.words,
        word_offsets=row.word_offsets,
        word_segment=row.word_segment,
        scores=tuple(float(score) if isfinite(score) else nan for score in scores),
        word_scores=tuple(float(score) if isfinite(score) else nan for score in words),
        flags=flags,
        target_index=target.index,
        target_end=target.end,
        details={
            **explained.details,
            **(
                {"tokenless_words": [asdict(word) for word in row.tokenless]}
                if row.tokenless
                else {}
            ),
        },
        rationale=_rationale(row),
        contrast=None
        if target.contrast < 0
        else targets.name(model, row, replace(target, index=target.contrast)),
        contrast_index=target.contrast,
        tagged_word=word,
        input=model_input(row),
        signature=model.signature,
        units=_units(row, scores, method.words),
    )


def _rationale(row: Encoded) -> tuple[bool, ...] | None:
    """The gold marks of the words that are explained."""
    example = row.example
    if example.rationale is None or example.words is None:
        return None
    marked = [dict(zip(spans, marks)) for spans, marks in zip(example.words, example.rationale)]
    return tuple(
        marked[text].get(span, False) for text, span in zip(row.word_segment, row.word_offsets)
    )


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
        outputs = inference.outputs(model, [inference.query(each) for each in encoded])
        goals = [
            targets.chosen(model, each, output, aim or Aim(), quantity)
            for each, output in zip(encoded, outputs)
        ]
        explained = apply_method(model, row, values, seed, encoded, goals)
    return [
        to_attribution(model, row, values, seed if row.seeded else 0, *each)
        for each in zip(encoded, outputs, goals, explained)
    ]
