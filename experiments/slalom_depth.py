"""Other and deeper models: which surrogate is nearest to a transformer trained on additive words."""

from __future__ import annotations

from typing import Any

from experiments.slalom_surrogates import CONSTANT, Comparison, compare


class Spec(Comparison):
    pass


def values(spec: Spec) -> dict[str, Any]:
    return {"spec": spec, "rows": compare(spec), "constant": CONSTANT}
