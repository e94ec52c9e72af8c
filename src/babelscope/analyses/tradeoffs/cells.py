"""The trade-off study's dump: what every model makes of every text, once, in the store; everything later is read from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope import store as stored
from babelscope.analyses.tradeoffs.readings import label_order, parts, read_texts
from babelscope.data.independence import clusters
from babelscope.data.texts import fault
from babelscope.errors import InputError
from babelscope.model.load import Model, fastest, load
from babelscope.training.finetune import fingerprint
from babelscope.types import Example

Texts = Mapping[str, Mapping[str, Sequence[Example]]]
"""Examples by split (test, and perhaps dev and train) and language."""
KINDS = ("tuned", "joint", "head_only", "base")
BASE = "base"


@dataclass(frozen=True, slots=True)
class Tuned:
    """A model of the study: the language that it was tuned on, its seed, where it lies, and its kind."""

    source: str
    seed: int
    folder: str
    kind: str = "tuned"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts that all languages share, by split; `notes` say what was left out and why.

    Where the test texts of the languages share none, each language keeps its own: it is not `parallel`.
    """

    texts: Texts
    clusters: Mapping[str, str]
    notes: tuple[str, ...] = ()
    parallel: bool = True


class Answers(NamedTuple):
    """One model in one language: texts in the order of the corpus."""

    groups: tuple[str, ...]
    clusters: tuple[str, ...]
    gold: NDArray[np.int64]
    logits: Float[np.ndarray, "text label"]
    tokens: NDArray[np.float64]
    truncated: float
    spread: dict[str, Float[np.ndarray, "text layer"]]
    """nats, share, content and sink: means over the heads of each layer; empty without attention."""
    heads: dict[str, Float[np.ndarray, "layer head"]]
    """The same, averaged over texts."""


@dataclass(frozen=True, slots=True)
class Dump:
    """Where in the store each model's texts are."""

    store: stored.Store
    labels: tuple[str, ...]
    models: tuple[Tuned, ...]
    corpus: Corpus
    cells: Mapping[tuple[Tuned, str, str], tuple[str, ...]] = field(repr=False)
    """Names of the readings' cells by model, split and language; those of the states are in `states`."""
    states: Mapping[tuple[Tuned, str, str], tuple[str, ...]] = field(repr=False)


def tuned_model(given: str) -> Tuned:
    """`DIR`, `LANG=DIR` or `LANG:SEED=DIR`; what is not said is read from the training.json that `finetune` leaves."""
    told, _, folder = given.rpartition("=")
    lang, _, seed = told.partition(":")
    file = Path(folder) / "training.json"
    known = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    recipe, langs = known.get("recipe", {}), known.get("languages", [])
    if not lang and not Path(folder).is_dir():
        raise InputError(f"there is no folder {folder}; of a model on the hub say the language: LANG={folder}")
    if not lang and not langs:
        raise InputError(f"{folder} does not say which language it was tuned on; write LANG={folder} or LANG:SEED={folder}")
    if seed and not seed.isdecimal():
        raise InputError(f"--models {given}: the seed must be a whole number, not {seed!r}")
    source = lang or (langs[0] if len(langs) == 1 else "joint")
    kind = "head_only" if recipe.get("head_only") else "joint" if source == "joint" else "tuned"
    return Tuned(source, int(seed or recipe.get("seed", 0)), folder, kind)


def parallel_corpus(texts: Texts) -> Corpus:
    """The texts that every language of a split has, with a label; and which of them are not independent.

    Texts are matched by their group. Where no group is in all languages, each keeps its own texts, and languages are compared
    unpaired. Rows of a split that share a text in any language form a cluster (`independence.clusters`).
    """
    notes: list[str] = []
    kept: dict[str, dict[str, list[Example]]] = {}
    named: dict[str, str] = {}
    parallel = True
    for split, by_lang in texts.items():
        labelled = {
            lang: {row.group: row for row in rows if row.label is not None and _readable(row)} for lang, rows in by_lang.items()
        }
        for lang, rows in by_lang.items():
            unlabelled, unreadable = sum(row.label is None for row in rows), sum(not _readable(row) for row in rows)
            if unlabelled:
                notes.append(f"{lang}, {split}: {unlabelled} examples without a gold label were left out")
            if unreadable:
                notes.append(f"{lang}, {split}: {unreadable} examples with an empty text or control characters were left out")
            if not labelled[lang]:
                raise InputError(f"the {split} examples in {lang} have no gold label: trade-offs are about what is right")
        kept[split], alone = _common(labelled)
        notes += [f"{lang}, {split}: {count} examples that other languages lack were left out" for lang, count in alone.items()]
        if split == "test" and len({tuple(row.group for row in rows) for rows in kept[split].values()}) > 1:
            parallel = False
            notes.append(
                f"{', '.join(by_lang)} share no test text: languages are compared unpaired, and there are no flips, no "
                "alignment of languages and no attention at equal length"
            )
        # Split by split: a text of another split says nothing about which rows of this one are independent.
        named = clusters(row for rows in kept[split].values() for row in rows) | named
    return Corpus(kept, named, tuple(notes), parallel)


def _readable(row: Example) -> bool:
    return all(fault(text) is None for text in row.texts)


def _common(labelled: Mapping[str, Mapping[str, Example]]) -> tuple[dict[str, list[Example]], dict[str, int]]:
    """Every language's examples of the groups that all have, in one order, and how many more a language has; or all of each,
    if none is in all."""
    common = set.intersection(*(set(rows) for rows in labelled.values())) if labelled else set()
    if not common:
        return {lang: list(rows.values()) for lang, rows in labelled.items()}, {}
    order = [group for group in next(iter(labelled.values())) if group in common]
    alone = {lang: len(rows) - len(common) for lang, rows in labelled.items() if len(rows) > len(common)}
    return {lang: [rows[group] for group in order] for lang, rows in labelled.items()}, alone


def dump(
    store: stored.Store,
    models: Sequence[Tuned],
    given: Corpus,
    *,
    states: Callable[[Tuned, str, str], bool] = lambda *_: True,
    wanted: Callable[[Tuned, str, str], bool] = lambda *_: True,
    progress: Callable[[int, int], None] | None = None,
) -> Dump:
    """Every model reads every text, part by part; what is in the store already is not read again.

    `wanted` says which (model, split, language) are read at all, `states` of which the hidden states are kept too.

    *Laws*: memory does not grow with the number of texts; a run that was stopped goes on; a second run reads nothing.
    """
    cells: dict[tuple[Tuned, str, str], tuple[str, ...]] = {}
    kept: dict[tuple[Tuned, str, str], tuple[str, ...]] = {}
    labels: tuple[str, ...] = ()
    prints = {(split, lang): [fingerprint(some) for some in parts(rows)] for split, lang, rows in _every(given)}
    for done, one in enumerate(sorted(models, key=lambda each: each.kind == BASE)):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # a base's head is drawn when it is loaded: its fingerprint must be the same every time
            untrained = one.kind == BASE
            model = load(one.folder, task="text-classification", device=fastest(), allow_untrained_head=untrained)
        if one.kind != BASE:
            labels = labels or model.labels
            label_order(model, labels)
            _check_gold(given, labels)
        for split, lang, rows in _every(given):
            if wanted(one, split, lang):
                identity = {
                    "scheme": stored.SCHEME, "model": model.fingerprint, "head": one.kind != BASE, "labels": list(labels),
                    "split": split,
                }  # fmt: skip
                place, both = (one, split, lang), states(one, split, lang)
                cells[place], kept[place] = _read(store, model, given, rows, prints[split, lang], identity, both)
        if progress is not None:
            progress(done + 1, len(models))
    return Dump(store, labels, tuple(models), given, cells, {place: names for place, names in kept.items() if names})


def answers(found: Dump, one: Tuned, split: str, lang: str) -> Answers:
    """What a model said in a language, read part by part; attention is averaged over heads as it is read."""
    tables = [stored.read(found.store, "readings", [name]) for name in found.cells[one, split, lang]]
    columns = {name: [each for table in tables for each in table.column(name).to_pylist()] for name in
               ("group", "cluster", "gold", "logits", "tokens", "truncated", "layers")}  # fmt: skip
    spread: dict[str, Any] = {}
    heads: dict[str, Any] = {}
    for name in ("nats", "share", "content", "sink"):
        grids = [_grid(table, name, columns["layers"][0] - 1) for table in tables]
        if all(grid.size for grid in grids):
            with np.errstate(invalid="ignore"):
                spread[name] = np.concatenate([grid.mean(axis=2) for grid in grids])
                heads[name] = np.sum([grid.sum(axis=0) for grid in grids], axis=0) / len(columns["group"])
    return Answers(
        tuple(columns["group"]), tuple(columns["cluster"]), np.array(columns["gold"], dtype=np.int64),
        np.array(columns["logits"], dtype=np.float64), np.array(columns["tokens"], dtype=np.float64),
        float(np.mean(columns["truncated"])), spread, heads,
    )  # fmt: skip


def state_parts(found: Dump, one: Tuned, split: str, lang: str, pooling: str) -> Iterator[Float[np.ndarray, "text state dim"]]:
    """Hidden states, one part of the texts at a time, in float64."""
    for name in found.states[one, split, lang]:
        table = stored.read(found.store, "states", [name])
        yield _grid(table, pooling, int(table.column("layers")[0].as_py()))


def _grid(table: Any, name: str, layers: int) -> Float[np.ndarray, "text layer part"]:
    flat = table.column(name).combine_chunks().flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    return flat.reshape(table.num_rows, layers, -1) if flat.size else np.zeros((table.num_rows, layers, 0))


def _read(
    store: stored.Store, model: Model, given: Corpus, rows: Sequence[Example], prints: Sequence[str], identity: dict[str, Any],
    states: bool,
) -> tuple[tuple[str, ...], tuple[str, ...]]:  # fmt: skip
    names: dict[str, list[str]] = {"readings": [], "states": []}
    for some, data in zip(parts(rows), prints):
        named = {row.group: given.clusters[row.group] for row in some}
        kinds = ("readings", "states") if states else ("readings",)
        both = {kind: {**identity, "data": data, "clusters": list(named.values()), "kind": kind} for kind in kinds}
        if not all(stored.has(store, stored.key(each)) for each in both.values()):
            made = read_texts(model, some, identity["labels"], named, head=identity["head"])
            found = {"readings": [each.reading for each in made], "states": [each.states for each in made]}
            stored.put(store, [stored.Cell(each, kind, found[kind]) for kind, each in both.items()])  # type: ignore[arg-type]
        for kind, each in both.items():
            names[kind].append(stored.key(each))
    return tuple(names["readings"]), tuple(names["states"])


def _every(given: Corpus) -> Iterator[tuple[str, str, Sequence[Example]]]:
    for split, by_lang in given.texts.items():
        yield from ((split, lang, rows) for lang, rows in by_lang.items())


def _check_gold(given: Corpus, labels: Sequence[str]) -> None:
    known = set(labels)
    for split, by_lang in given.texts.items():
        for rows in by_lang.values():
            wrong = next((row for row in rows if row.label not in known), None)
            if wrong is not None:
                raise InputError(
                    f"{wrong.id} ({split}) has the gold label {wrong.label!r}, the models know {', '.join(labels)}; set "
                    "id2label in the checkpoint's config.json to the names of the data"
                )
