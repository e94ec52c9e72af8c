"""Chinese."""

from __future__ import annotations

from babelscope.corpus.languages.zh import events, news, reviews
from babelscope.corpus.notation import Writing
from babelscope.corpus.realisers import Language

LANGUAGE = Language(
    Writing(spaced=False, stop="。", question="？"),
    ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六"),
    reviews.REALISER,
    news.REALISER,
    events.REALISER,
)
