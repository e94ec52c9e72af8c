"""The published mono/multi table again, with the task as the unit: what of it holds?

The 60 rows in mono_vs_multi_hard_ratios.csv are ratios of hard faithfulness to a random ranking
(Zhao & Aletras 2024), as the authors' notebooks print them; SIX is their table of tokenization.
Every p below comes from `babelscope.stats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.timing import table
from scipy.stats import ttest_rel

from babelscope.stats import estimate
from babelscope.stats.corrections import holm
from babelscope.stats.correlations import Correlation, correlation
from babelscope.stats.rankings import Ranking, friedman
from babelscope.stats.units import Across, across, unit_means
from babelscope.types import Estimate

METHODS = {
    "att": "attention",
    "satt": "scaled attention",
    "ixg": "input x gradient",
    "ig": "integrated gradients",
    "dl": "DeepLIFT",
}
DISTINCT = ("att", "ixg", "ig", "dl")
"""The released code's scaled attention is attention squared, which ranks alike: it counts
attention twice.
"""
MODELS = {"mbert": "mBERT", "mono_bert": "BERT", "xlmr": "XLM-R", "mono_roberta": "RoBERTa"}
PAIRINGS = (("mbert", "mono_bert"), ("xlmr", "mono_roberta"))
METRICS = {"suff": "sufficiency", "comp": "comprehensiveness"}
LANGUAGES = {
    "en": ("sst", "agnews", "multirc"),
    "zh": ("csl", "ant", "ChnSentiCorp"),
    "es": ("spanish_csl", "spanish_xnli", "spanish_paws"),
    "fr": ("french_csl", "french_xnli", "french_paws"),
    "hi": ("hindi_bbc_nli", "hindi_bbc_topic", "hindi_xnli"),
}
PAIRED_INPUT = ("multirc", "csl", "ant", "spanish_paws", "french_paws", "hindi_bbc_nli")
"""Tasks of two texts, where the released code erases the second text of BERT-like models too."""
SIX = {
    "family": ("RoBERTa", "RoBERTa", "RoBERTa", "BERT", "BERT", "BERT"),
    "fertility": (0.1946, 0.1189, 0.1861, 0.0640, 0.0864, 0.0054),
    "splitting": (0.1847, 0.1036, 0.1135, 0.0521, 0.0621, 0.0048),
    "suff": (-0.0629, -0.0389, -0.2094, 0.1031, 0.1228, 0.0834),
    "comp": (-0.2782, -0.0917, -0.4618, 0.0788, 0.1681, 0.2022),
}
"""Multilingual minus monolingual, English, Spanish and French of each family, as the notebooks
print them.
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """One pairing by one metric: the published test and ours."""

    pairing: tuple[str, str]
    metric: str
    cells: float
    """The published p: 75 cells as if independent."""
    tasks: Across
    interval: Estimate
    distinct: Across
    """Logarithms, four methods."""
    languages: Across
    single: Across
    """The same, over the nine tasks of one text."""
    methods: dict[str, float]
    """t over tasks, Holm over the five."""


def ratios() -> pd.DataFrame:
    file = Path(__file__).with_name("mono_vs_multi_hard_ratios.csv")
    return pd.read_csv(file, comment="#").set_index(["dataset", "model"])


def claims(rows: pd.DataFrame) -> list[Claim]:
    return [_claim(rows, pairing, metric) for metric in METRICS for pairing in PAIRINGS]


def _claim(rows: pd.DataFrame, pairing: tuple[str, str], metric: str) -> Claim:
    tasks = [task for group in LANGUAGES.values() for task in group]
    lang = {task: name for name, group in LANGUAGES.items() for task in group}
    single = [task for task in tasks if task not in PAIRED_INPUT]
    multi, mono = (_cells(rows, tasks, model, metric, METHODS) for model in pairing)
    units = np.repeat(tasks, len(METHODS)).tolist()
    difference = unit_means((multi - mono).ravel(), units)
    each = [across(multi[:, at], mono[:, at], tasks).t for at in range(len(METHODS))]

    def logs(chosen: Sequence[str]) -> Across:
        one, two = (
            np.log(_cells(rows, chosen, model, metric, DISTINCT)).ravel() for model in pairing
        )
        return across(one, two, np.repeat(chosen, len(DISTINCT)).tolist())

    return Claim(
        pairing=pairing,
        metric=metric,
        cells=float(ttest_rel(multi.ravel(), mono.ravel()).pvalue),
        tasks=across(multi.ravel(), mono.ravel(), units),
        interval=estimate(difference.tolist(), sorted(tasks)),
        distinct=logs(tasks),
        languages=across(multi.ravel(), mono.ravel(), [lang[task] for task in units]),
        single=logs(single),
        methods=dict(zip(METHODS, holm(each))),
    )


def _cells(
    rows: pd.DataFrame, tasks: Sequence[str], model: str, metric: str, methods: Sequence[str]
) -> np.ndarray:
    columns = [f"{method}_{metric}" for method in methods]
    return np.array([rows.loc[(task, model), columns].to_numpy(dtype=float) for task in tasks])


def six() -> dict[tuple[str, str], Correlation]:
    """The published correlations of six points: tokenization against faithfulness."""
    return {
        (measure, metric): correlation(SIX[measure], SIX[metric], SIX["family"])
        for measure in ("fertility", "splitting")
        for metric in METRICS
    }


def accuracy(rows: pd.DataFrame) -> Correlation:
    """Over the 60 cells: does a more accurate model have the larger comprehensiveness ratio?"""
    return correlation(
        rows["acc"], rows[[f"{method}_comp" for method in DISTINCT]].mean(axis=1), ranks=True
    )


def rankings(rows: pd.DataFrame) -> dict[tuple[str, str], Ranking]:
    """Do the 15 tasks rank the four distinct methods alike?"""
    tasks = [task for group in LANGUAGES.values() for task in group]
    return {
        (model, metric): friedman(_cells(rows, tasks, model, metric, DISTINCT))
        for model in MODELS
        for metric in METRICS
    }


def _p(value: float) -> str:
    return f"{value:.1e}" if value < 0.0005 else f"{value:.3f}"


def page() -> str:
    rows = ratios()
    found = claims(rows)
    adjusted = holm([one.tasks.t for one in found])

    def name(one: Claim) -> str:
        return f"{MODELS[one.pairing[0]]} - {MODELS[one.pairing[1]]}, {METRICS[one.metric]}"

    first = [
        [name(one), f"{one.tasks.effect:+.4f}", _p(one.cells), _p(one.tasks.t), _p(one.tasks.wilcoxon),
         _p(one.distinct.sign_flip), _p(whole), f"{one.interval.low:+.3f} to "
                                                f"{one.interval.high:+.3f}"]
        for one, whole in zip(found, adjusted)
    ]  # fmt: skip
    head = [
        "",
        "difference",
        "published p, 75 cells",
        "t, 15 tasks",
        "Wilcoxon",
        "sign flips",
        "t, Holm",
        "95 % interval by task",
    ]
    second = [
        [
            name(one),
            f"{one.single.effect:+.3f}",
            _p(one.single.sign_flip),
            _p(one.languages.t),
            _p(one.languages.sign_flip),
        ]
        for one in found
    ]
    third = [[name(one), *(_p(one.methods[method]) for method in METHODS)] for one in found]
    fourth = [
        [
            f"{measure}, {METRICS[metric]}",
            f"{one.r:+.2f}",
            _p(one.p),
            f"{one.low:+.2f} to {one.high:+.2f}",
            f"{one.within:+.2f}",
        ]
        for (measure, metric), one in six().items()
    ]
    fifth = [
        [
            f"{MODELS[model]}, {METRICS[metric]}",
            *(f"{rank:.2f}" for rank in one.ranks),
            f"{one.w:.2f}",
            _p(one.permuted),
        ]
        for (model, metric), one in rankings(rows).items()
    ]
    sure = accuracy(rows)
    kept = [name(one) for one, whole in zip(found, adjusted) if whole < 0.05]
    by_unit = [
        name(one)
        for one in found
        if max(one.tasks.t, one.tasks.wilcoxon, one.distinct.sign_flip) < 0.05
    ]
    return f"""# The published mono/multi table, again

Zhao & Aletras (NAACL 2024, [arXiv 2403.12809](https://arxiv.org/abs/2403.12809)) compare how faithful explanations of
multilingual and monolingual models are: 15 tasks in five languages, five attribution methods, ratios of sufficiency and
comprehensiveness to a random ranking. Their tests count every task by method cell as an observation of its own, 75 of them. But
the five methods of a task share its texts, its two models and one random draw, so a task is one observation. Here are the
same numbers with the task as the unit. The ratios are those that the authors' notebooks print
([casszhao/multilingual-faith](https://github.com/casszhao/multilingual-faith)); nothing was run anew. This page is written by
`python -m experiments published`.

## Four claims

Multilingual minus monolingual, mean over the tasks. *Sign flips* are exact over the 15 tasks, of logarithms, with four
methods: the released code's scaled attention is the square of attention and ranks words alike. *Holm* corrects for the four
claims.

{table(head, first)}

Below .05 by all three tests of tasks: {", ".join(by_unit) or "none"}.
Below .05 after correction: {", ".join(kept) or "none"}.
A p of .1 with 15 tasks is no evidence that there is no difference: the intervals reach far.

## By language, and without pairs of texts

For tasks of two texts the released code erases the second text of BERT-like models too, so their comprehensiveness is about 1
whatever the method. Left: the nine tasks of one text, difference of the logarithms, four methods. Right: five languages as
units; with five the least p that sign flips can give is 2/32 = .0625. The p of this section are not corrected.

{table(["", "one text: log difference", "sign flips, 9 tasks", "t, 5 languages", "sign flips, 5 languages"], second)}

## By method

t over the 15 tasks, Holm over the five methods.

{table(["", *METHODS.values()], third)}

## Does tokenization explain it?

Six points (two families by English, Spanish, French): the difference in fertility or in the share of split words against the
difference in faithfulness. Exact p over all 720 orders; the range when any one point is left out; and what remains
within the families.

{table(["", "r", "p", "one point left out", "within families"], fourth)}

Much of it is the difference between the families, which differ in more than their tokenizers. And over the 60 cells accuracy
goes with the comprehensiveness ratio: Spearman {sure.r:+.2f}, p {_p(sure.p)} (cells of one task are not independent, so
that p is too small).

## Do the tasks rank the methods alike?

Mean rank (4 is the most faithful) of the four distinct methods over 15 tasks, Kendall's W (1: the same order everywhere), p by
permutation.

{table(["", *(METHODS[method] for method in DISTINCT), "W", "p"], fifth)}
"""
