"""Attributions read off a surrogate that is fitted to the model around the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods.slalom.design import DEFAULT, Design, Text, parse_design
from babelscope.methods.slalom.scores import SCORES
from babelscope.methods.slalom.text import (
    ADAM,
    LEAST_SQUARES,
    Surrogate,
    details,
    fit_answers,
    plan_queries,
    position_scores,
    recover_surrogate,
    text_gap,
)
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import cut_off, value
from babelscope.model.units import players
from babelscope.model.written import of_words
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Explained, Target

UNITS = ("token", "word")


def slalom(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    score: str = "shapley",
    design: str = DEFAULT,
    samples: int = 0,
    unit: str = "token",
    seed: int = 0,
) -> list[Explained]:
    """Two numbers per unit, a value and an importance, fitted to the model's answers to short texts
    of these units.

        F(t) = sum_i alpha_i v_i,    alpha_i = exp(s_i) / sum_j exp(s_j),    i, j positions of t

        value v_i;  importance s_i;  lin v_i exp(s_i);  share alpha_i v_i;  grad alpha_i (v_i - F);
        removal F(t) - F(t without i);  shapley the mean contribution over all orders

    These are the scores; F is the surrogate of the explained quantity, v the value and s the
    importance (their mean over the distinct units is 0) of a token, with unit=word of a word (its
    score is spread evenly over its tokens), or of the units in which the text is explained.
    `design` says which texts are queried: mix (each unit alone, then 2 to 4 units), near (these,
    parts of the text, and the text itself), fixed(3) (as published), deletion (the text without up
    to 5 positions) or exact (2T - 1 queries, nothing fitted); with +text the text itself, heavily
    weighted; with +deletion a quarter of them are the text without 1 to 5 positions, which makes
    the surrogate nearer to the model near the text; with +context what is always present is a unit
    too. `samples` is their number, 0 for ten per unit and 300 to 5000, twice that for near. With
    +adam after the design the surrogate is fitted as published, by 60 epochs of Adam from zero,
    which needs thousands of samples to reach large values. In a pair a unit belongs to its segment;
    a fixed part is unchanged.

    *Laws*: a transformer that is a SLALOM is explained exactly; alone as in a batch; the same seed
    gives the same scores; a constant model, a single unit and unseen units are flagged, and so is
    a surrogate whose answer to the text itself is far from the model's (`gap` in the details).
    *Left open by the paper*: the quantity (here the explained one; the paper's is log_odds), the
    score (it reports value, importance and lin, which is the share times a constant and not a
    gradient), the fit (see `slalom/fit.py`).
    Source: Leemann, Fastowski, Pfeiffer and Kasneci 2024 (SLALOM), eq. 4 and algorithm 1.
    """
    for name, choice, known in (("score", score, tuple(SCORES)), ("unit", unit, UNITS)):
        if choice not in known:
            raise InputError(f"slalom: {name} {choice!r} is not one of: {', '.join(known)}")
    fit = ADAM if design.endswith(f"+{ADAM}") else LEAST_SQUARES
    parsed = parse_design(design.removesuffix(f"+{ADAM}"))
    rows = [text_units(row, unit) for row in inputs]
    surrogates = fit_surrogates(model, rows, targets, parsed, samples, seed, fit)
    outputs = inference.outputs(model, [inference.query(row) for row in inputs])
    answers = [float(value(model, *each)) for each in zip(outputs, targets)]
    return [_explained(*each, score) for each in zip(surrogates, rows, answers)]


@dataclass(frozen=True, slots=True, eq=False)
class TextUnits:
    """A text as units: their token ids, the unit at every position by segment, the position of
    every content token."""

    row: Encoded
    ids: tuple[tuple[int, ...], ...]
    segments: tuple[tuple[int, ...], ...]
    position: NDArray[np.int64]
    starts: tuple[int, ...]
    """The first content token of each segment."""
    fixed: tuple[NDArray[np.int64], ...]
    """Special tokens and fixed parts before each segment, and after the last: their places in the
    input."""

    @property
    def units(self) -> NDArray[np.int64]:
        return np.array([unit for segment in self.segments for unit in segment], np.int64)

    def query(self, text: Text) -> inference.Query:
        """The input with these units in place of the segments' own; special tokens and fixed parts
        are kept."""
        plain = self._tokens(text)
        return replace(plain, texts=self._texts(text)) if self.row.written else plain

    def _texts(self, text: Text) -> tuple[str, ...]:
        """What a function of texts reads."""
        words = dict(zip(self.row.ids.tolist(), self.row.tokens))
        chosen = zip(_content(self.row), text)
        return of_words(
            self.row,
            {
                which: [words[word] for unit in units for word in self.ids[unit]]
                for which, units in chosen
            },
        )

    def _tokens(self, text: Text) -> inference.Query:
        new = [[token for unit in units for token in self.ids[unit]] for units in text]
        ids = [
            part
            for kept, tokens in zip(self.fixed, [*new, []])
            for part in (*self.row.ids[kept].tolist(), *tokens)
        ]
        decoder = self.decoder(len(new[-1]))
        if self.row.types is None:
            return replace(
                inference.query(self.row), ids=np.array(ids, np.int64), decoder=decoder, texts=()
            )
        added = [
            [int(self.row.types[start])] * len(tokens) for start, tokens in zip(self.starts, new)
        ]
        types = [
            part
            for kept, kinds in zip(self.fixed, [*added, []])
            for part in (*self.row.types[kept].tolist(), *kinds)
        ]
        return replace(
            inference.query(self.row),
            ids=np.array(ids, np.int64),
            types=np.array(types, np.int64),
            decoder=decoder,
            texts=(),
        )

    def decoder(self, last: int) -> int:
        """How many ids at the end only a decoder reads, when its text, if it has one, is `last`
        tokens long."""
        content = (
            int(self.row.content[len(self.row.ids) - self.row.decoder :].sum())
            if self.row.decoder
            else 0
        )
        return self.row.decoder - content + (last if content else 0)


def text_units(row: Encoded, unit: str) -> TextUnits:
    """The text's units: distinct tokens, distinct words with all their tokens, or the units that
    the input has; those of different segments are distinct."""
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    content = np.flatnonzero(row.content)
    by_word = row.units is None and unit == "word"
    owner = row.word[content] if by_word else players(row)
    groups = [content[owner == number] for number in dict.fromkeys(owner.tolist())]
    order = _content(row)
    groups.sort(key=lambda group: (order.index(row.segment[group[0]]), group[0]))
    segments: dict[int, list[int]] = {which: [] for which in order}
    position = np.zeros(len(row.ids), np.int64)
    for place, group in enumerate(groups):
        which = int(row.segment[group[0]])
        key = (which, tuple(row.ids[group].tolist()))
        segments[which].append(known.setdefault(key, len(known)))
        position[group] = place
    ids = tuple(tokens for _, tokens in known)
    starts = tuple(
        int(np.flatnonzero(row.content & (row.segment == which))[0]) for which in segments
    )
    edges = zip([0, *starts], [*starts, len(row.ids)])
    fixed = tuple(start + np.flatnonzero(~row.content[start:end]) for start, end in edges)
    return TextUnits(
        row,
        ids,
        tuple(tuple(number) for number in segments.values()),
        position[content],
        starts,
        fixed,
    )


def fit_surrogates(
    model: Model,
    rows: Sequence[TextUnits],
    targets: Sequence[Target],
    design: Design,
    samples: int,
    seed: int,
    fit: str = LEAST_SQUARES,
) -> list[Surrogate]:
    """The surrogate of every text; the queries of all texts share batches."""
    if model.row.spans or model.row.several:
        raise UnsupportedModel(
            f"slalom queries {model.name} with texts of other words, which contain no answer; use "
            "occlusion or a gradient method"
        )
    if design.kind == "exact":
        return [_exact(model, row, target) for row, target in zip(rows, targets)]
    plans = [
        plan_queries(row.segments, design, samples, keyed(seed, "slalom", *identity(row.row)))
        for row in rows
    ]
    queries = [row.query(text) for row, plan in zip(rows, plans) for text in plan.texts]
    if not all(len(query.ids) or query.texts for query in queries):
        raise UnsupportedModel(
            f"{model.name} cannot read an empty text, which a context needs; use design mix"
        )
    outputs = iter(inference.outputs(model, queries))
    surrogates = []
    for row, plan, target in zip(rows, plans, targets):
        answer = np.array([float(value(model, next(outputs), target)) for _ in plan.texts])
        generator = keyed(seed, "slalom held out", *identity(row.row))
        fitted = fit_answers(plan, answer, generator, fit)
        flags = (*fitted.flags, *cut_off(model, target, answer.tolist()))
        surrogates.append(replace(fitted, flags=flags))
    return surrogates


def _exact(model: Model, row: TextUnits, target: Target) -> Surrogate:
    if len(row.segments) > 1:
        raise InputError(
            f"{row.row.example.id}: design exact takes a single text; fix one of the pair (part)"
        )

    def query(sequences: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
        outputs = inference.outputs(model, [row.query((sequence,)) for sequence in sequences])
        return np.array([float(value(model, output, target)) for output in outputs])

    return recover_surrogate(row.segments, query)


def _explained(surrogate: Surrogate, row: TextUnits, answer: float, score: str) -> Explained:
    units = row.units
    gap, far = text_gap(surrogate, units, answer)
    by_position = position_scores(surrogate, units, score)
    copies = np.bincount(row.position, minlength=len(units))
    flags = (*surrogate.flags, *far)
    if score == "removal" and len(units) == 1 and surrogate.context is None:
        flags = (
            *flags,
            "removal is undefined where the text would be empty; use a design with +context",
        )
    reference = None if surrogate.context is None else surrogate.context[1]
    return Explained(
        (by_position / copies)[row.position],
        reference,
        flags,
        details(surrogate, units, row.position, gap),
    )


def _content(row: Encoded) -> list[int]:
    """The texts that are explained, in the order in which the model reads them."""
    return list(dict.fromkeys(row.segment[row.content].tolist()))
