"""One space for the words of several languages, and how similar two texts' words are in it.

A space is filled with the words that are needed and no others, whatever it comes from: files of
word vectors (`load_spaces`), subwords (`subwords`), a model (`model_spaces`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import regex
from jaxtyping import Bool, Float

from babelscope.errors import InputError, Undefined

Vectors = Float[np.ndarray, "word dimension"]
Needed = Mapping[str, Collection[str]]
"""The words of each language that a space is to hold."""

CENTRE_ABOVE = 0.1
"""Where random words of two languages have a higher mean cosine, they share a direction that says
nothing about them: it is taken out."""
POLICIES = ("identity", "zero", "drop")
"""Words without a vector: similar to the same string only, or to nothing, or left out."""
_EDGES = regex.compile(r"^[\p{P}\p{S}]+|[\p{P}\p{S}]+$")


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Unit vectors of words by language. A word without one is not listed."""

    name: str
    places: Mapping[str, Mapping[str, int]]
    """The row of each word, by language."""
    vectors: Mapping[str, Vectors]
    centred: bool = False
    precision: Mapping[str, float] = field(default_factory=dict)
    """How often the nearest word is a translation, by language, on dictionary entries that were not
    used to align."""


def make_space(
    name: str, words: Mapping[str, Mapping[str, Float[np.ndarray, " dimension"]]]
) -> Space:
    """A space of raw vectors, scaled to unit length.

    A zero vector is none; one that is not finite stays, and is undefined.
    """
    places: dict[str, dict[str, int]] = {}
    vectors: dict[str, Vectors] = {}
    for lang, table in words.items():
        kept = {
            word: np.asarray(vector, dtype=np.float64)
            for word, vector in table.items()
            if np.any(vector)
        }
        places[lang] = {word: row for row, word in enumerate(kept)}
        rows = np.stack(list(kept.values())) if kept else np.zeros((0, 0))
        vectors[lang] = unit_length(rows)
    return Space(name, places, vectors)


def unit_length(vectors: Vectors) -> Vectors:
    """Rows of length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1.0, lengths)


def mean_cosine(space: Space, source: str, target: str) -> float:
    """The mean cosine of all pairs of a word of one language and a word of the other, equal strings
    included.

        mean_i mean_j cos(x_i, y_j) = (mean_i x_i) . (mean_j y_j)   for unit vectors x, y
    """
    left, right = (_finite(space.vectors[lang]) for lang in (source, target))
    return float(left.mean(0) @ right.mean(0)) if len(left) and len(right) else float("nan")


def centre(space: Space) -> Space:
    """Each language's mean direction taken out, and unit length again: then random words have a
    cosine near 0.

    *Law*: the mean cosine of a centred space is nearer to 0; a text still agrees with itself.
    """
    vectors = {lang: _centred(rows) for lang, rows in space.vectors.items()}
    return replace(space, vectors=vectors, centred=True)


def centre_if_needed(space: Space, source: str, *, centring: str = "always") -> Space:
    """The space, centred ("always"), as it is ("never"), or centred if some language has a mean
    cosine with the source above 0.1 ("auto").

    *Law*: with "always" and "never" the choice does not depend on the words.
    """
    if centring not in ("auto", "always", "never"):
        raise InputError(f"centring {centring!r} is not one of: auto, always, never")
    if source not in space.vectors or centring == "never":
        return space
    others = [lang for lang in space.vectors if lang != source]
    high = any(mean_cosine(space, source, lang) > CENTRE_ABOVE for lang in others)
    return centre(space) if high or centring == "always" else space


def similarity(
    space: Space,
    source: tuple[str, Sequence[str]],
    target: tuple[str, Sequence[str]],
    *,
    policy: str = "identity",
) -> tuple[
    Float[np.ndarray, "source target"], Bool[np.ndarray, " source"], Bool[np.ndarray, " target"]
]:
    """Cosines of the units of two texts, and which units have a vector. A text is its language and
    its units.

    A unit without a vector is similar to nothing (0) or, with the policy "identity", to an equal
    string (1).

    *Laws*: equal texts have 1 on the diagonal under "identity"; turning the whole space changes
    nothing; rows of unknown units are 0 under "zero".
    """
    if policy not in POLICIES:
        names = ", ".join(POLICIES)
        raise InputError(f"the policy {policy!r} for unknown words is not one of: {names}")
    rows, known_s = _rows(space, *source)
    columns, known_t = _rows(space, *target)
    cosines = np.clip(rows @ columns.T, -1.0, 1.0)
    if policy == "identity":
        left, right = (_folded(units) for _, units in (source, target))
        equal = left[:, None] == right[None, :]
        cosines = np.where(equal & ~(known_s[:, None] & known_t[None, :]), 1.0, cosines)
    return cosines, known_s, known_t


def spellings(word: str) -> list[str]:
    """How a word is looked up, in order: as it is (NFC), in lower case, without punctuation at its
    edges, digits as 0."""
    plain = unicodedata.normalize("NFC", word)
    forms = [plain, plain.lower()]
    forms.append(_EDGES.sub("", forms[-1]))
    forms.append("".join("0" if sign.isdecimal() else sign for sign in forms[-1]))
    return [form for form in dict.fromkeys(forms) if form]


def look_up(space: Space, needed: Needed) -> Space:
    """The space with the needed words in the place of the spellings under which it has them."""
    places: dict[str, dict[str, int]] = {}
    for lang, listed in space.places.items():
        places[lang] = {}
        for word in needed.get(lang, ()):
            form = next((form for form in spellings(word) if form in listed), None)
            if form is not None:
                places[lang][word] = listed[form]
    return replace(space, places=places)


@cache
def folded(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _folded(units: Sequence[str]) -> np.ndarray:
    return np.array([folded(unit) for unit in units], dtype=object)


def _rows(
    space: Space, lang: str, units: Sequence[str]
) -> tuple[Vectors, Bool[np.ndarray, " unit"]]:
    if lang not in space.places or not len(space.vectors[lang]):
        raise Undefined(f"there are no vectors for {lang}")
    table, places = space.vectors[lang], space.places[lang]
    rows = [places.get(unit, -1) for unit in units]
    vectors = np.zeros((len(units), table.shape[1]))
    known = np.array([row >= 0 for row in rows], dtype=bool)
    vectors[known] = table[[row for row in rows if row >= 0]]
    for place in np.flatnonzero(~np.isfinite(vectors).all(1)):
        raise Undefined(f"the vector of {units[int(place)]!r} ({lang}) is not finite")
    known &= np.any(vectors, axis=1)
    return vectors, known


def _centred(rows: Vectors) -> Vectors:
    finite = _finite(rows)
    return unit_length(rows - finite.mean(0)) if len(finite) > 1 else rows


def _finite(vectors: Vectors) -> Float[np.ndarray, "finite dimension"]:
    return vectors[np.isfinite(vectors).all(1)] if len(vectors) else vectors
