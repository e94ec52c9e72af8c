"""Hindi."""

from __future__ import annotations

from babelscope.corpus.languages.hi import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(stop="।"),
    ("सोमवार", "मंगलवार", "बुधवार", "गुरुवार", "शुक्रवार", "शनिवार"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
