"""The models and the explanations behind the page on consistency, made once and kept in the user's
cache.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.material import SHARED

from babelscope import corpus
from babelscope.analyses.consistency.model_spaces import untrained_model
from babelscope.analyses.consistency.translations import (
    explain_translations,
    parallel_texts,
)
from babelscope.data.formats.unit_scores import line, unit_scores
from babelscope.data.independence import (
    clusters,
)
from babelscope.data.sources import rows
from babelscope.display.progress import bar
from babelscope.model.load import Model, load
from babelscope.store import key
from babelscope.training.cache import cache_folder
from babelscope.training.finetune import Recipe, finetune, fingerprint
from babelscope.training.recipes import pretrained
from babelscope.types import Example, UnitScores

BASE, DATA = SHARED / "models" / "mini-multilingual", SHARED / "data"
TOPICS = Recipe(learning_rate=2e-4, epochs=10, batch=16, freeze_embeddings=True, seed=0)


AT_ONCE = 30
"""Texts that are explained, in all languages, before they are put into the cache."""
_OF_XNLI = ("ar", "de", "es", "fr", "hi", "ru", "sw", "th", "tr", "vi", "zh")


@dataclass(frozen=True, slots=True)
class Run:
    """One corpus: the rows that a model is tuned on, the languages it is explained in, and how
    many texts of each.
    """

    name: str
    corpus: str
    title: str
    rows: str
    """How many rows it is tuned on, in words."""
    remark: str
    targets: tuple[str, ...]
    count: int
    train: str
    dev: str
    recipe: Recipe
    cut: int | None = None
    """Rows of `train` to tune on, where it has no dev beside it; the last 300 are dev."""
    step: int = 1
    """Every so many-th text is taken: SIB-200 is sorted by topic, inference by premise."""
    source: str = "en"
    method: str = "integrated_gradients"
    options: Mapping[str, Any] = field(default_factory=lambda: {"nodes": 4, "tolerance": 0.1})


SIB = Run(
    "sib200", "sib200", "SIB-200: integrated gradients", "701", "Every second text of the test "
                                                                "split (it is sorted by topic).",
    (*_OF_XNLI, "bg", "el", "it", "ja", "ko", "nl", "pl", "pt", "ur", "zh-Hant"), 102,
    "sib200/en/train", "sib200/en/dev", TOPICS, step=2,
)  # fmt: skip
SIB_LRP = replace(
    SIB,
    title="SIB-200: AttnLRP",
    remark="The whole test split.",
    count=204,
    step=1,
    method="attnlrp",
    options={},
)
XNLI = Run(
    "xnli", "xnli", "XNLI: inference", "4,000", "The encoder is weak at inference: its own README "
                                                "states .515 at best.",
    _OF_XNLI, 90,
    "mnli-parallel/en/train/4000", "xnli/en/dev/300", replace(TOPICS, learning_rate=3e-4, epochs=2, batch=32),
    method="attnlrp", options={},
)  # fmt: skip
PAWSX = Run(
    "pawsx", "pawsx", "PAWS-X: paraphrases", "1,000",
    "There is no training split here, so dev rows were tuned on; PAWS-X is made so that shared "
    "words do not help.",
    ("de", "es", "fr", "ja", "ko", "zh"), 60,
    "pawsx/en/dev", "", replace(TOPICS, learning_rate=3e-4, epochs=2, batch=32), cut=1000,
    method="attnlrp", options={},
)  # fmt: skip


MATRIX = ("en", "es", "hi", "zh", "ar")
"""Languages in which models are tuned, each the source of the others."""


def tuned(run: Run) -> Model:
    """The model of a run, tuned on its source language; the one of SIB-200 is that of
    docs/results/sib200.md, seed 0.
    """
    train = [row for row in rows(run.train, folder=DATA) if row.label is not None]
    dev = rows(run.dev, folder=DATA) if run.dev else train[-300:]
    folder = cache_folder() / "experiments" / f"{run.name}-{run.source}-0"
    with bar(f"tuning {run.name} {run.source}") as tell:
        return load(finetune(BASE, train[: run.cut], dev, folder, run.recipe, progress=tell))


def texts(run: Run) -> dict[str, list[Example]]:
    """The first `count` texts of those that are taken, in every language; what is not translated
    is left out there.
    """
    found = parallel_texts(
        run.corpus, [run.source, *run.targets], count=run.count * run.step, folder=DATA
    )
    chosen = {row.group for row in found[run.source][:: run.step]}
    return {lang: [row for row in each if row.group in chosen] for lang, each in found.items()}


def explanations(run: Run, *, random: bool = False) -> list[UnitScores]:
    """The scored words of a run's texts, in its model or in one of the same shape with random
    weights.
    """
    model = untrained_model(tuned(run)) if random else tuned(run)
    given = texts(run)
    groups = list(dict.fromkeys(row.group for row in given[run.source]))
    found: list[UnitScores] = []
    for start in range(0, len(groups), AT_ONCE):
        chosen = set(groups[start : start + AT_ONCE])
        found += _some(
            model,
            run,
            {lang: [row for row in each if row.group in chosen] for lang, each in given.items()},
        )
    named = clusters([row for each in given.values() for row in each])
    return [replace(row, cluster=named[row.id]) for row in found]


def _some(model: Model, run: Run, given: Mapping[str, list[Example]]) -> list[UnitScores]:
    """Part of the texts, from the cache if they are there: a larger run goes on from a smaller
    one.
    """
    identity = {
        "model": model.fingerprint, "method": run.method, "options": dict(run.options), "source": run.source,
        "data": fingerprint([row for each in given.values() for row in each]),
    }  # fmt: skip
    file = (
        cache_folder()
        / "experiments"
        / "consistency"
        / f"{run.name}-{run.source}-{key(identity)[:16]}.jsonl"
    )
    if not file.exists():
        with bar(f"explaining {model.name}") as tell:
            _keep(
                file,
                explain_translations(
                    model, given, run.source, method=run.method, options=run.options, progress=tell
                ),
            )
    return unit_scores(file)


def matrix_models() -> dict[str, Model]:
    """The small multilingual encoder of the built-in corpus, tuned on its topics in each language
    of MATRIX.
    """
    base = pretrained("multilingual")
    recipe = Recipe(learning_rate=5e-4, epochs=3, batch=32, freeze_embeddings=True)
    found = {}
    for lang in MATRIX:
        train, dev = (
            corpus.read("topic", lang, "train", 1000),
            corpus.read("topic", lang, "dev", 200),
        )
        with bar(f"tuning in {lang}") as tell:
            folder = finetune(
                base,
                train,
                dev,
                cache_folder() / "experiments" / f"tradeoffs-topic-{lang}-0",
                recipe,
                progress=tell,
            )
        found[lang] = load(folder)
    return found


def _keep(file: Path, found: Sequence[UnitScores]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text("".join(line(row) + "\n" for row in found), "utf-8")
    os.replace(part, file)
