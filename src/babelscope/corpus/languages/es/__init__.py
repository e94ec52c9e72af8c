"""Spanish."""

from __future__ import annotations

from babelscope.corpus.languages.es import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(),
    ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
