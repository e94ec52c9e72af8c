"""Released and defined variants of masked relevance propagation and of SLALOM's measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from babelscope.data.examples import examples
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model.load import Model
from experiments.definition_models import Named, model_of

MEASURES = {"aopc": "AOPC", "lodds": "LOdds"}
DEFINED = {"unit": "token", "operator": "pad"}
SLALOM = {
    "released_stepwise_deletion": ("deletion", {"operator": "delete"}, "importance"),
    "released_stepwise_insertion": ("insertion", {"operator": "delete"}, "importance"),
    "released_rationale_auroc": ("human attention, AUROC", {}, "value"),
}


def columns(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """All deviations, all but each of them, none."""
    less = {f"without {name}": tuple(each for each in names if each != name) for name in names}
    return {"released": tuple(names), **less, "defined": ()}


def mean(model: Model, scored: Any, metric: str, **settings: Any) -> float:
    return float(np.nanmean([each.value for each in measure(model, scored, metric,
                                                            options=settings)]))  # fmt: skip


def masked_rows(named: Named, heads: str) -> dict[str, Any]:
    """Masked relevance of one model: the method's deviations under the defined metric, then the
    metrics' under the defined method."""
    model, texts = model_of(named), examples(named.data, "en")
    scored = explain(model, texts, "masked_lrp", target="gold", options={"heads": heads})
    listed: dict[str, Any] = {"model": named.name, "method": {}, "metrics": {}}
    for column, on in columns(METHODS["released_masked_lrp"].options["deviations"]).items():
        options = {"heads": heads, "deviations": on}
        variant = explain(model, texts, "released_masked_lrp", target="gold", options=options)
        moved = [_rank(one.scores, other.scores) for one, other in zip(variant, scored)]
        listed["method"][column] = (mean(model, variant, "aopc", **DEFINED), np.nanmean(moved))
    for short, name in MEASURES.items():
        metric = METRICS[f"released_{short}"]
        variants = columns(metric.options["deviations"])
        listed["metrics"][name] = {
            column: mean(model, scored, metric.name, deviations=on)
            for column, on in variants.items()
        }
    return listed


def slalom_rows(named: Named, samples: Sequence[int]) -> dict[str, Any]:
    """The measures of SLALOM's scores, and the two fits of the published design by samples."""
    model, texts = model_of(named), examples(named.data, "en")
    settings = {"target": "gold", "quantity": "log_odds"}
    listed: dict[str, Any] = {"model": named.name, "measures": {}, "fits": []}
    for metric, (title, options, score) in SLALOM.items():
        design = {"score": score, "design": "fixed(3)", "samples": max(samples)}
        scored = explain(model, texts, "slalom", options=design, **settings)
        listed["measures"][f"{title} of {score}s"] = {
            column: mean(model, scored, metric, deviations=on, **options)
            for column, on in columns(METRICS[metric].options["deviations"]).items()
        }
    for number in samples:
        for fit in ("", "+adam"):
            design = {"score": "lin", "design": f"fixed(3){fit}", "samples": number}
            scored = explain(model, texts, "slalom", options=design, **settings)
            largest = np.mean([np.nanmax(np.abs(each.details["value"])) for each in scored])
            deletion = mean(model, scored, "stepwise_deletion", operator="delete")
            gold = mean(model, scored, "rationale_auroc", unit="token", sign="abs")
            listed["fits"].append((number, fit or "least squares", largest, deletion, gold))
    return listed


def _rank(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's correlation; NaN where a side is constant."""
    from scipy.stats import spearmanr

    constant = np.ptp(one) == 0 or np.ptp(other) == 0
    return float("nan") if constant else float(spearmanr(one, other).statistic)
