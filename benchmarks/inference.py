"""Batched inference against the bare model on the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from babelscope.metrics.hard import comprehensiveness
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.inference import Query
from babelscope.model.load import Model
from babelscope.model.targets import predicted
from babelscope.types import Example
from benchmarks import material
from benchmarks.timing import in_turn, table

REPETITIONS = 5


def asked(model: Model, examples: Sequence[Example], operator: str) -> list[Query]:
    """The inputs of comprehensiveness, with two random explanations of each text."""
    rows = encode(model, examples) * 2
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    targets = [predicted(model, row, output) for row, output in zip(rows, outputs)]
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=len(row.words)) for row in rows]
    with patch.object(inference, "outputs", wraps=inference.outputs) as spy:
        comprehensiveness(model, rows, scores, targets, operator=operator)
    return list(spy.call_args.args[1])


def bare(model: Model, queries: Sequence[Query]) -> list[dict[str, torch.Tensor]]:
    """The distinct inputs in batches of exactly equal length and at most the token budget, ready
    for the model's call.
    """
    lengths: dict[tuple[int, bool], list[Query]] = {}
    for query in {query.digest(): query for query in queries}.values():
        lengths.setdefault((len(query.ids), query.edit is not None), []).append(query)
    batches = []
    for (length, _), alike in lengths.items():
        rows = max(1, model.inference.budget // length)
        for start in range(0, len(alike), rows):
            ids = torch.from_numpy(np.stack([query.ids for query in alike[start : start + rows]]))
            positions = torch.arange(model.first_position, model.first_position + length).expand_as(
                ids
            )
            given = {"attention_mask": torch.ones_like(ids), "position_ids": positions}
            batches.append(given | _tokens(model, alike[start : start + rows], ids))
    return batches


def _tokens(model: Model, alike: Sequence[Query], ids: torch.Tensor) -> dict[str, torch.Tensor]:
    """The ids, or where an input's embeddings are edited the embeddings that are to be read."""
    if not any(query.edit for query in alike):
        return {"input_ids": ids}
    with torch.no_grad():
        rows = model.embeddings(ids)
        return {
            "inputs_embeds": torch.stack(
                [query.edit(row) if query.edit else row for query, row in zip(alike, rows)]
            )
        }


def calls(model: Model, batches: Sequence[dict[str, torch.Tensor]]) -> Callable[[], Any]:
    def run() -> list[torch.Tensor]:
        with model.inference_mode(), torch.no_grad():
            return [model.hf(**batch).logits for batch in batches]

    return run


def row(name: str, model: Model, examples: Sequence[Example], operator: str) -> list[object]:
    queries = asked(model, examples, operator)
    batches = bare(model, queries)
    before = (
        model.inference.queries,
        model.inference.distinct,
        model.inference.tokens,
        model.inference.padding,
    )
    inference.outputs(model, queries)
    after = (
        model.inference.queries,
        model.inference.distinct,
        model.inference.tokens,
        model.inference.padding,
    )
    asked_for, distinct, tokens, padding = (now - then for now, then in zip(after, before))
    ratio = in_turn(calls(model, batches), lambda: inference.outputs(model, queries), REPETITIONS)
    return [
        name,
        operator,
        asked_for,
        distinct,
        tokens,
        f"{padding / (padding + tokens):.1%}",
        f"{len(batches)}",
        ratio,
    ]


def section() -> str:
    texts = material.mixed(40)
    rows = [
        row(material.material().model, material.multilingual(), texts[:20], "mask"),
        row(material.material().model, material.multilingual(), texts[:20], "delete"),
        row(
            "BERT 2 x 128, untrained",
            material.untrained("bert", texts, layers=2, width=128),
            texts,
            "mask",
        ),
        row(
            "BERT 6 x 384, untrained",
            material.untrained("bert", texts, layers=6, width=384),
            texts[:8],
            "mask",
        ),
    ]
    head = [
        "model", "erased by", "inputs requested", "distinct", "tokens", "padding", "batches of the bare model",
        "speed of batched inference / of the bare model",
    ]  # fmt: skip
    return f"""## Batched inference against the bare model

Every method and metric that perturbs inputs uses the same batched inference (`model/inference.py`). It deduplicates,
sorts, packs and pads the inputs, and checks the outputs. Here it processes the inputs of comprehensiveness (two explanations
of each text) and is compared with the best manual solution: the distinct inputs, known beforehand, in batches of
exactly equal length without padding, as prepared tensors, passed to the model directly. 1 means no overhead. It can be above 1, because
batched inference combines similar lengths into fuller batches.

{table(head, rows)}
"""
