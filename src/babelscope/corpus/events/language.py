"""What a language file of the events provides."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from babelscope.corpus.events.meaning import Event, Joined, Statement


class Language(NamedTuple):
    """The realiser of one language. Its functions give annotated sentences without the final mark.

    Concepts, so that translations align and answers are found: `subject.<name>`, `subject.<group>`,
    `subject.<quantifier>`, `<verb>`, `thing.<noun>`, `thing.<adjective>`, `other.<name>`, `other.to` or `other.from`,
    `place.<city>`, `place.in`, `time.<time>` on every word of the time but a preposition, `not`; `owner.<name>`,
    `owner.of`, `owned.<noun>`, `<quality>`, `than`, and `rival.<name>`, `rival.of`, `rivalled.<noun>` for the other side of
    a comparison; joined clauses are scoped `first` and `second`, their link is `and`, `before` or `after`; in questions the
    asked part bears `who`, `what`, `where` or `when`, everything else what it bears in statements.
    """

    statement: Callable[[Statement], str]
    joined: Callable[[Joined], str]
    question: Callable[[Event, str], str]
    """An event and what is asked: who, what, where or when. The event's other parts are said."""
