"""What a language file provides, and how its sentences become a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from babelscope.corpus.notation import WRITING, Gold, scope, typeset
from babelscope.corpus.reviews.meaning import Review, Scene


class Language(NamedTuple):
    """The realiser of one language. Its functions and notes give annotated sentences without the final stop."""

    opinion: Callable[[Review], str]
    scene: Callable[[str, Scene], str]
    notes: Mapping[str, tuple[str, str, str]]


def realised(review: Review, language: Language, lang: str) -> Gold:
    """The review in this language: scene, note and opinion, each a sentence."""
    sentences = [scope("opinion", language.opinion(review))]
    if review.note:
        note = scope("note", language.notes[review.domain]["abc".index(review.note)])
        sentences.insert(0 if review.note_first else 1, note)
    if review.scene:
        sentences.insert(0, scope("scene", language.scene(review.domain, review.scene)))
    return typeset([f"{sentence} punct:{WRITING[lang].stop}" for sentence in sentences], WRITING[lang])


def table(rows: str) -> dict[str, tuple[str, ...]]:
    """A lexicon written as lines `name: field / field / ...`."""
    split = (row.split(":", 1) for row in rows.strip().splitlines())
    return {name.strip(): tuple(field.strip() for field in fields.split("/")) for name, fields in split}
