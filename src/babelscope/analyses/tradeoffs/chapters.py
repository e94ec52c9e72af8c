"""The figures and the listed texts of one task, ready for the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelscope.analyses.tradeoffs.figures import (
    confusion_matrices,
    entropy_curves,
    entropy_maps,
    layer_curves,
    matrix,
    recall_plot,
    reliability_diagrams,
)
from babelscope.display.chart import Figure
from babelscope.display.numbers import UNDEFINED, number, value_range

SHOWN = 3
"""Other languages in a reliability diagram, the most over-confident ones; and flips per pair of
languages."""
FLIPS = 30
"""Flips that are shown, of all pairs of languages together."""
POOLINGS = {"mean": "mean over tokens", "first": "first token", "last": "last token"}
Tables = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chapters:
    """What the template shows of a task beside its tables."""

    name: str
    tables: Tables
    matrices: list[tuple[str, str, Figure]]
    """Title, a line on how to read it, and the figure."""
    pooled: str
    curves: Figure
    diagrams: Figure
    confusions: Figure
    entropies: tuple[Figure, ...]
    """By layer, and by layer and head."""
    recall: Figure
    other_confusions: list[tuple[str, Figure]]
    """Every matrix of each model, to be opened by the language that it was fine-tuned on."""
    flips: list[dict[str, Any]]

    @property
    def figures(self) -> tuple[Figure, ...]:
        listed = [figure for _, _, figure in self.matrices]
        listed += [self.curves, *self.entropies, self.diagrams, self.confusions, self.recall]
        return tuple(figure for figure in listed if figure.charts)

    @property
    def pooling(self) -> str:
        return POOLINGS[self.pooled]


def chapters(name: str, tables: Tables) -> Chapters:
    sources = tables["sources"]
    nats = [row for row in tables["attention"] if row["quantity"] == "nats"]
    pooled = next((row["pooling"] for row in tables["activations"]), "mean")
    return Chapters(
        name,
        tables,
        _matrices(tables),
        pooled,
        layer_curves([row for row in tables["activations"] if row["pooling"] == pooled]),
        reliability_diagrams([(source, _lines(tables, source)) for source in sources]),
        confusion_matrices(
            [pair for source in sources for pair in _confusions(tables, source)], tables["labels"]
        ),
        (entropy_curves(nats), entropy_maps(nats)),
        recall_plot(tables["errors"], tables["labels"]),
        [(source, _all_confusions(tables, source)) for source in sources],
        _flips(tables),
    )


def interval(
    values: Sequence[float | None] | Mapping[str, float | None] | None, digits: int = 3
) -> str:
    """`0.412 (0.380 to 0.440)`, without the interval where there is none."""
    if values is None:
        return UNDEFINED
    value, low, high = values.values() if isinstance(values, Mapping) else values
    bounds = value_range(low, high, digits)
    return number(value, digits) + ("" if UNDEFINED in bounds or value is None else f" ({bounds})")


def _matrices(tables: Tables) -> list[tuple[str, str, Figure]]:
    behaviour, sources, targets = tables["behaviour"], tables["sources"], tables["targets"]

    def signed(
        title: str,
        values: Any,
        columns: Sequence[str],
        axes: tuple[str, str] = ("tested in", "fine-tuned on"),
    ) -> Figure:
        return matrix(title, values, sources, columns, signed=True, axes=axes)

    line = "Rows: the language fine-tuned on. Columns: the language tested in."
    accuracy = matrix("Accuracy", behaviour["accuracy"]["value"], sources, targets)
    listed = [("Accuracy", line, accuracy)]
    line = (
        "Accuracy in the model's own language less that in another. Two of these differ by twice "
        "the difficulty of the languages: they are no evidence of specialisation."
    )
    title = "Preference"
    listed.append((title, line, signed(title, behaviour["preference"]["value"], targets)))
    line = "How much more the target's own model reaches; empty where the target has no model."
    gap = signed("Transfer gap", behaviour["transfer_gap"]["value"], targets)
    listed.append(("Transfer gap", line, gap))
    if "probe" in behaviour["gain"]:
        line = (
            "Accuracy less that of a linear probe on the base. Significantly below 0, "
            "fine-tuning did harm."
        )
        title = "Gain over the probe"
        listed.append((title, line, signed(title, behaviour["gain"]["probe"]["value"], targets)))
    if len(sources) > 1:
        line = (
            "What a match of model and language is worth to two languages; difficulty and "
            "quality of the models cancel."
        )
        title, values = "Specialisation", behaviour["specialisation"]["value"]
        listed.append((title, line, signed(title, values, sources, ("and", "between"))))
    return listed


def _lines(tables: Tables, source: str) -> list[tuple[str, Any]]:
    """The model's own language, then those in which it is most over-confident."""
    rows = [row for row in tables["confidence"] if row["source"] == source]
    same = [row for row in rows if row["target"] == source]
    others = sorted(
        (row for row in rows if row["target"] != source), key=lambda row: -row["over"]["value"]
    )
    return [(row["target"], row["diagram"]) for row in (*same, *others[:SHOWN])]


def _confusions(tables: Tables, source: str) -> list[tuple[str, Any]]:
    """The model's own language beside the one in which it does worst."""
    rows = [row for row in tables["errors"] if row["source"] == source]
    same = [row for row in rows if row["target"] == source]
    others = sorted(
        (row for row in rows if row["target"] != source), key=lambda row: row["accuracy"]
    )
    return [
        (f"fine-tuned on {source}, tested in {row['target']}", row["confusion"])
        for row in (*same, *others[:1])
    ]


def _all_confusions(tables: Tables, source: str) -> Figure:
    rows = [row for row in tables["errors"] if row["source"] == source]
    pairs = [(f"{source}, tested in {row['target']}", row["confusion"]) for row in rows]
    return confusion_matrices(pairs, tables["labels"])


def _flips(tables: Tables) -> list[dict[str, Any]]:
    """The flips of all pairs of languages with their texts, the most confident first."""
    listed, labels = [], tables["labels"]
    for row in tables["errors"]:
        source, target = row["source"], row["target"]
        for flip in row.get("flips", {}).get("listed", ())[:SHOWN]:
            texts = tables["flipped_texts"].get(flip["group"], {})
            if source in texts and target in texts:
                names = {"gold": labels[flip["gold"]], "predicted": labels[flip["predicted"]]}
                pair = [(lang, texts[lang]) for lang in (source, target)]
                shared = {
                    "source": source,
                    "target": target,
                    "pair": pair,
                    "confidence": flip["confidence"],
                }
                listed.append(shared | names)
    return sorted(listed, key=lambda flip: -flip["confidence"])[:FLIPS]
