"""A short measurement on this machine: one block of a study on a few texts, timed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelscope.analyses import ANALYSES
from babelscope.analyses.block import Block, Group, Resources
from babelscope.data.examples import usable_examples
from babelscope.errors import InputError
from babelscope.model.sizes import encoder_size
from babelscope.store import Store, open_store
from babelscope.study.config import Study
from babelscope.study.fill import Tally, block_resources, fill
from babelscope.study.grid import blocks
from babelscope.training.cache import cache_folder

if TYPE_CHECKING:
    from babelscope.model.load import Model

TEXTS = (2, 8)
"""Texts per language in the two runs: their difference is what a text costs."""
ROWS = (16, 48)
"""Training rows in the two runs."""
CACHE = "BABELSCOPE_CACHE"
LANGUAGES = (2, 4)
"""Languages of the measured block, and of a third run where the study has more."""
SPLITS = {"train_examples": "train", "dev_examples": "dev"}
"""Fields of analyses that say how many rows of a split they read."""
TIMED = "texts"
"""The field of an analysis that reads so many texts, however many there are: the same number in
both runs, so that no text of the study is taken to cost as much."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, forward passes and bytes: `fixed` for a block, and for each unit."""

    fixed: float
    each: float

    def of(self, units: float) -> float:
        return self.fixed + self.each * units


@dataclass(frozen=True, slots=True)
class Measured:
    """What one block of a study costs on this machine."""

    model: str
    task: str
    startup: float
    """Seconds until a new process computes: what it imports at once, and what at first use."""
    texts: Cost
    """Seconds by text and language that is analysed."""
    per_language: float
    """Seconds that each language beyond two adds, whatever its texts."""
    shared: Cost
    """The same for what all models of a task share."""
    rows: Cost
    """Seconds of a fine-tuning by row and epoch, the loading among the fixed ones."""
    passes: Cost
    """Forward passes by text and language."""
    bytes: Cost
    """Bytes of results by text and language."""
    parameters: int
    characters: float
    """Mean length of a text."""
    tokens: Cost = Cost(0.0, 0.0)
    """Tokens that the model reads, by text and language; one of a gradient pass counts three times,
    as a backward pass is two forward ones."""
    length: float = 0.0
    """Mean tokens of a text as the model reads it whole."""
    growth: float = 1.0
    """How the cost of a text grows with the weights of the layers: 1 in proportion, 0 not at all,
    as of models so small that calls take longer than their arithmetic."""


@dataclass(frozen=True, slots=True)
class _Run:
    seconds: float
    languages: int
    units: int
    rows: int
    training: float
    own: float
    shared: float
    passes: int
    bytes: int
    parameters: int
    tokens: int = 0
    length: float = 0.0


def measure(study: Study) -> Measured:
    """Times the first block on few texts and on more, and in more languages, with the study's own
    methods, metrics and options; a unit's cost is the difference divided by the difference in
    units. What a first run takes beyond the second, since libraries are loaded in it, counts once
    for a study, as do the imports of a new process.

    *Laws*: no result of the study is written; a cost is never negative.
    """
    block = blocks(study)[0]
    first = _timed(study, block, TEXTS[0], ROWS[0], LANGUAGES[0])
    small, large = (_timed(study, block, *sizes, LANGUAGES[0]) for sizes in zip(TEXTS, ROWS))
    texts = fitted_cost(small.units, small.own, large.units, large.own)
    characters = mean_characters(block.task.data, block.languages[0])
    return Measured(
        block.model.name,
        block.task.name,
        _import_seconds() + max(0.0, first.seconds - small.seconds),
        texts,
        _per_language(study, block, small, texts.each),
        fitted_cost(small.units, small.shared, large.units, large.shared),
        fitted_cost(small.rows, small.training, large.rows, large.training),
        fitted_cost(small.units, small.passes, large.units, large.passes),
        fitted_cost(small.units, small.bytes, large.units, large.bytes),
        large.parameters,
        characters,
        fitted_cost(small.units, small.tokens, large.units, large.tokens),
        large.length,
        _growth(study, block, small.own + large.own),
    )


def _growth(study: Study, block: Block, seconds: float) -> float:
    """The share of a text's cost that grows with the size of the model, from the time that the
    largest model of the same task takes for the same texts.

        (seconds of the largest / seconds - 1) / (weights of the largest / weights - 1)

    *Laws*: between 0 and 1; 1 where no model of the task is larger, or sizes are not known.
    """
    weights = layer_weights(block)
    others = [each for each in blocks(study) if each.task.name == block.task.name]
    largest = max(others, key=lambda each: layer_weights(each) or 0)
    most = layer_weights(largest)
    if not weights or not most or most <= weights:
        return 1.0
    runs = [_timed(study, largest, *sizes, LANGUAGES[0]) for sizes in zip(TEXTS, ROWS)]
    ratio = sum(run.own for run in runs) / seconds
    return min(1.0, max(0.0, (ratio - 1) / (most / weights - 1)))


def checkpoint_of(block: Block, lang: str) -> tuple[str | None, str | None]:
    """The name and revision of what a block's model is loaded or fine-tuned from."""
    train = block.model.train
    if train is None:
        return block.model.source, block.model.revision
    base: Any = train.of(lang).base
    name, _, revision = str(base).partition("@") if base else (None, "", "")
    return name, revision or train.revision


def layer_weights(block: Block) -> int | None:
    """About how many weights the layers of a block's model have, of a cut base the kept ones."""
    train = block.model.train
    kept = train.layers if train is not None and train.base is not None else None
    return encoder_size(checkpoint_of(block, block.languages[0]), kept)


def _import_seconds() -> float:
    """Seconds that a new process needs before it reads a study."""
    begin = time.perf_counter()
    command = [sys.executable, "-c", "import babelscope.cli, babelscope.study.run"]
    subprocess.run(command, check=True, env=_import_environment())
    return time.perf_counter() - begin


def _import_environment() -> dict[str, str]:
    """The environment with this process's search path, which may hold more than PYTHONPATH."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def mean_characters(data: Any, lang: str, count: int = 50) -> float:
    """The mean length of the first texts of a language."""
    few = data.model_copy(update={"examples": min(count, data.examples or count)})
    rows = usable_examples(few, lang).rows
    if not rows:
        raise InputError(f"no text can be read in {lang}; nothing can be measured")
    return sum(len(text) for row in rows for text in row.texts) / len(rows)


def fitted_cost(first: float, low: float, second: float, high: float) -> Cost:
    each = max(0.0, (high - low) / (second - first)) if second > first else 0.0
    return Cost(max(0.0, low - each * first), each)


def _per_language(study: Study, block: Block, small: _Run, each: float) -> float:
    if len(block.languages) <= LANGUAGES[0]:
        return 0.0
    more = _timed(study, block, TEXTS[0], ROWS[0], LANGUAGES[1])
    beyond = more.own - small.own - each * (more.units - small.units)
    return max(0.0, beyond / (more.languages - small.languages))


def _few_languages(block: Block, count: int) -> Block:
    """The block in its source and some other languages."""
    train = block.model.train
    first = [lang for lang in (train.languages if train else []) if lang in block.languages]
    order = list(dict.fromkeys([*first, *block.languages]))[:count]
    return replace(block, languages=tuple(order))


def _timed(study: Study, block: Block, texts: int, rows: int, langs: int) -> _Run:
    """The block with so many texts and training rows, in a store and a cache that are removed."""
    start = time.perf_counter()
    small = _shrunk(study, block, texts, rows)
    same = next(each for each in blocks(small) if each.languages == block.languages)
    few = _few_languages(same, langs)
    with tempfile.TemporaryDirectory() as folder, _own_cache(Path(folder) / "cache"):
        store = open_store(Path(folder) / "store")
        tally = Tally()
        resources = block_resources(store, few, tally)
        if few.model.train is not None and few.model.train.base is not None:
            resources.base()  # a pretraining recipe is run once and kept: it is not counted
        begin = time.perf_counter()
        model = resources.model(few.languages[0])
        training = time.perf_counter() - begin
        passes, tokens = model.inference.distinct, token_passes(model)
        seconds = _analyses(small, few, resources, store, tally)
        if tally.failed:
            raise InputError(f"the measured block failed: {tally.failed[0].reason}")
        size = sum(file.stat().st_size for file in store.path.rglob("*") if file.is_file())
        count = sum(len(resources.examples(lang)) for lang in few.languages)
        trained = _rows_seen(few, rows)
        weights = sum(weight.numel() for weight in model.hf.parameters())
        return _Run(
            time.perf_counter() - start, len(few.languages), count, trained, training,
            seconds[False], seconds[True], model.inference.distinct - passes, size, weights,
            token_passes(model) - tokens, _mean_length(model, resources, few),
        )  # fmt: skip


def token_passes(model: Model) -> int:
    """Tokens read so far, those of gradient passes three times."""
    return model.inference.tokens + 2 * model.inference.backward


def _mean_length(model: Model, resources: Resources, block: Block) -> float:
    """Mean tokens of the block's texts in its first language; 0 where none can be encoded."""
    from babelscope.model.encode import encode_readable

    rows, _ = encode_readable(model, resources.examples(block.languages[0]), task=False)
    return sum(len(row.ids) for row in rows) / len(rows) if rows else 0.0


@contextmanager
def _own_cache(folder: Path) -> Iterator[None]:
    """Models that are trained within are not kept; rows and pretrained bases are the user's."""
    before, kept = os.environ.get(CACHE), cache_folder()
    folder.mkdir(parents=True)
    for name in ("pretrained", "rows"):
        (kept / name).mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to((kept / name).resolve(), target_is_directory=True)
    os.environ[CACHE] = str(folder)
    try:
        yield
    finally:
        del os.environ[CACHE]
        if before is not None:
            os.environ[CACHE] = before


def _analyses(
    study: Study, block: Block, resources: Resources, store: Store, tally: Tally
) -> dict[bool, float]:
    """Seconds of the cells of the block's model (False) and of those that all models share."""
    seconds = {False: 0.0, True: 0.0}
    for name, spec in study.analyses.items():
        groups = iter(ANALYSES[name].cells(block, spec, resources))
        while True:
            begin = time.perf_counter()
            group = next(groups, None)
            if group is None:
                break
            if not isinstance(group, Sequence):
                raise InputError(f"the measured block failed: {group.reason}")
            fill(store, group, tally, frozenset())
            seconds[_is_shared(group, block)] += time.perf_counter() - begin
    return seconds


def _is_shared(group: Group, block: Block) -> bool:
    return bool(group) and group[0].place.model != block.name


def _rows_seen(block: Block, rows: int) -> int:
    """Rows in all epochs, languages and stages of the measured fine-tuning."""
    train = block.model.train
    if train is None:
        return 0
    langs = 1 if train.separately else len(train.languages)
    return rows * langs * (1 + len(train.then))


def _shrunk(study: Study, block: Block, texts: int, rows: int) -> Study:
    """The study with the block's model and task alone, few texts, one epoch and one seed."""
    model, task = block.model, block.task
    if model.train is not None:
        limits = {"examples": rows, "dev_examples": 8, "epochs": 1}
        stages = [stage.model_copy(update={"examples": rows}) for stage in model.train.then]
        train = model.train.model_copy(update={**limits, "then": stages})
        model = model.model_copy(update={"train": train})
    data = task.data.model_copy(update={"examples": texts})
    return study.model_copy(
        update={
            "models": [model],
            "tasks": [task.model_copy(update={"data": data})],
            "seeds": study.seeds[:1],
            "max_skipped": 1.0,
            "analyses": {name: _fewer(spec, texts) for name, spec in study.analyses.items()},
        }
    )


def _fewer(spec: Any, texts: int) -> Any:
    """An analysis that reads other splits reads as many of their rows as texts; one that reads a
    fixed number of texts reads that of the smaller run."""
    fields: Mapping[str, Any] = type(spec).model_fields
    changed = {name: max(8, texts) for name in SPLITS if name in fields}
    if TIMED in fields:
        changed[TIMED] = min(getattr(spec, TIMED), TEXTS[0])
    return spec.model_copy(update=changed)
