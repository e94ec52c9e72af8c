"""Sentiment over the reviews."""

from __future__ import annotations

from babelscope.corpus.languages import LANGUAGES
from babelscope.corpus.meaning.reviews import Review, label
from babelscope.corpus.notation import Gold, scope, typeset
from babelscope.corpus.sampling.reviews import reviews
from babelscope.corpus.task import Realised, Task


def _realise(review: Review, lang: str) -> Realised:
    return Realised((realised(review, lang),), label(review))


def realised(review: Review, lang: str) -> Gold:
    """The review in this language: scene, note and opinion, each a sentence."""
    language = LANGUAGES[lang]
    sentences = [scope("opinion", language.reviews.opinion(review))]
    if review.note:
        note = scope("note", language.reviews.notes[review.domain]["abc".index(review.note)])
        sentences.insert(0 if review.note_first else 1, note)
    if review.scene:
        scene = language.reviews.scene(review.domain, review.scene)
        sentences.insert(0, scope("scene", scene))
    stop = language.writing.stop
    return typeset([f"{sentence} punct:{stop}" for sentence in sentences], language.writing)


SENTIMENT = Task(
    "sentiment",
    ("negative", "positive"),
    ("review",),
    reviews,
    _realise,
    "Is the narrator pleased? Two in five reviews say it outright; in the others a negation turns "
    "a word round, a clause "
    "after *but* outweighs the one before it, somebody else thinks the opposite, or an expectation "
    "fails.",
    "The label is the narrator's view. The rationale holds the words that express the deciding "
    "opinion, with their "
    "negators, and the link (*but*, *although*, *agree*, *wrong*) where it matters. What a split "
    "holds out: the "
    "combinations of frame, things judged and their evaluations; those of domain, time, company "
    "and city (not for "
    "novels: their scene is a time only); and one company and one city each. The words that bear "
    "the sentiment are "
    "shared by all splits; without them the task could not be learnt.",
)
