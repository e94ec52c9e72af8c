"""What the explorer computes with a model, by the library's own functions; plain values come
back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from math import isfinite
from typing import Any

import torch

from babelscope.analyses.trust.panel import trust
from babelscope.analyses.trust.section import fading_figure
from babelscope.analyses.trust.values import CHECKS
from babelscope.display.plane import has_plane, plane_figure
from babelscope.errors import InputError
from babelscope.methods.explain import explain, explain_encoded
from babelscope.metrics.measure import measure
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Aim, Attribution, Encoded, Example, Target
from babelscope.web.erased import erased_input
from babelscope.web.figures import describe_figure
from babelscope.web.jobs import Report
from babelscope.web.names import shown_name
from babelscope.web.requests import Aimed, ExplainRequest, Passage, PredictRequest, TrustRequest

TEXT = "text"
"""Name of the text of a request, which has no other."""
CLASSES = 5
"""Classes whose probabilities are shown."""


def example_of(passage: Passage) -> Example:
    return Example(TEXT, tuple(passage.texts), passage.lang)


def encoded_text(model: Model, passage: Passage, part: str = "all") -> Encoded:
    """The text as the model reads it, truncated where it is too long."""
    (row,) = encode(model, [example_of(passage)], part=part)
    return row


def predict(model: Model, request: PredictRequest, report: Report) -> dict[str, Any]:
    """What the model predicts for the whole text, and without the erased words."""
    whole = encoded_text(model, request)
    with model.inference.reporting_progress(report):
        answer = {
            "words": whole.words,
            "offsets": whole.word_offsets,
            "segment": whole.word_segment,
            "flags": [*whole.flags, *_unknown(model, whole)],
            **_prediction(model, whole),
        }
        if request.erased:
            erased = erased_input(model, whole, request.erased, request.operator)
            answer["erased"] = _prediction(model, erased)
    return answer


def _unknown(model: Model, row: Encoded) -> list[str]:
    """A warning where most of the text is unknown to the tokenizer: any other text of that script
    would look the same to the model."""
    unknown = getattr(model.tokenizer, "unk_token_id", None)
    count, whole = int((row.ids[row.content] == unknown).sum()), int(row.content.sum())
    if unknown is None or 2 * count <= whole:
        return []
    return [f"{count} of {whole} tokens are unknown to this model: it cannot read this text"]


def _prediction(model: Model, row: Encoded) -> dict[str, Any]:
    """Label, probability, the likeliest classes; of a tagger the tag of every word."""
    (output,) = inference.outputs(model, [inference.query(row)])
    target = targets.predicted(model, row, output)

    def named(each: Target) -> str:
        return shown_name(model, row.example.texts, targets.name(model, row, each))

    answer: dict[str, Any] = {
        "label": named(target),
        "probability": targets.probability(model, output, target),
        "classes": [],
    }
    rows = model.functions.read(output, target)
    if len(rows) == 1:
        logits = rows[0][0]
        best = torch.topk(logits, min(CLASSES, len(logits))).indices.tolist()
        likely = [replace(target, index=index) for index in best]
        answer["classes"] = [
            [named(each), targets.probability(model, output, each)] for each in likely
        ]
    if model.row.tags:
        answer |= _tags(model, row, output) | {"word": int(row.word[target.end])}
    return answer


def _tags(model: Model, row: Encoded, output: torch.Tensor) -> dict[str, Any]:
    firsts = [int((row.word == place).argmax()) for place in range(len(row.words))]
    tags = [targets.predicted(model, row, output, token=token) for token in firsts]
    return {"tags": [targets.name(model, row, tag) for tag in tags]}


def attribution_of(
    model: Model, example: Example, aim: Aimed, report: Report | None
) -> Attribution:
    """The explanation of a whole text."""
    (attribution,) = explain(
        model, example, aim.method, target=_aim(aim), quantity=aim.quantity,
        options=aim.options, seed=aim.seed, part=aim.part, strict=True, progress=report,
    )  # fmt: skip
    return attribution


def _aim(aim: Aimed) -> Aim:
    return Aim(aim.target, aim.contrast, aim.word, aim.edge)


def _explained(model: Model, request: ExplainRequest, report: Report) -> Attribution:
    if not request.erased:
        return attribution_of(model, example_of(request), request, report)
    whole = encoded_text(model, request, request.part)
    row = erased_input(model, whole, request.erased, request.operator)
    (attribution,) = explain_encoded(
        model, [row], request.method, aim=_aim(request), quantity=request.quantity,
        options=request.options, seed=request.seed, progress=report,
    )  # fmt: skip
    return attribution


def explained(model: Model, request: ExplainRequest, report: Report) -> dict[str, Any]:
    """The explanation, with its plane where the method has one."""
    shown = describe_attribution(_explained(model, request, report))
    named = {
        name: shown_name(model, request.texts, shown[name])
        for name in ("target", "contrast")
        if shown[name]
    }
    return shown | named


def describe_attribution(attribution: Attribution) -> dict[str, Any]:
    """What the page shows of an explanation."""
    names = (
        "method", "target", "quantity", "contrast", "label", "gold", "probability", "value",
        "reference_value", "texts", "words", "word_offsets", "word_segment", "word_scores", "flags",
        "lang", "model", "tagged_word", "id", "group", "rationale",
    )  # fmt: skip
    shown = {name: getattr(attribution, name) for name in names}
    plane = describe_figure(plane_figure(attribution)) if has_plane(attribution) else None
    return {**shown, "plane": plane}


def trusted(model: Model, request: TrustRequest, report: Report) -> dict[str, Any]:
    """The trust panel of the explanation, and the two basic faithfulness metrics."""
    attribution = _explained(model, request, report)
    (panel,) = trust(
        model, [attribution], draws=request.shuffles, seeds=request.seeds, progress=report
    )
    measures = measure(model, [attribution], progress=report)
    return {
        "checks": [{**asdict(check), "question": CHECKS[check.name]} for check in panel.checks],
        "fading": describe_figure(fading_figure(panel)) if panel.stages else None,
        "measures": {
            row.metric: row.value if isfinite(row.value) else row.reason for row in measures
        },
    }


def served(models: Mapping[str, Model], name: str) -> Model:
    """The model of that name; others are not loaded for visitors."""
    if name not in models:
        raise InputError(f"the model {name!r} is not served here; served are: {', '.join(models)}")
    return models[name]
