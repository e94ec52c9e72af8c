"""The tables of Zhao and Aletras 2024 from a store: multilingual and monolingual models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd

from babelscope.analyses.faithfulness import (
    model_similarity,
    ratios,
    task_complexity,
    tokenizer_swaps,
)
from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.reporting.papers.drawing import dots, scatter
from babelscope.reporting.papers.element import Element, Paper
from babelscope.reporting.papers.published import beside, published
from babelscope.store import Store

TASKS = {
    "sst": ("sst", "en"), "agnews": ("agnews", "en"), "multirc": ("multirc", "en"),
    "csl": ("csl", "zh"), "ant": ("ant", "zh"), "ChnSentiCorp": ("chnsenticorp", "zh"),
    "spanish_csl": ("reviews", "es"), "spanish_xnli": ("xnli", "es"),
    "spanish_paws": ("paws", "es"), "french_csl": ("reviews", "fr"), "french_xnli": ("xnli", "fr"),
    "french_paws": ("paws", "fr"), "hindi_bbc_nli": ("bbc-nli", "hi"),
    "hindi_bbc_topic": ("bbc-topic", "hi"), "hindi_xnli": ("xnli", "hi"),
}  # fmt: skip
"""The task and language in studies/mono-vs-multi.yaml of each published data set."""
MODELS = {
    "mbert": "mbert", "xlmr": "xlm-r", "xlmr_large": "xlm-r-large", "mono_bert": "bert",
    "mono_roberta": "roberta",
}  # fmt: skip
METHODS = {
    "att": "attention", "satt": "scaled_attention", "ixg": "input_x_gradient",
    "ig": "integrated_gradients", "dl": "deeplift",
}  # fmt: skip
METRICS = {"suff": "normalised_sufficiency", "comp": "normalised_comprehensiveness"}
CELL = ["task", "lang", "model", "method", "metric"]


@dataclass(frozen=True)
class Material:
    """What the store holds of the study, each table computed when first needed."""

    comparison: Comparison

    @cached_property
    def ratios(self) -> pd.DataFrame:
        return ratios.ratios(self.comparison)

    @cached_property
    def performance(self) -> pd.DataFrame:
        return ratios.performance(self.comparison)

    @cached_property
    def similarities(self) -> pd.DataFrame:
        return model_similarity.similarities(self.ratios, self.comparison)

    @cached_property
    def points(self) -> pd.DataFrame:
        complexity = task_complexity.task_complexity(self.performance, self.comparison)
        pairings = self.comparison.pairings
        return task_complexity.complexity_points(self.ratios, complexity, pairings)


def material(store: Store, study: Mapping[str, Any]) -> Material | None:
    comparison = ratios.comparison(store, study)
    return None if comparison is None else Material(comparison)


def published_rows() -> pd.DataFrame:
    """The 60 published rows and two of XLM-R large, under the names of the study file."""
    both = (published("mono-vs-multi"), published("mono-vs-multi-large"))
    rows = pd.concat(both, ignore_index=True)
    places = [TASKS[name] for name in rows["dataset"]]
    return rows.assign(
        task=[task for task, _ in places],
        lang=[lang for _, lang in places],
        model=rows["model"].map(MODELS),
    )


def published_ratios() -> pd.DataFrame:
    """One row per published ratio, hard and soft."""
    rows = published_rows()
    parts = [
        rows[["task", "lang", "model"]].assign(
            method=method, metric=metric, published=rows[f"{short}_{ending}"]
        )
        for short, method in METHODS.items()
        for ending, metric in METRICS.items()
    ]
    return pd.concat([*parts, published("mono-vs-multi-soft")], ignore_index=True)


def _ratios(material: Material, soft: bool) -> pd.DataFrame:
    table = material.ratios
    chosen = table[table["metric"].str.contains("soft") == soft]
    return beside(chosen[[*CELL, "ratio", "low", "high", "n"]], published_ratios(), CELL)


def hard(material: Material) -> pd.DataFrame:
    return _ratios(material, soft=False)


def soft(material: Material) -> pd.DataFrame:
    return _ratios(material, soft=True)


def counts(material: Material) -> pd.DataFrame:
    """By hard metrics, as published."""
    hard_ratios = material.ratios[~material.ratios["metric"].str.contains("soft")]
    table = ratios.counts(hard_ratios, material.comparison)
    return beside(table, published("mono-vs-multi-counts"), ["kind", "lang", "method"])


def disparities(material: Material) -> pd.DataFrame:
    """All together, by language and by method, one below the other."""
    numbers = published("mono-vs-multi-disparities")
    parts = []
    for by in ("", "lang", "method"):
        table = ratios.ratio_disparities(material.ratios, material.comparison.pairings, by)
        level = table.pop(by) if by else "all"
        parts.append(table.assign(by=by or "all", level=level))
    keys = ["pairing", "metric", "by", "level"]
    whole = pd.concat(parts, ignore_index=True)
    values = [*keys, "disparity", "cells", "units", "p_cells", "p_units"]
    return whole[values].merge(numbers, on=keys, how="left", validate="many_to_one")


def performance(material: Material) -> pd.DataFrame:
    numbers = published_rows().rename(columns={"f1": "published"})
    return beside(material.performance, numbers, ["task", "lang", "model"])


def fertility(material: Material) -> pd.DataFrame:
    table = ratios.splitting(material.comparison)
    return beside(table, published("mono-vs-multi-fertility"), ["task", "lang", "model"])


def similarity(material: Material) -> pd.DataFrame:
    return material.similarities


def similarity_groups(material: Material) -> pd.DataFrame:
    return model_similarity.by_group(material.similarities)


def similarity_tests(material: Material) -> pd.DataFrame:
    tests = model_similarity.similarity_tests(material.similarities)
    rows = [
        (each.measure, each.task or "all", each.lang or "all", each.test.r, each.test.p,
         each.test.n)
        for each in tests
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["measure", "task", "lang", "mantel_r", "p", "n"])


def complexity(material: Material) -> pd.DataFrame:
    return material.points


def complexity_correlations(material: Material) -> pd.DataFrame:
    outcomes = ("ratio", *(pairing.name for pairing in material.comparison.pairings))
    rows = [
        (metric, outcome, measure, test.r, test.p, test.n, test.within)
        for metric, outcome, measure, test in task_complexity.complexity_correlations(
            material.points, outcomes
        )
    ]
    columns = ["metric", "outcome", "complexity", "r", "p", "points", "r_within_languages"]
    return pd.DataFrame(rows, columns=columns)


def swap_table(material: Material) -> pd.DataFrame:
    measured, swaps = material.comparison.measured, material.comparison.swaps
    return tokenizer_swaps.effect_table(measured, swaps) if swaps else pd.DataFrame()


def swap_cells(material: Material) -> pd.DataFrame:
    return tokenizer_swaps.cell_table(material.comparison.measured, material.comparison.swaps)


def swap_figure(material: Material) -> pd.DataFrame:
    """Effects on faithfulness, of the texts that all four models predict rightly and of all."""
    table = swap_table(material)
    if table.empty:
        return table
    chosen = table[~table["metric"].isin(tokenizer_swaps.READINGS)]
    named = chosen.assign(texts=chosen["texts"].replace(SWAP_TEXTS))
    return named.rename(columns={"value": "difference"})


SWAP_TEXTS = {"all right": "all four right", "all": "all texts"}
"""Texts of a swap in print."""


PAPER = Paper(
    "mono-vs-multi",
    "Zhao and Aletras 2024, Comparing Explanation Faithfulness between Multilingual and "
    "Monolingual Fine-tuned Language Models, NAACL. The numbers of its tables are not in the "
    "sources at hand: the elements are named after what they show.",
    "studies/mono-vs-multi.yaml",
    material,
    (
        Element(
            "performance", "Accuracy and macro-F1 of every model by task and language.",
            performance, note="Published: macro-F1 of the best of five seeds.",
        ),
        Element(
            "ratios", "Hard faithfulness divided by that of random scores, by task, model and "
            "method.", hard,
            note="Published: token units, padding, one sample of random scores.",
        ),
        Element(
            "ratios-soft", "Soft faithfulness divided by that of random scores.", soft,
            note="Published: English only, scaling and polarity of the released code.",
        ),
        Element("faithful-counts", "How many hard ratios are above 1.", counts),
        Element(
            "disparities", "Multilingual less monolingual ratio: all, by language, by method.",
            disparities, note="Published p: t-test over cells, which are not independent.",
        ),
        Element(
            "fertility", "Tokens per word and share of split words, by task, language and model.",
            fertility, note="Published: white-space words; Chinese per character.",
        ),
        Element("similarity", "Likeness of every two models and of their tokenizers.", similarity),
        Element(
            "similarity-groups", "Likeness of models with the same, a similar, and a different "
            "tokenizer.", similarity_groups,
        ),
        Element(
            "similarity-tests", "Mantel's test: likeness of models against that of tokenizers.",
            similarity_tests,
        ),
        Element(
            "complexity", "Ratios to random by the words of a task's texts.", complexity,
            note="The CSV also has the texts, classes and error of every task.",
            draw=partial(scatter, x="words", y="ratio", label="task", series="lang",
                         panels=["metric"]),
        ),
        Element(
            "complexity-correlations", "Do ratios and disparities go with the complexity of tasks?",
            complexity_correlations,
        ),
        Element(
            "tokenizer-swap", "Two bodies by two tokenizers: how much of the difference between "
            "multilingual and monolingual models goes with the tokenizer, and how much with the "
            "body.", swap_table,
            note="Not in the paper, which names it as the next check; studies/tokenizer-swap.yaml. "
            "tokenizer + body = gap; what any swap costs is in the interaction.",
        ),
        Element(
            "tokenizer-swap-models", "The four models of every swap: faithfulness above random "
            "scores, accuracy and fertility.", swap_cells, note="Not in the paper.",
        ),
        Element("figure-tokenizer-swap", "The effects of tokenizer and body by language.",
                swap_figure, note="Not in the paper. Of the texts that all four models predict "
                "rightly, and of all.",
                draw=partial(dots, value="difference", rows="effect", series="lang",
                             panels=["swap", "texts", "metric"], reference=0.0)),
        Element("figure-ratios", "Ratios to random by method and language.", hard,
                note="Of several tasks of a language their mean, without an interval.",
                draw=partial(dots, value="ratio", rows="lang", series="model",
                             panels=["metric", "method"], reference=1.0)),
    ),
)  # fmt: skip
