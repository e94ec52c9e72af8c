"""Do multilingual vocabularies split more than monolingual ones? Real vocabularies, real texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babelscope import options
from babelscope.data import sources
from babelscope.data.independence import clusters
from babelscope.data.texts import fault
from babelscope.stats.corrections import holm
from babelscope.types import Example
from experiments.vocabulary_counts import difference, table

MEASURES = {"fertility": ("tokens", "words"), "splitting": ("split", "words")}


class Pairing(options.Spec):
    family: str
    multilingual: str
    monolingual: str
    sources: list[str]


class Spec(options.Spec):
    tokenizers: Path
    texts: int
    pairings: list[Pairing]


def values(spec: Spec) -> dict[str, Any]:
    rows = [row for pairing in spec.pairings for row in compared(spec, pairing)]
    adjusted = holm([row["p"] for row in rows])
    return {"rows": [row | {"adjusted": p} for row, p in zip(rows, adjusted)], "texts": spec.texts}


def compared(spec: Spec, pairing: Pairing) -> list[dict[str, Any]]:
    listed = []
    for source in pairing.sources:
        examples = texts(spec, source)
        names = (pairing.multilingual, pairing.monolingual)
        counted = [table(str(spec.tokenizers / name), examples) for name in names]
        known = clusters(examples)
        groups = [known[row.group] for row in examples]
        for measure, parts in MEASURES.items():
            listed.append({"family": pairing.family, "names": names, "source": source,
                           "measure": measure, "texts": len(examples),
                           **difference(counted, parts, groups)})  # fmt: skip
    return listed


def texts(spec: Spec, source: str) -> list[Example]:
    rows = sources.rows(source, folder=spec.tokenizers.parent)
    return [row for row in rows if not any(map(fault, row.texts))][: spec.texts]
