"""The tables of the study of cross-lingual consistency (CCTA) from a store.

The paper's three tasks are three study files and so three stores: of each, the elements of the
other tasks are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite, nan
from typing import Any

import numpy as np
import pandas as pd

from babelscope.analyses.consistency.correlation import correlation
from babelscope.analyses.consistency.matrix import source_accuracy
from babelscope.analyses.consistency.tables import Matrix, Result, tables
from babelscope.display.chart import Figure
from babelscope.display.numbers import number
from babelscope.reporting.papers.drawing import heat, scatter
from babelscope.reporting.papers.element import Element, Paper
from babelscope.reporting.papers.published import beside, published
from babelscope.stats.answers import answer_f1, answer_words
from babelscope.store import Store

MODELS = {
    "mbert": "mBERT", "mbert-en": "mBERT", "xlm-r-base": "XLM-R-Base", "en": "XLM-R-Base",
    "xlm-r-large": "XLM-R-Large", "xlm-r-large-en": "XLM-R-Large", "xlm-base": "XLM-Base",
    "xlm-large": "XLM-Large",
}  # fmt: skip
"""What the paper calls the models of the study files."""
OVERALL = "overall"
"""The mean over the target languages and the source itself, which counts 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The comparisons of a study, and which of its tasks have answers in place of classes."""

    main: Sequence[Result]
    matrices: Sequence[Matrix]
    answered: frozenset[str]


def material(store: Store, study: Mapping[str, Any]) -> Material | None:
    if "consistency" not in study.get("analyses", {}):
        return None
    found = tables(store, study)
    if found is None:
        return None
    tasks = study.get("tasks", ())
    answered = {task["name"] for task in tasks if task.get("edge", "both") != "both"}
    return Material(found.main, found.matrices, frozenset(answered))


def by_language(tasks: Sequence[str], name: str, source: str, found: Material) -> pd.DataFrame:
    """C of every model, from the source to each language and overall, for tasks of these names."""
    lines = []
    for result in found.main:
        if result.origin.task in tasks and result.comparison.source == source:
            lines += _lines(result)
    columns = ["model", "task", "lang", "c", "low", "high", "lift", "kappa", "n"]
    table = pd.DataFrame(lines, columns=columns)
    numbers = _published(name)
    keyed = table.assign(paper_model=[MODELS.get(each, each) for each in table["model"]])
    return beside(keyed, numbers, ["paper_model", "lang"]).drop(columns="paper_model")


def _lines(result: Result) -> list[tuple[Any, ...]]:
    place = (result.origin.model, result.origin.task)
    lines: list[tuple[Any, ...]] = []
    for line in result.comparison.lines:
        c = line.means["c"]
        numbers = (c.mean, c.low, c.high, line.means["lift"].mean, line.kappa.mean, c.n)
        lines.append((*place, line.lang, *numbers))
    with_self = result.overall[1]
    fewest = min((line.means["c"].n for line in result.comparison.lines), default=0)
    return [*lines, (*place, OVERALL, with_self, *[float("nan")] * 4, fewest)]


def _published(name: str) -> pd.DataFrame:
    """The published C by model and language, and overall."""
    rows = published("consistency")
    rows = rows[(rows["table"] == name) & (rows["source"] == "en")]
    names = {"model": "paper_model", "target": "lang", "value": "published"}
    return rows.rename(columns=names)[["paper_model", "lang", "published"]]


def consistency_matrix(found: Material) -> pd.DataFrame:
    """Sources by targets; the source with itself is 1 by definition."""

    def value(result: Result, lang: str) -> float:
        return next(line.means["c"].mean for line in result.comparison.lines if line.lang == lang)

    return _matrix(found, "pawsx consistency by source", value, own=1.0)


def accuracy_matrix(found: Material) -> pd.DataFrame:
    """Sources by targets, on the same texts as the consistency."""
    name = "pawsx accuracy by source"
    return _matrix(found, name, lambda result, lang: result.accuracy[lang], own=float("nan"))


def both_matrices(found: Material) -> pd.DataFrame:
    """The accuracies and the consistencies one below the other, for the figure."""
    parts = (("accuracy", accuracy_matrix(found)), ("consistency", consistency_matrix(found)))
    return pd.concat([part.assign(measure=name) for name, part in parts], ignore_index=True)


def _matrix(
    found: Material, name: str, value: Callable[[Result, str], float], own: float
) -> pd.DataFrame:
    lines = []
    for matrix in _first(found.matrices):
        for result in matrix.results:
            source, task = result.comparison.source, result.origin.task
            langs = [line.lang for line in result.comparison.lines]
            lines.append((task, source, source, _of_self(result, own)))
            lines += [(task, source, lang, value(result, lang)) for lang in langs]
    table = pd.DataFrame(lines, columns=["task", "source", "target", "value"])
    numbers = published("consistency")
    numbers = numbers[numbers["table"] == name].rename(columns={"value": "published"})
    return beside(table, numbers, ["source", "target"])


def _of_self(result: Result, own: float) -> float:
    """The accuracy in the source language itself, or the given value for consistency."""
    return own if own == 1.0 else source_accuracy(result)


def _first(matrices: Sequence[Matrix]) -> list[Matrix]:
    """Of every task the first: of the first method, space and norm."""
    by_task: dict[str, Matrix] = {}
    for matrix in matrices:
        by_task.setdefault(matrix.results[0].origin.task, matrix)
    return list(by_task.values())


def source_tests(found: Material) -> pd.DataFrame:
    """Every two sources of a task against one another."""
    rows = [
        {"task": matrix.results[0].origin.task, **test._asdict()}
        for matrix in _first(found.matrices)
        for test in matrix.tests
    ]
    return pd.DataFrame(rows)


def correlations(found: Material) -> pd.DataFrame:
    """Consistency against performance over the target languages of each model: the points of Figure
    2, and Pearson's coefficient of C. Performance is accuracy, of answers F1."""
    lines = []
    for result in found.main:
        answers = result.origin.task in found.answered
        reached = answer_scores(result) if answers else result.accuracy
        listed = result.comparison.lines
        points = [(line.means["c"].mean, line.means["lift"].mean, reached[line.lang])
                  for line in listed]  # fmt: skip
        r = correlation(np.array([c for c, _, _ in points]), np.array([y for *_, y in points]))
        place = (result.origin.task, result.origin.model, result.comparison.source)
        measure = "F1" if answers else "accuracy"
        lines += [
            (*place, line.lang, *point, measure, r.pearson, r.p, result.partial)
            for line, point in zip(listed, points)
        ]
    columns = [
        "task",
        "model",
        "source",
        "lang",
        "c",
        "lift",
        "performance",
        "measure",
        "r",
        "p",
        "partial_r",
    ]
    return pd.DataFrame(lines, columns=columns)


def answer_scores(result: Result) -> dict[str, float]:
    """By target language the mean F1 of the model's answers; NaN without a gold one."""
    scores: dict[str, list[float]] = {line.lang: [] for line in result.comparison.lines}
    for pair in result.comparison.pairs:
        if pair.gold_t is not None and pair.prediction_t is not None and pair.lang in scores:
            words = (answer_words(text, pair.lang) for text in (pair.prediction_t, pair.gold_t))
            scores[pair.lang].append(answer_f1(*words))
    return {lang: float(np.mean(each)) if each else nan for lang, each in scores.items()}


def draw_performance(frame: pd.DataFrame) -> Figure:
    """A chart for every model, with the coefficient in its title."""
    names = [
        MODELS.get(model, f"fine-tuned on {source}" if model == source else model)
        for model, source in zip(frame["model"], frame["source"])
    ]
    titles = [
        f"{name}, r = {number(r)}" if isfinite(r) else name for name, r in zip(names, frame["r"])
    ]
    measures = frame["measure"].unique()
    titled = frame.assign(chart=titles)
    performance = str(measures[0]) if len(measures) == 1 else "performance"
    titled = titled.rename(columns={"performance": performance})
    return scatter(titled, x="c", y=performance, label="lang", panels=["task", "chart"])


def everything(found: Material) -> pd.DataFrame:
    """Every model, task and language of the store, whatever its task is called."""
    columns = ["model", "task", "lang", "c", "low", "high", "lift", "kappa", "n"]
    return pd.DataFrame([row for each in found.main for row in _lines(each)], columns=columns)


ACCURACY = "Accuracy is the share of the compared texts on which the prediction is the gold label."
PAPER = Paper(
    "consistency",
    "Consistency of token attributions across translations (CCTA): C(s, t) by optimal transport of "
    "attribution weights between a text and its translation.",
    "studies/ccta-xnli.yaml",
    material,
    (
        Element(
            "table-1", "XNLI: consistency from English, by model and language.",
            partial(by_language, ["inference"], "xnli consistency", "en"),
        ),
        Element(
            "table-2", "PAWS-X: consistency from English, by model and language.",
            partial(by_language, ["paraphrase"], "pawsx consistency", "en"),
        ),
        Element(
            "table-3-start", "XQuAD, start of the answer: consistency from English.",
            partial(by_language, ["start"], "xquad start consistency", "en"),
        ),
        Element(
            "table-3-end", "XQuAD, end of the answer: consistency from English.",
            partial(by_language, ["end"], "xquad end consistency", "en"),
        ),
        Element(
            "table-4", "Accuracy by training language and input language.", accuracy_matrix,
            note=ACCURACY,
        ),
        Element(
            "table-5", "Consistency by training language and input language.", consistency_matrix
        ),
        Element(
            "figure-2", "Performance against consistency over languages.", correlations,
            draw=draw_performance,
            note="r: Pearson's, of C and accuracy (of answers F1). The published points are not in "
            "the paper's text.",
        ),
        Element(
            "figure-matrix", "Accuracy and consistency by training and input language.",
            both_matrices,
            draw=partial(heat, value="value", rows="source", columns="target",
                         panels=["task", "measure"]),
        ),
        Element(
            "source-tests", "Is one source more consistent than another? Paired by text, Holm.",
            source_tests,
            note="The paper names a most consistent source without a test.",
        ),
        Element("by-language", "Consistency of every model, task and language.", everything),
    ),
)  # fmt: skip
