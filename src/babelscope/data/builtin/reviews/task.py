"""Sentiment over the reviews."""

from __future__ import annotations

from itertools import islice

from babelscope.data.builtin.reviews import REALISERS
from babelscope.data.builtin.reviews.language import realised
from babelscope.data.builtin.reviews.meaning import label
from babelscope.data.builtin.reviews.sample import reviews
from babelscope.data.builtin.splits import SHARES
from babelscope.errors import InputError
from babelscope.types import Example


def sentiment(lang: str, split: str, n: int, seed: int = 0) -> list[Example]:
    """The first `n` reviews of a split in one language, labelled `positive` or `negative`, with words and rationale.

    The label is the narrator's view, and follows from the meaning: two in five reviews say it outright; in the others a
    negation turns a word round, a clause after *but* outweighs the one before it, somebody else thinks the opposite, or
    an expectation fails. The rationale holds the words that express the deciding opinion, with their negators, and the
    link (*but*, *although*, *agree*, *wrong*) where it matters.

    *Laws*: the i-th example of every language says the same and has the same group and label; a longer list starts with
    the shorter one; no text occurs twice in a split or in two splits.

    What a split holds out: the combinations of frame, things judged and their evaluations, and those of domain, time,
    company and city (not for novels: their scene is a time only). The single words, also those that bear the sentiment,
    are shared by all splits; without them the task could not be learnt.
    """
    if lang not in REALISERS:
        raise InputError(f"no built-in sentiment data for language {lang!r}; choose one of {', '.join(REALISERS)}")
    if split not in SHARES:
        raise InputError(f"no split {split!r} in the built-in sentiment data; choose one of {', '.join(SHARES)}")
    if n < 0:
        raise InputError(f"asked for {n} examples; the number must not be negative")
    examples = []
    for index, review in enumerate(islice(reviews(split, seed), n)):
        text, words, rationale = realised(review, REALISERS[lang])
        group = f"sentiment-{split}-{seed}-{index:06d}"
        examples.append(
            Example(
                id=f"{group}-{lang}",
                texts=(text,),
                lang=lang,
                group=group,
                label=label(review),
                words=(words,),
                rationale=(rationale,),
            )
        )
    return examples
