"""Results: frozen sequences that know how to become tables, JSON and highlighted text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, overload

from babelscope.display.numbers import items, number
from babelscope.display.shown import shown_units
from babelscope.files import plain
from babelscope.types import Attribution, Estimate, Measure, ModelInput, ScoredUnits, SkippedRow

if TYPE_CHECKING:
    import pandas as pd

EXPLANATION_FIELDS = (
    "id", "lang", "method", "target", "label", "probability", "value", "reference_value", "tokens",
    "offsets", "segment", "word_index", "words", "scores", "word_scores", "flags", "texts", "gold",
    "quantity", "model", "options", "seed", "word_offsets", "word_segment", "details", "contrast",
    "tagged_word", "input", "signature", "units",
)  # fmt: skip
"""The fields of an explanation as JSON, in order."""


@dataclass(frozen=True, slots=True)
class Attributions(Sequence[Attribution]):
    """Explanations, in the order of the inputs, one after another for each method."""

    items: tuple[Attribution, ...]
    skipped: tuple[SkippedRow, ...] = ()
    """The texts that could not be explained, with the reason."""

    @overload
    def __getitem__(self, index: int) -> Attribution: ...
    @overload
    def __getitem__(self, index: slice) -> Attributions: ...
    def __getitem__(self, index: int | slice) -> Attribution | Attributions:
        if isinstance(index, slice):
            return Attributions(self.items[index], self.skipped)
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Attribution]:
        return iter(self.items)

    def __add__(self, other: Attributions) -> Attributions:
        skipped = dict.fromkeys(self.skipped + other.skipped)
        return Attributions(self.items + other.items, tuple(skipped))

    def to_pandas(self) -> pd.DataFrame:
        """One row per word of each explanation in the order of the text, per unit where it is of
        other units; a word without a score has a reason."""
        import pandas as pd

        rows = [
            {
                "id": item.id, "lang": item.lang, "model": item.model, "method": item.method,
                "target": item.target, "label": item.label, "probability": item.probability,
                "word": word.word, "score": word.score, "segment": word.segment,
                "reason": word.reason,
            }
            for item in self.items
            for word in shown_units(item)
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def to_json(self) -> list[dict[str, Any]]:
        """A list of objects with the documented fields; undefined numbers are null."""
        return [
            {name: plain(_value(item, name)) for name in EXPLANATION_FIELDS} for item in self.items
        ]

    def __repr__(self) -> str:
        skipped = f", {len(self.skipped)} texts skipped" if self.skipped else ""
        return f"<Attributions: {items(len(self.items), 'explanation')}{skipped}>"

    def _repr_html_(self) -> str:
        from babelscope.display.highlight import explanations_html

        return explanations_html(self.items)


def _value(attribution: Attribution, name: str) -> Any:
    """A field as JSON writes it: the model's input as an object."""
    value = getattr(attribution, name)
    return asdict(value) if isinstance(value, (ModelInput, ScoredUnits)) else value


@dataclass(frozen=True, slots=True)
class Measures(Sequence[Measure]):
    """Metrics of explanations, one row per explanation and metric."""

    items: tuple[Measure, ...]
    texts: frozenset[tuple[str, tuple[str, ...]]] = field(default=frozenset(), compare=False)
    """The measured texts with their translation groups: what is not independent."""

    @overload
    def __getitem__(self, index: int) -> Measure: ...
    @overload
    def __getitem__(self, index: slice) -> Measures: ...
    def __getitem__(self, index: int | slice) -> Measure | Measures:
        return (
            Measures(self.items[index], self.texts)
            if isinstance(index, slice)
            else self.items[index]
        )

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.items)

    def __add__(self, other: Measures) -> Measures:
        return Measures(self.items + other.items, self.texts | other.texts)

    def to_pandas(self) -> pd.DataFrame:
        """One row per measure."""
        import pandas as pd

        return pd.DataFrame([asdict(measure) for measure in self.items])

    def to_json(self) -> list[dict[str, Any]]:
        """A list of objects, undefined values as null with their reason."""
        return [{name: plain(value) for name, value in asdict(row).items()} for row in self.items]

    def summary(self) -> list[tuple[tuple[str, str, str, str], Estimate]]:
        """The mean with its interval for every (model, language, method, metric).

        Intervals are by cluster of texts that are not independent (`data/independence.py`); a
        group whose texts are not known is its own cluster.
        """
        from babelscope.data.independence import clusters_of_texts
        from babelscope.stats import estimate

        cluster = clusters_of_texts(self.texts)
        groups: dict[tuple[str, str, str, str], list[Measure]] = {}
        for row in self.items:
            groups.setdefault((row.model, row.lang, row.method, row.metric), []).append(row)
        return [
            (
                name,
                estimate(
                    [row.value for row in rows], [cluster.get(row.group, row.group) for row in rows]
                ),
            )
            for name, rows in groups.items()
        ]

    def __repr__(self) -> str:
        metrics = ", ".join(dict.fromkeys(row.metric for row in self.items))
        return f"<Measures: {len(self.items)} values of {metrics}>"

    def _repr_html_(self) -> str:
        import pandas as pd

        rows = [
            dict(zip(("model", "lang", "method", "metric"), name)) | asdict(estimate)
            for name, estimate in self.summary()
        ]
        return str(pd.DataFrame(rows).to_html(index=False, float_format=number))
