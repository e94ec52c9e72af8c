"""Turkish."""

from __future__ import annotations

from babelscope.corpus.languages.tr import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(capitals={"i": "İ", "ı": "I"}),
    ("pazartesi", "salı", "çarşamba", "perşembe", "cuma", "cumartesi"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
