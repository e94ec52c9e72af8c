"""The tables of the study of fine-tuning trade-offs, from the tables of its analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import pandas as pd

from babelscope.reporting.papers.published import beside, published

ByTask = Mapping[str, Mapping[str, Any]]
PLACE = ["source", "target"]
AS_PUBLISHED = {"cka": "biased CKA", "cosine": "raw cosine"}


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
    diagonal = numbers[numbers["source"] == numbers["target"]].set_index("source")["published"]
    gaps = numbers.assign(published=numbers["source"].map(diagonal) - numbers["published"])
    joined = beside(table, gaps, PLACE)
    return joined.assign(compared="over " + joined["target"])


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


def shares(found: ByTask) -> pd.DataFrame:
    """How much of the variance of accuracies each side explains, and their combination."""
    names = ("language fine-tuned on", "language tested in", "their combination")
    lines = []
    for task, values in found.items():
        cells = values["behaviour"]["shares"]
        bounds = zip(cells["value"], cells["low"], cells["high"], strict=True)
        lines += [(task, name, *each) for name, each in zip(names, bounds)]
    return _frame(lines, ["task", "part", "value", "low", "high"])


def comparisons(found: ByTask) -> pd.DataFrame:
    """Every model against the target's own: McNemar's p, and that of the sign flip by cluster."""
    rows = [
        {"task": task, **test}
        for task, values in found.items()
        for test in values["behaviour"]["tests"]
    ]
    return pd.DataFrame(rows)


def layer_similarity(found: ByTask) -> pd.DataFrame:
    """Models of different training languages on the same inputs, by layer: debiased, and as
    published, biased CKA and the raw cosine of the first 100 texts."""
    lines = []
    for task, values in found.items():
        for row in values["activations"]:
            place = (task, row["lang"], row["pooling"])
            for layer, bounds in enumerate(row.get("between_sources", [])):
                lines.append((*place, "debiased CKA", layer, *bounds))
            for name, numbers in row.get("as_published", {}).items():
                said = AS_PUBLISHED[name]
                lines += [(*place, said, layer, v, nan, nan) for layer, v in enumerate(numbers)]
    columns = ["task", "target", "pooling", "definition", "layer", "similarity", "low", "high"]
    numbers = _published("cka").assign(
        layer=lambda rows: rows["item"].astype(int),
        definition=AS_PUBLISHED["cka"], pooling="mean",
    )  # fmt: skip
    return beside(_frame(lines, columns), numbers, ["target", "pooling", "definition", "layer"])


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
    "accuracy", "low", "high", "value", "similarity", "nats", "ece_width", "null_width", "auroc",
    "nll", "over_confidence", "recall", "precision", "f1", "preference",
}  # fmt: skip
