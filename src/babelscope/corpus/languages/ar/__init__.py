"""Arabic."""

from __future__ import annotations

from babelscope.corpus.languages.ar import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(question="؟"),
    ("الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
