"""What the store holds of one task's trade-offs, and how it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.analyses.stored import stored_cells
from babelscope.analyses.tradeoffs.provenance import BASE
from babelscope.errors import InputError
from babelscope.store import Store, read
from babelscope.types import FineTuning

NAME = "tradeoffs"
ATTENTION = ("nats", "share", "content", "sink")
Manifests = Mapping[str, Mapping[str, Any]]
"""What the store says about cells, by key."""
Where = tuple[str, str, str]
"""A model's name (empty for the base), a split and a language."""


class Texts(NamedTuple):
    """The texts of one split and language that the models read, in their order."""

    groups: tuple[str, ...]
    clusters: tuple[str, ...]
    labels: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]


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
    drifts: Mapping[str, str] = field(repr=False)
    losses: Mapping[str, str] = field(repr=False)
    """Keys by the model's name, empty for the base."""
    strangers: tuple[FineTuning, ...] = ()
    """Models whose classes have other names than those of the first model."""

    def of_kind(self, kind: str) -> list[FineTuning]:
        return [model for model in self.models if model.kind == kind]

    def has_states(self, model: FineTuning | None, splits: Sequence[str], langs: Sequence[str]) -> bool:
        """Whether the model's hidden states are there in all of these."""
        pairs = [(split, lang) for split in splits for lang in langs]
        return model is not None and all((model.model, *pair) in self.states for pair in pairs)

    def gold(self, split: str, lang: str) -> NDArray[np.int64]:
        """The class of every text, in the order of the study's classes."""
        order = {label.lower(): place for place, label in enumerate(self.labels)}
        labels = self.texts[split][lang].labels
        return np.array([order[label.lower()] for label in labels], dtype=np.int64)


def read_records(store: Store, study: Mapping[str, Any], task: str) -> Records | None:
    """The records of a task; None where the store has no texts or no fine-tuned model."""
    manifests = {key: row for key, row in stored_cells(store, study, NAME).items() if row["identity"]["task"] == task}
    texts, left_out = _texts(store, manifests, study["languages"])
    every = _models(store, manifests, [row["name"] for row in study["models"]])
    if not every or "test" not in texts:
        return None
    labels = every[0].labels
    models = [model for model in every if _same_classes(model.labels, labels)]
    bases = [row for row in manifests.values() if row["identity"].get("name") == ""]
    return Records(
        store,
        labels,
        tuple(models),
        FineTuning("", BASE, 0, BASE, ()) if bases else None,
        texts,
        left_out,
        _parts(manifests, "readings", texts),
        _parts(manifests, "states", texts),
        _by_model(manifests, "drifts"),
        _by_model(manifests, "losses"),
        tuple(model for model in every if model not in models),
    )


def label_order(own: Sequence[str], labels: Sequence[str]) -> list[int]:
    """Which of a model's own classes is which class of the study: by name, never by position."""
    lowered = {name.lower(): place for place, name in enumerate(own)}
    wanted = [name.lower() for name in labels]
    if len(lowered) != len(own) or sorted(lowered) != sorted(wanted):
        raise InputError(
            f"a model has the classes {', '.join(own)}, the study has {', '.join(labels)}: classes are matched "
            "by name, so the names must agree; set id2label in the checkpoint's config.json"
        )
    return [lowered[name] for name in wanted]


def predictions(records: Records, model: FineTuning, split: str, lang: str) -> Predictions:
    """What a model predicts in a language, read part by part; attention is averaged over heads as
    it is read."""
    tables = [read(records.store, "readings", [key]) for key in records.readings[model.model, split, lang]]
    columns = {name: _column(tables, name) for name in ("group", "logits", "tokens", "truncated", "layers")}
    spread: dict[str, Any] = {}
    heads: dict[str, Any] = {}
    for name in ATTENTION:
        grids = [_grid(table, name, columns["layers"][0] - 1) for table in tables]
        if all(grid.size for grid in grids):
            with np.errstate(invalid="ignore"):
                spread[name] = np.concatenate([grid.mean(axis=2) for grid in grids])
                heads[name] = np.sum([grid.sum(axis=0) for grid in grids], axis=0) / len(columns["group"])
    order = label_order(model.labels, records.labels) if model.labels else []
    logits = np.array(columns["logits"], dtype=np.float64).reshape(len(columns["group"]), -1)[:, order]
    texts = records.texts[split][lang]
    tokens = np.array(columns["tokens"], dtype=np.float64)
    truncated = float(np.mean(columns["truncated"]))
    gold = records.gold(split, lang)
    return Predictions(texts.groups, texts.clusters, gold, logits, tokens, truncated, spread, heads)


def state_parts(
    records: Records, model: FineTuning, split: str, lang: str, pooling: str
) -> Iterator[Float[np.ndarray, "text state dim"]]:
    """Hidden states, one part of the texts at a time, in float64."""
    for key in records.states[model.model, split, lang]:
        table = read(records.store, "states", [key])
        yield _grid(table, pooling, int(table.column("layers")[0].as_py()))


def whole(
    records: Records, model: FineTuning, split: str, lang: str, layer: int, pooling: str = "mean"
) -> Float[np.ndarray, "text dim"]:
    """One layer of all texts: what a probe is fitted on."""
    return np.concatenate([part[:, layer] for part in state_parts(records, model, split, lang, pooling)])


def _texts(
    store: Store, manifests: Manifests, languages: Sequence[str]
) -> tuple[dict[str, dict[str, Texts]], dict[tuple[str, str], Counter[str]]]:
    """The texts that were read, and how many were not: languages in the order of the study."""
    listed = {key: row["identity"] for key, row in manifests.items() if row["kind"] == "texts"}
    texts: dict[str, dict[str, Texts]] = {}
    left_out: dict[tuple[str, str], Counter[str]] = {}
    order = {lang: place for place, lang in enumerate(languages)}
    places = sorted((_rank(each["split"]), order.get(each["lang"], len(order)), key) for key, each in listed.items())
    for *_, key in places:
        split, lang = listed[key]["split"], listed[key]["lang"]
        rows = read(store, "texts", [key]).to_pylist()
        kept = [row for row in rows if not row["left_out"]]
        groups, clusters, labels = (tuple(row[name] for row in kept) for name in ("group", "cluster", "label"))
        pairs = tuple(tuple(row["texts"]) for row in kept)
        texts.setdefault(split, {})[lang] = Texts(groups, clusters, labels, pairs)
        left_out[split, lang] = Counter(row["left_out"] for row in rows if row["left_out"])
    return texts, left_out


def _rank(split: str) -> int:
    return ("test", "dev", "train").index(split)


def _models(store: Store, manifests: Manifests, names: Sequence[str]) -> list[FineTuning]:
    keys = [key for key, row in manifests.items() if row["kind"] == "finetunings"]
    rows = [FineTuning(**row | {"labels": tuple(row["labels"])}) for row in read(store, "finetunings", keys).to_pylist()]
    known = [row for row in rows if row.model in names]
    return sorted(known, key=lambda row: names.index(row.model))


def _same_classes(own: Sequence[str], labels: Sequence[str]) -> bool:
    return len(own) == len(labels) and {name.lower() for name in own} == {name.lower() for name in labels}


def _parts(manifests: Manifests, kind: str, texts: Mapping[str, Mapping[str, Texts]]) -> dict[Where, tuple[str, ...]]:
    """Keys of the parts in their order, where all parts are there."""
    listed: dict[Where, list[tuple[int, str]]] = {}
    for key, row in manifests.items():
        identity = row["identity"]
        if row["kind"] == kind:
            where = (identity["name"], identity["split"], identity["lang"])
            listed.setdefault(where, []).append((identity["start"], key))
    complete = {}
    for (name, split, lang), parts in listed.items():
        keys = tuple(key for _, key in sorted(parts))
        known = texts.get(split, {}).get(lang)
        if known and sum(manifests[key]["rows"] for key in keys) == len(known.groups):
            complete[name, split, lang] = keys
    return complete


def _by_model(manifests: Manifests, kind: str) -> dict[str, str]:
    return {row["identity"]["name"]: key for key, row in manifests.items() if row["kind"] == kind}


def _column(tables: Sequence[Any], name: str) -> list[Any]:
    return [value for table in tables for value in table.column(name).to_pylist()]


def _grid(table: Any, name: str, layers: int) -> Float[np.ndarray, "text layer part"]:
    flat = table.column(name).combine_chunks().flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    return flat.reshape(table.num_rows, layers, -1) if flat.size else np.zeros((table.num_rows, layers, 0))
