"""Quality of an attribution: one function each, listed in METRICS in reading order.

A metric is a function `(model, inputs, scores, targets, *, options) -> one Measured per input`.
"""

from babelscope.metrics.evidence import answer_precision, answer_recall, aopc, log_odds
from babelscope.metrics.hard import (
    comprehensiveness,
    normalised_comprehensiveness,
    normalised_sufficiency,
    sufficiency,
)
from babelscope.types import Metric

METRICS: dict[str, Metric] = {
    row.name: row
    for row in (
        Metric(
            "comprehensiveness", comprehensiveness, "faithfulness",
            "fall of the probability when the top units are erased", True, (-1.0, 1.0), True, True,
        ),
        Metric(
            "sufficiency", sufficiency, "faithfulness",
            "fall of the probability when only the top units are kept", False, (-1.0, 1.0), True, True,
        ),
        Metric(
            "normalised_comprehensiveness", normalised_comprehensiveness, "faithfulness",
            "comprehensiveness as a share of the fall when everything is erased", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "normalised_sufficiency", normalised_sufficiency, "faithfulness",
            "share of the lost probability that the top units alone keep", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "aopc", aopc, "faithfulness",
            "probability lost on average while the units go in the order of their scores", True, (-1.0, 1.0), True, True,
        ),
        Metric(
            "log_odds", log_odds, "faithfulness",
            "logarithm of the probability left, along the same erasures", False, (-28.0, 28.0), True, True,
        ),
        Metric(
            "answer_precision", answer_precision, "evidence",
            "share of the highest units that lie in the answer", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "answer_recall", answer_recall, "evidence",
            "share of the answer that is among the highest units", True, (0.0, 1.0), True, True,
        ),
    )
}  # fmt: skip
