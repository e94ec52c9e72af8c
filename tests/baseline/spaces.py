"""Spaces of words in several languages, and correlations over languages."""

from __future__ import annotations

import numpy as np

from babelscope.analyses.consistency import correlation as between
from babelscope.analyses.consistency.model_spaces import (
    averaged_space,
    embedding_space,
    isolated_space,
)
from babelscope.analyses.consistency.procrustes import align, precision, procrustes
from babelscope.analyses.consistency.spaces import centre, make_space, mean_cosine, similarity
from babelscope.types import Example
from baseline.values import Values, attempt, put
from conftest import TEXTS
from zoo import shared


def values() -> Values:
    entries: Values = {}
    vectors(entries)
    turned(entries)
    correlations(entries)
    return entries


def vectors(entries: Values) -> None:
    """A model's own table, words alone, averages of contexts; floors, centring, turning."""
    model = shared("bert", "text-classification")
    few = {"en": sorted(set(TEXTS[0].split())), "hi": sorted(set(TEXTS[4].split()))}
    contexts = {"en": [Example("e", (TEXTS[0],), "en")], "hi": [Example("h", (TEXTS[4],), "hi")]}
    computed = {"embedded": embedding_space(model, few), "isolated": isolated_space(model, few)}
    attempt(entries, "spaces/averaged", lambda: averaged_space(model, contexts).vectors)
    for name, space in computed.items():
        put(entries, f"spaces/{name}", {lang: space.vectors[lang] for lang in few})
        put(
            entries,
            f"spaces/{name}/floor",
            [mean_cosine(each, "en", "hi") for each in (space, centre(space))],
        )
        alike = similarity(centre(space), ("en", few["en"]), ("hi", [*few["hi"], "nowhere"]))
        put(entries, f"spaces/{name}/similarity", list(alike))


def turned(entries: Values) -> None:
    """One language turned onto another."""
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=(2, 12, 4))
    put(entries, "spaces/procrustes", procrustes(first, second))
    put(entries, "spaces/precision", precision(first, second, [{at} for at in range(12)]))
    second = first[:, [2, 0, 3, 1]] + 0.01 * second
    words = {
        lang: {f"{lang}{at}": row for at, row in enumerate(table)}
        for lang, table in (("en", first), ("hi", second))
    }
    dictionary = [(f"en{at}", f"hi{at}") for at in range(12)]
    attempt(
        entries,
        "spaces/align",
        lambda: align(make_space("drawn", words), "en", {"hi": dictionary}).vectors,
    )


def correlations(entries: Values) -> None:
    """Of languages' means with their accuracies."""
    rng = np.random.default_rng(13)
    for size in (6, 9):
        first, second, third = rng.normal(size=(3, size))
        put(entries, f"spaces/correlation/{size}", between.correlation(first, second))
        put(entries, f"spaces/partial/{size}", between.partial(first, second, third))
        square, other = rng.normal(size=(2, size, size))
        put(entries, f"spaces/mantel/{size}", between.mantel(square, other))
        put(entries, f"spaces/interaction/{size}", between.interaction(square))
        put(entries, f"spaces/variance_shares/{size}", between.variance_shares(square))
