"""What one model's inference keeps between calls: its budget, counts, caches and progress
listeners.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelscope.types import Target

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from babelscope.model.head_statistics import HeadStatistics

    WeightState = tuple[int, int, torch.dtype, torch.device]
    """Identity, version, type and device of a weight: it has not changed while these have not."""

Progress = Callable[[int, int], None]
"""Called with the tokens done and the tokens to do."""

CPU, ELSEWHERE = 2048, 4096
"""Tokens in a batch. On a CPU larger batches leave its cache: 4096 were 7 % slower in `make
bench`.
"""


class ErasureKey(NamedTuple):
    """What determines the probabilities of an erased input: the input, the order of its units, the
    target, and how it is erased. Arrays are there as their bytes."""

    example: str
    """Its language and id, to which the order of ties is keyed."""
    query: bytes
    content: bytes
    word: bytes
    scores: bytes
    target: Target
    unit: str
    operator: str | None
    grid: tuple[float, ...]
    sampled: int


@dataclass(frozen=True, slots=True, eq=False)
class ErasureCurve:
    """The target's probabilities: of the input, of nothing, and with the highest-ranked units
    erased or kept alone.
    """

    full: float
    null: float
    erased: NDArray[np.float64]
    kept: NDArray[np.float64]
    reason: str
    """Why a probability is undefined; empty where none is."""

    @property
    def drop(self) -> float:
        """By how much the probability falls when everything is erased."""
        return max(0.0, self.full - self.null)


@dataclass(frozen=True, slots=True, eq=False)
class Cache:
    """What was computed before; true only as long as the model does not change."""

    outputs: dict[bytes, Tensor] = field(default_factory=dict)
    """By the digest of the query."""
    only: frozenset[bytes] | None = None
    """The digests of the queries whose outputs are kept; None keeps all."""
    erasures: dict[ErasureKey, ErasureCurve] = field(default_factory=dict)


class HeadMaskKey(NamedTuple):
    """A head mask is measured in one language, with one state of the weights; `heads` says which
    kind of mask."""

    lang: str
    version: int
    heads: str = "builtin"


@dataclass
class InferenceState:
    """The state of one model's inference.

    `queries` counts the requested inputs, `distinct` those that had to be computed,
    `tokens` the real tokens and `padding` the padded ones that the model read; `backward` counts
    the tokens of gradient passes (also in `tokens`); `reused` those that were not read again
    because the keys and values of an equal beginning were at hand.
    """

    budget: int = CPU
    """Tokens in a batch, padding included."""
    queries: int = 0
    distinct: int = 0
    tokens: int = 0
    padding: int = 0
    backward: int = 0
    reused: int = 0
    reuse: bool = True
    """Whether decoders read equal beginnings once (`model.prefixes`)."""
    cache: Cache | None = None
    """None outside of `caching`."""
    head_masks: dict[HeadMaskKey, dict[int, list[float]]] = field(default_factory=dict)
    """Per layer 1 or 0 for each head: the built-in masks of this model."""
    head_counts: dict[HeadMaskKey, HeadStatistics] = field(default_factory=dict)
    """What the heads point at, by language and by the sentences that they are counted in."""
    unit_counts: dict[str, dict[str, Counter[tuple[str, ...]]]] = field(default_factory=dict)
    """By the labelled texts and the unit: how often each unit occurs in the texts of each label."""
    mean_embedding: tuple[WeightState, Tensor] | None = None
    """The mean word embedding of the vocabulary, and the state of the embedding matrix that it is
    of.
    """
    listeners: list[Progress] = field(default_factory=list)

    @contextmanager
    def caching(self, only: Iterable[bytes] | None = None) -> Iterator[None]:
        """Within, nothing is computed twice; with `only`, none of the queries with these digests,
        and the outputs of others take no memory. The model must not change meanwhile. Within
        another `caching` it is the same.
        """
        outer = self.cache
        if outer is None:
            self.cache = Cache(only=None if only is None else frozenset(only))
        try:
            yield
        finally:
            self.cache = outer

    def remember(self, outputs: Mapping[bytes, Tensor]) -> None:
        """Outputs for the cache, where there is one that keeps them."""
        if self.cache is None:
            return
        only = self.cache.only
        self.cache.outputs.update(
            {digest: each for digest, each in outputs.items() if only is None or digest in only}
        )

    def forget(self, digests: Iterable[bytes]) -> None:
        """Removes outputs from the cache: they are computed when they are asked for again."""
        stored = {} if self.cache is None else self.cache.outputs
        for digest in digests:
            stored.pop(digest, None)

    @contextmanager
    def without_cache(self) -> Iterator[None]:
        """Within, the model may be another one: nothing is taken from the cache, and nothing is
        added to it.
        """
        outer, self.cache = self.cache, None
        try:
            yield
        finally:
            self.cache = outer

    @contextmanager
    def reporting_progress(self, progress: Progress | None) -> Iterator[None]:
        """Within, `progress` is called with how far the current call has come."""
        if progress is not None:
            self.listeners.append(progress)
        try:
            yield
        finally:
            if progress is not None:
                self.listeners.remove(progress)

    def report_progress(self, done: int, total: int) -> None:
        for listener in self.listeners:
            listener(done, total)
