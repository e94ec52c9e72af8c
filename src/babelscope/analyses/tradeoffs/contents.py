"""What a store holds of one task's trade-offs: found by the manifests of its cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from babelscope.analyses.stored import stored_cells, stored_skipped
from babelscope.analyses.tradeoffs.provenance import BASE
from babelscope.analyses.tradeoffs.records import Records, Texts, Where
from babelscope.store import Store, read
from babelscope.types import FineTuning, SkippedRow

NAME = "tradeoffs"
Manifests = Mapping[str, Mapping[str, Any]]
"""What the store says about cells, by key."""


def read_records(store: Store, study: Mapping[str, Any], task: str) -> Records | None:
    """The records of a task; None where the store has no texts or no fine-tuned model."""
    manifests = {
        key: row
        for key, row in stored_cells(store, study, NAME).items()
        if row["kind"] == "skipped" or row["identity"]["task"] == task
    }
    every_text, left_out = _texts(store, manifests, study["languages"])
    skipped = _skipped(stored_skipped(store, study), task)
    texts = {
        split: {lang: _without(rows, skipped.get(split, set())) for lang, rows in by_lang.items()}
        for split, by_lang in every_text.items()
    }
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
        _parts(manifests, "readings", every_text),
        _parts(manifests, "states", every_text),
        {
            (row["identity"]["name"], row["identity"]["lang"]): key
            for key, row in manifests.items()
            if row["kind"] == "probes"
        },
        _by_model(manifests, "drifts"),
        _by_model(manifests, "losses"),
        _ids(every_text, skipped),
        tuple(model for model in every if model not in models),
    )


def _texts(
    store: Store, manifests: Manifests, languages: Sequence[str]
) -> tuple[dict[str, dict[str, Texts]], dict[tuple[str, str], Counter[str]]]:
    """The texts that were read, and how many were not: languages in the order of the study."""
    listed = {key: row["identity"] for key, row in manifests.items() if row["kind"] == "texts"}
    texts: dict[str, dict[str, Texts]] = {}
    left_out: dict[tuple[str, str], Counter[str]] = {}
    order = {lang: place for place, lang in enumerate(languages)}
    places = sorted(
        (_rank(each["split"]), order.get(each["lang"], len(order)), key)
        for key, each in listed.items()
    )
    for *_, key in places:
        split, lang = listed[key]["split"], listed[key]["lang"]
        rows = read(store, "texts", [key]).to_pylist()
        kept = [row for row in rows if not row["left_out"]]
        groups, clusters, labels = (
            tuple(row[name] for row in kept) for name in ("group", "cluster", "label")
        )
        pairs, ids = tuple(tuple(row["texts"]) for row in kept), tuple(row["id"] for row in kept)
        texts.setdefault(split, {})[lang] = Texts(groups, clusters, labels, pairs, ids)
        left_out[split, lang] = Counter(row["left_out"] for row in rows if row["left_out"])
    return texts, left_out


def _skipped(rows: Sequence[SkippedRow], task: str) -> dict[str, set[str]]:
    """By split, the translation groups of which a row was skipped in a language or for a model."""
    groups: dict[str, set[str]] = {}
    for row in rows:
        if row.task == task:
            groups.setdefault(row.split, set()).add(row.group)
    return groups


def _without(texts: Texts, groups: set[str]) -> Texts:
    kept = [row for row in zip(*texts) if row[0] not in groups]
    return Texts(*zip(*kept)) if kept else Texts((), (), (), (), ())


def _ids(
    texts: Mapping[str, Mapping[str, Texts]], groups: Mapping[str, set[str]]
) -> dict[tuple[str, str], frozenset[str]]:
    return {
        (split, lang): frozenset(
            name for name, group in zip(rows.ids, rows.groups) if group in groups.get(split, ())
        )
        for split, by_lang in texts.items()
        for lang, rows in by_lang.items()
    }


def _rank(split: str) -> int:
    return ("test", "dev", "train").index(split)


def _models(store: Store, manifests: Manifests, names: Sequence[str]) -> list[FineTuning]:
    keys = [key for key, row in manifests.items() if row["kind"] == "finetunings"]
    rows = [
        FineTuning(**row | {"labels": tuple(row["labels"])})
        for row in read(store, "finetunings", keys).to_pylist()
    ]
    known = [row for row in rows if row.model in names]
    return sorted(known, key=lambda row: names.index(row.model))


def _same_classes(classes: Sequence[str], labels: Sequence[str]) -> bool:
    return len(classes) == len(labels) and {name.lower() for name in classes} == {
        name.lower() for name in labels
    }


def _parts(
    manifests: Manifests, kind: str, texts: Mapping[str, Mapping[str, Texts]]
) -> dict[Where, tuple[str, ...]]:
    """Keys of the parts in their order, where all parts are there."""
    skipped = {
        row["identity"]["of"]: row["rows"] for row in manifests.values() if row["kind"] == "skipped"
    }
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
        read = sum(manifests[key]["rows"] + skipped.get(key, 0) for key in keys)
        if known and read == len(known.groups):
            complete[name, split, lang] = keys
    return complete


def _by_model(manifests: Manifests, kind: str) -> dict[str, str]:
    return {row["identity"]["name"]: key for key, row in manifests.items() if row["kind"] == kind}
