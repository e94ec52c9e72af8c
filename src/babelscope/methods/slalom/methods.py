"""Attributions read off a surrogate that is fitted to the model around the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods.slalom.design import Design, Text
from babelscope.methods.slalom.design import design as named_design
from babelscope.methods.slalom.scores import SCORES
from babelscope.methods.slalom.text import (
    Surrogate,
    answered,
    details,
    position_scores,
    questions,
    recovered,
)
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.random import keyed
from babelscope.types import Encoded, Explained, Target

UNITS = ("token", "word")


def slalom(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], *,
    score: str = "shapley", design: str = "mix", samples: int = 0, unit: str = "token", seed: int = 0,
) -> list[Explained]:  # fmt: skip
    """Two numbers per unit, a value and an importance, fitted to the model's answers to short texts of the same units.

        F(t) = sum_i alpha_i v_i,    alpha_i = exp(s_i) / sum_j exp(s_j)        i, j over the positions of t

        score       value v_i;  importance s_i;  lin v_i exp(s_i);  share alpha_i v_i;  grad alpha_i (v_i - F);
                    removal F(t) - F(t without i);  shapley the mean contribution over all orders

    F the surrogate of the explained quantity, v the value and s the importance (their mean over the distinct units is 0) of
    a token or, with unit=word, of a word (its score is spread evenly over its tokens). `design` says which texts are
    asked: mix (each unit alone, then 2 to 4 units), fixed(3) (as published), deletion (the text without up to 5 positions)
    or exact (2T - 1 questions, nothing fitted); with +context what is always there becomes a unit too. `samples` is their
    number, 0 for ten per unit and 300 to 5000. In a pair a unit belongs to its segment; a fixed part stays as it is.

    *Laws*: a transformer that is a SLALOM is explained exactly; alone as in a batch; the same seed gives the same scores; a
    constant model, a single unit and unseen units are flagged.
    *Left open by the paper*: the quantity (ours is the explained one; the paper's is log_odds), the score (it reports value,
    importance and lin, which is the share times a constant and not a gradient), the fit (see `surrogate/fit.py`).
    Source: Leemann, Fastowski, Pfeiffer and Kasneci 2024 (SLALOM), eq. 4 and algorithm 1.
    """
    for name, given, known in (("score", score, tuple(SCORES)), ("unit", unit, UNITS)):
        if given not in known:
            raise InputError(f"slalom: {name} {given!r} is not one of: {', '.join(known)}")
    how = named_design(design)
    rows = [pieces(row, unit) for row in inputs]
    found = surrogates(model, rows, targets, how, samples, seed)
    return [_explained(one, row, score) for one, row in zip(found, rows)]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A text cut into units: their token ids, the unit at every position by segment, the position of every content token."""

    row: Encoded
    ids: tuple[tuple[int, ...], ...]
    segments: tuple[tuple[int, ...], ...]
    position: NDArray[np.int64]
    starts: tuple[int, ...]
    """The first content token of each segment."""
    fixed: tuple[NDArray[np.int64], ...]
    """Special tokens and fixed parts before each segment, and after the last: their places in the input."""

    @property
    def units(self) -> NDArray[np.int64]:
        return np.array([unit for one in self.segments for unit in one], np.int64)

    def query(self, text: Text) -> inference.Query:
        """These units where the segments' own stood; special tokens and fixed parts stay."""
        new = [[token for unit in units for token in self.ids[unit]] for units in text]
        ids = [part for kept, tokens in zip(self.fixed, [*new, []]) for part in (*self.row.ids[kept].tolist(), *tokens)]
        decoder = self.decoder(len(new[-1]))
        if self.row.types is None:
            return inference.Query(np.array(ids, np.int64), decoder=decoder)
        added = [[int(self.row.types[start])] * len(tokens) for start, tokens in zip(self.starts, new)]
        types = [part for kept, kinds in zip(self.fixed, [*added, []]) for part in (*self.row.types[kept].tolist(), *kinds)]
        return inference.Query(np.array(ids, np.int64), np.array(types, np.int64), decoder=decoder)

    def decoder(self, last: int) -> int:
        """How many ids at the end only a decoder reads, when its own text, if it has one, is `last` tokens long."""
        own = int(self.row.content[len(self.row.ids) - self.row.decoder :].sum()) if self.row.decoder else 0
        return self.row.decoder - own + (last if own else 0)


def pieces(row: Encoded, unit: str) -> Pieces:
    """The text's units: distinct tokens, or distinct words with all their tokens; those of two segments are never the same."""
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    content = np.flatnonzero(row.content)
    owner = row.word[content] if unit == "word" else np.arange(len(content))
    groups = [content[owner == one] for one in dict.fromkeys(owner.tolist())]
    groups.sort(key=lambda group: (row.segment[group[0]], group[0]))
    segments: dict[int, list[int]] = {which: [] for which in _content(row)}
    position = np.zeros(len(row.ids), np.int64)
    for place, group in enumerate(groups):
        which = int(row.segment[group[0]])
        key = (which, tuple(row.ids[group].tolist()))
        segments[which].append(known.setdefault(key, len(known)))
        position[group] = place
    ids = tuple(tokens for _, tokens in known)
    starts = tuple(int(np.flatnonzero(row.content & (row.segment == which))[0]) for which in segments)
    edges = zip([0, *starts], [*starts, len(row.ids)])
    fixed = tuple(start + np.flatnonzero(~row.content[start:end]) for start, end in edges)
    return Pieces(row, ids, tuple(tuple(one) for one in segments.values()), position[content], starts, fixed)


def surrogates(
    model: Model, rows: Sequence[Pieces], targets: Sequence[Target], how: Design, samples: int, seed: int
) -> list[Surrogate]:
    """The surrogate of every text; all their questions go through the door together."""
    if model.row.spans or model.row.several:
        raise UnsupportedModel(
            f"slalom asks {model.name} about texts of other words, where an answer has no place; use occlusion or a gradient"
        )
    if how.kind == "exact":
        return [_exact(model, row, target) for row, target in zip(rows, targets)]
    asked = [questions(row.segments, how, samples, keyed(seed, "slalom", row.row.example.id)) for row in rows]
    queries = [row.query(text) for row, one in zip(rows, asked) for text in one.asked]
    if not all(len(query.ids) for query in queries):
        raise UnsupportedModel(f"{model.name} reads nothing of an empty text, so that no context can be fitted; use design mix")
    outputs = iter(inference.outputs(model, queries))
    found = []
    for row, one, target in zip(rows, asked, targets):
        answer = np.array([float(value(model, next(outputs), target)) for _ in one.asked])
        found.append(answered(one, answer, keyed(seed, "slalom held out", row.row.example.id)))
    return found


def _exact(model: Model, row: Pieces, target: Target) -> Surrogate:
    if len(row.segments) > 1:
        raise InputError(f"{row.row.example.id}: the exact design asks about single units; fix one text of the pair (part)")

    def ask(sequences: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
        outputs = inference.outputs(model, [row.query((one,)) for one in sequences])
        return np.array([float(value(model, output, target)) for output in outputs])

    return recovered(row.segments, ask)


def _explained(one: Surrogate, row: Pieces, score: str) -> Explained:
    units = row.units
    by_position = position_scores(one, units, score)
    copies = np.bincount(row.position, minlength=len(units))
    flags = one.flags
    if score == "removal" and len(units) == 1 and one.context is None:
        flags = (*flags, "removal is undefined where nothing is left; use a design with +context")
    reference = None if one.context is None else one.context[1]
    return Explained((by_position / copies)[row.position], reference, flags, details(one, units, row.position))


def _content(row: Encoded) -> list[int]:
    return sorted(set(row.segment[row.content].tolist()))
