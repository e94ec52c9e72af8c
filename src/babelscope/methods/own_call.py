"""Whether what is explained is what the model says itself, in its plain call on the same ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from babelscope.data.skipping import skipped_row
from babelscope.model import inference, targets
from babelscope.model.batches import FULL, LOGITS, batch_cost, pack
from babelscope.model.forward import Query
from babelscope.model.load import Model
from babelscope.model.output_layer import in_float32, label_tokens
from babelscope.model.plain import (
    HALF_TOLERANCE,
    OWN_TOLERANCE,
    has_plain_batches,
    plain_forward,
)
from babelscope.types import Encoded, SkippedRow


def example_id(row: Encoded) -> str:
    """The id of the example, also of a window of it."""
    return row.example.id if row.window is None else row.window.of


def contradictions(
    model: Model, encoded: Sequence[Encoded], outputs: Sequence[torch.Tensor], *, own: bool = False
) -> list[SkippedRow | None]:
    """The inputs whose explained output is not the model's own: the plain Hugging Face call on the
    tokenizer's ids gives another one.

    The plain call derives positions and masks itself, so that an error of ours cannot hide in it.
    It reads batches: padded ones, or where the model's own call reads none, inputs of the same
    shape together. `own` says that the outputs are of such a call already (`own_outputs`). Then
    the input with the most padding is read alone. Where that contradicts its batch, and in half
    precision, where rounding differs from text to text, every input is.
    """
    queries = [inference.query(row) for row in encoded]
    with (
        model.inference_mode(padding_id=-1),
        in_float32(model.hf, label_tokens(model)),
        torch.no_grad(),
    ):
        again = {} if own or model.in_half else _in_batches(model, encoded, queries)
        faults = {row: _fault(model, encoded[row], outputs[row], it) for row, it in again.items()}
        alone = range(len(encoded)) if model.in_half else _most_padded(model, queries)
        single = {row: _alone(model, encoded[row], outputs[row]) for row in alone}
        if any(single.values()):
            left = [row for row in range(len(encoded)) if row not in single]
            single |= {row: _alone(model, encoded[row], outputs[row]) for row in left}
    faults |= {row: fault for row, fault in single.items() if fault is not None}
    return [faults.get(row) for row in range(len(encoded))]


def own_outputs(model: Model, encoded: Sequence[Encoded]) -> list[torch.Tensor]:
    """The outputs of the model's own call, in batches."""
    queries = [inference.query(row) for row in encoded]
    with (
        model.inference_mode(padding_id=-1),
        in_float32(model.hf, label_tokens(model)),
        torch.no_grad(),
    ):
        outputs = _in_batches(model, encoded, queries)
    return [outputs[row] for row in range(len(encoded))]


def late_contradictions(
    model: Model, encoded: Sequence[Encoded], outputs: Sequence[torch.Tensor]
) -> list[SkippedRow | None]:
    """The inputs whose outputs in our call, as far as methods have asked for them, are not those of
    the model's own: without another pass, from the cache. Where one of them is not, every input is
    read in our call.
    """
    faults = _late(model, encoded, outputs)
    if not any(faults):
        return faults
    queries = [inference.query(row) for row in encoded]
    model.inference.forget(each.digest() for each in queries)
    inference.outputs(model, queries)
    return _late(model, encoded, outputs)


def _late(
    model: Model, encoded: Sequence[Encoded], outputs: Sequence[torch.Tensor]
) -> list[SkippedRow | None]:
    cache = model.inference.cache
    known = {} if cache is None else cache.outputs
    digests = [inference.query(row).digest() for row in encoded]
    return [
        _fault(model, row, known[digest], output) if digest in known else None
        for row, output, digest in zip(encoded, outputs, digests)
    ]


def _in_batches(
    model: Model, encoded: Sequence[Encoded], queries: Sequence[Query]
) -> dict[int, torch.Tensor]:
    """Per row the output of the plain call, in batches."""
    outputs: dict[int, torch.Tensor] = {}
    padded = has_plain_batches(model, queries)
    groups = _padded_groups(model, queries) if padded else _equal_groups(model, encoded)
    for rows in groups:
        batch = [queries[row] for row in rows]
        kept = model.functions.kept(model, batch) if padded else None
        answer = (
            plain_forward(model, batch, kept=kept)
            if padded
            else model.hf(
                **_joined([model.functions.plain_call(model, encoded[row]) for row in rows])
            )
        )
        model.inference.tokens += sum(each.size for each in batch)
        tables = model.functions.outputs(model, answer, batch, kept)
        outputs |= {row: table.double().to("cpu") for row, table in zip(rows, tables)}
    return outputs


def _padded_groups(model: Model, queries: Sequence[Query]) -> list[list[int]]:
    budget = max(FULL, model.inference.budget)
    return pack([len(each.ids) for each in queries], budget, batch_cost(model))


def _equal_groups(model: Model, encoded: Sequence[Encoded]) -> list[list[int]]:
    """Inputs whose plain calls have the same shape, as many as are within the budget."""
    if model.row.reads_text:
        starts = range(0, len(encoded), model.hf.batch)
        return [list(range(len(encoded)))[start : start + model.hf.batch] for start in starts]
    shapes: dict[Any, list[int]] = {}
    end = model.hf.config.get_text_config().eos_token_id
    for row, each in enumerate(encoded):
        arguments = model.functions.plain_call(model, each)
        # An encoder-decoder's head reads at the last end token and refuses unequal numbers of them
        ends = int((each.ids == end).sum()) if isinstance(end, int) else 0
        shape = (ends, *((name, tuple(table.shape)) for name, table in arguments.items()))
        shapes.setdefault(shape, []).append(row)
    most = model.inference.budget
    if model.generates:
        most = min(most, LOGITS // (8 * int(model.hf.config.get_text_config().vocab_size)))
    groups = []
    for rows in shapes.values():
        size = max(1, most // max(1, inference.query(encoded[rows[0]]).size))
        groups += [rows[start : start + size] for start in range(0, len(rows), size)]
    return groups


def _joined(calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One call on the rows of several."""
    return {
        name: torch.cat([call[name] for call in calls])
        if isinstance(first, torch.Tensor)
        else [text for call in calls for text in call[name]]
        for name, first in calls[0].items()
    }


def _most_padded(model: Model, queries: Sequence[Query]) -> list[int]:
    """The input that is padded most in its batch; of a call without padding the shortest of a
    batch of several; none where every input is alone already.
    """
    if not has_plain_batches(model, queries):
        return []
    groups = [rows for rows in _padded_groups(model, queries) if len(rows) > 1]
    added = [len(queries[rows[0]].ids) - len(queries[rows[-1]].ids) for rows in groups]
    return [groups[added.index(max(added))][-1]] if groups else []


def _alone(model: Model, row: Encoded, output: torch.Tensor) -> SkippedRow | None:
    query = inference.query(row)
    answer = model.hf(**model.functions.plain_call(model, row))
    model.inference.tokens += query.size
    (again,) = model.functions.outputs(model, answer, [query], None)
    return _fault(model, row, output, again.double().to("cpu"))


def _fault(
    model: Model, row: Encoded, output: torch.Tensor, again: torch.Tensor
) -> SkippedRow | None:
    detail = (_repeated if model.row.reads_text else _plain)(model, row, output, again)
    example = replace(row.example, id=example_id(row))
    return skipped_row(example, "contradicted", detail) if detail else None


def _plain(model: Model, row: Encoded, output: torch.Tensor, again: torch.Tensor) -> str:
    """How the explained probability differs from that of the plain call; empty if it does not."""
    target = targets.predicted(model, row, output)
    what, of = ("value", targets.value) if model.activation == "none" else (
        "probability", targets.probability)  # fmt: skip
    first, second = (float(of(model, each, target)) for each in (output, again))
    gap, scale = abs(first - second), max(1.0, abs(first)) if what == "value" else 1.0
    if gap <= scale * OWN_TOLERANCE or (gap <= scale * HALF_TOLERANCE and model.in_half):
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
