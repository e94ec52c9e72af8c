"""Words of translations compared by the gold links of a corpus that knows what each word
expresses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from babelscope.analyses.consistency.links import link_similarity
from babelscope.analyses.consistency.pairs import Compare, Compared
from babelscope.data.formats.alignments import alignment
from babelscope.errors import Undefined
from babelscope.types import Example, UnitScores

NAME = "gold links"
"""What tables call this way to compare words."""


def in_links(examples: Sequence[Example]) -> Compare:
    """Texts compared by the gold links between their words: 1 where they share a concept, else 0.

    Every word is known. Undefined where a text has no gold links, or was truncated so that its
    words are not all there.
    """
    by_place = {(example.group, example.lang): example for example in examples}

    def compare(source: UnitScores, target: UnitScores) -> Compared:
        left, right = (by_place.get((row.id, row.lang)) for row in (source, target))
        if left is None or right is None or left.concepts is None or right.concepts is None:
            raise Undefined("there is no gold alignment")
        counts = [[len(text) for text in example] for example in (left.concepts, right.concepts)]
        shape = len(source.units), len(target.units)
        if [sum(each) for each in counts] != list(shape):
            raise Undefined("a text was truncated: its words are not those of the gold alignment")
        links = _links(left, right, counts)
        return Compared(link_similarity(links, shape), *(np.ones(n, bool) for n in shape))

    return compare


def _links(left: Example, right: Example, counts: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Links between words counted over both texts of a pair."""
    starts = [np.cumsum([0, *each]) for each in counts]
    links = set()
    for part, pairs in enumerate(alignment(left, right)):
        at, to = int(starts[0][part]), int(starts[1][part])
        links |= {(at + i, to + j) for i, j in pairs}
    return links
