"""Quality of an attribution: one function each, listed in METRICS in reading order.

A metric is a function `(model, inputs, scores, targets, *, options) -> one Measured per input`; see
`row.MetricFunction`. The table is data: it is read without importing torch, and a metric's module
is imported when `METRICS[name].function` is first used.
"""

from math import inf

from babelscope.metrics.row import Metric

UNIT = {"unit": "word"}
ERASURE = {"unit": "word", "operator": None}
SIGN = {"sign": "signed"}
RATIOS = {**ERASURE, "grid": (0.01, 0.05, 0.1, 0.2, 0.5), **SIGN, "sampled": 0}
SOFT = {"unit": "word", "scaling": "minmax", "budget": 0.0, "draws": 8, "error": 0.02}
ORDERS = {"metric": "comprehensiveness", **ERASURE, "draws": 20, **SIGN}
RELEASED = {
    "unit": "token", "grid": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), **SIGN,
    "deviations": ("erasure", "null", "budget", "lengths", "query"),
}  # fmt: skip
RELEASED_ERASURE = {
    "unit": "token", "levels": 9, **SIGN,
    "deviations": ("erasure", "budget", "last", "levels", "types"),
}  # fmt: skip
RELEASED_STEPWISE = {
    "unit": "token", "operator": None, "step": 5, **SIGN, "deviations": ("orientation",),
}  # fmt: skip

METRICS: dict[str, Metric] = {
    row.name: row
    for row in (
        Metric(
            "comprehensiveness", "babelscope.metrics.hard", "faithfulness",
            "fall of the probability when the top units are erased",
            RATIOS,
            higher_is_better=True, bounds=(-1.0, 1.0), order_only=True,
        ),
        Metric(
            "sufficiency", "babelscope.metrics.hard", "faithfulness",
            "fall of the probability when only the top units are kept",
            RATIOS,
            higher_is_better=False, bounds=(-1.0, 1.0), order_only=True,
        ),
        Metric(
            "normalised_comprehensiveness", "babelscope.metrics.hard", "faithfulness",
            "comprehensiveness as a share of the fall when everything is erased",
            RATIOS,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "normalised_sufficiency", "babelscope.metrics.hard", "faithfulness",
            "share of the lost probability that the top units alone keep",
            RATIOS,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "value_comprehensiveness", "babelscope.metrics.raw", "faithfulness",
            "fall of the explained value itself when the top units are erased",
            RATIOS,
            higher_is_better=True, bounds=(-inf, inf), order_only=True,
        ),
        Metric(
            "value_sufficiency", "babelscope.metrics.raw", "faithfulness",
            "fall of the explained value itself when only the top units are kept",
            RATIOS,
            higher_is_better=False, bounds=(-inf, inf), order_only=True,
        ),
        Metric(
            "aopc", "babelscope.metrics.evidence", "faithfulness",
            "probability lost on average while the units go in the order of their scores",
            {**ERASURE, "levels": 9, **SIGN},
            higher_is_better=True, bounds=(-1.0, 1.0), order_only=True,
        ),
        Metric(
            "lodds", "babelscope.metrics.evidence", "faithfulness",
            "logarithm of the probability left, along the same erasures",
            {**ERASURE, "levels": 9, **SIGN},
            higher_is_better=False, bounds=(-28.0, 28.0), order_only=True, formerly="log_odds",
        ),
        Metric(
            "soft_comprehensiveness", "babelscope.metrics.soft", "faithfulness",
            "fall of the probability when units are erased in proportion to their scores",
            SOFT,
            higher_is_better=True, bounds=(-1.0, 1.0), order_only=False, embeddings=True,
        ),
        Metric(
            "soft_sufficiency", "babelscope.metrics.soft", "faithfulness",
            "fall of the probability when units are kept in proportion to their scores",
            SOFT,
            higher_is_better=False, bounds=(-1.0, 1.0), order_only=False, embeddings=True,
        ),
        Metric(
            "normalised_soft_comprehensiveness", "babelscope.metrics.soft", "faithfulness",
            "soft comprehensiveness as a share of the fall to zero embeddings",
            SOFT,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False, embeddings=True,
        ),
        Metric(
            "normalised_soft_sufficiency", "babelscope.metrics.soft", "faithfulness",
            "share of the fall to zero embeddings that softly kept units prevent",
            SOFT,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False, embeddings=True,
        ),
        Metric(
            "deletion_area", "babelscope.metrics.curves", "faithfulness",
            "area under the probability while units are erased, the highest first",
            {**ERASURE, "levels": 20, **SIGN},
            higher_is_better=False, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "insertion_area", "babelscope.metrics.curves", "faithfulness",
            "area under the probability while units are put back, the highest first",
            {**ERASURE, "levels": 20, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "stepwise_deletion", "babelscope.metrics.stepwise", "faithfulness",
            "one minus the mean probability while the lowest 5, 10, ... units are kept",
            {"unit": "token", "operator": None, "step": 5, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "stepwise_insertion", "babelscope.metrics.stepwise", "faithfulness",
            "one minus the mean probability while the highest 5, 10, ... units are kept",
            {"unit": "token", "operator": None, "step": 5, **SIGN},
            higher_is_better=False, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "loo_correlation", "babelscope.metrics.agreement", "faithfulness",
            "rank agreement with the effect of erasing each unit alone",
            ERASURE,
            higher_is_better=True, bounds=(-1.0, 1.0), order_only=True,
        ),
        Metric(
            "monotonicity", "babelscope.metrics.agreement", "faithfulness",
            "share of units that, put in, move the probability as their sign says",
            ERASURE,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False,
        ),
        Metric(
            "infidelity", "babelscope.metrics.agreement", "faithfulness",
            "share of what random erasures do that summed scores do not say",
            {**ERASURE, "draws": 64},
            higher_is_better=False, bounds=(0.0, 1.0), order_only=False,
        ),
        Metric(
            "chance_corrected", "babelscope.metrics.bounds", "faithfulness",
            "place of a metric's value between random orders and the best order found",
            ORDERS,
            higher_is_better=True, bounds=(-inf, inf), order_only=False, formerly="position",
        ),
        Metric(
            "diagnosticity", "babelscope.metrics.bounds", "faithfulness",
            "share of random orders that a metric puts below the explanation",
            ORDERS,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False,
        ),
        Metric(
            "released_comprehensiveness", "babelscope.metrics.released", "faithfulness",
            "normalised comprehensiveness as a study's released code computes it",
            RELEASED,  # tokens are replaced by id: not defined for a function of texts
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False, embeddings=True,
        ),
        Metric(
            "released_sufficiency", "babelscope.metrics.released", "faithfulness",
            "normalised sufficiency as a study's released code computes it",
            RELEASED,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False, embeddings=True,
        ),
        Metric(
            "released_aopc", "babelscope.metrics.released_erasure", "faithfulness",
            "aopc as a study's released code computes it",
            RELEASED_ERASURE,
            higher_is_better=True, bounds=(-1.0, 1.0), order_only=False, embeddings=True,
        ),
        Metric(
            "released_lodds", "babelscope.metrics.released_erasure", "faithfulness",
            "lodds as a study's released code computes it",
            RELEASED_ERASURE,
            higher_is_better=False, bounds=(-28.0, 28.0), order_only=False, embeddings=True,
        ),
        Metric(
            "released_stepwise_deletion", "babelscope.metrics.released_slalom", "faithfulness",
            "stepwise deletion of scores without a sign as a study's code measures it",
            RELEASED_STEPWISE,
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False,
        ),
        Metric(
            "released_stepwise_insertion", "babelscope.metrics.released_slalom", "faithfulness",
            "stepwise insertion of scores without a sign as a study's code measures it",
            RELEASED_STEPWISE,
            higher_is_better=False, bounds=(0.0, 1.0), order_only=False,
        ),
        Metric(
            "rationale_auroc", "babelscope.metrics.plausibility", "plausibility",
            "how often a unit of the gold rationale outscores another",
            {**UNIT, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "released_rationale_auroc", "babelscope.metrics.released_slalom", "plausibility",
            "agreement of distinct tokens without punctuation with the gold rationale",
            {"unit": "token", "sign": "abs", "deviations": ("occurrences", "punctuation")},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=False,
        ),
        Metric(
            "rationale_auprc", "babelscope.metrics.plausibility", "plausibility",
            "precision averaged over the recall of the gold rationale",
            {**UNIT, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "rationale_f1", "babelscope.metrics.plausibility", "plausibility",
            "F1 of the highest units against the gold rationale",
            {**UNIT, "k": 0, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "rationale_iou", "babelscope.metrics.plausibility", "plausibility",
            "overlap of the highest units with the gold rationale",
            {**UNIT, "k": 0, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "rationale_precision", "babelscope.metrics.plausibility", "plausibility",
            "share of the highest units that are in the gold rationale",
            {**UNIT, "k": 5, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "naive_bayes_agreement", "babelscope.metrics.naive_bayes", "plausibility",
            "rank agreement with the evidence of naive Bayes for the class",
            {"unit": "token", "texts": None, "smoothing": 20.0, "against": "signed"},
            higher_is_better=True, bounds=(-1.0, 1.0), order_only=True,
        ),
        Metric(
            "complexity", "babelscope.metrics.complexity", "complexity",
            "entropy of the units' parts of the explanation",
            UNIT,
            higher_is_better=False, bounds=(0.0, inf), order_only=False,
        ),
        Metric(
            "effective_units", "babelscope.metrics.complexity", "complexity",
            "as how many equally important units the explanation counts",
            UNIT,
            higher_is_better=False, bounds=(1.0, inf), order_only=False,
        ),
        Metric(
            "answer_precision", "babelscope.metrics.evidence", "evidence",
            "share of the highest units that lie in the answer",
            {"unit": "token", "k": 20, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
        Metric(
            "answer_recall", "babelscope.metrics.evidence", "evidence",
            "share of the answer that is among the highest units",
            {"unit": "token", "k": 20, **SIGN},
            higher_is_better=True, bounds=(0.0, 1.0), order_only=True,
        ),
    )
}  # fmt: skip
