"""The cells of a study: in which blocks they are filled, how many there are, and how many are in a store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babelscope.data.examples import examples
from babelscope.data.spec import (
    TaskSpec,
)
from babelscope.files import (
    canonical,
)
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.options import (
    Choice,
    resolve_options,
)
from babelscope.store import (
    Store,
    cells,
    key,
)
from babelscope.study.config import (
    Study,
)
from babelscope.training.finetune import fingerprint
from babelscope.training.spec import (
    ModelSpec,
)

FLOOR = "random"
DRAW = 1000
"""From the seed of a draw of random scores to that of the next: far from the study's other seeds."""


@dataclass(frozen=True, slots=True)
class Block:
    """The cells of one model, seed, task and language: what is measured together."""

    model: ModelSpec
    seed: int
    task: TaskSpec
    lang: str


def blocks(study: Study) -> list[Block]:
    """The grid in running order: model by model, so that each is loaded once."""
    return [
        Block(model, seed, task, lang)
        for model in study.models
        for task in study.tasks
        if model.tasks is None or task.name in model.tasks
        for seed in (study.seeds if model.train else study.seeds[:1])
        for lang in languages(study, model, task)
    ]


def languages(study: Study, model: ModelSpec, task: TaskSpec) -> list[str]:
    """Those that a model is studied in on a task."""
    return [lang for lang in model.languages or study.languages if task.data.languages is None or lang in task.data.languages]


def seeds_of(study: Study, block: Block, choice: Choice) -> list[int]:
    """The seeds of a method in a block: its model's own, or all of the study's where only the method draws numbers; of
    random scores as many as there are draws."""
    seeds = study.seeds if METHODS[choice.name].seeded and block.model.train is None else [block.seed]
    return [seed + DRAW * draw for draw in range(study.draws if choice.name == FLOOR else 1) for seed in seeds]


def planned(study: Study, block: Block) -> int:
    """How many cells a block has."""
    explained = sum(len(seeds_of(study, block, choice)) for choice in study.methods)
    last = study.consistency is not None and block.lang == languages(study, block.model, block.task)[-1]
    return explained * (1 + len(study.metrics) + bool(study.trust) + last)


def name_of(study: Study, block: Block) -> str:
    many = bool(block.model.train) and len(study.seeds) > 1
    return f"{block.model.name}/{block.seed}" if many else block.model.name


def progress_of(study: Study, store: Store) -> list[dict[str, Any]]:
    """Per model and language the numbers of explained, measured and planned cells; no model is loaded."""
    methods = {(choice.name, canonical(resolve_options(METHODS[choice.name], choice.options))) for choice in study.methods}
    metrics = {(choice.name, canonical(resolve_options(METRICS[choice.name], choice.options))) for choice in study.metrics}
    explained: dict[tuple[str, str, str, str], set[str]] = {}
    measured: dict[str, int] = {}
    compared: dict[str, int] = {}
    for cell in cells(store):
        identity = cell["identity"]
        if identity.get("metric") == "consistency":
            asked = study.consistency and identity["options"] == study.consistency.model_dump(exclude={"source"})
            compared |= dict.fromkeys(identity["with"] if asked else (), 1)
        elif cell["kind"] == "measures":
            measured[identity["of"]] = measured.get(identity["of"], 0) + (
                (identity["metric"], canonical(identity["options"])) in metrics
            )
        elif cell["kind"] == "panels":
            measured[identity["of"]] = measured.get(identity["of"], 0) + (identity["count"] == study.trust)
        elif (identity["method"], canonical(identity["options"])) in methods:
            place = (identity["name"], identity["task"], identity["lang"], identity["data"])
            explained.setdefault(place, set()).add(key(identity))
    rows = []
    for block in blocks(study):
        name = name_of(study, block)
        data = fingerprint(examples(block.task.data, block.lang))
        mine = explained.get((name, block.task.name, block.lang, data), set())
        last = block.lang == languages(study, block.model, block.task)[-1]
        found = sum(measured.get(one, 0) + (compared.get(one, 0) if last else 0) for one in mine)
        done = {"explained": len(mine), "measured": found}
        rows.append({"model": name, "lang": block.lang, **done, "planned": planned(study, block)})
    return rows
