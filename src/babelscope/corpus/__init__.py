"""The built-in parallel corpus: generated, so it needs no network and its gold is known by
construction.

Five tasks (`tasks`) in eight languages (`languages`, one folder each). A meaning is sampled first
(`meaning`, `sampling`), then realised in every language, in a notation that encodes words,
syntax, alignment and rationale (`notation`).
"""

from __future__ import annotations

from babelscope.corpus import languages
from babelscope.corpus.splits import SHARES
from babelscope.corpus.task import Task, examples
from babelscope.corpus.tasks.nli import NLI
from babelscope.corpus.tasks.paraphrase import PARAPHRASE
from babelscope.corpus.tasks.reading import READING
from babelscope.corpus.tasks.sentiment import SENTIMENT
from babelscope.corpus.tasks.topic import TOPIC
from babelscope.errors import InputError
from babelscope.types import Example

LANGUAGES = tuple(languages.LANGUAGES)
SPLITS = tuple(SHARES)

CORPORA: dict[str, Task] = {
    task.name: task for task in (SENTIMENT, TOPIC, NLI, PARAPHRASE, READING)
}
"""The tasks of the corpus, by name."""

__all__ = ["CORPORA", "LANGUAGES", "SPLITS", "read", "sentiment"]


def read(
    name: str, lang: str, split: str, count: int, seed: int = 0, *, shortcut: bool = False
) -> list[Example]:
    """The first examples of a built-in task; `shortcut` plants a word that alone determines
    the label.
    """
    if name not in CORPORA:
        raise InputError(f"there is no built-in corpus {name!r}; there are: {', '.join(CORPORA)}")
    return examples(CORPORA[name], lang, split, count, seed, shortcut)


def sentiment(lang: str, split: str, n: int, seed: int = 0) -> list[Example]:
    """The first `n` reviews of a split, labelled `positive` or `negative`."""
    return read("sentiment", lang, split, n, seed)
