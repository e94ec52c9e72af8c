"""French."""

from __future__ import annotations

from babelscope.corpus.languages.fr import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(loose="?!;:"),
    ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
