"""Tables of the section, the same in a terminal and in a page: columns and rows of plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.heads.tables import LanguageHeads, ModelHeads
from babelscope.model.head_masks import KINDS
from babelscope.model.head_statistics import FEW, accuracy, coverage, syntactic, thresholds


class Grid(NamedTuple):
    """A table: its title, the names of its columns, and its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def relations_grid(language: LanguageHeads) -> Grid:
    """One row per relation: its pairs, what a fixed distance and what the best head reach."""
    statistics, margin = language.statistics, language.mask.margin
    accuracies, limits = accuracy(statistics), thresholds(statistics, margin)
    seen, passed = coverage(statistics), syntactic(statistics, margin)
    rows = []
    for at, name in enumerate(statistics.relations):
        pairs = statistics.pairs[:, at]
        few = " few" if pairs.max(initial=0) < FEW else ""
        shares = (seen[:, at], statistics.baseline[:, at], limits[:, at])
        best = _best(accuracies[:, :, at]) if pairs.any() else "none"
        dropped, passing = int(statistics.dropped[at]), int(passed[:, :, at].sum())
        rows.append((name, _range(pairs) + few, dropped, *map(_range, shares), best, passing))
    columns = ("relation", "pairs", "dropped", "seen", "lambda", "above", "best head", "pass")
    about = f"{statistics.lang} · {statistics.sentences} sentences · {statistics.direction}"
    return Grid(f"{about} · {statistics.model}", columns, rows)


def kinds_grid(model: ModelHeads) -> Grid:
    """How many heads each kind of mask keeps in each language."""
    first = model.languages[0]
    rows = [
        (kind, *(language.masks[kind].count for language in model.languages), KINDS[kind])
        for kind in first.masks
    ]  # fmt: skip
    langs = [language.lang for language in model.languages]
    total = model.shape[0] * model.shape[1]
    return Grid(f"heads kept of {total}, by kind of mask", ("mask", *langs, "which"), rows)


def ablation_grid(model: ModelHeads) -> Grid:
    """What the model predicts with the heads of each mask alone, and without them."""
    rows = [
        (
            each.lang, each.kind, each.side, f"{each.heads} of {each.total}",
            *map(_defined, (each.same, each.probability, each.accuracy)),
            *map(_defined, (each.control_same, each.control_probability, each.p)),
        )
        for each in model.ablations
    ]  # fmt: skip
    samples = max((each.samples for each in model.ablations), default=0)
    texts = max((each.texts for each in model.ablations), default=0)
    columns = (
        "language", "mask", "heads are", "heads", "same prediction", "probability", "accuracy",
        "same, random heads", "probability, random heads", "p",
    )  # fmt: skip
    title = f"does the model need these heads? {texts} texts, {samples} random masks of each size"
    return Grid(title, columns, rows)


def agreement_grid(model: ModelHeads) -> Grid:
    """Whether the masks of two languages keep the same heads."""
    rows = [
        (*pair[:4], *(_defined(value) for value in (pair.jaccard, pair.kappa, alike)))
        for pair, alike in zip(model.agreements, model.likeness)
    ]
    columns = ("one", "two", "kept by both", "by either", "Jaccard", "kappa", "likeness")
    return Grid("do the languages keep the same heads?", columns, rows)


def threshold_grids(model: ModelHeads) -> list[Grid]:
    """How many heads pass in each language as one of the two thresholds varies."""
    grids = []
    for title, least, count in (
        ("heads that follow a relation, by margin", "margin", "synt"),
        ("heads at a fixed offset, by threshold", "positional", "pos"),
    ):
        curves = {language.lang: passing(language, least, count) for language in model.languages}
        values = list(next(iter(curves.values())))
        rows = [(lang, *curve.values()) for lang, curve in curves.items()]
        grids.append(Grid(title, ("language", *(f"{value:g}" for value in values)), rows))
    return grids


def passing(language: LanguageHeads, least: str, count: str) -> dict[float, int]:
    """From a threshold to the number of heads that pass it."""
    return {getattr(step, least): getattr(step, count) for step in language.curve}


def _best(accuracies: NDArray[np.float64]) -> str:
    layer, head = np.unravel_index(np.nanargmax(accuracies), accuracies.shape)
    return f"{layer}.{head}: {accuracies[layer, head]:.3f}"


def _defined(value: float) -> str:
    return f"{value:.3f}" if value == value else "none"


def _range(values: NDArray[Any]) -> str:
    """One number where the layers agree, else the least and the largest."""
    shares = values.dtype.kind == "f"
    known = values[~np.isnan(values)] if shares else values
    if not len(known):
        return "undefined"
    low, high = (f"{each:.3f}" if shares else str(each) for each in (known.min(), known.max()))
    return low if low == high else f"{low} to {high}"
