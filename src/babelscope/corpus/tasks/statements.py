"""Statements and joined clauses in one language."""

from __future__ import annotations

from babelscope.corpus.languages import LANGUAGES
from babelscope.corpus.meaning.events import Joined, Statement


def realised(statement: Statement | Joined, lang: str) -> str:
    """An annotated sentence without the final mark."""
    realiser = LANGUAGES[lang].events
    if isinstance(statement, Joined):
        return realiser.joined(statement)
    return realiser.statement(statement)
