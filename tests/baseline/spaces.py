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
    found: Values = {}
    vectors(found)
    turned(found)
    correlations(found)
    return found


def vectors(found: Values) -> None:
    """A model's own table, words alone, averages of contexts; floors, centring, turning."""
    model = shared("bert", "text-classification")
    few = {"en": sorted(set(TEXTS[0].split())), "hi": sorted(set(TEXTS[4].split()))}
    contexts = {"en": [Example("e", (TEXTS[0],), "en")], "hi": [Example("h", (TEXTS[4],), "hi")]}
    made = {"embedded": embedding_space(model, few), "isolated": isolated_space(model, few)}
    attempt(found, "spaces/averaged", lambda: averaged_space(model, contexts).vectors)
    for name, space in made.items():
        put(found, f"spaces/{name}", {lang: space.vectors[lang] for lang in few})
        put(
            found,
            f"spaces/{name}/floor",
            [mean_cosine(each, "en", "hi") for each in (space, centre(space))],
        )
        alike = similarity(centre(space), ("en", few["en"]), ("hi", [*few["hi"], "nowhere"]))
        put(found, f"spaces/{name}/similarity", list(alike))


def turned(found: Values) -> None:
    """One language turned onto another."""
    rng = np.random.default_rng(8)
    one, two = rng.normal(size=(2, 12, 4))
    put(found, "spaces/procrustes", procrustes(one, two))
    put(found, "spaces/precision", precision(one, two, [{at} for at in range(12)]))
    two = one[:, [2, 0, 3, 1]] + 0.01 * two
    held = {lang: {f"{lang}{at}": row for at, row in enumerate(table)} for lang, table in (("en", one), ("hi", two))}
    entries = [(f"en{at}", f"hi{at}") for at in range(12)]
    attempt(
        found,
        "spaces/align",
        lambda: align(make_space("drawn", held), "en", {"hi": entries}).vectors,
    )


def correlations(found: Values) -> None:
    """Of languages' means with their accuracies."""
    rng = np.random.default_rng(13)
    for size in (6, 9):
        one, two, three = rng.normal(size=(3, size))
        put(found, f"spaces/correlation/{size}", between.correlation(one, two))
        put(found, f"spaces/partial/{size}", between.partial(one, two, three))
        square, other = rng.normal(size=(2, size, size))
        put(found, f"spaces/mantel/{size}", between.mantel(square, other))
        put(found, f"spaces/interaction/{size}", between.interaction(square))
        put(found, f"spaces/variance_shares/{size}", between.variance_shares(square))
