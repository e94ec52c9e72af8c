"""Gold labels beside the classes of a model, which may spell them in another way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from babelscope.data.skipping import NO_LABEL, skipped_row
from babelscope.errors import InputError
from babelscope.types import Example, SkippedRow

if TYPE_CHECKING:
    from babelscope.model.load import Model


def gold_name(model: Model, label: str | None) -> str | None:
    """A gold label as the model spells its class; None where it is withheld, or no class of the
    model, so that it cannot be compared with a prediction.

        gold_name(model, "positive") == "POSITIVE"

    The class is the one of `Model.label_index`. A label of a model whose classes have no names
    (regression, answers, tags) stays as it is.

    *Laws*: a name of a class is its own; applying it twice changes nothing.
    """
    if label is None or label in ("", NO_LABEL):
        return None
    if not named_classes(model):
        return label
    try:
        return model.labels[model.label_index(label)]
    except InputError:
        return None


def of_known_class(
    model: Model, examples: Iterable[Example]
) -> tuple[list[Example], tuple[SkippedRow, ...]]:
    """The examples whose gold label is a class of the model, or is withheld; and the others, with
    the reason. All are in the first where the model has none of their labels: it has names of its
    own, or another task, and there is nothing to compare (`foreign`).

    *Law*: every example is in one of the two, in its order.
    """
    listed = list(examples)
    if foreign(model, listed):
        return listed, ()
    unknown = [_unknown(model, row) for row in listed]
    detail = f"{model.name} has the classes {_listed(model.labels)}" if any(unknown) else ""
    skipped = [
        skipped_row(row, "label", f"it has the gold label {row.label!r}, {detail}")
        for row, lacking in zip(listed, unknown)
        if lacking
    ]
    return [row for row, lacking in zip(listed, unknown) if not lacking], tuple(skipped)


def foreign(model: Model, examples: Sequence[Example]) -> bool:
    """Whether the examples have gold labels and the model has none of them."""
    unknown = [_unknown(model, row) for row in examples if not _withheld(row)]
    return bool(unknown) and all(unknown)


def foreign_labels(model: Model, examples: Sequence[Example]) -> str:
    """What to do about gold labels of which the model has none, in one line."""
    names = _listed(sorted({str(row.label) for row in examples if not _withheld(row)}))
    return (
        f"the gold labels are {names}, the classes of {model.name} {_listed(model.labels)}: no "
        "accuracy is reported; rename the gold labels with `labels` in the data block"
    )


def _unknown(model: Model, row: Example) -> bool:
    return not _withheld(row) and gold_name(model, row.label) is None


def _withheld(row: Example) -> bool:
    return row.label in (None, "", NO_LABEL)


def named_classes(model: Model) -> bool:
    """Whether the model gives a whole input one of several classes that have names."""
    return model.classifies and len(model.labels) > 1 and model.activation != "none"


def _listed(labels: Sequence[str], shown: int = 8) -> str:
    return ", ".join(labels[:shown]) + (", ..." if len(labels) > shown else "")
