"""Are models with similar tokenizers similarly faithful? Every two models that read the same texts
are compared, and the comparisons with each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np
import pandas as pd

from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.stats.mantel import Mantel, mantel, pooled_mantel
from babelscope.stats.score_agreement import kendall, rank_biased_overlap, top_overlap

FERTILITY = 0.1
"""Tokenizers whose fertilities differ by less are called similar."""
GROUPS = ("same tokenizer", "similar fertility", "different")
ATTRIBUTIONS = ("kendall", "top_overlap", "rank_biased_overlap")
UNIT = ["task", "lang"]
PAIR = ["first", "second"]


@dataclass(frozen=True, slots=True)
class SimilarityTest:
    """Mantel's test of one measure of likeness against the likeness of tokenizers, of a task in a
    language or, with an empty task, pooled over all."""

    measure: str
    task: str
    lang: str
    test: Mantel


def ratio_similarity(table: pd.DataFrame) -> pd.DataFrame:
    """How alike the ratios to random of two models are, over methods and metrics.

        r_m = the model's ratios over (method, metric) of a task in a language;
        pearson(r_a, r_b);   difference = mean |r_a - r_b|

    *Laws*: symmetric; 1 and 0 for equal models; NaN with fewer than three common cells.
    *Left open by the paper*: which measure of similarity.
    """
    lines = []
    for (task, lang), part in table.groupby(UNIT, sort=False):
        wide = part.pivot_table(index=["method", "metric"], columns="model", values="ratio")
        for first, second in combinations(map(str, wide.columns), 2):
            both = wide[[first, second]].dropna().to_numpy(dtype=np.float64).T
            gap = float(np.abs(both[0] - both[1]).mean()) if both.size else nan
            lines.append((task, lang, first, second, _pearson(*both), gap))
    return pd.DataFrame(lines, columns=[*UNIT, *PAIR, "pearson", "difference"])


def attribution_similarity(comparison: Comparison) -> pd.DataFrame:
    """How alike the word scores of two models are, text by text, averaged over texts and methods.

    Words are the same for all tokenizers; random scores and texts whose words differ (as one model
    reads less of them) are left out.

    *Laws*: symmetric; 1 for equal models.
    """
    spec = dict(zip(comparison.measured.readings["name"], comparison.measured.readings["model"]))
    columns = ["model", "task", "lang", "id", "method", "seed", "word_scores"]
    rows = comparison.attributions.select(columns).to_pandas()
    rows = rows[(rows["method"] != "random") & rows["model"].isin(list(spec))]
    rows = rows.assign(model=rows["model"].map(spec))
    texts = rows.groupby([*UNIT, "id", "method", "model"], sort=False)["word_scores"].first()
    lines = []
    for (task, lang, _, method), part in texts.groupby(level=[0, 1, 2, 3], sort=False):
        scores = {str(key[4]): np.asarray(value, dtype=np.float64) for key, value in part.items()}
        for first, second in combinations(sorted(scores), 2):
            if len(scores[first]) == len(scores[second]):
                values = _agreements(scores[first], scores[second])
                lines.append((task, lang, first, second, method, *values))
    table = pd.DataFrame(lines, columns=[*UNIT, *PAIR, "method", *ATTRIBUTIONS])
    means = table.groupby([*UNIT, *PAIR], sort=False)[list(ATTRIBUTIONS)].mean()
    sizes = table.groupby([*UNIT, *PAIR], sort=False).size().rename("explanations")
    return means.join(sizes).reset_index()


def tokenizer_similarity(comparison: Comparison) -> pd.DataFrame:
    """How alike two models' tokenizers split the texts of a task.

        boundary_f1 = 2 |A and B| / (|A| + |B|), A and B the tokens' starts in all texts
        fertility_gap = |fertility_a - fertility_b|

    Two tokenizers are the same where every text has the same boundaries. A token's start at the
    beginning of a word counts too, so that F1 is defined where no word is split.
    """
    starts = _starts(comparison)
    sums = comparison.measured.readings.groupby(["model", *UNIT])[["tokens", "words"]].sum()
    fertility = (sums["tokens"] / sums["words"]).to_dict()
    lines = []
    for (task, lang), part in starts.groupby(UNIT, sort=False):
        by_model = {str(model): set(rows["place"]) for model, rows in part.groupby("model")}
        for first, second in combinations(sorted(by_model), 2):
            a, b = by_model[first], by_model[second]
            gap = abs(fertility[first, task, lang] - fertility[second, task, lang])
            f1 = 2 * len(a & b) / (len(a) + len(b))
            group = GROUPS[0] if a == b else GROUPS[1] if gap < FERTILITY else GROUPS[2]
            lines.append((task, lang, first, second, f1, gap, group))
    columns = [*UNIT, *PAIR, "boundary_f1", "fertility_gap", "group"]
    return pd.DataFrame(lines, columns=columns)


def similarities(table: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """All comparisons of two models side by side: ratios, explanations and tokenizers."""
    both = ratio_similarity(table).merge(
        attribution_similarity(comparison), on=[*UNIT, *PAIR], how="outer"
    )
    return both.merge(tokenizer_similarity(comparison), on=[*UNIT, *PAIR], how="outer")


def similarity_tests(pairs: pd.DataFrame) -> list[SimilarityTest]:
    """Does the likeness of models go with that of their tokenizers?

    `mantel` of each measure against boundary_f1 in every task and language, and `pooled_mantel`
    over all of them, with the models of a language relabelled together.
    """
    tests = []
    for measure in ("pearson", "difference", *ATTRIBUTIONS):
        matrices, langs = [], []
        for (task, lang), part in pairs.groupby(UNIT, sort=False):
            both = (_matrix(part, measure), _matrix(part, "boundary_f1"))
            matrices.append(both)
            langs.append(str(lang))
            tests.append(SimilarityTest(measure, str(task), str(lang), mantel(*both)))
        tests.append(SimilarityTest(measure, "", "", pooled_mantel(matrices, langs)))
    return tests


def by_group(pairs: pd.DataFrame) -> pd.DataFrame:
    """The mean likeness of pairs with the same, a similar, and a different tokenizer."""
    measures = ["pearson", "difference", *ATTRIBUTIONS]
    grouped = pairs.groupby("group")
    means = grouped[measures].mean().assign(pairs=grouped.size())
    return means.reindex([name for name in GROUPS if name in means.index]).reset_index()


def _starts(comparison: Comparison) -> pd.DataFrame:
    """One row per token of a text: where it starts, once per model."""
    columns = ["model", "task", "lang", "id", "segment", "offsets"]
    rows = comparison.attributions.select(columns).to_pandas()
    spec = dict(zip(comparison.measured.readings["name"], comparison.measured.readings["model"]))
    known = rows[rows["model"].isin(list(spec))]
    known = known.assign(model=known["model"].map(spec))
    once = known.drop_duplicates(["model", *UNIT, "id"])
    lines = [
        (model, task, lang, (name, int(segment), int(span[0])))
        for model, task, lang, name, segments, spans in once.itertuples(index=False)
        for segment, span in zip(segments, spans)
    ]
    return pd.DataFrame(lines, columns=["model", *UNIT, "place"])


def _agreements(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return nan, nan, nan
    return (
        kendall(first, second),
        top_overlap(first, second),
        rank_biased_overlap(first, second),
    )


def _pearson(first: np.ndarray, second: np.ndarray) -> float:
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return nan
    return float(np.corrcoef(first, second)[0, 1])


def _matrix(part: pd.DataFrame, measure: str) -> np.ndarray:
    names = sorted({*part["first"], *part["second"]})
    place: Mapping[str, int] = {name: at for at, name in enumerate(names)}
    matrix = np.full((len(names), len(names)), nan)
    np.fill_diagonal(matrix, 1.0)
    for first, second, value in zip(part["first"], part["second"], part[measure]):
        matrix[place[first], place[second]] = matrix[place[second], place[first]] = value
    return matrix
