"""What linear probes predict from the stored hidden states of one model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from babelscope.analyses.tradeoffs import probing
from babelscope.analyses.tradeoffs.activations import States
from babelscope.analyses.tradeoffs.records import CONTROL, GOLD, LANGUAGE, state_grid
from babelscope.errors import InputError
from babelscope.store import Store, has, read
from babelscope.types import Example, ProbePrediction

Where = tuple[str, str]
"""A split and a language."""


class StoredTexts(NamedTuple):
    """The texts of one split and language, and the keys of the cells that hold their states."""

    keys: tuple[str, ...]
    examples: tuple[Example, ...]


class Labelled(NamedTuple):
    """States of one layer with the classes, as numbers, that a probe is to predict."""

    ids: tuple[str, ...]
    states: States
    truth: Int[np.ndarray, " text"]


def class_probes(
    store: Store, texts: Mapping[Where, StoredTexts], source: str, *, every: bool
) -> list[ProbePrediction]:
    """Probes of the classes, trained on the texts of `source` and tested in every language.

    With `every`, for each layer, and on control labels too: the reference that fine-tuned models
    are compared with. Otherwise for the gold classes in the last layer.

    *Laws*: what is predicted for a text does not depend on the other test texts; the probe of the
    gold classes in the last layer is the same with and without `every`.
    """
    classes = sorted({str(row.label).lower() for each in texts.values() for row in each.examples})
    last = _layers(store, texts["train", source]) - 1
    rows: list[ProbePrediction] = []
    for layer in range(last + 1) if every else [last]:
        states = {where: _layer(store, each, layer) for where, each in texts.items()}
        for labels in (GOLD, CONTROL) if every else (GOLD,):
            data = {
                where: _labelled(*states[where], each, classes, labels)
                for where, each in texts.items()
            }
            fitted = _fit(data["train", source], data["dev", source], classes)
            rows += [
                _prediction((labels, source, lang, layer), fitted, each, classes)
                for (split, lang), each in data.items()
                if split == "test"
            ]
    return rows


def language_probe(
    store: Store, texts: Mapping[Where, StoredTexts], languages: Sequence[str]
) -> list[ProbePrediction]:
    """A probe of the text's language in the last layer, trained and tested on all `languages`."""
    last = _layers(store, texts["train", languages[0]]) - 1
    data = {}
    for (split, lang), each in texts.items():
        if lang in languages:
            ids, states = _layer(store, each, last)
            data[split, lang] = Labelled(
                tuple(ids), states, np.full(len(ids), languages.index(lang))
            )
    train, dev = (_joined(data[split, lang] for lang in languages) for split in ("train", "dev"))
    fitted = _fit(train, dev, languages)
    return [
        _prediction((LANGUAGE, "", lang, last), fitted, data["test", lang], languages)
        for lang in languages
    ]


def _fit(train: Labelled, dev: Labelled, classes: Sequence[str]) -> probing.Probe:
    return probing.probe(train.states, train.truth, dev.states, dev.truth, len(classes))


def _prediction(
    where: tuple[str, str, str, int], fitted: probing.Probe, data: Labelled, classes: Sequence[str]
) -> ProbePrediction:
    predicted = probing.logits(fitted, data.states).argmax(axis=1)
    names = (tuple(classes[at] for at in labels) for labels in (predicted, data.truth))
    return ProbePrediction(*where, fitted.strength, data.ids, *names)


def _labelled(
    ids: Sequence[str], states: States, texts: StoredTexts, classes: Sequence[str], labels: str
) -> Labelled:
    """The states with the gold classes of their texts, or with control labels of the same
    frequencies."""
    examples = {row.id: row for row in texts.examples}
    rows = [examples[name] for name in ids]
    gold = np.array([classes.index(str(row.label).lower()) for row in rows], dtype=np.int64)
    if labels == CONTROL:
        gold = probing.control_labels([row.group for row in rows], gold)
    return Labelled(tuple(ids), states, gold)


def _joined(parts: Iterator[Labelled]) -> Labelled:
    listed = list(parts)
    return Labelled(
        tuple(name for each in listed for name in each.ids),
        np.concatenate([each.states for each in listed]),
        np.concatenate([each.truth for each in listed]),
    )


def _layers(store: Store, texts: StoredTexts) -> int:
    """How many layers have states, the embeddings counted as one."""
    _check(store, texts)
    return int(read(store, "states", texts.keys[:1]).column("layers")[0].as_py())


def _layer(store: Store, texts: StoredTexts, layer: int) -> tuple[list[str], States]:
    """The ids of the texts that the model could read, and the mean state of each in one layer."""
    _check(store, texts)
    ids: list[str] = []
    states = []
    for name in texts.keys:
        table = read(store, "states", [name])
        if table.num_rows:
            ids += table.column("id").to_pylist()
            states.append(state_grid(table, "mean")[:, layer])
    return ids, np.concatenate(states)


def _check(store: Store, texts: StoredTexts) -> None:
    if not all(has(store, name) for name in texts.keys):
        row = texts.examples[0]
        raise InputError(
            f"a probe needs the hidden states of all texts; those in {row.lang} could not be "
            "computed: see their own failure"
        )
