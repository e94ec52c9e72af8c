"""The tables and figures of Leemann et al. 2024 (SLALOM) from stores of studies/slalom*.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from babelscope.analyses.costs.tables import Tables as Costs
from babelscope.analyses.costs.tables import tables as cost_tables
from babelscope.analyses.faithfulness import ratios
from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.analyses.surrogates.tables import Tables, tables
from babelscope.reporting.papers import slalom_costs
from babelscope.reporting.papers import slalom_surrogates as surrogates
from babelscope.reporting.papers import slalom_tables as reviews
from babelscope.reporting.papers import slalom_words as words
from babelscope.reporting.papers.drawing import curves, scatter
from babelscope.reporting.papers.element import Element, Paper
from babelscope.store import Store


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Measures and costs of explanations, and the surrogates of models; each may be missing."""

    comparison: Comparison | None
    surrogates: Tables | None
    costs: Costs | None = None


def material(store: Store, study: Mapping[str, Any]) -> Material | None:
    wanted = study.get("analyses", {})
    comparison = ratios.comparison(store, study) if "faithfulness" in wanted else None
    fitted = tables(store, study) if "surrogates" in wanted else None
    costs = cost_tables(store, study) if "costs" in wanted else None
    parts = (comparison, fitted, costs)
    return Material(*parts) if any(part is not None for part in parts) else None


SYNTHETIC = "From studies/slalom-synthetic.yaml."
PAPER = Paper(
    "slalom",
    "Leemann et al. 2024, SLALOM: attention and additive explanations. Tables and figures 3, 4, 6 "
    "to 9 of made-up languages come from studies/slalom-synthetic.yaml, table 13 from "
    "studies/slalom-large.yaml, the others from studies/slalom.yaml.",
    "studies/slalom.yaml",
    material,
    (
        Element(
            "table-2a", "Rank agreement with naive Bayes, by model and method.",
            partial(reviews.means, ("naive_bayes_agreement",), "2a"),
            note="Importances are compared with absolute evidence. Published: of a set that is not "
            "named.",
        ),
        Element(
            "table-2b", "Agreement with what all readers marked, AUROC, by model and method.",
            partial(reviews.means, ("rationale_auroc",), "2b"),
            note="Absolute scores, importances as they are. All tokens count here, distinct ones "
            "without punctuation there: table-2b-released.",
        ),
        Element(
            "table-2c", "Deletion, 1 - mean p, by model and method; higher is better.",
            partial(reviews.means, ("stepwise_deletion", "deletion_area"), "2c"),
            note="Importances are multiplied by the sign of the class there and not here: "
            "table-2c-released.",
        ),
        Element(
            "table-2b-released", "The same over distinct tokens without punctuation, as released.",
            partial(reviews.means, ("released_rationale_auroc",), "2b"),
        ),
        Element(
            "table-2c-released", "Deletion of importances, with the sign of the class as released.",
            partial(reviews.importances, "released_stepwise_deletion", "2c"),
        ),
        Element("table-3", "Weights of the linear words, and the values of fitted SLALOMs.",
                surrogates.weights, note=SYNTHETIC),
        Element("table-4", "Accuracy of the explained models.", reviews.accuracy),
        Element("table-6", "Errors of surrogates by architecture and depth, MSE x 100.",
                surrogates.errors, note=SYNTHETIC),
        Element("table-7", "Errors of logits of recovered SLALOMs, MSE.",
                partial(surrogates.recovery, "logits", "7"),
                note=f"{SYNTHETIC} The factor of the published numbers is not known."),
        Element("table-8", "Errors of parameters of recovered SLALOMs, MSE.",
                partial(surrogates.recovery, "parameters", "8"),
                note=f"{SYNTHETIC} The mean over values and importances, importances centred. The "
                "factor of the published numbers is not known."),
        Element(
            "table-9", "Insertion, 1 - mean p, by model and method; lower is better.",
            partial(reviews.means, ("stepwise_insertion", "insertion_area"), "9"),
            note="Published: 6 layers.",
        ),
        Element(
            "table-9-released", "Insertion of importances, with the sign of the class as released.",
            partial(reviews.importances, "released_stepwise_insertion", "9"),
        ),
        Element("table-10", "A classifier of TF-IDF weights: insertion, lower is better, and "
                "deletion, higher is better, 1 - mean p, by method.", reviews.tf_idf,
                note="Words are those of the tokenizer, scikit-learn's perceptron there."),
        Element("table-11", "Run time of an explanation by method and samples, in seconds.",
                slalom_costs.run_times, note="Published: on one A100, a BERT of 6 layers; here on "
                "the device that each row names. Tokens do not depend on it."),
        Element("table-12", "Deletion by the number of samples; higher is better.",
                reviews.budgets, note="Published: the model is not named."),
        Element("table-13", "Large models: agreement with what all readers marked, AUROC.",
                reviews.large, note="From studies/slalom-large.yaml. How the paper's models "
                "classify is not known; here they are prompted."),
        Element("figure-3", "Log-odds of copies of one word.", surrogates.repeated,
                partial(curves, x="copies", y="log_odds", series="layers",
                        panels=["task", "word", "architecture"]), note=SYNTHETIC),
        Element("figure-4", "Surrogates against the model, words that add up.",
                partial(surrogates.scatter_points, "linear"),
                partial(scatter, x="model_log_odds", y="surrogate_log_odds", series="surrogate",
                        panels=["model"], diagonal=True), note=SYNTHETIC),
        Element("figure-5", "Value and importance of the words of a review.",
                partial(words.plane, 0), partial(scatter, x="value", y="importance", label="word",
                                                 panels=["model"])),
        Element("figure-6", "Kernel SHAP's mean weight of a copy of a word, by the copies.",
                surrogates.copied, surrogates.draw_copied,
                note=f"{SYNTHETIC} The weights sum to the difference of two log-odds, so that "
                "nothing is sampled."),
        Element("figure-7", "Values and importances of the SLALOM language.",
                surrogates.language_points, partial(scatter, x="value", y="importance"),
                note=f"{SYNTHETIC} Values are counted in reviews."),
        Element("figure-8", "Surrogates against the model, a SLALOM.",
                partial(surrogates.scatter_points, "slalom"),
                partial(scatter, x="model_log_odds", y="surrogate_log_odds", series="surrogate",
                        panels=["model"], diagonal=True), note=SYNTHETIC),
        Element("figure-9", "Error of the exact design and of the fit, by length of the text.",
                surrogates.lengths, partial(curves, x="length", y="mse", series="design",
                                            panels=["task"]), note=SYNTHETIC),
        Element("figure-10", "A review: what readers marked, and scores.", words.review,
                words.draw_review),
        Element("figure-11", "Value and importance of the words of another review.",
                partial(words.plane, 1), partial(scatter, x="value", y="importance", label="word",
                                                 panels=["model"])),
    ),
    (),
)  # fmt: skip
