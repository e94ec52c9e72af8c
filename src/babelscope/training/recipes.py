"""Small pretrained models by name, made from the built-in corpus once and kept in the user's cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from babelscope.data import builtin
from babelscope.errors import InputError
from babelscope.model.inference_state import Progress
from babelscope.model.load import NARROW
from babelscope.store import key
from babelscope.training.cache import TRAINING, cache_folder, making
from babelscope.training.pretrain import Pretraining, pretrain
from babelscope.training.small import tokenizer_kind
from babelscope.types import Example

RECIPES: dict[str, tuple[Pretraining, int]] = {
    "multilingual": (Pretraining(), 2400),
    "monolingual": (Pretraining(architecture="bert", steps=2500, start=False), 2400),
    "multilingual-deep": (Pretraining(layers=3, steps=4000), 2400),
    "multilingual-tiny": (Pretraining(width=64, steps=300), 200),
    "monolingual-tiny": (Pretraining(architecture="bert", width=64, steps=300, start=False), 200),
}
"""Name -> how, and on how many examples of every task and language. Monolingual ones are of the size of their counterpart."""

SEED = 1000
"""The seed of the texts: those of other seeds are not seen, but for chance."""
SHARES = {"train": 0.6, "dev": 0.2, "test": 0.2}
"""Texts of all splits: a language model has met the names and places that the tasks hold out. No label is read."""


def texts(languages: Sequence[str], count: int) -> list[Example]:
    """So many examples of every task and language, parallel."""
    return [
        example
        for task in builtin.CORPORA
        for lang in languages
        for split, share in SHARES.items()
        for example in builtin.read(task, lang, split, int(count * share), SEED)
    ]


def pretrained(
    name: str,
    languages: Sequence[str] = builtin.LANGUAGES,
    *,
    tokenizer: str = "",
    vocabulary: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Path:
    """The folder of the model of that recipe, trained if it is not in the cache: an encoder with its tokenizer."""
    if name not in RECIPES:
        raise InputError(f"there is no pretraining recipe {name!r}; there are: {', '.join(RECIPES)}")
    if name.startswith("monolingual") != (len(languages) == 1):
        raise InputError(f"the recipe {name} is for {'one language' if name.startswith('mono') else 'several languages'}")
    recipe, count = RECIPES[name]
    tokenizer_kind(recipe.architecture, tokenizer)  # refused before the texts are made
    recipe = replace(recipe, tokenizer=tokenizer, seed=seed, vocabulary=vocabulary or recipe.vocabulary)
    threads = 1 if recipe.width <= NARROW else torch.get_num_threads()
    given = {"training": TRAINING, "recipe": asdict(recipe), "languages": list(languages), "count": count, "threads": threads}
    folder = cache_folder() / "pretrained" / f"{name}-{key(given)[:24]}"
    if (folder / "config.json").exists():
        return folder
    with making(folder):
        return pretrain(texts(languages, count), folder, recipe, progress=progress)
