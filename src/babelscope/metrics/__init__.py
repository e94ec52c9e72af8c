"""Quality of an attribution: one function each, listed in METRICS in reading order.

A metric is a function `(model, inputs, scores, targets, *, options) -> one Measured per input`.
"""

from math import inf

from babelscope.metrics.agreement import infidelity, loo_correlation, monotonicity
from babelscope.metrics.bounds import diagnosticity, position
from babelscope.metrics.complexity import complexity, effective_units
from babelscope.metrics.curves import deletion_area, insertion_area
from babelscope.metrics.evidence import answer_precision, answer_recall, aopc, log_odds
from babelscope.metrics.hard import (
    comprehensiveness,
    normalised_comprehensiveness,
    normalised_sufficiency,
    sufficiency,
)
from babelscope.metrics.plausibility import (
    rationale_auprc,
    rationale_auroc,
    rationale_f1,
    rationale_iou,
    rationale_precision,
)
from babelscope.metrics.soft import (
    normalised_soft_comprehensiveness,
    normalised_soft_sufficiency,
    soft_comprehensiveness,
    soft_sufficiency,
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
            "soft_comprehensiveness", soft_comprehensiveness, "faithfulness",
            "fall of the probability when units are erased in proportion to their scores", True, (-1.0, 1.0), False, True,
        ),
        Metric(
            "soft_sufficiency", soft_sufficiency, "faithfulness",
            "fall of the probability when units are kept in proportion to their scores", False, (-1.0, 1.0), False, True,
        ),
        Metric(
            "normalised_soft_comprehensiveness", normalised_soft_comprehensiveness, "faithfulness",
            "soft comprehensiveness as a share of the fall to zero embeddings", True, (0.0, 1.0), False, True,
        ),
        Metric(
            "normalised_soft_sufficiency", normalised_soft_sufficiency, "faithfulness",
            "share of the fall to zero embeddings that softly kept units prevent", True, (0.0, 1.0), False, True,
        ),
        Metric(
            "deletion_area", deletion_area, "faithfulness",
            "area under the probability while units are erased, the highest first", False, (0.0, 1.0), True, True,
        ),
        Metric(
            "insertion_area", insertion_area, "faithfulness",
            "area under the probability while units are put back, the highest first", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "loo_correlation", loo_correlation, "faithfulness",
            "rank agreement with the effect of erasing each unit alone", True, (-1.0, 1.0), True, True,
        ),
        Metric(
            "monotonicity", monotonicity, "faithfulness",
            "share of units that, put in, move the probability as their sign says", True, (0.0, 1.0), False, True,
        ),
        Metric(
            "infidelity", infidelity, "faithfulness",
            "share of what random erasures do that summed scores do not say", False, (0.0, 1.0), False, True,
        ),
        Metric(
            "position", position, "faithfulness",
            "place of a metric's value between random orders and the best order found", True, (-inf, inf), False, True,
        ),
        Metric(
            "diagnosticity", diagnosticity, "faithfulness",
            "share of random orders that a metric puts below the explanation", True, (0.0, 1.0), False, True,
        ),
        Metric(
            "rationale_auroc", rationale_auroc, "plausibility",
            "how often a unit of the gold rationale outscores another", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "rationale_auprc", rationale_auprc, "plausibility",
            "precision averaged over the recall of the gold rationale", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "rationale_f1", rationale_f1, "plausibility",
            "F1 of the highest units against the gold rationale", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "rationale_iou", rationale_iou, "plausibility",
            "overlap of the highest units with the gold rationale", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "rationale_precision", rationale_precision, "plausibility",
            "share of the highest units that are in the gold rationale", True, (0.0, 1.0), True, True,
        ),
        Metric(
            "complexity", complexity, "complexity",
            "entropy of the units' parts of the explanation", False, (0.0, inf), False, True,
        ),
        Metric(
            "effective_units", effective_units, "complexity",
            "as how many equally important units the explanation counts", False, (1.0, inf), False, True,
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
