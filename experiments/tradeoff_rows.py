"""Rows of the page on trade-offs: what the tables of a study have by source and target, averaged
over the targets other than the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations
from math import nan
from statistics import mean
from typing import Any, NamedTuple

Table = Mapping[str, Any]
BY_SOURCE = ("probe", "head_only")
"""References that are trained on one language each."""


class Interval(NamedTuple):
    """A value with its interval; NaN where there is none."""

    mean: float
    low: float
    high: float


class Own(NamedTuple):
    """A quantity in the language of the fine-tuning, and its mean over the others."""

    own: float
    others: float


def interval(table: Table, *place: int) -> Interval:
    """The entry at a place of nested lists of values, lower and upper ends."""
    ends = []
    for name in ("value", "low", "high"):
        nested = table[name]
        for step in place:
            nested = nested[step]
        ends.append(nested)
    return defined(ends)


def defined(ends: Sequence[float | None]) -> Interval:
    """A value and its ends, of which any may be None."""
    value, low, high = (nan if end is None else float(end) for end in ends)
    return Interval(value, low, high)


def average(values: Iterable[float | None]) -> float:
    """The mean of the values that are not None; NaN of nothing."""
    known = [value for value in values if value is not None]
    return mean(known) if known else nan


def accuracy_rows(contents: Table) -> list[tuple[str, list[Interval]]]:
    """A row of accuracies by target for every source, and for the references."""
    behaviour, sources = contents["behaviour"], contents["sources"]
    tuned = [(f"fine-tuned on {source}", behaviour["accuracy"]) for source in sources]
    listed = [(name, grid, at) for at, (name, grid) in enumerate(tuned)]
    for reference, grid in behaviour["references"].items():
        name = reference.replace("_", " ")
        if reference in BY_SOURCE:
            listed += [(f"{name}, {source}", grid, at) for at, source in enumerate(sources)]
        else:
            listed.append((name, grid, 0))
    places = range(len(contents["targets"]))
    return [(name, [interval(grid, at, place) for place in places]) for name, grid, at in listed]


def specialisation_rows(contents: Table) -> list[tuple[str, Interval]]:
    """By how much two models prefer their own language, for every two sources."""
    sources, table = contents["sources"], contents["behaviour"]["specialisation"]
    pairs = combinations(range(len(sources)), 2)
    return [(f"{sources[a]}, {sources[b]}", interval(table, b, a)) for a, b in pairs]


def activations_row(row: Table) -> dict[str, Any]:
    """How alike the last layers of models are, for inputs in one language."""
    similarities = ("to_base", "between_sources", "between_seeds")
    none = [None] * 3
    return {
        "lang": row["lang"],
        **{name: defined(row[name][-1] if name in row else none) for name in similarities},
        "slope": defined(row.get("slope", none)),
        "exchanged": average(row["exchanged"][-1:]),
    }


def attention_row(row: Table, first: str) -> dict[str, Any]:
    """The languages with the least and the largest effect on the spread of attention, against the
    first one."""
    effects = {lang: each for lang, each in row["language_effect"].items() if lang != first}
    order = sorted(effects, key=lambda lang: float(effects[lang][0]))
    changes = [each[0] for each in row.get("less_base", {}).values()] or [nan]
    return {
        "model": row["model"],
        "least": (order[0], effects[order[0]][0]),
        "most": (order[-1], effects[order[-1]][0]),
        "beyond": sum(low > 0 or high < 0 for _, low, high in effects.values()),
        "languages": len(effects),
        "changes": (min(changes), max(changes)),
    }


def confidence_row(contents: Table, source: str) -> dict[str, Any]:
    """Over-confidence and calibration error of the model of one source."""
    own, others = split(contents["confidence"], source)
    beyond = [row["over_beyond_own"] for row in others if row["over_beyond_own"]]
    scaled = [row["temperature"] for row in others if "source" in row["temperature"]]
    return {
        "source": source,
        "over": Own(*(average([row["over"]["value"] for row in rows]) for rows in (own, others))),
        "more": sum(each["low"] is not None and each["low"] > 0 for each in beyond),
        "ece": Own(*(average([row["ece_width"] for row in rows]) for rows in (own, others))),
        "above_null": sum(row["distinguishable"] for row in others),
        "others": len(others),
        "scaled": average([each["source"]["ece"] for each in scaled]),
    }


def errors_row(contents: Table, source: str) -> dict[str, Any]:
    """How often a right answer is lost elsewhere; whether knowledge is lost or the threshold
    moved."""
    own, others = split(contents["errors"], source)
    flips = [row for row in others if row.get("flips", {}).get("rate") is not None]
    corrected = [row for row in others if row["accuracy_corrected"] is not None]
    return {
        "source": source,
        "lost": average([row["flips"]["rate"] for row in flips]),
        "most": max(((row["flips"]["rate"], row["target"]) for row in flips), default=(nan, "–")),
        "kappa": average([row["flips"]["kappa"] for row in flips]),
        "shift": Own(*(average(map(label_shift, rows)) for rows in (own, others))),
        "auroc": Own(
            *(average(chain.from_iterable(row["auroc"] for row in rows)) for rows in (own, others))
        ),
        "gained": average([row["accuracy_corrected"] - row["accuracy"] for row in corrected]),
    }


def label_shift(row: Table) -> float:
    return float(row["label_shift"]["total_variation"])


def forgetting_row(contents: Table, drift: Table) -> dict[str, Any]:
    """What a fresh probe no longer finds, what only the head misses, what the language model lost,
    and how far each layer moved."""
    source, losses = drift["source"], drift["language_loss"]
    _, others = split(contents["forgetting"], source)
    parts = {name: average([row[name][0] for row in others]) for name in ("forgotten", "misfit")}
    return {
        "source": source,
        **parts,
        "loss": Own(
            losses[source]["more"][0] if source in losses else nan,
            average([each["more"][0] for lang, each in losses.items() if lang != source]),
        ),
        "layers": [value for part, value in drift["drift"].items() if part.startswith("layer")],
    }


def split(rows: Sequence[Table], source: str) -> tuple[list[Table], list[Table]]:
    """The rows of a source: in its own language, and in others."""
    listed = [row for row in rows if row["source"] == source]
    own = [row for row in listed if row["target"] == source]
    return own, [row for row in listed if row["target"] != source]
