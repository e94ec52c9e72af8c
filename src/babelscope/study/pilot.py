"""A study in its pilot form: everything that it names, with few examples and short training.

A pilot shows that every data set, checkpoint, method and analysis of a study works together before
hours are spent on it. Its numbers mean nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from babelscope.data.spec import TaskSpec
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.options import Choice, Row, Spec, choose
from babelscope.study.config import Study
from babelscope.training.spec import LAYERS, NETWORKS, ModelSpec

EXAMPLES = 6
"""Examples that are explained per language."""
TRAINING = {
    "examples": 16, "dev_examples": 10, "epochs": 1, "batch": 8, "accumulation": 1, "adaptation": 2,
}  # fmt: skip
"""Largest values of the fields of `train`."""
FROM_SCRATCH = {"layers": 1, "width": 32, "vocabulary": 500}
"""Sizes of models without a base."""
TINY = "-tiny"
"""The ending of the pretraining recipes that take the place of larger ones."""
MOST = {"samples": 128, "draws": 2}
"""Largest values of options of methods and metrics; 0 has a meaning of its own and becomes this."""
LEAST = {"tolerance": 0.5, "error": 1.0}
"""Smallest values of options that a computation is continued until it reaches."""
BLOCKS = {
    "samples": 2, "permutations": 2, "explanations": 1, "shuffles": 1, "seeds": 1,
    "train_examples": 16, "dev_examples": 10, "ablations": 2, "fitted": 120, "tested": 20,
    "shown": 20, "exact": 5, "texts": 2,
}  # fmt: skip
"""Largest values of the fields of an analysis."""
SKIPPED = 0.5
"""Share of the rows that may be skipped: one bad row of a few is a large share."""

AnySpec = TypeVar("AnySpec", bound=Spec)


def pilot(study: Study) -> Study:
    """The study with all of its tasks, languages, models, methods, metrics and analyses, and the
    limits above; one seed.

    *Laws*: no limit makes anything larger; the pilot of a pilot is itself.
    """
    whole = any(task.data.sampled and not task.data.train_sampled for task in study.tasks)
    return study.model_copy(
        update={
            "name": f"{study.name.removesuffix(ENDING)}{ENDING}",
            "seeds": study.seeds[:1],
            "tasks": [_task(task) for task in study.tasks],
            "models": [_model(model, whole) for model in study.models],
            "methods": _distinct([_choice(each, METHODS) for each in study.methods]),
            "max_skipped": max(study.max_skipped, SKIPPED),
            "analyses": {name: _block(spec) for name, spec in study.analyses.items()},
        }
    )


ENDING = " (pilot)"


def _task(task: TaskSpec) -> TaskSpec:
    count = min(task.data.examples or EXAMPLES, EXAMPLES)
    return task.model_copy(update={"data": task.data.model_copy(update={"examples": count})})


def _model(model: ModelSpec, whole: bool) -> ModelSpec:
    """`whole`: the training data are sorted by class, so that the first rows have only one."""
    train = model.train
    if train is None:
        return model
    limits = TRAINING if not whole else {**TRAINING, "examples": train.examples}
    changed = _limited(train, limits)
    if train.base is None:
        layers = None if train.architecture in NETWORKS else train.layers or LAYERS
        changed = _limited(changed.model_copy(update={"layers": layers}), FROM_SCRATCH)
    for field in ("base", "tokenizer"):
        recipe = getattr(train, field)
        if isinstance(recipe, str) and recipe.startswith("pretrained:"):
            changed = changed.model_copy(update={field: _tiny(recipe)})
    stages = [_limited(stage, limits) for stage in train.then]
    return model.model_copy(update={"train": changed.model_copy(update={"then": stages})})


def _tiny(base: str) -> str:
    """pretrained:multilingual-short becomes pretrained:multilingual-tiny."""
    return f"{base.split('-')[0]}{TINY}"


def _limited(spec: AnySpec, limits: Mapping[str, int]) -> AnySpec:
    """The specification with its numbers at most at these limits; what is not set stays so."""
    values = {name: getattr(spec, name, None) for name in limits}
    return spec.model_copy(
        update={
            name: min(value, limits[name]) for name, value in values.items() if value is not None
        }
    )


def _block(spec: Any) -> Any:
    fields = {name: most for name, most in BLOCKS.items() if name in type(spec).model_fields}
    changed = _limited(spec, fields)
    if hasattr(changed, "metrics"):
        metrics = _distinct([_choice(each, METRICS) for each in changed.metrics])
        changed = changed.model_copy(update={"metrics": metrics})
    listed = getattr(changed, "methods", None)
    if listed is not None:
        methods = _distinct([_choice(each, METHODS) for each in listed])
        changed = changed.model_copy(update={"methods": methods})
    return changed


def _choice(choice: Choice, table: Mapping[str, Any]) -> Choice:
    """A method or metric with fewer samples and a larger tolerance."""
    row: Row = choose(table, choice.name, "method or metric")
    values = {**row.options, **choice.options}
    few = {name: min(values[name] or most, most) for name, most in MOST.items() if name in values}
    rough = {name: max(values[name], least) for name, least in LEAST.items() if name in values}
    return choice.model_copy(update={"options": {**choice.options, **few, **rough}})


def _distinct(choices: list[Choice]) -> list[Choice]:
    """Choices that differ only in what a pilot limits become one."""
    seen: dict[str, Choice] = {}
    for each in choices:
        seen.setdefault(repr((each.name, sorted(each.options.items(), key=str))), each)
    return list(seen.values())
