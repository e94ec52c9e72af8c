"""Results as a person meets them: frozen sequences that know tables and coloured text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import Any, overload

import pandas as pd

from babelscope.types import Attribution, Estimate, Measure, StoredPanel

EXPLANATION_FIELDS = (
    "id", "lang", "method", "target", "label", "probability", "value", "reference_value", "tokens", "offsets", "segment",
    "word_index", "words", "scores", "word_scores", "flags", "texts", "gold", "quantity", "model", "options", "seed",
    "word_offsets", "word_segment", "details",
)  # fmt: skip
"""The fields of an explanation as JSON, in order."""


@dataclass(frozen=True, slots=True)
class Attributions(Sequence[Attribution]):
    """Explanations, in the order of the inputs, one after another for each method."""

    items: tuple[Attribution, ...]

    @overload
    def __getitem__(self, index: int) -> Attribution: ...
    @overload
    def __getitem__(self, index: slice) -> Attributions: ...
    def __getitem__(self, index: int | slice) -> Attribution | Attributions:
        return Attributions(self.items[index]) if isinstance(index, slice) else self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Attribution]:
        return iter(self.items)

    def __add__(self, other: Attributions) -> Attributions:
        return Attributions(self.items + other.items)

    def to_pandas(self) -> pd.DataFrame:
        """One row per word of each explanation."""
        rows = [
            {
                "id": one.id, "lang": one.lang, "model": one.model, "method": one.method, "target": one.target,
                "label": one.label, "probability": one.probability, "word": word, "score": score, "segment": segment,
            }
            for one in self.items
            for word, score, segment in zip(one.words, one.word_scores, one.word_segment)
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def to_json(self) -> list[dict[str, Any]]:
        """A list of objects with the documented fields; undefined numbers are null."""
        return [{name: plain(getattr(one, name)) for name in EXPLANATION_FIELDS} for one in self.items]

    def _repr_html_(self) -> str:
        from babelscope.pages.highlight import explanations_html

        return explanations_html(self.items)


@dataclass(frozen=True, slots=True)
class Measures(Sequence[Measure]):
    """Metrics of explanations, one row per explanation and metric."""

    items: tuple[Measure, ...]

    @overload
    def __getitem__(self, index: int) -> Measure: ...
    @overload
    def __getitem__(self, index: slice) -> Measures: ...
    def __getitem__(self, index: int | slice) -> Measure | Measures:
        return Measures(self.items[index]) if isinstance(index, slice) else self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.items)

    def __add__(self, other: Measures) -> Measures:
        return Measures(self.items + other.items)

    def to_pandas(self) -> pd.DataFrame:
        """One row per measure."""
        return pd.DataFrame([asdict(one) for one in self.items])

    def to_json(self) -> list[dict[str, Any]]:
        """A list of objects, undefined values as null with their reason."""
        return [{name: plain(part) for name, part in asdict(one).items()} for one in self.items]

    def summary(self) -> list[tuple[tuple[str, str, str, str], Estimate]]:
        """Per (model, language, method, metric) the mean with its interval, clustered by translation group."""
        from babelscope.stats import estimate

        groups: dict[tuple[str, str, str, str], list[Measure]] = {}
        for one in self.items:
            groups.setdefault((one.model, one.lang, one.method, one.metric), []).append(one)
        return [(name, estimate([one.value for one in rows], [one.group for one in rows])) for name, rows in groups.items()]

    def _repr_html_(self) -> str:
        rows = [dict(zip(("model", "lang", "method", "metric"), name)) | asdict(found) for name, found in self.summary()]
        return str(pd.DataFrame(rows).to_html(index=False, float_format="{:.3f}".format))


CHECKS = {
    "completeness": "Do the scores add up to what is explained?",
    "stability": "Are they the same with other random numbers?",
    "siblings": "Do models tuned with other seeds get the same explanation?",
    "leave_one_out": "Do they rank the words as leaving each out does?",
    "comprehensiveness": "Do the top words carry the decision, compared with random words and with a search for the best?",
    "sufficiency": "Are the top words enough, compared with random words and with a search for the best?",
    "randomisation": "Is the explanation lost when the model forgets what it has learned?",
    "calibration": "Is the model right as often as it says?",
}
"""What a trust panel asks, in its order."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a trust panel: a number beside what chance would give, and what that amounts to."""

    name: str
    """One of CHECKS."""
    value: float
    low: float
    """`low` and `high` hold 95 % of what chance gives; of calibration they are the interval of the observed rate."""
    high: float
    verdict: str
    """One of "holds", "fails", "undecided" and "undefined"."""
    said: str
    """The same in words, or why there is no value."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How alike the explanation still is when these parts of the model, and all above them, have been shuffled.

    `similarity` is Kendall's tau of the words' scores, a mean over the shuffles, `magnitude` that of their sizes without
    signs; `low` and `high` hold 95 % of what random orders of the scores give."""

    part: str
    similarity: float
    magnitude: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether one explanation can be trusted: the checks, and how it fades while the model is shuffled from the top down.

    `untrained` is how alike the explanations of two wholly shuffled models are: what architecture and text alone decide."""

    explanation: Attribution
    checks: tuple[Check, ...]
    stages: tuple[Stage, ...]
    untrained: float

    def to_json(self) -> dict[str, Any]:
        """An object with the explanation, the checks and the stages; undefined numbers are null."""
        explained = Attributions((self.explanation,)).to_json()[0]
        told = {"checks": [asdict(one) for one in self.checks], "stages": [asdict(one) for one in self.stages]}
        return {"explanation": explained, **plain(told), "untrained": plain(self.untrained)}

    def stored(self) -> StoredPanel:
        """The panel as a row of a store; its explanation is stored already."""
        one, told = self.explanation, self.to_json()
        return StoredPanel(
            one.id, one.group, one.lang, one.model, one.method, one.options, one.seed,
            {name: told[name] for name in ("checks", "stages", "untrained")}, one.task,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        from babelscope.pages.trust import panels_html

        return panels_html([self])


def judged(one: Attribution, panel: Mapping[str, Any]) -> Trust:
    """A stored panel with its explanation; None is undefined again."""

    def again(part: Any) -> Any:
        return nan if part is None else part

    checks = tuple(Check(**{name: again(part) for name, part in row.items()}) for row in panel["checks"])
    stages = tuple(Stage(**{name: again(part) for name, part in row.items()}) for row in panel["stages"])
    return Trust(one, checks, stages, again(panel["untrained"]))


def plain(value: Any) -> Any:
    """Tuples as lists, numbers that are not finite as None."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def dumps(rows: list[dict[str, Any]]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False)
