"""Annotated sentences as strings: words, spaces, syntax, alignment and rationale in one readable
line.

    "nsubj( det:the room#room ) cop:was advmod:*not#not *clean#clean"

A phrase is a list of items. Exactly one is its head: a bare word. The others depend on it:
`relation:word`, or `relation( phrase )`. Relations are those of Universal Dependencies. The
concepts that a word expresses follow `#`, joined by `+`; words of two languages that share a
concept are aligned. A word of the rationale starts with `*`. Words are surface tokens: Spanish
*del* and Turkish *evimde* are one each.

Strings nest by plain formatting, so a language is a set of small functions from meaning to string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

from babelscope.types import Span

OPENING = frozenset("¿¡(«")
CLOSING = frozenset(".,;:!?)،؛؟।。，！？、")
"""Words that are written without a space after them, and before them."""

NAMES = """
    acl acl:relcl advcl advmod advmod:emph amod appos aux aux:pass aux:q case cc ccomp clf
    compound compound:lvc compound:prt compound:redup conj cop csubj dep det discourse dislocated expl fixed flat
    iobj mark nmod nmod:poss nmod:tmod nsubj nsubj:pass nummod obj obl obl:agent obl:arg obl:tmod parataxis
    punct root vocative xcomp
"""
RELATIONS = frozenset(NAMES.split())
"""The relations of Universal Dependencies that the corpus uses."""


class Word(NamedTuple):
    """`head` is the 1-based position of the head in the sentence, 0 at the root."""

    form: str
    head: int
    relation: str
    concepts: tuple[str, ...]
    decides: bool


class Writing(NamedTuple):
    """How a language is written."""

    spaced: bool = True
    stop: str = "."
    question: str = "?"
    loose: str = ""
    """Closing marks that keep the space before them."""
    capitals: Mapping[str, str] = {}
    """Capital letters that differ from Unicode's default."""


class Gold(NamedTuple):
    """A text with the gold annotation of its words."""

    text: str
    spans: tuple[Span, ...]
    decides: tuple[bool, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    concepts: tuple[tuple[str, ...], ...]


ITEM = re.compile(r"[^\s()]*\(|\)|[^\s()]+")
KEY = re.compile(r"#([^\s()#]+)")


def mark(phrase: str, deciding: bool = True) -> str:
    """Star every word of the phrase that expresses a concept (function words such as articles do
    not), or leave the phrase unchanged.
    """
    if not deciding:
        return phrase
    return " ".join(
        item if item.endswith("(") or item == ")" else _starred(item)
        for item in ITEM.findall(phrase)
    )


def _starred(item: str) -> str:
    word, key = _parts(item)
    at = word.rfind(":") + 1
    return item if not key or word[at:].startswith("*") else f"{word[:at]}*{word[at:]}{key}"


def _parts(item: str) -> tuple[str, str]:
    at = item.find("#")
    return (item, "") if at < 0 else (item[:at], item[at:])


def scope(name: str, phrase: str) -> str:
    """The phrase with its concepts prefixed by `name`: a second room is not the first (`left.room`,
    `right.room`).
    """
    return KEY.sub(
        lambda key: "#" + "+".join(f"{name}.{concept}" for concept in key[1].split("+")), phrase
    )


def depends(relation: str, phrase: str) -> str:
    """The phrase as a dependent; an empty phrase stays empty."""
    return f"{relation}( {phrase} )" if phrase.strip() else ""


def parse(phrase: str) -> list[Word]:
    """The words of a phrase in order.

    *Laws*: one root; every word reaches it; concepts of a word are distinct.
    """
    items = ITEM.findall(phrase)
    words: list[Word] = []
    root = _group(items, 0, len(items), words, phrase)
    words[root] = words[root]._replace(head=0, relation="root")
    return words


def _group(items: Sequence[str], start: int, stop: int, words: list[Word], phrase: str) -> int:
    """Append the words of the items, fill in their heads, and return the position of the phrase's
    head.
    """
    head, dependents, at = -1, list[tuple[int, str]](), start
    while at < stop:
        item = items[at]
        if item.endswith("("):
            end = _closing(items, at, phrase)
            dependents.append((_group(items, at + 1, end, words, phrase), item[:-1]))
            at = end + 1
            continue
        word, key = _parts(item)
        relation, _, form = word.rpartition(":")
        concepts = tuple(dict.fromkeys(key[1:].split("+"))) if key else ()
        words.append(
            Word(
                normalize("NFC", form.removeprefix("*")),
                0,
                relation,
                concepts,
                form.startswith("*"),
            )
        )
        if relation:
            dependents.append((len(words) - 1, relation))
        elif head >= 0:
            raise ValueError(
                f"two heads, {words[head].form!r} and {form!r}, in {' '.join(items[start:stop])!r} "
                f"of {phrase!r}"
            )
        else:
            head = len(words) - 1
        at += 1
    if head < 0:
        raise ValueError(f"no head in {' '.join(items[start:stop])!r} of {phrase!r}")
    for place, relation in dependents:
        if relation not in RELATIONS:
            raise ValueError(f"{relation!r} is not a relation, in {phrase!r}")
        words[place] = words[place]._replace(head=head + 1, relation=relation)
    return head


def _closing(items: Sequence[str], at: int, phrase: str) -> int:
    depth = 0
    for place in range(at, len(items)):
        depth += items[place].endswith("(") - (items[place] == ")")
        if depth == 0:
            return place
    raise ValueError(f"an open bracket is not closed in {phrase!r}")


def typeset(phrases: Sequence[str], writing: Writing) -> Gold:
    """Sentences, each with its final mark (`punct:.`), as one text in NFC.

    *Laws*: spans ascend without overlap and cover every character that is not a space; one root per
    sentence.
    """
    text, spans, every = "", list[Span](), list[Word]()
    for phrase in phrases:
        words, before = parse(phrase), len(every)
        words[0] = words[0]._replace(form=_capitalised(words, writing))
        for place, word in enumerate(words):
            tight = (
                not writing.spaced
                or word.form == "'s"
                or (word.form in CLOSING and word.form not in writing.loose)
            )
            if text and not tight and text[-1] not in OPENING and not text.endswith(("'", "’")):
                text += " "
            spans.append((len(text), len(text) + len(word.form)))
            text += word.form
            every.append(word._replace(head=word.head + before if word.head else 0))
            if word.form in OPENING and place == 0 and len(words) > 1:
                words[1] = words[1]._replace(form=_capitalised(words[1:], writing))
    return Gold(
        text,
        tuple(spans),
        tuple(word.decides for word in every),
        tuple(word.head for word in every),
        tuple(word.relation for word in every),
        tuple(word.concepts for word in every),
    )


def _capitalised(words: Sequence[Word], writing: Writing) -> str:
    form = words[0].form
    return writing.capitals.get(form[:1], form[:1].upper()) + form[1:]
