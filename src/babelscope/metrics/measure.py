"""From explanations to how far they can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from babelscope.data.formats.in_memory import Texts
from babelscope.display.results import Attributions, Measures
from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.explain import DEFAULT_METHOD, explain
from babelscope.metrics import METRICS
from babelscope.metrics.erased import units
from babelscope.metrics.row import Metric
from babelscope.model import inference
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model, as_model
from babelscope.model.plain import HALF_TOLERANCE, OWN_TOLERANCE
from babelscope.model.stored_input import encoded_input
from babelscope.model.targets import probability
from babelscope.model.units import aggregated
from babelscope.options import choose, resolve_options
from babelscope.types import Attribution, Encoded, Measure, Measured, Target


def measure(
    model: Model | Any,
    attributions: Sequence[Attribution] | Texts,
    metric: str | Sequence[str] = ("comprehensiveness", "sufficiency"),
    *,
    method: str | Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    lang: str = "und",
    progress: Progress | None = None,
) -> Measures:
    """Is the explanation true of the model: one value per explanation and metric, NaN with a reason
    where undefined.

    The explanations must be of this model; they are scored from their stored scores, never made
    again. `model` is a loaded model, or what `load` takes. An input that several explanations or
    metrics ask for is computed once.

    In place of explanations, `explain`'s data can be given: texts, rows, a table, a file. They are
    explained by `method` (by default integrated_gradients) with the defaults of `explain`, in the
    language `lang` where they have none; `options` are the metric's.
    """
    names = [metric] if isinstance(metric, str) else list(metric)
    rows = [choose(METRICS, name, "metric") for name in names]
    model = as_model(model)
    attributions = _explanations(model, attributions, method, lang)
    check_model(model, attributions)
    _check_metrics(model, rows)
    targets = [explained_target(attribution) for attribution in attributions]
    encoded = [encoded_input(attribution) for attribution in attributions]
    measures: list[Measure] = []
    with model.inference.caching(), model.inference.reporting_progress(progress):
        for row in rows:
            resolved = resolve_options(row, _own_unit(row, attributions, options or {}))
            values = row.function(
                model, encoded, _scores(attributions, encoded, resolved), targets, **resolved
            )
            reasons = _contradictions(model, attributions, encoded, targets)
            measures += [
                _measure(
                    attribution, row.name, resolved, Measured(nan, reason) if reason else value
                )
                for attribution, value, reason in zip(attributions, values, reasons)
            ]
    return Measures(tuple(measures), frozenset((row.group, row.texts) for row in attributions))


def _contradictions(
    model: Model,
    attributions: Sequence[Attribution],
    encoded: Sequence[Encoded],
    targets: Sequence[Target],
) -> list[str]:
    """Why an explanation cannot be measured: the metric has read its input, and the probability is
    not the explained one; empty where it is, or was not needed.
    """
    cache = model.inference.cache
    known = {} if cache is None else cache.outputs
    most = HALF_TOLERANCE if model.in_half or model.row.reads_text else OWN_TOLERANCE
    reasons = []
    for attribution, row, target in zip(attributions, encoded, targets):
        output = known.get(inference.query(row).digest())
        again = attribution.probability if output is None else probability(model, output, target)
        gap = abs(again - attribution.probability)
        reasons.append(
            f"the probability of the input differs by {gap:.2g} from the explained one"
            if gap > most
            else ""
        )
    return reasons


def _scores(
    attributions: Sequence[Attribution], encoded: Sequence[Encoded], options: Mapping[str, Any]
) -> list[NDArray[np.float64]]:
    """Per explanation the scores of the units that the metric ranks."""
    unit = options.get("unit", "word")
    return [_unit_scores(*each, unit) for each in zip(attributions, encoded)]


def _unit_scores(attribution: Attribution, row: Encoded, unit: str) -> NDArray[np.float64]:
    """The scores of one explanation in these units: its own, or summed from smaller ones."""
    if attribution.units is not None and attribution.units.name == unit:
        return np.array(attribution.units.scores)
    if attribution.units is not None:
        _check_smaller(attribution, row, unit)
    if unit == "token":
        return np.array(attribution.scores)
    if unit == "word":
        return np.array(attribution.word_scores)
    owner, count = units(row, unit)
    how = METHODS[attribution.method].words if attribution.method in METHODS else "sum"
    return aggregated(owner[row.content], count, np.array(attribution.scores), how)


def _check_smaller(attribution: Attribution, row: Encoded, unit: str) -> None:
    """Refuses units that are no unions of those that were scored: their parts have no scores."""
    assert attribution.units is not None
    owner, _ = units(row, unit)
    pairs = set(zip(attribution.units.index, owner[row.content].tolist()))
    if len(pairs) > len(attribution.units.texts):
        raise InputError(
            f"{attribution.id}: it was explained by {attribution.unit}, and a {unit} can be "
            f"smaller; measure with the option unit={attribution.unit}"
        )


def _own_unit(
    metric: Metric, attributions: Sequence[Attribution], options: Mapping[str, Any]
) -> dict[str, Any]:
    """The options with the unit of the explanations, where these were scored in other units than
    tokens and no unit is named.
    """
    names = {each.unit for each in attributions}
    if "unit" in options or "unit" not in metric.options or names == {"token"}:
        return dict(options)
    if len(names) > 1:
        raise InputError(
            f"the explanations are by {', '.join(sorted(names))}; measure them one after the "
            "other, or name a unit"
        )
    return {**options, "unit": names.pop()}


def _explanations(
    model: Model, data: Any, method: str | Sequence[str] | None, lang: str
) -> Sequence[Attribution]:
    """The explanations as they are, or those of data that are not explained yet."""
    listed = isinstance(data, (list, tuple, Attributions))
    if listed and not len(data):
        raise InputError("there is no explanation to measure, and no text to explain")
    kinds = [isinstance(each, Attribution) for each in data] if listed else [False]
    if not any(kinds):
        return explain(model, data, method or DEFAULT_METHOD, lang=lang)
    if not all(kinds):
        other = type(data[kinds.index(False)]).__name__
        raise InputError(f"some of the data are explanations, and some {other}; give one kind")
    if method is not None:
        raise InputError(
            f"these are explanations already; method={method!r} is for texts: leave it out"
        )
    return cast("Sequence[Attribution]", data)


def _measure(
    attribution: Attribution, metric: str, options: Mapping[str, Any], measured: Measured
) -> Measure:
    return Measure(
        attribution.id, attribution.group, attribution.lang, attribution.model, attribution.method,
        metric, options, measured.value, measured.reason, attribution.task,
    )  # fmt: skip


def _check_metrics(model: Model, rows: Sequence[Metric]) -> None:
    for row in rows:
        if row.embeddings and model.unseen_embeddings:
            raise UnsupportedModel(
                f"{row.name} changes word embeddings, but {model.unseen_embeddings}; use "
                f"{row.name.replace('soft_', '')}"
            )


def check_model(model: Model, attributions: Sequence[Attribution]) -> None:
    """Refuses the explanation of another model, whose token ids and classes mean something else or
    whose weights differ.

    Compared are signatures (`Model.signature`), not names: the same checkpoint under two names is
    one model.
    """
    for attribution in attributions:
        if attribution.signature != model.signature:
            raise InputError(
                f"{attribution.id}: the explanation is of {attribution.model}, another model than "
                f"{model.name}; "
                "measure it with the model that it is of"
            )


def explained_target(attribution: Attribution) -> Target:
    """What was explained, as the model knows it."""
    index, end = attribution.target_index, attribution.target_end
    return Target(index, end, attribution.quantity, attribution.contrast_index)
