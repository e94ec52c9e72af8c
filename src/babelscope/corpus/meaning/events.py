"""Language-independent meanings: people, things, events, properties and comparisons."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Thing:
    """*a red bicycle*; `noun` is a row of THINGS or a kind of things."""

    noun: str
    adjective: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """Somebody did something: *Maria did not buy a red bicycle from Omar in Cairo last week*, *all
    tourists saw a dog*.
    """

    subject: str
    """A row of PEOPLE, or of GROUPS if there is a quantifier."""
    verb: str
    thing: Thing
    quantifier: str = ""
    """Empty with a name; else one of QUANTIFIERS."""
    other: str = ""
    """The other person of an exchange: to whom or from whom, by the verb (CONVERSES)."""
    place: str = ""
    time: str = ""
    negated: bool = False
    """Only with a name."""


@dataclass(frozen=True, slots=True)
class Property:
    """*Maria's bicycle is not new*."""

    owner: str
    noun: str
    quality: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """*Maria's bicycle is bigger than Omar's car*."""

    owner: str
    noun: str
    quality: str
    other: str
    other_noun: str


Statement = Event | Property | Comparison


@dataclass(frozen=True, slots=True)
class Joined:
    """Two events; `first` comes first where the language leaves a choice, and is the main clause.

    `link`: *and*; *before* (first before second); *after* (first after second).
    """

    first: Event
    link: str
    second: Event


PEOPLE = {
    "maria": "f",
    "omar": "m",
    "anna": "f",
    "david": "m",
    "fatima": "f",
    "carlos": "m",
    "leila": "f",
    "john": "m",
    "amina": "f",
    "peter": "m",
    "sara": "f",
    "ali": "m",
}
"""Names and the gender that verbs and adjectives agree with."""

KINDS = {
    "vehicle": ("bicycle", "car", "motorcycle", "truck"),
    "animal": ("dog", "cat", "horse", "goat"),
    "fruit": ("apple", "banana", "mango", "orange"),
    "instrument": ("guitar", "violin", "drum", "flute"),
}
"""Kinds of things and their members. Both can be mentioned: *a vehicle*, *a bicycle*."""

KIND = {noun: kind for kind, nouns in KINDS.items() for noun in nouns}
THINGS = (*KINDS, *KIND)

ADJECTIVES = {
    "vehicle": ("red", "white", "black", "big", "small", "new", "old", "expensive", "cheap"),
    "animal": ("white", "black", "big", "small"),
    "fruit": ("red", "green", "big", "small", "expensive", "cheap"),
    "instrument": ("white", "black", "new", "old", "expensive", "cheap"),
}
"""Adjectives that suit the kind of thing."""

OPPOSITES = {
    "big": "small",
    "small": "big",
    "new": "old",
    "old": "new",
    "expensive": "cheap",
    "cheap": "expensive",
}
"""Mutually exclusive, but not exhaustive. They have comparatives: *bigger*."""

VERBS = ("buy", "sell", "find", "lose", "see", "photograph", "draw")
CONVERSES = {
    "give": "receive",
    "receive": "give",
    "sell": "buy",
    "buy": "sell",
    "lend": "borrow",
    "borrow": "lend",
}
"""*Maria gave Omar a book* means the same as *Omar received a book from Maria*."""
GIVING = ("give", "sell", "lend")
"""The other person gets the thing; with the converse verb the subject gets it from the other
person.
"""

GROUPS = ("students", "farmers", "tourists", "doctors", "children", "teachers")
QUANTIFIERS = ("all", "some", "no")
"""A group is never empty: *all* includes *some*."""

PLACES = (
    "madrid",
    "cairo",
    "delhi",
    "beijing",
    "london",
    "istanbul",
    "paris",
    "nairobi",
    "rome",
    "mumbai",
)
TIMES = (
    "yesterday",
    "last_week",
    "last_month",
    "last_year",
    "monday",
    "friday",
    "spring",
    "summer",
)


def kind(noun: str) -> str:
    return KIND.get(noun, noun)


def converse(event: Event) -> Event:
    """The same exchange from the other person's side."""
    return replace(event, subject=event.other, verb=CONVERSES[event.verb], other=event.subject)


def narrower(narrow: Event, wide: Event) -> bool:
    """Whether every instance of the first is one of the second: the same verb, the same thing or its
    kind, at least as many details.
    """
    return (
        narrow.verb == wide.verb
        and wide.thing.noun in (narrow.thing.noun, kind(narrow.thing.noun))
        and wide.thing.adjective in ("", narrow.thing.adjective)
        and wide.other in ("", narrow.other)
        and wide.place in ("", narrow.place)
        and wide.time in ("", narrow.time)
    )


def _same_subject(first: Event, second: Event) -> bool:
    return first.subject == second.subject and bool(first.quantifier) == bool(second.quantifier)


def _denies(event: Event) -> bool:
    return event.negated or event.quantifier == "no"


def entails(premise: Statement, hypothesis: Statement) -> bool:
    """Whether the hypothesis is true whenever the premise is."""
    if isinstance(premise, Event) and isinstance(hypothesis, Event):
        if not _same_subject(premise, hypothesis) or _denies(premise) != _denies(hypothesis):
            return False
        if _denies(premise):
            return narrower(hypothesis, premise)
        return narrower(premise, hypothesis) and not (
            premise.quantifier == "some" and hypothesis.quantifier == "all"
        )
    if isinstance(premise, Property) and isinstance(hypothesis, Property):
        if (premise.owner, premise.noun) != (hypothesis.owner, hypothesis.noun):
            return False
        if premise.quality == hypothesis.quality:
            return premise.negated == hypothesis.negated
        return (
            OPPOSITES.get(premise.quality) == hypothesis.quality
            and hypothesis.negated
            and not premise.negated
        )
    if isinstance(premise, Comparison) and isinstance(hypothesis, Comparison):
        return hypothesis in (premise, turned(premise))
    return False


def contradicts(premise: Statement, hypothesis: Statement) -> bool:
    """Whether the two are never true together."""
    if isinstance(premise, Event) and isinstance(hypothesis, Event):
        if not _same_subject(premise, hypothesis) or _denies(premise) == _denies(hypothesis):
            return False
        denial, claim = (premise, hypothesis) if _denies(premise) else (hypothesis, premise)
        return narrower(claim, denial)
    if isinstance(premise, Property) and isinstance(hypothesis, Property):
        if hypothesis.negated:
            return premise == replace(hypothesis, negated=False)
        return entails(premise, replace(hypothesis, negated=True))
    if isinstance(premise, Comparison) and isinstance(hypothesis, Comparison):
        return replace(hypothesis, quality=OPPOSITES[hypothesis.quality]) in (
            premise,
            turned(premise),
        )
    return False


def turned(comparison: Comparison) -> Comparison:
    """The same comparison from the other side: *bigger than* as *smaller than*."""
    return Comparison(
        comparison.other,
        comparison.other_noun,
        OPPOSITES[comparison.quality],
        comparison.owner,
        comparison.noun,
    )


def relation(premise: Statement, hypothesis: Statement) -> str:
    """The label of natural language inference."""
    if entails(premise, hypothesis):
        return "entailment"
    return "contradiction" if contradicts(premise, hypothesis) else "neutral"
