"""The built-in parallel corpus: generated, so it needs no network and its gold is known by construction.

Five tasks in eight languages. A meaning is drawn first (`meaning`, `sample`, `draw`), then every language says it (`reviews`,
`news`, `events`: one file per language), in a notation that carries words, syntax, translation and rationale (`notation`).
"""

from __future__ import annotations

from babelscope.corpus.events.inference import NLI
from babelscope.corpus.events.paraphrase import PARAPHRASE
from babelscope.corpus.events.reading import READING
from babelscope.corpus.news.task import TOPIC
from babelscope.corpus.notation import WRITING
from babelscope.corpus.reviews.task import SENTIMENT
from babelscope.corpus.task import Task, examples
from babelscope.errors import InputError
from babelscope.types import Example

LANGUAGES = tuple(WRITING)

CORPORA: dict[str, Task] = {task.name: task for task in (SENTIMENT, TOPIC, NLI, PARAPHRASE, READING)}
"""The tasks of the corpus, by name."""

__all__ = ["CORPORA", "LANGUAGES", "read", "sentiment"]


def read(name: str, lang: str, split: str, count: int, seed: int = 0, *, shortcut: bool = False) -> list[Example]:
    """The first examples of a built-in task; `shortcut` plants a word that alone decides the label."""
    if name not in CORPORA:
        raise InputError(f"there is no built-in corpus {name!r}; there are: {', '.join(CORPORA)}")
    return examples(CORPORA[name], lang, split, count, seed, shortcut)


def sentiment(lang: str, split: str, n: int, seed: int = 0) -> list[Example]:
    """The first `n` reviews of a split, labelled `positive` or `negative`."""
    return read("sentiment", lang, split, n, seed)
