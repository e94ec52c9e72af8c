"""Do multilingual vocabularies split more than monolingual ones? Real vocabularies, real texts."""

from __future__ import annotations

from typing import Any

from babelscope.stats.corrections import holm
from experiments.paired_vocabularies import Spec, compared


def values(spec: Spec) -> dict[str, Any]:
    rows = [row for pairing in spec.pairings for row in compared(spec, pairing)]
    adjusted = holm([row["p"] for row in rows])
    return {"rows": [row | {"adjusted": p} for row, p in zip(rows, adjusted)], "texts": spec.texts}
