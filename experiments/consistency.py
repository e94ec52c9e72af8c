"""Do translations get the same explanation in a real encoder? SIB-200, fine-tuned on English and
explained zero-shot; and models fine-tuned on each of five languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.consistency_runs import matrix, run
from experiments.study_sets import Filled


def values(filled: Mapping[str, Filled]) -> dict[str, Any]:
    return {
        "runs": [run(filled[name]) for name in ("gradients", "attnlrp")],
        "matrix": matrix(filled["matrix"]),
    }
