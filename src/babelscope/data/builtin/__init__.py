"""The built-in parallel corpus: generated, so it needs no network and its gold is known by construction."""

from babelscope.data.builtin.reviews import REALISERS
from babelscope.data.builtin.reviews.task import sentiment

LANGUAGES = tuple(REALISERS)

__all__ = ["LANGUAGES", "sentiment"]
