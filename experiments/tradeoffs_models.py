"""The models of the trade-off runs: fine-tuned on one language each, on all together, and with the
encoder left alone.

`python -m experiments.tradeoffs_models` trains what is missing, in an order that makes an early stop
useful: seed by seed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from benchmarks.material import SHARED

from babelscope import corpus
from babelscope.data.sources import rows
from babelscope.display.progress import bar
from babelscope.random import keyed
from babelscope.training.cache import cache_folder
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.recipes import pretrained
from babelscope.types import Example

DATA = SHARED / "data"
JOINT = "joint"


@dataclass(frozen=True, slots=True)
class Setting:
    """One run: its task, the languages that are fine-tuned on and tested in, and the recipe."""

    name: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    recipe: Recipe
    texts: int = 0
    """Test texts per language; 0: all that there are."""
    seeds: tuple[int, ...] = (0, 1, 2)
    references: bool = True
    """Whether joint models and models of which only the head is trained are trained too."""


SETTINGS = {
    "sib200": Setting(
        "sib200", ("en", "es", "zh", "ar", "hi", "sw"),
        ("en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "tr", "ar", "zh", "zh-Hant", "ja", "ko", "th", "hi", "ur",
         "bg", "el", "vi", "sw"),
        Recipe(learning_rate=2e-4, epochs=5, batch=16, freeze_embeddings=True),
    ),
    "topic": Setting(
        "topic", ("en", "zh", "hi", "ar", "sw"), corpus.LANGUAGES,
        Recipe(learning_rate=5e-4, epochs=3, batch=32, freeze_embeddings=True), 300,
    ),
    "xnli": Setting(
        "xnli", ("en", "hi", "es", "zh"), ("en", "hi", "es", "zh"),
        Recipe(learning_rate=2e-4, epochs=3, batch=16, freeze_embeddings=True), 600, seeds=(0, 1), references=False,
    ),
}  # fmt: skip
DEV_PREMISES = 165
"""XNLI has no training split in Hindi here: its dev split is cut by premise, so many (of 830) for
choosing the epoch.
"""


def base(setting: Setting) -> Path:
    if setting.name == "topic":
        return pretrained("multilingual")
    return SHARED / "models" / "mini-multilingual"


@cache
def split(name: str, lang: str, part: str) -> tuple[Example, ...]:
    """The train, dev or test examples of a language: the same texts in every language."""
    if name == "topic":
        many = {"train": 1000, "dev": 200, "test": 2000}[part]
        found = corpus.read(name, lang, part, many)
        return tuple(
            found[1000:] if part == "test" else found
        )  # the corpus page's settings were once chosen by the first
    if name == "sib200":
        return tuple(rows(f"sib200/{lang}/{part}", folder=DATA))
    if part == "test":
        return tuple(rows(f"xnli/{lang}/test", folder=DATA))
    cut = 3 * DEV_PREMISES  # three rows in a row share a premise
    found = rows(f"xnli/{lang}/dev", folder=DATA)
    return tuple(found[:cut] if part == "dev" else found[cut:])


def training(setting: Setting, source: str, seed: int) -> tuple[list[Example], list[Example]]:
    """What is trained on and chosen by. Jointly: every text once, in a sampled language, so that
    the steps are as many.
    """
    if source != JOINT:
        return list(split(setting.name, source, "train")), list(split(setting.name, source, "dev"))
    found = []
    for part in ("train", "dev"):
        every = [split(setting.name, lang, part) for lang in setting.sources]
        drawn = keyed(seed, "joint", part).integers(0, len(every), len(every[0]))
        found.append([every[lang][at] for at, lang in enumerate(drawn)])
    return found[0], found[1]


def tuned(setting: Setting, source: str, seed: int, *, head_only: bool = False) -> Path:
    recipe = replace(setting.recipe, seed=seed, head_only=head_only)
    name = f"tradeoffs-{setting.name}-{source}-{seed}{'-head' if head_only else ''}"
    train, dev = training(setting, source, seed)
    with bar(name) as tell:
        return finetune(
            base(setting), train, dev, cache_folder() / "experiments" / name, recipe, progress=tell
        )


def order(setting: Setting) -> Iterator[tuple[str, int, bool]]:
    """Source, seed and whether only the head is trained: seed by seed, the references last."""
    for seed in setting.seeds:
        yield from ((source, seed, False) for source in setting.sources)
    if setting.references:
        yield from ((JOINT, seed, False) for seed in setting.seeds)
        yield from ((source, setting.seeds[0], True) for source in setting.sources)


if __name__ == "__main__":
    for asked in sys.argv[1:] or SETTINGS:
        for source, seed, head_only in order(SETTINGS[asked]):
            print(tuned(SETTINGS[asked], source, seed, head_only=head_only), flush=True)
