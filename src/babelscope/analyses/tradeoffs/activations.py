"""How alike two models (or two languages) represent the same texts, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from babelscope.errors import InputError
from babelscope.random import keyed
from babelscope.stats.jackknife import bounds

FOLDS = 10
"""Parts of the texts that the jackknife leaves out in turn."""
FEW = 200
"""Below so many texts a similarity is reported to be of few."""

States = Float[np.ndarray, "text dim"]
Others = Float[np.ndarray, "text other"]
"""The same texts in a model of any width."""
Batch = tuple[Float[np.ndarray, "_text _dim"], Float[np.ndarray, "_text _other"]]


class Gram(NamedTuple):
    """Inner products of one side's states with zeros on the diagonal, and what leaving folds out
    makes of their sums.

    `kept` has a column for all texts and one for each fold, 0 where a text is left out.
    """

    matrix: Float[np.ndarray, "text text"]
    kept: Float[np.ndarray, "text replicate"]
    rows: Float[np.ndarray, "text replicate"]
    sums: Float[np.ndarray, " replicate"]


class Jackknifed(NamedTuple):
    value: float
    low: float
    high: float


def linear_cka(x: States, y: Others) -> float:
    """Similarity of two representations of the same texts: the biased form, which is high for few
    texts whatever they are.

        CKA = ||X' Y||^2 / (||X' X|| ||Y' Y||),  X and Y centred, Frobenius norms

    *Laws*: CKA(X, X) = 1; 0 <= CKA <= 1; symmetric; unchanged by rotation, scaling and translation
    of either side, but not by a general linear map; of independent noise in 768 dimensions it is
    near .89 for 100 texts.
    Source: Kornblith et al. 2019, eq. 4.
    """
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    below = float(np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y))
    return float(np.linalg.norm(x.T @ y) ** 2) / below if below > 0 else nan


def debiased_cka(batches: Iterable[Batch]) -> float:
    """Similarity of two representations, with what few texts and many dimensions add taken off.

        h(K, L) = [sum(K * L) + sum(K) sum(L) / ((n-1)(n-2)) - 2/(n-2) (K 1)'(L 1)] / (n (n-3))
        dCKA = h(K, L) / sqrt(h(K, K) h(L, L));   K = X X', L = Y Y' with zeros on the diagonal

    Over several batches the h are added before the quotient is taken. Features are not centred
    first: the estimator does.

    *Laws*: dCKA(X, X) = 1; symmetric; unchanged by rotation, scaling and translation of either
    side, but not by a general linear map; independent noise and exchanged rows give about 0 (it may
    be below); NaN where either side is constant.
    *Left open by the paper*: fewer than 4 texts in a batch are refused.
    Source: Song et al. 2012, eq. 5 (the estimator of h); Nguyen et al. 2021, eq. 3 (over batches).
    """
    total = np.zeros((3, 1))
    for x, y in batches:
        k, l = gram(x), gram(y)
        total += np.stack([hsic(k, l), hsic(k, k), hsic(l, l)])
    return float(similarity(*total)[0])


def gram(x: States, folds: Int[np.ndarray, " text"] | None = None) -> Gram:
    """A side of a similarity, ready to be compared with others of the same texts and folds."""
    if len(x) < 4:
        raise InputError(f"similarity needs 4 texts or more; found {len(x)}: give more")
    x = x - x.mean(axis=0)  # changes nothing but the rounding: h is the same for any origin
    matrix = np.asarray(x @ x.T)
    np.fill_diagonal(matrix, 0.0)
    out = (
        np.zeros((len(x), 0))
        if folds is None
        else (folds[:, None] == np.arange(FOLDS)).astype(np.float64)
    )
    kept = np.concatenate([np.ones((len(x), 1)), 1.0 - out], axis=1)
    rows = kept * (matrix @ kept)
    return Gram(matrix, kept, rows, rows.sum(axis=0))


def hsic(k: Gram, l: Gram) -> Float[np.ndarray, " replicate"]:
    """h of the two sides, and again with each fold of texts left out; those of batches are added.

    *Laws*: the first number is that without folds; each other is that of the texts outside of the
    fold, NaN where these are fewer than 4; symmetric.
    """
    if k.matrix.shape != l.matrix.shape:
        raise InputError(
            f"similarity needs the same texts on both sides; found {len(k.matrix)} and "
            f"{len(l.matrix)}"
        )
    texts = k.kept.sum(axis=0)
    n = np.where(texts > 3, texts, nan)
    both = (k.kept * ((k.matrix * l.matrix) @ k.kept)).sum(axis=0)
    whole = (
        both + k.sums * l.sums / ((n - 1) * (n - 2)) - 2 / (n - 2) * (k.rows * l.rows).sum(axis=0)
    )
    return np.asarray(whole / (n * (n - 3)))


def folds(clusters: Sequence[str]) -> Int[np.ndarray, " text"]:
    """The fold of every text: the same for all texts of its cluster."""
    return np.array(
        [int(keyed("fold", cluster).integers(FOLDS)) for cluster in clusters], dtype=np.int64
    )


def similarity(
    both: Float[np.ndarray, " replicate"],
    first: Float[np.ndarray, " replicate"],
    second: Float[np.ndarray, " replicate"],
) -> Float[np.ndarray, " replicate"]:
    """dCKA from summed h: of all texts, then with each fold left out; NaN where a side does not
    vary."""
    below = np.where((first > 0) & (second > 0), first * second, nan)
    return np.asarray(both / np.sqrt(below))


def jackknifed(replicates: Float[np.ndarray, " replicate"]) -> Jackknifed:
    """A number with its interval from what it is with each fold of texts left out.

        [low, high] by `jackknife.bounds` from the F values v_f without one fold each

    The bootstrap would sample texts twice, and a text is perfectly similar to itself: that inflates
    CKA.

    *Laws*: equal replicates have no width; adding a constant moves all three; of a mean over texts
    in folds of equal size the variance is the usual one, on average.
    Source: Quenouille 1956, Tukey 1958, delete-a-group form.
    """
    value, left = float(replicates[0]), np.asarray(replicates[1:], dtype=np.float64)
    if len(left) < 2 or not np.isfinite(left).all():
        return Jackknifed(value, nan, nan)
    low, high = bounds(np.array(value), [left])
    return Jackknifed(value, float(low), float(high))


def depth_slope(values: Float[np.ndarray, "*replicate layer"]) -> Float[np.ndarray, "*replicate"]:
    """By how much a quantity grows per layer: the least-squares slope over layers 0, 1, 2, ...

    *Laws*: a + b l has the slope b; a constant has 0.
    """
    steps = np.arange(values.shape[-1]) - (values.shape[-1] - 1) / 2
    return np.asarray((values * steps).sum(axis=-1) / (steps**2).sum())


def paired_cosine(x: States, y: States, *, centred: bool = False) -> float:
    """How near the two states of a text are, on average.

        1/n sum_i x_i . y_i / (|x_i| |y_i|);   with `centred` after each side's mean was taken off

    Raw cosines are near 1 for any two texts, because states share a large common part. It means
    something between two models of one base, which share their axes; not between unrelated models.

    *Laws*: of a thing with itself 1; unchanged by scaling a side; centred it is unchanged by
    translation.
    """
    if centred:
        x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    lengths = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    kept = lengths > 0
    return float(((x * y).sum(axis=1)[kept] / lengths[kept]).mean()) if kept.any() else nan


def retrieval(x: States, y: States) -> tuple[float, float]:
    """How often a text's nearest neighbour on the other side is its translation: from x to y, and
    from y to x.

    Cosine after each side's mean was taken off; ties are not hits unless the translation comes
    first.

    *Laws*: a rotation of both sides changes nothing; of a thing with itself 1; of independent noise
    about 1/n.
    """
    sides = [side - side.mean(axis=0) for side in (x, y)]
    first, second = (
        side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-300) for side in sides
    )
    alike = first @ second.T
    right = np.arange(len(x))
    return float((alike.argmax(axis=1) == right).mean()), float(
        (alike.argmax(axis=0) == right).mean()
    )
