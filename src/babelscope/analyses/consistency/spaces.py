"""One space for the words of several languages, and how similar two texts' words are in it.

A space is filled with the words that are needed and no others, whatever it comes from: files of word vectors (`vec_files`),
subwords (`subwords`), a model (`babelscope.analyses.consistency.model_spaces`).
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

FLOOR = 0.1
"""Random words of two languages that are more similar than this share a direction that says nothing: it is taken out."""
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
    """How often the nearest word is a translation, by language, on dictionary entries that were not used to align."""


def make_space(name: str, found: Mapping[str, Mapping[str, Float[np.ndarray, " dimension"]]]) -> Space:
    """A space of raw vectors, scaled to unit length. A zero vector is none; one that is not finite stays, and is undefined."""
    places: dict[str, dict[str, int]] = {}
    vectors: dict[str, Vectors] = {}
    for lang, words in found.items():
        kept = {word: np.asarray(vector, dtype=np.float64) for word, vector in words.items() if np.any(vector)}
        places[lang] = {word: row for row, word in enumerate(kept)}
        vectors[lang] = unit(np.stack(list(kept.values()))) if kept else np.zeros((0, 0))
    return Space(name, places, vectors)


def unit(vectors: Vectors) -> Vectors:
    """Rows of length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1.0, lengths)


def floor(space: Space, one: str, two: str) -> float:
    """The mean cosine of all pairs of a word of one language and a word of the other, equal strings included.

    floor = mean_i mean_j cos(x_i, y_j) = (mean_i x_i) . (mean_j y_j)   for unit vectors x, y
    """
    left, right = (_finite(space.vectors[lang]) for lang in (one, two))
    return float(left.mean(0) @ right.mean(0)) if len(left) and len(right) else float("nan")


def centre(space: Space) -> Space:
    """Each language's mean direction taken out, and unit length again: then random words have a cosine near 0.

    *Law*: the floor of a centred space is nearer to 0; a text still agrees with itself.
    """
    made = {lang: unit(rows - _finite(rows).mean(0)) if len(_finite(rows)) > 1 else rows
            for lang, rows in space.vectors.items()}  # fmt: skip
    return replace(space, vectors=made, centred=True)


def settled(space: Space, source: str, *, centring: str = "auto") -> Space:
    """The space, centred if asked to ("always") or if some language's floor with the source exceeds 0.1 ("auto")."""
    if centring not in ("auto", "always", "never"):
        raise InputError(f"centring {centring!r} is not one of: auto, always, never")
    if source not in space.vectors or centring == "never":
        return space
    high = any(floor(space, source, lang) > FLOOR for lang in space.vectors if lang != source)
    return centre(space) if high or centring == "always" else space


def similarity(
    space: Space, source: tuple[str, Sequence[str]], target: tuple[str, Sequence[str]], *, policy: str = "identity"
) -> tuple[Float[np.ndarray, "source target"], Bool[np.ndarray, " source"], Bool[np.ndarray, " target"]]:
    """Cosines of the units of two texts, and which units have a vector. A text is its language and its units.

    A unit without a vector is similar to nothing (0) or, with the policy "identity", to an equal string (1).

    *Laws*: equal texts have 1 on the diagonal under "identity"; turning the whole space changes nothing; rows of unknown units
    are 0 under "zero".
    """
    if policy not in POLICIES:
        raise InputError(f"the policy {policy!r} for unknown words is not one of: {', '.join(POLICIES)}")
    rows, known_s = _rows(space, *source)
    columns, known_t = _rows(space, *target)
    found = np.clip(rows @ columns.T, -1.0, 1.0)
    if policy == "identity":
        left, right = (np.array([folded(unit) for unit in units], dtype=object) for _, units in (source, target))
        equal = left[:, None] == right[None, :]
        found = np.where(equal & ~(known_s[:, None] & known_t[None, :]), 1.0, found)
    return found, known_s, known_t


def spellings(word: str) -> list[str]:
    """How a word is looked up, in order: as it stands (NFC), in lower case, without punctuation at its edges, digits as 0."""
    plain = unicodedata.normalize("NFC", word)
    forms = [plain, plain.lower()]
    forms.append(_EDGES.sub("", forms[-1]))
    forms.append("".join("0" if sign.isdecimal() else sign for sign in forms[-1]))
    return [form for form in dict.fromkeys(forms) if form]


def spelled(space: Space, needed: Needed) -> Space:
    """The space with the needed words in the place of the spellings under which it holds them."""
    places = {}
    for lang, held in space.places.items():
        chosen = {word: next((form for form in spellings(word) if form in held), None) for word in needed.get(lang, ())}
        places[lang] = {word: held[form] for word, form in chosen.items() if form is not None}
    return replace(space, places=places)


@cache
def folded(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _rows(space: Space, lang: str, units: Sequence[str]) -> tuple[Vectors, Bool[np.ndarray, " unit"]]:
    if lang not in space.places or not len(space.vectors[lang]):
        raise Undefined(f"there are no vectors for {lang}")
    table, places = space.vectors[lang], space.places[lang]
    found = [places.get(unit, -1) for unit in units]
    made = np.zeros((len(units), table.shape[1]))
    known = np.array([place >= 0 for place in found], dtype=bool)
    made[known] = table[[place for place in found if place >= 0]]
    for place in np.flatnonzero(~np.isfinite(made).all(1)):
        raise Undefined(f"the vector of {units[int(place)]!r} ({lang}) is not finite")
    known &= np.any(made, axis=1)
    return made, known


def _finite(vectors: Vectors) -> Float[np.ndarray, "kept dimension"]:
    return vectors[np.isfinite(vectors).all(1)] if len(vectors) else vectors
