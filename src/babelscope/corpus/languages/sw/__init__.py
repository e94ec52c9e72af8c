"""Swahili."""

from __future__ import annotations

from babelscope.corpus.languages.sw import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(),
    ("Jumatatu", "Jumanne", "Jumatano", "Alhamisi", "Ijumaa", "Jumamosi"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
