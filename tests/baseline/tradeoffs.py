"""What tuning on one language cost the others: readings, every table, drift."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from babelscope import corpus as builtin
from babelscope.analyses.tradeoffs.contents import read_records
from babelscope.analyses.tradeoffs.drift import language_loss, weight_drift
from babelscope.analyses.tradeoffs.records import Records, predictions, state_parts
from babelscope.analyses.tradeoffs.tables import task_tables
from babelscope.data.formats.export import write
from babelscope.model.load import load
from babelscope.store import open_store, read_study
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.types import Example
from baseline.checkpoints import saved
from baseline.values import Values, put

LANGS = ("en", "hi", "zh")
MODELS = (
    *((lang, seed, "tuned") for lang in ("en", "hi") for seed in range(3)),
    ("joint", 0, "joint"),
    *((lang, 0, "head_only") for lang in ("en", "hi")),
)
FORMERLY = {"fine_tuned": "tuned", "single": "tuned"}
"""Names of losses and of kinds of models that were others when they were recorded."""
LATER = ("flipped_texts",)
"""Tables that were added after the values were recorded."""
COUNTS = {"test": 14, "dev": 12, "train": 16}


class Tuned(NamedTuple):
    """A model of the study: the language that it was tuned on, its seed, and its kind."""

    source: str
    seed: int
    kind: str
    folder: str

    @property
    def name(self) -> str:
        return f"{self.source}-{self.seed}-{self.kind}"


def values() -> Values:
    entries: Values = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        models = saved_models(root)
        base = saved(root / "base", 50, base=True)
        counts = {"train_examples": COUNTS["train"], "dev_examples": COUNTS["dev"]}
        data = {"builtin": "sentiment", "examples": COUNTS["test"]}
        stored = records(root / "store", models, data, LANGS, {"base": base, **counts})
        readings(entries, stored)
        put(entries, "tradeoffs/tables", recorded(task_tables(stored)))
        again = recorded(task_tables(stored, seed=3))
        put(entries, "tradeoffs/seed 3/behaviour", again["behaviour"])
        alone = [model for model in models if model.seed == 0 and model.kind == "tuned"]
        for lang, rows in unlike().items():
            write(rows, root / f"{lang}.jsonl")
        data = {"file": str(root / "{lang}.jsonl"), "examples": None}
        apart = records(root / "apart", alone, data, ("en", "hi"), {"language_model": False})
        put(entries, "tradeoffs/unpaired", recorded(task_tables(apart)))
        drifts(entries, models, base)
    return entries


def records(
    place: Path,
    models: list[Tuned],
    data: dict[str, Any],
    langs: Sequence[str],
    block: dict[str, Any],
) -> Records:
    """A study of these models alone, run into a store of its own, and what the store then holds."""
    stated = {model.name: {"language": model.source, "seed": model.seed} for model in models}
    for model in models:
        if model.kind == "head_only":
            stated[model.name]["head_only"] = True
    study = {
        "name": "baseline",
        "tasks": [{"name": "sentiment", "data": data}],
        "languages": list(langs),
        "models": [{"name": model.name, "source": model.folder} for model in models],
        "tradeoffs": {"stated": stated, **block},
    }
    outcome = run(parse_study(study), place)
    assert not outcome.failed, outcome.failed
    store = open_store(place, create=False)
    stored = read_records(store, read_study(store), "sentiment")
    assert stored is not None
    return stored


def recorded(tables: dict[str, Any] | None) -> dict[str, Any]:
    """The tables with the names that they had when they were recorded, without later ones."""
    assert tables is not None
    for row in tables["drift"]:
        row["language_loss"] = {
            lang: {FORMERLY.get(name, name): loss for name, loss in losses.items()}
            for lang, losses in row["language_loss"].items()
        }
    for row in tables["alignment"]:
        row["kind"] = FORMERLY.get(row["kind"], row["kind"])
    return {name: table for name, table in tables.items() if name not in LATER}


def saved_models(root: Path) -> list[Tuned]:
    """Two sources by three seeds, joint training, tuned heads."""
    models = []
    for at, (source, seed, kind) in enumerate(MODELS):
        folder = saved(root / f"{source}-{seed}-{kind}", at + 1)
        models.append(Tuned(source, seed, kind, folder))
    return models


def unlike() -> dict[str, list[Example]]:
    """The test texts without a common one."""
    return {
        lang: [
            replace(row, group=f"{lang} {row.group}")
            for row in builtin.read("sentiment", lang, "test", COUNTS["test"])
        ]
        for lang in ("en", "hi")
    }


def readings(entries: Values, stored: Records) -> None:
    """What two of the models said, and their hidden states, the first numbers of each."""
    put(entries, "tradeoffs/labels", list(stored.labels))
    for model in (stored.models[0], stored.models[4]):
        for lang in LANGS:
            key = f"tradeoffs/readings/{model.source}-{model.seed}/{lang}"
            put(entries, key, predictions(stored, model, "test", lang))
            (first, *_) = state_parts(stored, model, "test", lang, "mean")
            put(entries, f"{key}/states", first[:3, :, :6])


def drifts(entries: Values, models: list[Tuned], base: str) -> None:
    """How far the weights moved, and how badly words are guessed."""
    tuned = load(models[0].folder)
    moved = weight_drift(load(models[3].folder), tuned)
    put(entries, "tradeoffs/weights", {row.part: row.relative for row in moved})
    few = builtin.read("sentiment", "hi", "test", 4)
    put(entries, "tradeoffs/language_loss/base", language_loss(base, None, few))
    put(entries, "tradeoffs/language_loss/tuned", language_loss(base, tuned, few))
    assert str(next(tuned.hf.parameters()).dtype) == "torch.float64"
