"""Scored units of translations, from a study or from files of any tool, compared as a
block says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from babelscope.analyses.consistency import gold_links
from babelscope.analyses.consistency.comparisons import Comparison, compare_all
from babelscope.analyses.consistency.load_spaces import load_spaces
from babelscope.analyses.consistency.pairs import Compare, Pair, in_space
from babelscope.analyses.consistency.ribbons import Ribbon, make_ribbon
from babelscope.analyses.consistency.spaces import Space, mean_cosine
from babelscope.analyses.consistency.spec import Spec
from babelscope.analyses.consistency.stored_pairs import Origin
from babelscope.analyses.consistency.tables import Tables, build_tables, chosen_pairs
from babelscope.data.formats.unit_scores import unit_scores
from babelscope.errors import InputError
from babelscope.types import Example, UnitScores

if TYPE_CHECKING:
    from babelscope.model.load import Model


def compare_files(
    file: Path,
    source: str,
    spec: Spec,
    *,
    targets: Sequence[str] | None = None,
    untrained: Path | None = None,
    workers: int = 1,
) -> Tables:
    """Attributions of any tool, one JSON object per line, compared with those of their
    translations.

        tables = compare_files(Path("scores.jsonl"), "en", Spec(vectors="en=en.vec,es=es.vec"))
        section(tables).answer

    `untrained` is a file of the same texts explained in a model with random weights; it gives
    C_rand.
    """
    if spec.gold or not spec.spaces.any:
        raise InputError(
            "words of a file are compared in a space: give vectors=en=A.vec,es=B.vec, "
            "subwords=FOLDER=TOKENIZER or encoder=NAME"
        )
    rows = unit_scores(file)
    random = unit_scores(untrained) if untrained else ()
    comparisons = compare(spec, rows, source, targets=targets, untrained=random, workers=workers)
    origin = Origin("", "", "", {}, 0)
    ribbons = _ribbons(rows, comparisons[0])
    return build_tables([(origin, comparison) for comparison in comparisons], ribbons)


def compare(
    spec: Spec,
    rows: Sequence[UnitScores],
    source: str,
    *,
    targets: Sequence[str] | None = None,
    untrained: Sequence[UnitScores] = (),
    texts: Sequence[Example] = (),
    model: Model | None = None,
    workers: int = 1,
) -> list[Comparison]:
    """The rows in every space of the block and by every norm.

    `texts` have the gold links, where these are asked for. `model` is the one whose input
    embeddings words are compared by, where no space is named.
    """
    spaces: dict[str, Space] = {}
    compares: Mapping[str, Compare]
    if spec.gold:
        compares = {gold_links.NAME: gold_links.in_links(texts)}
    else:
        spaces = load_spaces(spec.spaces, rows, source, centring=spec.centre, model=model)
        compares = {name: in_space(space, spec.unknown) for name, space in spaces.items()}
    comparisons = compare_all(
        rows,
        source,
        compares,
        settings=spec.settings,
        targets=targets,
        untrained=untrained,
        workers=workers,
    )
    return [_with_space(comparison, spaces.get(comparison.space)) for comparison in comparisons]


def _with_space(comparison: Comparison, space: Space | None) -> Comparison:
    """The comparison with what its space is like."""
    if space is None:
        return comparison
    langs = [line.lang for line in comparison.lines if line.lang in space.vectors]
    cosines = {lang: mean_cosine(space, comparison.source, lang) for lang in langs}
    return replace(comparison, centred=space.centred, mean_cosine=cosines)


def _ribbons(rows: Iterable[UnitScores], comparison: Comparison) -> list[Ribbon]:
    texts = {(row.id, row.lang): row for row in rows}
    ribbons = []
    for pair in chosen_pairs(comparison):
        source, target = texts[pair.id, comparison.source], texts[pair.id, pair.lang]
        ribbons.append(_ribbon(source, target, pair, comparison.settings.unknown))
    return ribbons


def _ribbon(source: UnitScores, target: UnitScores, pair: Pair, unknown: str) -> Ribbon:
    if pair.flow is None or pair.known_s is None or pair.known_t is None:
        raise ValueError(f"the pair {pair.id} was not compared")
    kept = pair.known_s, pair.known_t
    if unknown != "drop":
        kept = np.ones_like(kept[0]), np.ones_like(kept[1])
    return make_ribbon(source, target, pair.score, pair.flow, kept)
