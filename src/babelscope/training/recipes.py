"""Small pretrained models by name, trained once on the built-in corpus and cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from babelscope.data import builtin
from babelscope.errors import InputError
from babelscope.hub import PACKAGED
from babelscope.model.inference_state import Progress
from babelscope.model.scopes import NARROW
from babelscope.store import key
from babelscope.training.cache import TRAINING, cache_folder, intact, making
from babelscope.training.pretrain import Pretraining, pretrain
from babelscope.training.tokenizers import tokenizer_kind
from babelscope.types import Example

RECIPES: dict[str, tuple[Pretraining, int]] = {
    "multilingual": (Pretraining(), 2400),
    "monolingual": (Pretraining(architecture="bert", steps=2500, start=False), 2400),
    "multilingual-short": (Pretraining(steps=2000), 2400),
    "multilingual-deep": (Pretraining(layers=3, steps=4000), 2400),
    "multilingual-tiny": (Pretraining(width=64, steps=300), 200),
    "monolingual-tiny": (Pretraining(architecture="bert", width=64, steps=300, start=False), 200),
}
"""Name -> settings, and how many examples of every task and language; pairs have the same size."""

SHIPPED = "multilingual-short"
"""The recipe whose encoder comes with the package; its weights are rounded to float16."""
SEED = 1000
"""The seed of the texts; texts of other seeds coincide with them only by chance."""
SHARES = {"train": 0.6, "dev": 0.2, "test": 0.2}
"""Texts of all splits, so that a language model has seen the words that tasks hold out. No label is
used.
"""


def texts(languages: Sequence[str], count: int) -> list[Example]:
    """Parallel examples, `count` of every task and language."""
    return [
        example
        for task in builtin.CORPORA
        for lang in languages
        for split, share in SHARES.items()
        for example in builtin.read(task, lang, split, int(count * share), SEED)
    ]


def shipped(
    name: str,
    languages: Sequence[str] = builtin.LANGUAGES,
    *,
    tokenizer: str = "",
    vocabulary: int | None = None,
    seed: int = 0,
) -> Path | None:
    """The folder of an encoder that comes with the package, None if it has to be trained."""
    usual = not (tokenizer or vocabulary or seed) and tuple(languages) == builtin.LANGUAGES
    return PACKAGED / name if usual and name == SHIPPED else None


def pretrained(
    name: str,
    languages: Sequence[str] = builtin.LANGUAGES,
    *,
    tokenizer: str = "",
    vocabulary: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Path:
    """The folder of the recipe's encoder and tokenizer, trained if it neither comes with the
    package nor is in the cache.
    """
    if name not in RECIPES:
        raise InputError(
            f"there is no pretraining recipe {name!r}; there are: {', '.join(RECIPES)}"
        )
    if name.startswith("monolingual") != (len(languages) == 1):
        raise InputError(
            f"the recipe {name} is for "
            f"{'one language' if name.startswith('mono') else 'several languages'}"
        )
    packaged = shipped(name, languages, tokenizer=tokenizer, vocabulary=vocabulary, seed=seed)
    if packaged is not None:
        return packaged
    recipe, count = RECIPES[name]
    tokenizer_kind(recipe.architecture, tokenizer)  # refused before the texts are generated
    recipe = replace(
        recipe, tokenizer=tokenizer, seed=seed, vocabulary=vocabulary or recipe.vocabulary
    )
    threads = 1 if recipe.width <= NARROW else torch.get_num_threads()
    identity = {
        "training": TRAINING,
        "recipe": asdict(recipe),
        "languages": list(languages),
        "count": count,
        "threads": threads,
    }
    folder = cache_folder() / "pretrained" / f"{name}-{key(identity)[:24]}"
    if intact(folder):
        return folder
    with making(folder):
        if (folder / "config.json").exists():
            return folder
        return pretrain(texts(languages, count), folder, recipe, progress=progress)
