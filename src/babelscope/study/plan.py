"""What a study costs before it is run: cells, fine-tunings, forward passes, disk and hours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from babelscope.analyses.block import Block
from babelscope.data.examples import usable_examples
from babelscope.data.spec import TaskSpec
from babelscope.study.config import Study
from babelscope.study.grid import blocks, cells_of, trainings
from babelscope.study.measure import (
    LANGUAGES,
    Measured,
    checkpoint_of,
    layer_weights,
    mean_characters,
    measure,
)
from babelscope.training.spec import TrainSpec

DEV_SHARE = 1 / 3
"""What a row that is only judged costs, as a share of one that is trained on: one pass of three."""
SUSTAINED = {"float32": 1.2e13, "bfloat16": 6e13, "float16": 6e13}
"""Operations in a second that hours of a GPU are counted with: 60 % of the float32 peak of an A100,
19.5 TFLOP/s, and 20 % of its peak in 16 bits, 312, as batches of fine-tuning are small."""
STEP = 0.04
"""Seconds that a step of fine-tuning takes at least, whatever its size: kernels are launched."""
BYTES = 4
"""Bytes of a weight of a stored checkpoint."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of a whole study, extrapolated from one measured block."""

    cells: int
    trainings: int
    training_rows: float
    """Rows that are trained on, in all epochs."""
    texts: float
    """Texts that are analysed, over models, seeds, tasks and languages."""
    passes: float
    result_bytes: float
    model_bytes: float
    seconds: float
    measured: Measured
    operations: float = 0.0
    """Floating-point operations of models that analyses take, gradients among them."""
    gpu_training: float = 0.0
    """Seconds of fine-tuning on a GPU that does `SUSTAINED` operations in a second."""
    unknown: tuple[str, ...] = ()
    """Checkpoints whose size could not be read: taken to be as large as the measured one."""

    @property
    def gpu_hours(self) -> float:
        """Hours that a GPU needs for the models: fine-tuning, then analyses in float32."""
        return (self.gpu_training + self.operations / SUSTAINED["float32"]) / 3600


def estimate(study: Study, measured: Measured | None = None) -> Estimate:
    """The cost of a study from a short measurement of its first block (`study.measure`).

        seconds = sum over blocks of size x length x (texts + training) + what a task's models share
                  + startup

    `size` is 1 + growth (s - 1), with s the weights of the block's encoder over those of the
    measured one and `growth` as measured on the largest model; `length` is the mean length of its
    task's texts over that of the measured ones; fixed costs of a block and of a language are taken
    as measured. Blocks run one after another.

    *Laws*: a study of twice the seeds has twice the fine-tunings and at most twice the seconds; the
    measured block itself costs what was measured.

        operations = sum over blocks of 2 W length tokens

    with W the weights of the block's layers, and a token of a gradient pass three times.
    """
    measured = measured or measure(study)
    counted = _counter(study)
    unknown: list[str] = []
    grid = blocks(study)
    reference = layer_weights(grid[0])
    totals = dict.fromkeys(("texts", "rows", "passes", "bytes", "models", "operations", "gpu"), 0.0)
    totals["seconds"] = measured.startup
    for block in grid:
        size = _relative(block, reference, unknown)
        length = counted.length(block.task.name, block.languages[0]) / measured.characters
        texts = sum(counted.texts(block.task.name, lang) for lang in block.languages)
        rows = _training_rows(block, counted)
        scale = (1 + measured.growth * (size - 1)) * length
        seconds = measured.texts.fixed + scale * measured.texts.each * texts
        seconds += measured.per_language * max(0, len(block.languages) - LANGUAGES[0])
        seconds += measured.rows.fixed + scale * measured.rows.each * rows
        totals["seconds"] += seconds
        totals["texts"] += texts
        totals["rows"] += rows
        weights = 2 * (reference or measured.parameters) * size * length
        totals["operations"] += weights * measured.tokens.of(texts)
        totals["gpu"] += _gpu_training(block, counted, 3 * weights * measured.length)
        totals["passes"] += measured.passes.of(texts)
        totals["bytes"] += measured.bytes.fixed + length * measured.bytes.each * texts
        stages = 0 if block.model.train is None else 1 + len(block.model.train.then)
        totals["models"] += BYTES * measured.parameters * size * stages
    for task in study.tasks:
        texts = sum(counted.texts(task.name, lang) for lang in _languages(study, task))
        totals["seconds"] += measured.shared.of(texts) if texts else 0.0
    return Estimate(
        sum(row["cells"] for row in cells_of(study)), trainings(study), totals["rows"],
        totals["texts"], totals["passes"], totals["bytes"], totals["models"], totals["seconds"],
        measured, totals["operations"], totals["gpu"],
        tuple(dict.fromkeys(unknown)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Counter:
    texts: Callable[[str, str], int]
    length: Callable[[str, str], float]
    rows: Callable[[str, str, str, int], int]


def _counter(study: Study) -> _Counter:
    """How many texts and rows there are, each read once."""
    tasks = {task.name: task for task in study.tasks}

    @cache
    def texts(task: str, lang: str) -> int:
        data = tasks[task].data
        return data.examples if data.examples is not None else len(usable_examples(data, lang).rows)

    @cache
    def length(task: str, lang: str) -> float:
        return mean_characters(tasks[task].data, lang)

    @cache
    def available(task: str, lang: str, split: str, most: int) -> int:
        return len(usable_examples(tasks[task].data, lang, split, most).rows)

    return _Counter(texts, length, available)


def _training_rows(block: Block, counted: _Counter) -> float:
    """Rows that a block's model is trained on in all epochs and stages, and judged by, in units of
    the former."""
    return sum(rows for _, rows in _stages(block, counted))


def _gpu_training(block: Block, counted: _Counter, operations: float) -> float:
    """Seconds of a block's fine-tuning on a GPU, by the operations that a row takes."""
    return sum(
        rows * max(operations / SUSTAINED[stage.precision], STEP / stage.batch)
        for stage, rows in _stages(block, counted)
    )


def _stages(block: Block, counted: _Counter) -> list[tuple[TrainSpec, float]]:
    if block.model.train is None:
        return []
    train = block.model.train.of(block.languages[0])
    return [(stage, _stage_rows(stage, block, counted)) for stage in train.stages()]


def _stage_rows(stage: TrainSpec, block: Block, counted: _Counter) -> float:
    known, task = block.task.data.languages, block.task.name
    langs = [lang for lang in stage.languages if known is None or lang in known]
    judged = [lang for lang in stage.dev_languages or langs if known is None or lang in known]
    trained = sum(counted.rows(task, lang, "train", stage.examples) for lang in langs)
    dev = sum(counted.rows(task, lang, "dev", stage.dev_examples) for lang in judged)
    return stage.epochs * (trained + DEV_SHARE * dev)


def _languages(study: Study, task: TaskSpec) -> list[str]:
    known = task.data.languages
    return [lang for lang in study.languages if known is None or lang in known]


def _relative(block: Block, reference: int | None, unknown: list[str]) -> float:
    size = layer_weights(block)
    if size is None or reference is None:
        train = block.model.train
        scratch = f"new {train.architecture}" if train is not None else ""
        unknown.append(checkpoint_of(block, block.languages[0])[0] or scratch)
        return 1.0
    return size / reference
