"""The built-in parallel corpus: generated, so it needs no network and its gold is known by construction."""

from babelscope.data.builtin.reviews import REALISERS
from babelscope.data.builtin.reviews.task import sentiment
from babelscope.errors import InputError
from babelscope.types import Example

LANGUAGES = tuple(REALISERS)

CORPORA = {"sentiment": sentiment}
"""The tasks of the corpus, by name."""

__all__ = ["CORPORA", "LANGUAGES", "read", "sentiment"]


def read(name: str, lang: str, split: str, count: int, seed: int = 0) -> list[Example]:
    """The first examples of a built-in task."""
    if name not in CORPORA:
        raise InputError(f"there is no built-in corpus {name!r}; there are: {', '.join(CORPORA)}")
    return CORPORA[name](lang, split, count, seed)
