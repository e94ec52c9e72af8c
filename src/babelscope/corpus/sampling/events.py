"""Random people, things and events for inference, paraphrase and reading comprehension."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from babelscope.corpus.meaning.events import (
    ADJECTIVES,
    CONVERSES,
    GROUPS,
    KINDS,
    OPPOSITES,
    PEOPLE,
    PLACES,
    QUANTIFIERS,
    TIMES,
    VERBS,
    Comparison,
    Event,
    Property,
    Thing,
)
from babelscope.corpus.splits import chance, known, pick, some


def people(rng: Random, split: str, count: int) -> list[str]:
    """Different people; two names occur in test only, two in dev only."""
    return some(rng, known(split, tuple(PEOPLE), 2), count)


def place(rng: Random, split: str) -> str:
    return pick(rng, known(split, PLACES, 1))


def time(rng: Random, split: str) -> str:
    return pick(rng, known(split, TIMES, 1))


def thing(rng: Random, *, general: float = 0.0, described: float = 0.5) -> Thing:
    """A thing, with the given chances for a kind instead (*a vehicle*) and for an adjective."""
    kind = pick(rng, tuple(KINDS))
    noun = kind if chance(rng, general) else pick(rng, KINDS[kind])
    return Thing(noun, pick(rng, ADJECTIVES[kind]) if chance(rng, described) else "")


def event(rng: Random, split: str, subject: str, *, general: float = 0.0) -> Event:
    """What one person did, with place and time half of the time each."""
    return Event(
        subject,
        pick(rng, VERBS),
        thing(rng, general=general),
        place=place(rng, split) if chance(rng, 0.5) else "",
        time=time(rng, split) if chance(rng, 0.5) else "",
    )


def group(rng: Random, split: str) -> Event:
    """What all, some or no members of a group did."""
    action = replace(
        event(rng, split, pick(rng, GROUPS), general=0.4), quantifier=pick(rng, QUANTIFIERS)
    )
    return replace(action, time="") if action.place else action


def exchange(rng: Random, giver: str, taker: str) -> Event:
    """One person gave, sold or lent another a thing; from either side."""
    return Event(giver, pick(rng, tuple(CONVERSES)), thing(rng), other=taker)


def quality(rng: Random, noun: str) -> str:
    """A quality with an opposite that suits the thing."""
    kind = next(kind for kind, nouns in KINDS.items() if noun in nouns)
    return pick(rng, [each for each in ADJECTIVES[kind] if each in OPPOSITES])


def owned(rng: Random, owner: str) -> Property:
    noun = pick(rng, KINDS[pick(rng, tuple(KINDS))])
    return Property(owner, noun, quality(rng, noun), chance(rng, 0.4))


def comparison(rng: Random, owner: str, other: str) -> Comparison:
    """Two things of one kind, as apples and pears do not compare."""
    first, second = some(rng, KINDS[pick(rng, tuple(KINDS))], 2)
    return Comparison(owner, first, quality(rng, first), other, second)
