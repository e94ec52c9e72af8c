"""Do translations of pairs of texts get the same explanation in a real encoder? XNLI and PAWS-X,
fine-tuned on English and explained zero-shot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.consistency_runs import run
from experiments.study_sets import Filled


def values(filled: Mapping[str, Filled]) -> dict[str, Any]:
    return {"runs": [run(each) for each in filled.values()]}
