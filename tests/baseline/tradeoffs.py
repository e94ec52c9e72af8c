"""What tuning on one language cost the others: readings, every table, drift."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from babelscope import corpus as builtin
from babelscope.analyses.tradeoffs.drift import language_loss, weight_drift
from babelscope.analyses.tradeoffs.records import Records, predictions, read_records, state_parts
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
    found: Values = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        models = saved_models(root)
        base = saved(root / "base", 50, base=True)
        counts = {"train_examples": COUNTS["train"], "dev_examples": COUNTS["dev"]}
        data = {"builtin": "sentiment", "examples": COUNTS["test"]}
        held = records(root / "store", models, data, LANGS, {"base": base, **counts})
        readings(found, held)
        put(found, "tradeoffs/tables", recorded(task_tables(held)))
        again = recorded(task_tables(held, seed=3))
        put(found, "tradeoffs/seed 3/behaviour", again["behaviour"])
        alone = [one for one in models if one.seed == 0 and one.kind == "tuned"]
        for lang, rows in unlike().items():
            write(rows, root / f"{lang}.jsonl")
        data = {"file": str(root / "{lang}.jsonl"), "examples": None}
        apart = records(root / "apart", alone, data, ("en", "hi"), {"language_model": False})
        put(found, "tradeoffs/unpaired", recorded(task_tables(apart)))
        drifts(found, models, base)
    return found


def records(
    place: Path,
    models: list[Tuned],
    data: dict[str, Any],
    langs: Sequence[str],
    block: dict[str, Any],
) -> Records:
    """A study of these models alone, run into a store of its own, and what the store then holds."""
    stated = {one.name: {"language": one.source, "seed": one.seed} for one in models}
    for one in models:
        if one.kind == "head_only":
            stated[one.name]["head_only"] = True
    study = {
        "name": "baseline",
        "tasks": [{"name": "sentiment", "data": data}],
        "languages": list(langs),
        "models": [{"name": one.name, "source": one.folder} for one in models],
        "tradeoffs": {"stated": stated, **block},
    }
    outcome = run(parse_study(study), place)
    assert not outcome.failed, outcome.failed
    store = open_store(place, create=False)
    held = read_records(store, read_study(store), "sentiment")
    assert held is not None
    return held


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
    made = []
    for at, (source, seed, kind) in enumerate(MODELS):
        folder = saved(root / f"{source}-{seed}-{kind}", at + 1)
        made.append(Tuned(source, seed, kind, folder))
    return made


def unlike() -> dict[str, list[Example]]:
    """The test texts without a common one."""
    return {
        lang: [replace(row, group=f"{lang} {row.group}") for row in builtin.read("sentiment", lang, "test", COUNTS["test"])]
        for lang in ("en", "hi")
    }


def readings(found: Values, held: Records) -> None:
    """What two of the models said, and their hidden states, the first numbers of each."""
    put(found, "tradeoffs/labels", list(held.labels))
    for one in (held.models[0], held.models[4]):
        for lang in LANGS:
            key = f"tradeoffs/readings/{one.source}-{one.seed}/{lang}"
            put(found, key, predictions(held, one, "test", lang))
            (first, *_) = state_parts(held, one, "test", lang, "mean")
            put(found, f"{key}/states", first[:3, :, :6])


def drifts(found: Values, models: list[Tuned], base: str) -> None:
    """How far the weights moved, and how badly words are guessed."""
    tuned = load(models[0].folder)
    moved = weight_drift(load(models[3].folder), tuned)
    put(found, "tradeoffs/weights", {row.part: row.relative for row in moved})
    few = builtin.read("sentiment", "hi", "test", 4)
    put(found, "tradeoffs/language_loss/base", language_loss(base, None, few))
    put(found, "tradeoffs/language_loss/tuned", language_loss(base, tuned, few))
    assert str(next(tuned.hf.parameters()).dtype) == "torch.float64"
