"""Explanations as cells: faithfulness, trust and consistency share them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from babelscope.analyses.block import (
    Block,
    Computed,
    Place,
    PlannedCell,
    Progress,
    Resources,
    computed,
)
from babelscope.data.segmentation import segmenter
from babelscope.data.spec import TaskSpec
from babelscope.data.units import TOKEN
from babelscope.errors import InputError
from babelscope.files import canonical
from babelscope.methods import METHODS
from babelscope.options import Choice, resolve_options
from babelscope.store import SCHEME, key, spooling
from babelscope.types import Aim, Attribution, Example, SkippedRow

if TYPE_CHECKING:
    from babelscope.model.load import Model

_LOG = logging.getLogger(__name__)

EXPLANATIONS = "explanations"
"""The name under which cells of explanations are listed."""
CONTROL = "random"
"""The method of random scores, of which a study may take several samples."""
STEP = 1000
"""From the seed of one sample of random scores to that of the next."""


@dataclass(frozen=True, slots=True)
class Run:
    """A method of the study with its position there, its options and its seed."""

    position: int
    choice: Choice
    seed: int

    @property
    def name(self) -> str:
        """What tells this run from others in the same language."""
        row = METHODS[self.choice.name]
        return f"{row.name}{canonical(resolve_options(row, self.choice.options))}@{self.seed}"


def runs(block: Block, samples: int = 1) -> list[Run]:
    """Every method of the model with every seed: the model's own, or all of the study's where only
    the method is random; `samples` of random scores."""
    listed = []
    chosen = block.model.methods
    for position, choice in enumerate(block.request.methods):
        if chosen is not None and choice.name not in chosen:
            continue
        fixed = METHODS[choice.name].seeded and block.model.train is None
        seeds = block.request.seeds if fixed else (block.seed,)
        repeats = samples if choice.name == CONTROL else 1
        listed += [
            Run(position, choice, seed + STEP * repeat)
            for repeat in range(repeats)
            for seed in seeds
        ]
    return listed


def place(block: Block, lang: str, run: Run) -> Place:
    return Place.of(block, EXPLANATIONS, lang, run.name)


def explanation_cells(
    block: Block, resources: Resources, lang: str, samples: int = 1
) -> list[tuple[Run, PlannedCell]]:
    """The cells of explanations in one language, one for every method and seed."""
    from babelscope.model.gold import foreign, foreign_labels

    model, rows = resources.model(lang), chosen_texts(block, resources, lang)
    classes, source = target_classes(block, resources, lang)
    if lang == block.languages[0] and foreign(model, rows):
        _say_once(f"task {block.task.name}: {foreign_labels(model, rows)}")
    return [
        (
            run,
            PlannedCell(
                place(block, lang, run),
                explanation_identity(block, model, rows, lang, run) | source,
                "attributions",
                partial(_explain, block, model, rows, run, classes, resources.progress),
            ),
        )
        for run in runs(block, samples)
    ]


@cache
def _say_once(warning: str) -> None:
    """Several analyses share the cells of explanations."""
    _LOG.warning("%s", warning)


def chosen_texts(block: Block, resources: Resources, lang: str) -> list[Example]:
    """The examples that are explained: those of the language that pass the task's filters.

    A text that the model cannot read stays: it is skipped and counted where it is explained.
    """
    from babelscope.model import inference
    from babelscope.model.encode import encode_readable
    from babelscope.model.targets import gold, predicted, probability

    task, model, rows = block.task, resources.model(lang), resources.examples(lang)
    if not task.least_tokens and not task.least_probability:
        return rows
    encoded, _ = encode_readable(model, rows)
    outputs = inference.outputs(model, [inference.query(row) for row in encoded])
    left_out = set()
    for row, output in zip(encoded, outputs):
        target = gold(model, row) if task.target == "gold" else predicted(model, row, output)
        unlikely = probability(model, output, target) < task.least_probability
        if len(row.ids) < task.least_tokens or unlikely:
            left_out.add(row.example.id)
    kept = [row for row in rows if row.id not in left_out]
    if not kept:
        filters = f"least_tokens {task.least_tokens}, least_probability {task.least_probability}"
        raise InputError(f"none of {len(rows)} texts of {task.name} in {lang} passes: {filters}")
    return kept


def target_classes(
    block: Block, resources: Resources, lang: str
) -> tuple[dict[str, str | None], dict[str, Any]]:
    """The class to explain by translation group ("" for all others), and what it depends on.

    With the target "source" it is the class that the model predicts for the source language's text.
    """
    from babelscope.training.finetune import fingerprint

    if block.task.target != "source":
        return {"": block.task.target}, {}
    source = block.request.source_of(block.model)
    if lang == source:
        return {"": None}, {}
    texts = resources.examples(source)
    predicted = _predicted(resources.model(source), texts)
    return {"": None, **predicted}, {"source": [source, fingerprint(texts)]}


def explanation_identity(
    block: Block, model: Model, rows: list[Example], lang: str, run: Run
) -> dict[str, Any]:
    """What decides the numbers: weights, data, language, method, options, seed.

    Not batch size, device or paths. The model's name is part of it because rows carry it.
    """
    from babelscope.training.finetune import fingerprint

    row, task = METHODS[run.choice.name], block.task
    return {
        "kind": "attributions",
        "model": model.fingerprint,
        "name": block.name,
        "data": fingerprint(rows),
        "task": task.name,
        "lang": lang,
        "segmenter": segmenter(lang),
        "method": row.name,
        "options": resolve_options(row, run.choice.options),
        "seed": run.seed if row.seeded else None,
        "explained": _explained(task),
        "scheme": SCHEME,
    }


def _explained(task: TaskSpec) -> list[Any]:
    units = [] if task.unit == TOKEN else [task.unit]
    return [
        task.target, task.quantity, task.part, task.long, task.contrast, task.word, task.edge,
        *units,
    ]  # fmt: skip


def _explain(
    block: Block,
    model: Model,
    rows: list[Example],
    run: Run,
    classes: Mapping[str, str | None],
    progress: Progress | None,
) -> Computed:
    from babelscope.methods.explain import TOGETHER
    from babelscope.model.gold import of_known_class

    known, strangers = of_known_class(model, rows)  # gold labels are compared in tables
    skipped: list[SkippedRow] = [*strangers]
    with spooling("attributions") as spooled:
        for start in range(0, len(known), TOGETHER):
            some = known[start : start + TOGETHER]
            explained, unread = explain_some(block, model, some, run, classes, progress)
            spooled.add(explained)
            skipped += unread
    return computed(block, spooled, skipped, len(rows))


def explain_some(
    block: Block, model: Model, rows: Sequence[Example], run: Run,
    classes: Mapping[str, str | None], progress: Progress | None = None,
) -> tuple[list[Attribution], list[SkippedRow]]:  # fmt: skip
    """The explanations of some texts of a task, and the texts that cannot be explained."""
    from babelscope.methods.explain import explain_readable

    task, options = block.task, resolve_options(METHODS[run.choice.name], run.choice.options)
    targets = [classes.get(row.group, classes[""]) for row in rows]
    explained: list[Attribution] = []
    skipped: list[SkippedRow] = []
    for target in dict.fromkeys(targets):
        attributions = explain_readable(
            model,
            [row for row, name in zip(rows, targets) if name == target],
            run.choice.name,
            target=Aim(target, task.contrast, task.word, task.edge),
            quantity=task.quantity,
            part=task.part,
            long=task.long,
            unit=task.unit,
            options=options,
            seed=run.seed,
            progress=progress,
        )
        explained += attributions
        skipped += attributions.skipped
    position = {row.id: at for at, row in enumerate(rows)}
    ordered = sorted(explained, key=lambda each: position[_example_id(each)])
    return [replace(attribution, task=task.name) for attribution in ordered], skipped


def _example_id(attribution: Attribution) -> str:
    """The example's id, also where the attribution is of one window of a long text."""
    window = attribution.input.window if attribution.input is not None else None
    return attribution.id if window is None else window.of


def _predicted(model: Model, examples: Sequence[Example]) -> dict[str, str]:
    """What the model predicts for every translation group's text that it can read."""
    from babelscope.model import inference
    from babelscope.model.encode import encode_readable
    from babelscope.model.targets import name, predicted

    rows, _ = encode_readable(model, examples)
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    return {
        row.example.group: name(model, row, predicted(model, row, output))
        for row, output in zip(rows, outputs)
    }


def key_of(cell: PlannedCell) -> str:
    """The name of the cell in the store."""
    return key(cell.identity)
