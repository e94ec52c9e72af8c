"""A multilingual and a monolingual vocabulary on the same texts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from babelscope import options
from babelscope.analyses.tokenization.counts import counts
from babelscope.analyses.tokenization.tokenize import tokenize_texts
from babelscope.data import sources
from babelscope.data.independence import clusters
from babelscope.data.texts import fault
from babelscope.model.tokenizers import load_tokenizer
from babelscope.stats.intervals import of_sums
from babelscope.stats.paired import sign_flip
from babelscope.types import Example, Segmentation

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


def table(tokenizer: str, examples: list[Example]) -> dict[str, np.ndarray]:
    """Counts of every text."""
    listed = []
    for row in tokenize_texts(load_tokenizer(tokenizer), examples, tokenizer):
        parts = zip(row.texts, row.ids, row.offsets, row.words)
        each = [asdict(counts(Segmentation(text, ids, spans), words))
                for text, ids, spans, words in parts]  # fmt: skip
        listed.append({name: sum(part[name] for part in each) for name in each[0]})
    return {name: np.array([row[name] for row in listed]) for name in listed[0]}


def difference(
    counted: list[dict[str, np.ndarray]], parts: tuple[str, str], groups: list[str]
) -> dict[str, Any]:
    """Both measures, the difference with its interval by text, and a sign-flip test of
    every text's difference in what is counted above."""
    above, below = parts
    table = np.stack([each[name] for each in counted for name in parts], axis=1)
    gap = of_sums(
        table, groups, lambda sums: sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3]
    )
    means = [each[above].sum() / each[below].sum() for each in counted]
    by_text = counted[0][above] - counted[1][above]  # both have the same words
    return {"means": means, "gap": gap, "p": sign_flip(by_text.tolist(), groups).p}
