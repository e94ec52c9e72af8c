"""How spread out attention is: per head, in nats and as a share of the possible, with sinks apart
and at equal length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from babelscope.errors import UnsupportedModel
from babelscope.stats.jackknife import bounds

TOLERANCE = 1e-3
"""By how much the weights of one query may fail to sum to 1."""

Weights = Float[np.ndarray, "layer head query key"]


class Spread(NamedTuple):
    """Per layer and head, averaged over the queries of one text."""

    nats: Float[np.ndarray, "layer head"]
    share: Float[np.ndarray, "layer head"]
    content: Float[np.ndarray, "layer head"]
    sink: Float[np.ndarray, "layer head"]


class LanguageEffect(NamedTuple):
    """By how much a language lies above the reference language at equal length; `slope` per unit of
    log length."""

    effects: Float[np.ndarray, " lang"]
    low: Float[np.ndarray, " lang"]
    high: Float[np.ndarray, " lang"]
    slope: float


def entropy(weights: Float[np.ndarray, "*row key"]) -> Float[np.ndarray, "*row"]:
    """H = -sum_k p_k log p_k in nats, 0 log 0 = 0.

    *Laws*: 0 <= H <= log n; uniform weights have log n, a single one 0; that of a mean of heads is
    at least the mean of theirs.
    """
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.asarray(-(weights * logs).sum(axis=-1))


def spread(
    weights: Weights,
    special: Bool[np.ndarray, " key"],
    reach: Int[np.ndarray, "layer 2"] | None = None,
) -> Spread:
    """Entropy and sinks of one text's attention, per layer and head: heads are never averaged
    first.

        nats = mean_q H(p_q);   share = mean_q H(p_q) / log n_q over queries with n_q > 1;   sink =
          mean_q sum_{k special} p_qk
        content = mean_q H(p_q without special keys, summing to 1 again)

    p_q are the weights of query q, n_q is the number of keys that it can see: `reach` says how far
    back and ahead each layer looks ((-9, 0) is a causal layer over ten tokens), without it
    everything is seen.

    *Laws*: uniform attention has share 1, a single key 0; share and sink lie in [0, 1]; padding
    changes nothing; permuting heads permutes the result; without special tokens content = nats and
    sink = 0.
    *Left open by the paper*: special tokens ask too (they are queries like others). A query that
    looks at special tokens only has no content entropy.
    Source: the trade-off study, experiment 3, which averages heads before taking the entropy.
    """
    totals = weights.sum(axis=-1)
    if bool((np.abs(totals - 1) > TOLERANCE).any()):
        worst = float(np.abs(totals - 1).max())
        raise UnsupportedModel(
            f"attention weights of a query miss 1 by {worst:.3g}; their entropy has no meaning"
        )
    nats = entropy(weights)
    seen = _visible(weights.shape, reach).sum(axis=-1)[:, None]
    several = np.broadcast_to(seen > 1, nats.shape)
    ceiling = np.log(np.maximum(seen, 2))
    inside = weights[..., ~special]
    kept = inside.sum(axis=-1, keepdims=True)
    rest = np.divide(inside, kept, out=np.zeros_like(inside), where=kept > 1e-12)
    return Spread(
        nats.mean(axis=-1),
        _mean(nats / ceiling, several),
        _mean(entropy(rest), kept[..., 0] > 1e-12),
        weights[..., special].sum(axis=-1).mean(axis=-1),
    )


def language_effect(
    values: Float[np.ndarray, "text lang"],
    tokens: Float[np.ndarray, "text lang"],
    clusters: Sequence[str],
) -> LanguageEffect:
    """The effect of the language on entropy at equal length, from translations of the same texts.

        value_il = text_i + effect_l + slope log(tokens_il) + error,   effect of the first language
          0, by least squares

    Longer texts have larger entropies even as a share of log n, and languages differ in length:
    unpaired means confound them. Intervals are by `jackknife.bounds` from leaving out clusters.

    *Laws*: values made by the formula give back effects and slope; adding a number per text changes
    nothing; the effect of the reference is 0; a language with the values and lengths of the
    reference has effect 0 without width.
    *Left open by the paper*: texts are fixed effects (each text's mean is taken off), not random
    ones.
    """
    logs = np.log(np.maximum(tokens, 1.0))
    y = values - values.mean(axis=1, keepdims=True)
    texts, langs = values.shape
    design = np.zeros((texts, langs, langs))
    design[:, np.arange(1, langs), np.arange(langs - 1)] = 1.0
    design[..., -1] = logs
    design = design - design.mean(axis=1, keepdims=True)
    _, member = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    squares = np.zeros((member.max() + 1, langs, langs))
    products = np.zeros((member.max() + 1, langs))
    np.add.at(squares, member, np.einsum("tlp,tlq->tpq", design, design))
    np.add.at(products, member, np.einsum("tlp,tl->tp", design, y))
    solution = _solved(squares.sum(axis=0), products.sum(axis=0))
    effects = np.concatenate([[0.0], solution[:-1]])
    low = high = np.full(langs, np.nan)
    if len(squares) > 1:
        rest = _solved(squares.sum(axis=0) - squares, products.sum(axis=0) - products)
        left_out = np.concatenate([np.zeros((len(rest), 1)), rest[:, :-1]], axis=1)
        low, high = bounds(effects, [left_out])
    return LanguageEffect(effects, low, high, float(solution[-1]))


def _visible(
    shape: tuple[int, ...], reach: Int[np.ndarray, "layer 2"] | None
) -> Bool[np.ndarray, "layer query key"]:
    layers, _, queries, keys = shape
    if reach is None:
        return np.ones((layers, queries, keys), dtype=bool)
    ahead = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    return (ahead >= reach[:, 0, None, None]) & (ahead <= reach[:, 1, None, None])


def _solved(
    squares: Float[np.ndarray, "*row part part"], products: Float[np.ndarray, "*row part"]
) -> Float[np.ndarray, "*row part"]:
    """Least squares by the normal equations; where lengths never differ their slope is 0."""
    inverse = np.linalg.pinv(squares, rcond=1e-10, hermitian=True)
    return np.asarray((inverse @ products[..., None])[..., 0])


def _mean(
    values: Float[np.ndarray, "layer head query"], kept: Bool[np.ndarray, "layer head query"]
) -> Float[np.ndarray, "layer head"]:
    """The mean over kept queries; NaN where there is none."""
    count = kept.sum(axis=-1)
    total = np.where(kept, values, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))
