"""The figures of the study of fine-tuning trade-offs from a store, and the tables behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from babelscope.analyses.tradeoffs.tables import tables
from babelscope.reporting.papers.drawing import curves, dots, heat
from babelscope.reporting.papers.element import Element, Paper
from babelscope.reporting.papers.published import beside, published
from babelscope.store import Store

ByTask = Mapping[str, Mapping[str, Any]]
PLACE = ["source", "target"]


def material(store: Store, study: Mapping[str, Any]) -> ByTask | None:
    return tables(store, study) if "tradeoffs" in study.get("analyses", {}) else None


def _published(name: str) -> pd.DataFrame:
    """The published values of a table, its model and input named as source and target."""
    rows = published("tradeoffs")
    names = {"model": "source", "input": "target", "value": "published"}
    return rows[rows["table"] == name].rename(columns=names)


def accuracy(found: ByTask) -> pd.DataFrame:
    table = _matrix(found, "accuracy")
    return beside(table, _published("accuracy 500"), PLACE)


def preference(found: ByTask) -> pd.DataFrame:
    """Accuracy in the own language less that in each other one."""
    table = _matrix(found, "preference")
    table = table[table["source"] != table["target"]]
    numbers = _published("accuracy 500")
    own = numbers[numbers["source"] == numbers["target"]].set_index("source")["published"]
    gaps = numbers.assign(published=numbers["source"].map(own) - numbers["published"])
    return beside(table, gaps, PLACE)


def _matrix(found: ByTask, name: str) -> pd.DataFrame:
    """Sources by targets, one row per cell."""
    lines = []
    for task, values in found.items():
        cells = values["behaviour"][name]
        for row, source in enumerate(values["sources"]):
            for place, target in enumerate(values["targets"]):
                bounds = [cells[each][row][place] for each in ("value", "low", "high")]
                lines.append((task, source, target, *bounds))
    return _frame(lines, ["task", *PLACE, name, "low", "high"])


def donor_and_difficulty(found: ByTask) -> pd.DataFrame:
    """What a training language gives on average, and how easy an input language is."""
    parts = []
    for task, values in found.items():
        for name, langs in (("donor", values["sources"]), ("difficulty", values["targets"])):
            cells = values["behaviour"][name]
            bounds = zip(cells["value"], cells["low"], cells["high"], strict=True)
            parts += [(task, name, lang, *each) for lang, each in zip(langs, bounds)]
    return _frame(parts, ["task", "effect", "lang", "value", "low", "high"])


def comparisons(found: ByTask) -> pd.DataFrame:
    """Every model against the target's own: McNemar's p, and that of the sign flip by cluster."""
    rows = [
        {"task": task, **test}
        for task, values in found.items()
        for test in values["behaviour"]["tests"]
    ]
    return pd.DataFrame(rows)


def layer_similarity(found: ByTask) -> pd.DataFrame:
    """Models of different training languages on the same inputs, by layer."""
    lines = []
    for task, values in found.items():
        for row in values["activations"]:
            for layer, (value, low, high) in enumerate(row.get("between_sources", [])):
                lines.append((task, row["lang"], row["pooling"], layer, value, low, high))
    columns = ["task", "target", "pooling", "layer", "debiased_cka", "low", "high"]
    table = _frame(lines, columns)
    numbers = _published("cka").assign(layer=lambda rows: rows["item"].astype(int))
    return beside(table, numbers, ["target", "layer"])


def _attention(found: ByTask, field: str) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (task, row)
        for task, values in found.items()
        for row in values["attention"]
        if row["quantity"] == "nats" and row.get(field)
    ]


def entropy_by_layer(found: ByTask) -> pd.DataFrame:
    lines = [
        (task, row["model"], lang, layer, value)
        for task, row in _attention(found, "layers")
        for lang, layers in row["layers"].items()
        for layer, value in enumerate(layers)
    ]
    return _frame(lines, ["task", *PLACE, "layer", "nats"])


def entropy_by_head(found: ByTask) -> pd.DataFrame:
    lines = []
    for task, row in _attention(found, "heads"):
        for lang, layers in row["heads"].items():
            for layer, heads in enumerate(layers):
                lines += [
                    (task, row["model"], lang, layer, head, value)
                    for head, value in enumerate(heads)
                ]
    return _frame(lines, ["task", *PLACE, "layer", "head", "nats"])


def entropy(found: ByTask) -> pd.DataFrame:
    """The mean over layers, as published."""
    table = entropy_by_layer(found)
    means = table.groupby(["task", *PLACE], sort=False)["nats"].mean().reset_index()
    return beside(means, _published("entropy"), PLACE)


def calibration(found: ByTask) -> pd.DataFrame:
    names = ("ece_width", "null_width", "auroc", "nll")
    lines = [
        (task, row["source"], row["target"], *(row[name] for name in names), row["over"]["value"])
        for task, values in found.items()
        for row in values["confidence"]
    ]
    return _frame(lines, ["task", *PLACE, *names, "over_confidence"])


def reliability(found: ByTask) -> pd.DataFrame:
    rows = [
        {"task": task, "source": row["source"], "target": row["target"], **point}
        for task, values in found.items()
        for row in values["confidence"]
        for point in row["diagram"]
    ]
    return pd.DataFrame(rows)


def recall(found: ByTask) -> pd.DataFrame:
    lines = [
        (task, row["source"], row["target"], label, *numbers)
        for task, values in found.items()
        for row in values["errors"]
        for label, *numbers in zip(values["labels"], row["recall"], row["precision"], row["f1"])
    ]
    table = _frame(lines, ["task", *PLACE, "class", "recall", "precision", "f1"])
    numbers = _published("recall").rename(columns={"item": "class"})
    return beside(table, numbers, [*PLACE, "class"])


def recall_by_condition(found: ByTask) -> pd.DataFrame:
    """Recall with the condition (training and input language) in one column, for the figure."""
    table = recall(found)
    pairs = zip(table["source"], table["target"])
    return table.assign(condition=[f"{source} on {target}" for source, target in pairs])


def confusions(found: ByTask) -> pd.DataFrame:
    """All matrices, one row per gold class and predicted class."""
    lines = []
    for task, values in found.items():
        for row in values["errors"]:
            for gold, counts in zip(values["labels"], row["confusion"]):
                place = (task, row["source"], row["target"], gold)
                lines += [(*place, label, n) for label, n in zip(values["labels"], counts)]
    table = _frame(lines, ["task", *PLACE, "gold", "predicted", "count"])
    numbers = _published("confusion")
    both = numbers["item"].str.split(" as ", expand=True)
    named = numbers.assign(gold=both[0], predicted=both[1])
    return beside(table, named, [*PLACE, "gold", "predicted"])


def factorial(found: ByTask) -> pd.DataFrame:
    """Input, model and match effects on recall; each with the bounds of its interval."""
    return _with_bounds(found, "factorial")


def forgetting(found: ByTask) -> pd.DataFrame:
    """What a fresh probe no longer finds after fine-tuning, and what only the head misses."""
    return _with_bounds(found, "forgetting")


def _with_bounds(found: ByTask, name: str) -> pd.DataFrame:
    """The rows of a table; a value with its interval becomes three columns."""
    rows = []
    for task, values in found.items():
        for row in values[name] or []:
            columns: dict[str, Any] = {"task": task}
            for field, value in row.items():
                several = value if isinstance(value, list) else [value]
                columns |= {f"{field}{ending}": each for ending, each in zip(BOUNDS, several)}
            rows.append(columns)
    return pd.DataFrame(rows)


BOUNDS = ("", "_low", "_high")


def _frame(lines: Sequence[Sequence[Any]], columns: list[str]) -> pd.DataFrame:
    """Numbers that are undefined are missing, also where a column has nothing else."""
    numbers = [name for name in columns if name in NUMBERS]
    return pd.DataFrame(lines, columns=columns).astype(dict.fromkeys(numbers, float))


NUMBERS = {
    "accuracy", "low", "high", "value", "debiased_cka", "nats", "ece_width", "null_width", "auroc",
    "nll", "over_confidence", "recall", "precision", "f1", "preference",
}  # fmt: skip

PAPER = Paper(
    "tradeoffs",
    "Trade-offs of fine-tuning a multilingual model on one language: XLM-R on XNLI, English and "
    "Hindi (public code: github.com/durgarsharma/model-diffing).",
    "studies/tradeoffs-en-hi.yaml",
    material,
    (
        Element("figure-1", "Accuracy by training and input language.", accuracy,
                draw=partial(heat, value="accuracy", rows="source", columns="target",
                             panels=["task"])),
        Element("accuracy", "Accuracy by training and input language, with intervals.", accuracy,
                note="Published: the first 500 test rows, one seed."),
        Element("figure-2", "Preference for the own language.", preference,
                draw=partial(dots, value="preference", rows="source", series="target",
                             panels=["task"], reference=0.0)),
        Element("preference", "Preference for the own language, with intervals.", preference,
                note="The difference of two preferences is twice the effect of the input language: "
                "it says nothing about specialisation."),
        Element("donor-difficulty", "What a training language gives, and how easy an input "
                "language is.", donor_and_difficulty),
        Element("comparisons", "Every model against the input language's own: McNemar and sign "
                "flips, Holm.", comparisons),
        Element("figure-3", "Similarity of models by layer.", layer_similarity,
                draw=partial(curves, x="layer", y="debiased_cka", series="target",
                             panels=["task", "pooling"]),
                note="Published: biased CKA, mean pooling, 100 texts."),
        Element("figure-4", "Attention entropy by layer, in nats.", entropy_by_layer,
                draw=partial(curves, x="layer", y="nats", series="target",
                             panels=["task", "source"])),
        Element("figure-4-heads", "Attention entropy by layer and head, in nats.", entropy_by_head,
                draw=partial(heat, value="nats", rows="layer", columns="head",
                             panels=["task", *PLACE])),
        Element("entropy", "Attention entropy, mean over layers, in nats.", entropy,
                note="Published: heads averaged before the entropy, four sentence pairs."),
        Element("figure-5", "Reliability diagrams.", reliability,
                draw=partial(curves, x="confidence", y="accuracy", series="target",
                             panels=["task", "source"], limits=(0.0, 1.0), diagonal=True,
                             size="n")),
        Element("calibration", "Calibration errors beside those of a calibrated model.",
                calibration),
        Element("figure-6", "Recall by class, training and input language.", recall_by_condition,
                draw=partial(dots, value="recall", rows="class", series="condition",
                             panels=["task"]),
                note="Published: the first 300 test rows."),
        Element("recall", "Recall, precision and F1 by class.", recall,
                note="Published: recall, the first 300 test rows."),
        Element("confusions", "All confusion matrices.", confusions,
                note="Published: the first 1000 test rows, English on English."),
        Element("factorial", "Effects of input, model and their match on recall by class.",
                factorial),
        Element("forgetting", "What a second fine-tuning makes the model forget.", forgetting),
    ),
)  # fmt: skip
