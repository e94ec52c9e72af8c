"""What the studies of the papers cost at full size: a table of docs/papers.md.

    python -m benchmarks.full_size [STUDY ...]

Each study is measured on a generated mirror of the hub whose texts are as long as the real ones and
whose models have two narrow layers: how many tokens its methods and metrics have models read, and
what the processor does beside them. Sizes of data sets and of models (`sizes.yaml`) do the rest.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase
from typing import Any
from unittest.mock import patch

import yaml

from babelscope.analyses.block import Block
from babelscope.model.networks.fully_connected import UNITS
from babelscope.study import measure as measuring
from babelscope.study import plan
from babelscope.study.config import Study, read_study
from babelscope.study.grid import blocks
from babelscope.study.measure import Cost, Measured, checkpoint_of
from babelscope.training.spec import NETWORKS
from benchmarks.timing import table

HERE = Path(__file__).resolve().parent
STUDIES = HERE.parent / "studies"
SIZES: dict[str, Any] = yaml.safe_load((HERE / "sizes.yaml").read_text("utf-8"))
PAPERS = (
    "mono-vs-multi", "ccta-xnli", "ccta-pawsx", "ccta-xquad", "tradeoffs-en-hi", "slalom",
    "slalom-synthetic", "slalom-large", "head-masks", "head-masks-squad", "head-masks-transfer",
    "head-masks-decoders",
)  # fmt: skip
LIMIT = 512
WIDTH = 32
"""Of models that are trained from nothing."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Sizes of a data set: explained rows, training and development rows, tokens of a row."""

    test: int
    train: int
    dev: int
    tokens: int


def rows(study: Study, task: str) -> Rows:
    """The sizes of a task's data, the longest texts cut as the models of the study do."""
    data = next(each.data for each in study.tasks if each.name == task)
    if data.synthetic is not None:
        return Rows(500, 10**9, 10**9, 17)
    name = f"{data.hub or data.corpus} {data.config or ''}".strip()
    known = Rows(*SIZES["data"][name])
    cut = min((model.train.max_length or LIMIT for model in study.models if model.train),
              default=LIMIT)  # fmt: skip
    other = f"{data.train_hub}".strip()
    trained = Rows(*SIZES["data"][other]) if data.train_hub else known
    return Rows(known.test, trained.train, trained.dev, min(known.tokens, cut))


def weights(block: Block) -> int:
    """The weights of the layers of a block's model: 12 layers width^2; of a network without
    attention those that a word meets, at most units width."""
    train = block.model.train
    if train is not None and train.base is None and train.architecture in NETWORKS:
        return UNITS * train.width
    if train is not None and train.base is None:
        layers, width = train.layers or 2, train.width
    else:
        layers, width = SIZES["models"][str(checkpoint_of(block, block.languages[0])[0])]
        layers = min(layers, train.layers or layers) if train is not None else layers
    return int(12 * layers * width**2)


def counter(study: Study) -> plan._Counter:
    """Counts of texts and rows from the table of sizes."""

    def texts(task: str, lang: str) -> int:
        limit = next(each.data for each in study.tasks if each.name == task).examples
        known = rows(study, task).test
        return min(known, limit) if limit is not None else known

    def available(task: str, lang: str, split: str, most: int) -> int:
        known = rows(study, task)
        return min(most, known.train if split == "train" else known.dev)

    return plan._Counter(texts, lambda task, lang: float(rows(study, task).tokens), available)


@contextmanager
def long_texts() -> Iterator[None]:
    """Texts of the mirror are as long as the real ones: words of one character."""
    import mirror_datasets

    known, plain = mirror_datasets._content, {}
    for name, (_, _, _, tokens) in SIZES["data"].items():
        plain[name.partition(" ")[0]] = tokens

    def content(table_: Any, filler: str, lang: str, number: int, split: str) -> Any:
        value = known(table_, filler, lang, number, split)
        if filler not in (mirror_datasets.TEXT, mirror_datasets.REVIEW):
            return value
        more = max(0, plain.get(table_.name, 0) - 2 * len(value))
        words = (ascii_lowercase[(number * 7 + at * at) % 26] for at in range(more))
        return " ".join([value, *words])

    with patch.object(mirror_datasets, "_content", content):
        yield


def narrowed(study: Study) -> Study:
    """The study with narrow models in place of those that are trained from nothing: as those of the
    mirror, they tell how much is read and what the processor does beside them."""
    models = [
        model.model_copy(update={"train": model.train.model_copy(update={"width": WIDTH})})
        if model.train is not None and model.train.base is None
        else model
        for model in study.models
    ]
    return study.model_copy(update={"models": models})


def measured(study: Study) -> Measured:
    """A measurement at the true length of the first task's texts."""
    with (
        patch.object(time, "perf_counter", time.process_time),  # other processes run here too
        patch.object(measuring, "_growth", lambda *arguments: 0.0),  # sizes come from the table
    ):
        taken = measuring.measure(narrowed(study))
    tokens = rows(study, taken.task).tokens
    ratio = tokens / taken.length if taken.length else 1.0
    scaled = Cost(taken.tokens.fixed * ratio, taken.tokens.each * ratio)
    return replace(taken, tokens=scaled, length=float(tokens), characters=float(tokens))


def parts(study: Study) -> list[Study]:
    """What is measured apart: made-up languages, since fits take longer the more words there are;
    other studies are measured on their first task."""
    if any(task.data.synthetic is None for task in study.tasks):
        return [study]
    return [
        study.model_copy(
            update={
                "tasks": [task],
                "models": [model for model in study.models
                           if model.tasks is None or task.name in model.tasks],
            }
        )
        for task in study.tasks
    ]  # fmt: skip


def counted(study: Study) -> tuple[plan.Estimate, float]:
    """What a study costs on a GPU, and hours of the processor for its texts."""
    taken = measured(study)
    reference = weights(blocks(study)[0])
    with (
        patch.object(plan, "_counter", counter),
        patch.object(plan, "layer_weights", weights),
    ):
        whole = plan.estimate(study, replace(taken, parameters=reference))
        # What the processor does for a text beside the models, which are too small here to count
        alone = replace(taken, rows=Cost(taken.rows.fixed, 0.0))
        return whole, plan.estimate(study, alone).seconds / 3600


def cost(name: str) -> list[str]:
    listed = [counted(part) for part in parts(read_study(STUDIES / f"{name}.yaml"))]

    def total(column: str) -> float:
        return sum(float(getattr(whole, column)) for whole, _ in listed)

    training, processor = total("gpu_training") / 3600, sum(hours for _, hours in listed)
    return [
        f"`{name}`", f"{total('trainings'):,.0f}", f"{total('texts'):,.0f}",
        f"{total('passes'):,.0f}", f"{total('result_bytes') / 1e9:.1f}",
        f"{total('model_bytes') / 1e9:.0f}", f"{training:.1f}",
        f"{total('gpu_hours') - training:.1f}", f"{processor:.1f}",
        f"{total('gpu_hours') + processor:.1f}",
    ]  # fmt: skip


HEADINGS = [
    "study", "models fine-tuned", "texts x models", "forward passes", "GB of results",
    "GB of models", "GPU hours: fine-tuning", "analyses", "processor hours", "hours in all",
]  # fmt: skip


def main(names: list[str]) -> None:
    import mirror
    import workplace

    with tempfile.TemporaryDirectory() as folder, long_texts():
        place = Path(folder)
        here = workplace.write(place / "here", mirror.build(place / "mirror"))
        os.environ |= {"BABELSCOPE_MIRROR": str(place / "mirror"), "HF_HUB_OFFLINE": "1",
                       "BABELSCOPE_CACHE": str(place / "cache")}  # fmt: skip
        os.chdir(here)
        lines = []
        for name in names or PAPERS:
            lines.append(cost(name))
            print(" | ".join(lines[-1]), flush=True)
        print(table(HEADINGS, lines))


if __name__ == "__main__":
    main(sys.argv[1:])
