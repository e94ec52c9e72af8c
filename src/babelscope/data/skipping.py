"""Bad rows: which rows of the data are skipped and why, and how many of them are too many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from babelscope.data.texts import text_fault, usable
from babelscope.errors import BadRow, InputError
from babelscope.types import Example, SkippedRow

REASONS = {
    "blank": "with a blank text",
    "blank side": "with one blank side",
    "control": "with a control character",
    "surrogate": "with a lone surrogate",
    "untranslated": "not translated",
    "label": "with a label outside the label set",
    "unlabelled": "without a gold label",
    "texts": "with too few or too many texts",
    "special": "of special tokens only",
    "unknown": "of unknown tokens only",
    "tokenizer": "refused by the tokenizer",
    "units": "without the units that are explained",
    "contradicted": "contradicted by the model's own call",
}
"""Why a row is skipped, and how that is reported after the number of rows."""
NO_LABEL = "-1"
"""What data sets have in the place of a label that is withheld or that annotators disagreed on."""
MOST = 0.05
"""The largest share of the rows that may be skipped, unless another one is chosen."""
NAMED = 3
"""Rows that a message names for each reason."""


class Partition(NamedTuple):
    """Rows that can be used, in their order, and the others."""

    rows: list[Example]
    skipped: tuple[SkippedRow, ...]

    @property
    def total(self) -> int:
        return len(self.rows) + len(self.skipped)


def partition(
    examples: Iterable[Example], *, labels: Sequence[str] = (), labelled: bool = False
) -> Partition:
    """The rows that any model can read, and those that none can, with the reason.

        rows, skipped = partition(examples, labels=("negative", "positive"))

    `labels` are the names that a label may have, any if none is listed; `labelled` requires one.
    Where most rows are pairs, a single text is a pair with one blank side. Where all labels are
    withheld (-1), the rows count as unlabelled.

    *Laws*: every row is in one of the two, in its order; whether a text can be used does not depend
    on the other rows; partitioning the usable rows again skips none.
    """
    listed = list(examples)
    sizes = [len(row.texts) for row in listed]
    paired = max(sizes, default=0) == 2 and 2 * sizes.count(2) > len(sizes)
    withheld = all(row.label in (None, NO_LABEL) for row in listed)
    rows, skipped = [], []
    for row in listed:
        fault = _text_fault(row, paired) or _label_fault(row, labels, labelled, withheld)
        if fault is None:
            rows.append(row)
        else:
            skipped.append(skipped_row(row, *fault))
    return Partition(rows, tuple(skipped))


def skipped_row(example: Example, reason: str, detail: str) -> SkippedRow:
    """The record of a row that is left out."""
    return SkippedRow(example.id, example.group, example.lang, reason, detail)


def _text_fault(row: Example, paired: bool) -> tuple[str, str] | None:
    if paired and len(row.texts) == 1 and row.texts[0].strip():
        return "blank side", "the second text is missing"
    fault = text_fault(row)
    if fault is not None:
        return fault
    return None if usable(row) else ("untranslated", "a text was not translated")


def _label_fault(
    row: Example, labels: Sequence[str], labelled: bool, withheld: bool
) -> tuple[str, str] | None:
    if row.label is None or withheld:
        return ("unlabelled", "it has no gold label") if labelled and row.answer is None else None
    if row.label in ("", NO_LABEL) or (labels and row.label not in labels):
        expected = f"; expected one of {', '.join(labels)}" if labels else ""
        return "label", f"it has the label {row.label!r}{expected}"
    return None


def paired(rows: Sequence[Example], skipped: Iterable[SkippedRow]) -> list[Example]:
    """The rows whose translations were not skipped in any language."""
    groups = {row.group for row in skipped}
    return [row for row in rows if row.group not in groups]


def check_skipped(
    skipped: Sequence[SkippedRow], total: int, *, strict: bool = False, most: float = MOST
) -> None:
    """Refuses any skipped row with `strict`, otherwise more than the share `most` of all rows."""
    if skipped and (strict or total == 1):
        raise BadRow(skipped[0])
    if len(skipped) > most * total:
        raise InputError(
            f"{describe(skipped, total)}; more than {most:.3g} of the rows is too many "
            f"(max_skipped); the first: {skipped[0].id}: {skipped[0].detail}"
        )


def describe(skipped: Sequence[SkippedRow], total: int = 0) -> str:
    """How many rows were skipped for each reason, with the names of the first ones.

    describe(skipped, 5010) == "2 of 5,010 rows skipped: 2 with a control character (a, b)"
    """
    by_reason: dict[str, list[str]] = {}
    for row in skipped:
        by_reason.setdefault(row.reason, []).append(row.id)
    parts = [
        f"{len(by_reason[reason]):,} {words} ({_names(by_reason[reason])})"
        for reason, words in REASONS.items()
        if reason in by_reason
    ]
    of = f" of {total:,}" if total else ""
    rows = "row" if (total or len(skipped)) == 1 else "rows"
    return f"{len(skipped):,}{of} {rows} skipped: {', '.join(parts)}"


def _names(ids: Sequence[str]) -> str:
    names = list(dict.fromkeys(ids))
    return ", ".join([*names[:NAMED], *(["..."] if len(names) > NAMED else [])])
