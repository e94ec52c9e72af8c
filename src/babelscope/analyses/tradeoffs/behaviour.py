"""The transfer matrix: how well a model of one language does in another, and what is difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from babelscope.errors import InputError

Matrix = Float[np.ndarray, "*row source target"]
"""Accuracies; `diagonal` beside it gives for each source the column of its own language."""
LEAST = 0.02
"""A target in which its own model is nearer to chance than this has no relative transfer."""


class TwoWay(NamedTuple):
    """`donor` is by source, `difficulty` by target (high is easy), `interaction` by both; the
    shares sum to 1."""

    mean: Float[np.ndarray, "*row"]
    donor: Float[np.ndarray, "*row source"]
    difficulty: Float[np.ndarray, "*row target"]
    interaction: Matrix
    shares: Float[np.ndarray, "*row 3"]


class Factorial(NamedTuple):
    """Of two models and their two languages: what the input, the model and their match
    contribute."""

    input: Float[np.ndarray, "*row"]
    model: Float[np.ndarray, "*row"]
    interaction: Float[np.ndarray, "*row"]


def diagonal_columns(sources: Sequence[str], targets: Sequence[str]) -> list[int]:
    """The column of each source's own language, -1 where the language was not tested."""
    return [list(targets).index(source) if source in targets else -1 for source in sources]


def preference(accuracy: Matrix, diagonal: Sequence[int]) -> Matrix:
    """By how much a model is better in its own language than in another.

        P[s, t] = A[s, s] - A[s, t]

    A is `accuracy`. Easy languages make it large for their own models and small for others: no
    evidence of specialisation.

    *Laws*: P[s, s] = 0; a language that is easier by c for all models raises the preference of its
    own model by c; for two languages P[s, t] - P[t, s] is twice the effect of the input
    (`factorial`), whatever the interaction.
    Source: the trade-off study, experiment 1; NaN where the own language was not tested.
    """
    rows = [accuracy[..., row, :] for row in range(len(diagonal))]
    return np.stack(
        [_column(row, place)[..., None] - row for row, place in zip(rows, diagonal)], axis=-2
    )


def transfer_gap(accuracy: Matrix, diagonal: Sequence[int]) -> Matrix:
    """How much more the target's own model reaches in the target.

        G[s, t] = A[t, t] - A[s, t]

    *Laws*: G[t, t] = 0; making a language easier for all models by c changes nothing; NaN in
    targets without a model.
    Source: ours, the column-wise counterpart of the study's preference.
    """
    gap = np.full(accuracy.shape, nan)
    for row, place in enumerate(diagonal):
        if place >= 0:
            gap[..., :, place] = accuracy[..., row, place][..., None] - accuracy[..., :, place]
    return gap


def specialisation(
    accuracy: Matrix, diagonal: Sequence[int]
) -> Float[np.ndarray, "*row source source"]:
    """What a match of model and language is worth to two languages, difficulty and model quality
    cancelled.

        I[s, t] = ((A[s, s] + A[t, t]) - (A[s, t] + A[t, s])) / 2

    *Laws*: I[s, t] = I[t, s]; I[s, s] = 0; adding a constant to a row or a column of A changes
    nothing; for two languages it is the interaction of `factorial`.
    Source: the interaction of a 2 x 2 table.
    """
    square = np.stack([_column(accuracy, place) for place in diagonal], axis=-1)
    match = np.diagonal(square, axis1=-2, axis2=-1)
    return np.asarray(
        (match[..., :, None] + match[..., None, :] - square - np.swapaxes(square, -1, -2)) / 2
    )


def factorial(accuracy: Float[np.ndarray, "*row 2 2"]) -> Factorial:
    """Main effects and interaction of two models (rows) on their two languages (columns).

        input = ((A11 + A21) - (A12 + A22)) / 2;   model = ((A11 + A12) - (A21 + A22)) / 2;
        interaction = ((A11 + A22) - (A12 + A21)) / 2

    *Laws*: exchanging the models keeps `input` and negates the other two; P[1, 2] - P[2, 1] = 2
    input.
    """
    first, second = accuracy[..., 0, :], accuracy[..., 1, :]
    return Factorial(
        ((first[..., 0] + second[..., 0]) - (first[..., 1] + second[..., 1])) / 2,
        ((first[..., 0] + first[..., 1]) - (second[..., 0] + second[..., 1])) / 2,
        ((first[..., 0] + second[..., 1]) - (first[..., 1] + second[..., 0])) / 2,
    )


def two_way(accuracy: Matrix) -> TwoWay:
    """Every accuracy as a mean, a donor's part, a language's part and the rest.

        A[s, t] = mean + donor[s] + difficulty[t] + interaction[s, t],  each part of mean 0
        shares = (T sum donor^2, S sum difficulty^2, sum interaction^2) / sum (A - mean)^2

    S and T count sources and targets.

    *Laws*: the parts add up to A; donors, difficulties, and rows and columns of the interaction sum
    to 0; the shares sum to 1 (NaN where all accuracies are equal); a matrix that is additive has no
    interaction.
    Source: two-way analysis of variance with one value per cell.
    """
    mean = accuracy.mean(axis=(-2, -1))
    donor = accuracy.mean(axis=-1) - mean[..., None]
    difficulty = accuracy.mean(axis=-2) - mean[..., None]
    rest = accuracy - mean[..., None, None] - donor[..., :, None] - difficulty[..., None, :]
    sources, targets = accuracy.shape[-2:]
    squares = np.stack(
        [
            targets * (donor**2).sum(-1),
            sources * (difficulty**2).sum(-1),
            (rest**2).sum(axis=(-2, -1)),
        ],
        axis=-1,
    )
    total = squares.sum(axis=-1, keepdims=True)
    shares = np.divide(squares, total, out=np.full(squares.shape, nan), where=total > 1e-24)
    return TwoWay(np.asarray(mean), donor, difficulty, rest, shares)


def relative_transfer(accuracy: Matrix, diagonal: Sequence[int], chance: float) -> Matrix:
    """Which share of what the target's own model gains over chance is reached.

        R[s, t] = (A[s, t] - chance) / (A[t, t] - chance)

    *Laws*: R[t, t] = 1; a model at chance has 0; NaN where A[t, t] - chance < .02.
    """
    if not 0 <= chance < 1:
        raise InputError(f"chance {chance} is not an accuracy below 1; give 1 / number of classes")
    best = accuracy + transfer_gap(accuracy, diagonal) - chance
    return np.asarray(
        np.divide(accuracy - chance, best, out=np.full(accuracy.shape, nan), where=best >= LEAST)
    )


def _column(accuracy: Float[np.ndarray, "*row target"], place: int) -> Float[np.ndarray, "*row"]:
    return accuracy[..., place] if place >= 0 else np.full(accuracy.shape[:-1], nan)
