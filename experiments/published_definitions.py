"""What each correction of a published definition changes: metrics, similarity and entropy."""

from __future__ import annotations

from typing import Any

from babelscope.model.load import load
from experiments.definition_explanations import masked_rows, slalom_rows
from experiments.definition_variants import COLUMNS, Spec, entropies, ratios, similarities


def values(spec: Spec) -> dict[str, Any]:
    rows = [row for named in spec.models for row in ratios(spec, named)]
    model = load("demo")
    masked = [masked_rows(named, spec.heads) for named in spec.explained]
    slalom = [slalom_rows(named, spec.samples_of_slalom) for named in spec.slalom]
    return {"masked": masked, "slalom": slalom, "reviews": spec.slalom[0].data.examples,
            "heads": spec.heads, "columns": list(COLUMNS), "rows": rows, "states": similarities(spec, model),
            "entropy": entropies(spec, model), "texts": spec.texts, "samples": spec.samples}  # fmt: skip
