"""What the store holds of one task's trade-offs, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.store import Store, read
from babelscope.types import FineTuning

ATTENTION = ("nats", "share", "content", "sink")
GOLD, CONTROL, LANGUAGE = "gold", "control", "language"
"""What a probe is trained to predict."""
Where = tuple[str, str, str]
"""A model's name (empty for the base), a split and a language."""


class Texts(NamedTuple):
    """The texts of one split and language that the models read, in their order."""

    groups: tuple[str, ...]
    clusters: tuple[str, ...]
    labels: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]


class Predictions(NamedTuple):
    """One model in one language: texts in the order of the corpus, classes in the order of the
    study."""

    groups: tuple[str, ...]
    clusters: tuple[str, ...]
    gold: NDArray[np.int64]
    logits: Float[np.ndarray, "text label"]
    tokens: NDArray[np.float64]
    truncated: float
    spread: dict[str, Float[np.ndarray, "text layer"]]
    """nats, share, content and sink: means over the heads of each layer; empty without
    attention."""
    heads: dict[str, Float[np.ndarray, "layer head"]]
    """The same, averaged over texts."""


@dataclass(frozen=True, slots=True)
class Records:
    """The models of one task, and under which keys the store holds what they computed."""

    store: Store
    labels: tuple[str, ...]
    models: tuple[FineTuning, ...]
    """Those that were fine-tuned, in the order of the study."""
    base: FineTuning | None
    texts: Mapping[str, Mapping[str, Texts]]
    """By split and language."""
    left_out: Mapping[tuple[str, str], Mapping[str, int]]
    """How many texts of a split and language were left out, by reason."""
    readings: Mapping[Where, tuple[str, ...]] = field(repr=False)
    states: Mapping[Where, tuple[str, ...]] = field(repr=False)
    """Keys of the parts, in their order."""
    probes: Mapping[tuple[str, str], str] = field(repr=False)
    """Keys by the model's name and the language that its probes were trained on, empty for the
    probe of the language itself."""
    drifts: Mapping[str, str] = field(repr=False)
    losses: Mapping[str, str] = field(repr=False)
    """Keys by the model's name, empty for the base."""
    skipped: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict, repr=False)
    """Ids of texts that are in no table, by split and language: a model could not read them, or not
    their translations."""
    strangers: tuple[FineTuning, ...] = ()
    """Models whose classes have other names than those of the first model."""

    def of_kind(self, kind: str) -> list[FineTuning]:
        return [model for model in self.models if model.kind == kind]

    def has_states(
        self, model: FineTuning | None, splits: Sequence[str], langs: Sequence[str]
    ) -> bool:
        """Whether the model's hidden states are there in all of these."""
        pairs = [(split, lang) for split in splits for lang in langs]
        return model is not None and all((model.model, *pair) in self.states for pair in pairs)

    def has_probes(self, model: FineTuning | None, source: str) -> bool:
        """Whether probes were fitted to the model's states in that language."""
        return model is not None and (model.model, source) in self.probes

    def gold(self, split: str, lang: str) -> NDArray[np.int64]:
        """The class of every text, in the order of the study's classes."""
        order = {label.lower(): place for place, label in enumerate(self.labels)}
        labels = self.texts[split][lang].labels
        return np.array([order[label.lower()] for label in labels], dtype=np.int64)


def label_order(classes: Sequence[str], labels: Sequence[str]) -> list[int]:
    """Which of a model's own classes is which class of the study: by name, never by position."""
    lowered = {name.lower(): place for place, name in enumerate(classes)}
    names = [name.lower() for name in labels]
    if len(lowered) != len(classes) or sorted(lowered) != sorted(names):
        raise InputError(
            f"a model has the classes {', '.join(classes)}, the study has {', '.join(labels)}: "
            "classes are matched by name, so the names must agree; set id2label in the "
            "checkpoint's config.json"
        )
    return [lowered[name] for name in names]


def predictions(records: Records, model: FineTuning, split: str, lang: str) -> Predictions:
    """What a model predicts in a language, read part by part; attention is averaged over heads as
    it is read."""
    tables = list(_tables(records, "readings", (model.model, split, lang)))
    columns = {
        name: _column(tables, name) for name in ("group", "logits", "tokens", "truncated", "layers")
    }
    spread: dict[str, Any] = {}
    heads: dict[str, Any] = {}
    for name in ATTENTION:
        grids = [_grid(table, name, columns["layers"][0] - 1) for table in tables]
        if all(grid.size for grid in grids):
            with np.errstate(invalid="ignore"):
                spread[name] = np.concatenate([grid.mean(axis=2) for grid in grids])
                heads[name] = np.sum([grid.sum(axis=0) for grid in grids], axis=0) / len(
                    columns["group"]
                )
    order = label_order(model.labels, records.labels) if model.labels else []
    logits = np.array(columns["logits"], dtype=np.float64).reshape(len(columns["group"]), -1)[
        :, order
    ]
    texts = records.texts[split][lang]
    tokens = np.array(columns["tokens"], dtype=np.float64)
    truncated = float(np.mean(columns["truncated"]))
    gold = records.gold(split, lang)
    return Predictions(texts.groups, texts.clusters, gold, logits, tokens, truncated, spread, heads)


def state_parts(
    records: Records, model: FineTuning, split: str, lang: str, pooling: str
) -> Iterator[Float[np.ndarray, "text state dim"]]:
    """Hidden states, one part of the texts at a time, in float64."""
    for table in _tables(records, "states", (model.model, split, lang)):
        yield state_grid(table, pooling)


def state_grid(table: pa.Table, pooling: str) -> Float[np.ndarray, "text state dim"]:
    """The hidden states of a stored table that has rows."""
    return _grid(table, pooling, int(table.column("layers")[0].as_py()))


def _tables(records: Records, kind: str, where: Where) -> Iterator[pa.Table]:
    """The stored parts without the texts that are in no table."""
    listed = records.readings if kind == "readings" else records.states
    left_out = records.skipped.get(where[1:], frozenset())
    for key in listed[where]:
        table = read(records.store, kind, [key])
        kept = [name not in left_out for name in table.column("id").to_pylist()]
        table = table if all(kept) else table.filter(pa.array(kept, pa.bool_()))
        if table.num_rows:
            yield table


def whole(
    records: Records, model: FineTuning, split: str, lang: str, layer: int, pooling: str = "mean"
) -> Float[np.ndarray, "text dim"]:
    """One layer of all texts."""
    return np.concatenate(
        [part[:, layer] for part in state_parts(records, model, split, lang, pooling)]
    )


def _column(tables: Sequence[Any], name: str) -> list[Any]:
    return [value for table in tables for value in table.column(name).to_pylist()]


def _grid(table: Any, name: str, layers: int) -> Float[np.ndarray, "text layer part"]:
    flat = (
        table.column(name)
        .combine_chunks()
        .flatten()
        .to_numpy(zero_copy_only=False)
        .astype(np.float64)
    )
    return (
        flat.reshape(table.num_rows, layers, -1)
        if flat.size
        else np.zeros((table.num_rows, layers, 0))
    )
