"""A trust panel as a value: its checks, and how the explanation fades while the model is
randomised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

from babelscope.display.results import Attributions
from babelscope.files import plain
from babelscope.types import Attribution, StoredPanel

CHECKS = {
    "completeness": "Do the scores add up to what is explained?",
    "stability": "Are they the same with other random numbers?",
    "siblings": "Do models fine-tuned with other seeds get the same explanation?",
    "leave_one_out": "Do they rank the words as leaving each out does?",
    "comprehensiveness": "Do the top words carry the decision, compared with random words and with "
    "a search for the best?",
    "sufficiency": "Are the top words enough, compared with random words and with a search for the "
    "best?",
    "randomisation": "Is the explanation lost when the model forgets what it has learned?",
    "calibration": "Is the model right as often as it says?",
}
"""What a trust panel asks, in its order."""
VERDICTS = ("holds", "fails", "undecided", "undefined", "not run", "does not apply")
"""Undefined: the check was run, without a value. Not run: something to run it with was missing.
Does not apply: the method or the model has nothing that could be checked.
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a trust panel: a number beside what chance would give, and the
    verdict.
    """

    name: str
    """One of CHECKS."""
    value: float
    low: float
    """`low` and `high` hold 95 % of what chance gives; of calibration they are the interval of the
    observed rate.
    """
    high: float
    verdict: str
    """One of VERDICTS."""
    said: str
    """The same in words, or why there is no value."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How alike the explanation still is when these parts of the model, and all above them, have
    been shuffled.

    `similarity` is Kendall's tau of the words' scores, a mean over the shuffles, `magnitude` that
    of their sizes without signs; `low` and `high` hold 95 % of what random orders of the scores
    give."""

    part: str
    similarity: float
    magnitude: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether one explanation can be trusted: the checks, and how it fades while the model is
    shuffled from the top down.

    `untrained` is how alike the explanations of two wholly shuffled models are: what architecture
    and text alone decide."""

    explanation: Attribution
    checks: tuple[Check, ...]
    stages: tuple[Stage, ...]
    untrained: float

    def to_json(self) -> dict[str, Any]:
        """An object with the explanation, the checks and the stages; undefined numbers are null."""
        explained = Attributions((self.explanation,)).to_json()[0]
        lines = {
            "checks": [asdict(part) for part in self.checks],
            "stages": [asdict(part) for part in self.stages],
        }
        return {"explanation": explained, **plain(lines), "untrained": plain(self.untrained)}

    def stored(self) -> StoredPanel:
        """The panel as a row of a store; its explanation is stored already."""
        attribution, panel = self.explanation, self.to_json()
        return StoredPanel(
            id=attribution.id,
            group=attribution.group,
            lang=attribution.lang,
            model=attribution.model,
            method=attribution.method,
            options=attribution.options,
            seed=attribution.seed,
            panel={name: panel[name] for name in ("checks", "stages", "untrained")},
            task=attribution.task,
        )

    def __repr__(self) -> str:
        counts = Counter(check.verdict for check in self.checks)
        verdicts = ", ".join(f"{count} {name}" for name, count in counts.items())
        explained = self.explanation
        place = f"{explained.id} ({explained.lang}), {explained.method}"
        return f"<Trust of {place}: {len(self.checks)} checks: {verdicts}>"

    def _repr_html_(self) -> str:
        from babelscope.analyses.trust.section import panels_html

        return panels_html([self])


def judged(attribution: Attribution, panel: Mapping[str, Any]) -> Trust:
    """A stored panel with its explanation; None is undefined again."""

    def again(part: Any) -> Any:
        return nan if part is None else part

    checks = tuple(
        Check(**{name: again(part) for name, part in row.items()}) for row in panel["checks"]
    )
    stages = tuple(
        Stage(**{name: again(part) for name, part in row.items()}) for row in panel["stages"]
    )
    return Trust(attribution, checks, stages, again(panel["untrained"]))
