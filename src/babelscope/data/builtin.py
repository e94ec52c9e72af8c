"""The built-in parallel corpus, as the rest of the package reads it."""

from __future__ import annotations

from babelscope import corpus
from babelscope.types import Example

CORPORA = corpus.CORPORA
"""The built-in tasks by name, each with its labels."""
LANGUAGES = corpus.LANGUAGES
SPLITS = corpus.SPLITS


def read(
    name: str, lang: str, split: str, count: int, seed: int = 0, *, shortcut: bool = False
) -> list[Example]:
    """The first examples of a built-in task.

        rows = builtin.read("nli", "hi", "test", 100)

    The i-th example of every language says the same. `shortcut` plants a word that alone decides
    the label.
    """
    return corpus.read(name, lang, split, count, seed, shortcut=shortcut)
