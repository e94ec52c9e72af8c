"""Sentiment over the reviews."""

from __future__ import annotations

from babelscope.corpus.reviews import REALISERS
from babelscope.corpus.reviews.language import realised
from babelscope.corpus.reviews.meaning import Review, label
from babelscope.corpus.reviews.sample import reviews
from babelscope.corpus.task import Said, Task


def _said(review: Review, lang: str) -> Said:
    return Said((realised(review, REALISERS[lang], lang),), label(review))


SENTIMENT = Task(
    "sentiment",
    ("negative", "positive"),
    ("review",),
    reviews,
    _said,
    "Is the narrator pleased? Two in five reviews say it outright; in the others a negation turns a word round, a clause "
    "after *but* outweighs the one before it, somebody else thinks the opposite, or an expectation fails.",
    "The label is the narrator's view. The rationale holds the words that express the deciding opinion, with their "
    "negators, and the link (*but*, *although*, *agree*, *wrong*) where it matters. What a split holds out: the "
    "combinations of frame, things judged and their evaluations; those of domain, time, company and city (not for "
    "novels: their scene is a time only); and one company and one city each. The words that bear the sentiment are "
    "shared by all splits; without them the task could not be learnt.",
)
