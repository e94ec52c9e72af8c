"""What a language provides: its orthography, and realisers of reviews, news and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from babelscope.corpus.meaning.events import Event, Joined, Statement
from babelscope.corpus.meaning.news import News
from babelscope.corpus.meaning.reviews import Review, Scene
from babelscope.corpus.notation import Writing


class ReviewRealiser(NamedTuple):
    """Reviews in one language: annotated sentences without the final stop."""

    opinion: Callable[[Review], str]
    scene: Callable[[str, Scene], str]
    notes: Mapping[str, tuple[str, str, str]]


class NewsRealiser(NamedTuple):
    """News in one language: an annotated sentence without the final stop, rationale words starred.

    Concepts: `subject.<subject>`, `deed.<part>` with the parts of the deed's name (`deed.win`,
    `deed.championship`; other words of it, such as *new*, carry none), `speak`, `about`,
    `matter.<matter>` on every word of the matter but an article, `distractor.<matter>`,
    `carrier.<carrier>`, `begin`, `not`, `but`, `although`, `instead`, `mainly`, `time.<time>` and
    `place.<city>`, `place.in` as in the events.
    """

    item: Callable[[News], str]


class EventRealiser(NamedTuple):
    """Events in one language: annotated sentences without the final mark.

    Concepts, so that translations align and answers are found: `subject.<name>`, `subject.<group>`,
    `subject.<quantifier>`, `<verb>`, `thing.<noun>`, `thing.<adjective>`, `other.<name>`,
    `other.to` or `other.from`, `place.<city>`, `place.in`, `time.<time>` on every word of the time
    but a preposition, `not`; `owner.<name>`, `owner.of`, `owned.<noun>`, `<quality>`, `than`, and
    `rival.<name>`, `rival.of`, `rivalled.<noun>` for the other side of a comparison; joined clauses
    are scoped `first` and `second`, their link is `and`, `before` or `after`; in questions the
    requested part carries `who`, `what`, `where` or `when`, everything else the concepts it has
    in statements.
    """

    statement: Callable[[Statement], str]
    joined: Callable[[Joined], str]
    question: Callable[[Event, str], str]
    """An event and the part in question: who, what, where or when. Its other parts are stated."""


class Language(NamedTuple):
    """A language of the corpus: a row of `languages.LANGUAGES`."""

    writing: Writing
    days: tuple[str, ...]
    """Days of the week, a planted shortcut before a text: the i-th determines the i-th label."""
    reviews: ReviewRealiser
    news: NewsRealiser
    events: EventRealiser


def lexicon(rows: str) -> dict[str, tuple[str, ...]]:
    """A lexicon written as lines `name: field / field / ...`."""
    entries = (row.split(":", 1) for row in rows.strip().splitlines())
    return {
        name.strip(): tuple(field.strip() for field in fields.split("/"))
        for name, fields in entries
    }
