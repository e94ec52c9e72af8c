"""English."""

from __future__ import annotations

from babelscope.corpus.languages.en import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(),
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
