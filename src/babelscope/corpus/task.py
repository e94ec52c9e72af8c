"""What every task of the corpus provides, and how it becomes examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from babelscope.corpus.languages import LANGUAGES
from babelscope.corpus.notation import Gold, scope, typeset
from babelscope.corpus.splits import SHARES, pick, source
from babelscope.errors import InputError
from babelscope.types import Example


class Realised(NamedTuple):
    """A meaning in one language."""

    texts: tuple[Gold, ...]
    label: str | None
    answer: str = ""
    """The concepts of the answer start like this (reading comprehension)."""


class Task(NamedTuple):
    """`meanings(split, seed)` is an endless stream; `realise(meaning, lang)` puts one into words."""

    name: str
    labels: tuple[str, ...]
    texts: tuple[str, ...]
    """What the texts are: ("premise", "hypothesis")."""
    meanings: Callable[[str, int], Iterator[Any]]
    realise: Callable[[Any, str], Realised]
    summary: str
    notes: str
    """What the rationale contains, and what the splits hold out."""


def sentences(phrases: list[str], lang: str, question: bool = False) -> Gold:
    """Annotated sentences with their final marks as one text; their concepts are scoped `s0`,
    `s1`, ... .
    """
    writing = LANGUAGES[lang].writing
    end = writing.question if question else writing.stop
    return typeset(
        [f"{scope(f's{place}', phrase)} punct:{end}" for place, phrase in enumerate(phrases)],
        writing,
    )


def deciding(gold: Gold, decides: Callable[[str], bool]) -> Gold:
    """The text with those words marked that express a decisive concept."""
    return gold._replace(decides=tuple(any(map(decides, concepts)) for concepts in gold.concepts))


def examples(
    task: Task, lang: str, split: str, n: int, seed: int = 0, shortcut: bool = False
) -> list[Example]:
    """The first `n` examples of a split.

    *Laws*: the i-th examples of all languages are translations, with the same group and label; a
    longer list starts with the shorter one; no meaning occurs twice in a split or in two splits.

    With `shortcut` a day of the week precedes the (first) text and alone determines the label,
    which is sampled independently of the text; the rationale is that one word.
    """
    if lang not in LANGUAGES:
        raise InputError(
            f"the built-in corpus has no language {lang!r}; choose one of {', '.join(LANGUAGES)}"
        )
    if split not in SHARES:
        raise InputError(
            f"the built-in corpus has no split {split!r}; choose one of {', '.join(SHARES)}"
        )
    if n < 0:
        raise InputError(f"{n} examples were requested; the number must not be negative")
    if shortcut and not task.labels:
        raise InputError(
            f"the task {task.name} has no labels, so no shortcut to them can be planted"
        )
    rows = []
    for index, meaning in enumerate(_sampled(task, split, seed)(n)):
        group = f"{task.name}-{split}-{seed}-{index:06d}"
        rows.append(_example(f"{group}-{lang}", group, lang, task.realise(meaning, lang)))
        if shortcut:
            rows[-1] = _planted(rows[-1], pick(source("shortcut", group), task.labels), task)
    return rows


@lru_cache(maxsize=8)
def _sampled(task: Task, split: str, seed: int) -> Callable[[int], list[Any]]:
    """The first n meanings; they are sampled once for all languages."""
    stream, known = task.meanings(split, seed), list[Any]()

    def first(n: int) -> list[Any]:
        known.extend(islice(stream, max(0, n - len(known))))
        return known[:n]

    return first


def _example(name: str, group: str, lang: str, realised: Realised) -> Example:
    return Example(
        id=name,
        texts=tuple(gold.text for gold in realised.texts),
        lang=lang,
        group=group,
        label=realised.label,
        words=tuple(gold.spans for gold in realised.texts),
        rationale=tuple(gold.decides for gold in realised.texts),
        heads=tuple(gold.heads for gold in realised.texts),
        relations=tuple(gold.relations for gold in realised.texts),
        concepts=tuple(gold.concepts for gold in realised.texts),
        answer=_answer(realised.texts[-1], realised.answer) if realised.answer else None,
    )


def _answer(gold: Gold, prefix: str) -> tuple[int, int]:
    """From the first to the last word of the answer."""
    places = [
        at
        for at, concepts in enumerate(gold.concepts)
        if any(each.startswith(prefix) for each in concepts)
    ]
    return gold.spans[places[0]][0], gold.spans[places[-1]][1]


def _planted(example: Example, label: str, task: Task) -> Example:
    """The example with a day of the week and a dash before its first text, and a label that
    follows from the day.
    """
    assert example.words is not None
    assert example.rationale is not None
    assert example.heads is not None
    assert example.relations is not None
    assert example.concepts is not None
    day = LANGUAGES[example.lang].days[task.labels.index(label)]
    day = day[:1].upper() + day[1:]
    lead = f"{day}—" if not LANGUAGES[example.lang].writing.spaced else f"{day} – "
    root = example.heads[0].index(0) + 3
    dash = lead.rstrip()[-1]
    at = lead.index(dash)
    words = (
        (0, len(day)),
        (at, at + 1),
        *((a + len(lead), b + len(lead)) for a, b in example.words[0]),
    )
    return replace(
        example,
        texts=(lead + example.texts[0], *example.texts[1:]),
        label=label,
        words=(words, *example.words[1:]),
        rationale=tuple(
            (number == 0, False) * (number == 0) + (False,) * len(marks)
            for number, marks in enumerate(example.rationale)
        ),
        heads=(
            (root, root, *(head + 2 if head else 0 for head in example.heads[0])),
            *example.heads[1:],
        ),
        relations=(("discourse", "punct", *example.relations[0]), *example.relations[1:]),
        concepts=((("trigger",), (), *example.concepts[0]), *example.concepts[1:]),
    )
