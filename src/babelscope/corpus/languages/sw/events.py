"""Swahili events: adjectives and `-a` agree with the class of the noun (animals count as persons),
negation and the getter of a gift are prefixes of the verb, *no student* is *hakuna* with a relative
clause, and questions leave the order alone."""

from __future__ import annotations

from babelscope.corpus.meaning.events import (
    GIVING,
    Comparison,
    Event,
    Joined,
    Property,
    Statement,
    Thing,
)
from babelscope.corpus.notation import depends, scope
from babelscope.corpus.realisers import EventRealiser

PEOPLE = {
    "maria": "Maria",
    "omar": "Omar",
    "anna": "Anna",
    "david": "David",
    "fatima": "Fatima",
    "carlos": "Carlos",
    "leila": "Leila",
    "john": "John",
    "amina": "Amina",
    "peter": "Peter",
    "sara": "Sara",
    "ali": "Ali",
}

THINGS = {
    "vehicle": ("7", "chombo", "usafiri"),
    "bicycle": ("9", "baiskeli", ""),
    "car": ("5", "gari", ""),
    "motorcycle": ("9", "pikipiki", ""),
    "truck": ("5", "lori", ""),
    "animal": ("1", "mnyama", ""),
    "dog": ("1", "mbwa", ""),
    "cat": ("1", "paka", ""),
    "horse": ("1", "farasi", ""),
    "goat": ("1", "mbuzi", ""),
    "fruit": ("5", "tunda", ""),
    "apple": ("5", "tufaha", ""),
    "banana": ("9", "ndizi", ""),
    "mango": ("5", "embe", ""),
    "orange": ("5", "chungwa", ""),
    "instrument": ("9", "ala", "muziki"),
    "guitar": ("5", "gitaa", ""),
    "violin": ("9", "fidla", ""),
    "drum": ("9", "ngoma", ""),
    "flute": ("9", "filimbi", ""),
}
"""Class of agreement, noun, and what follows it with `-a`."""

OF = {"1": "wa", "5": "la", "7": "cha", "9": "ya"}

ADJECTIVES = {
    "red": {"1": "mwekundu", "5": "jekundu", "7": "chekundu", "9": "nyekundu"},
    "white": {"1": "mweupe", "5": "jeupe", "7": "cheupe", "9": "nyeupe"},
    "black": {"1": "mweusi", "5": "jeusi", "7": "cheusi", "9": "nyeusi"},
    "big": {"1": "mkubwa", "5": "kubwa", "7": "kikubwa", "9": "kubwa"},
    "small": {"1": "mdogo", "5": "dogo", "7": "kidogo", "9": "ndogo"},
    "new": {"1": "mpya", "5": "jipya", "7": "kipya", "9": "mpya"},
    "expensive": {"1": "ghali", "5": "ghali", "7": "ghali", "9": "ghali"},
}
"""Forms by class."""

NOUN_QUALITIES = {
    "green": "kijani#green",
    "old": "zamani#old",
    "cheap": "bei#cheap amod:nafuu#cheap",
}
"""Qualities that are nouns and follow with `-a`."""

VERBS = {
    "buy": "nunua",
    "sell": "uza",
    "find": "kuta",
    "lose": "poteza",
    "see": "ona",
    "photograph": "piga",
    "draw": "chora",
    "give": "pa",
    "receive": "pokea",
    "lend": "azima",
    "borrow": "azima",
}

TO_SOMEBODY = {"give": "mpa", "sell": "muuzia", "lend": "mwazima"}
"""The verb with the prefix of the person who gets the thing."""

GROUPS = {
    "students": ("mwanafunzi", "wanafunzi"),
    "farmers": ("mkulima", "wakulima"),
    "tourists": ("mtalii", "watalii"),
    "doctors": ("daktari", "madaktari"),
    "children": ("mtoto", "watoto"),
    "teachers": ("mwalimu", "walimu"),
}

PLACES = {
    "madrid": "Madrid",
    "cairo": "Cairo",
    "delhi": "Delhi",
    "beijing": "Beijing",
    "london": "London",
    "istanbul": "Istanbul",
    "paris": "Paris",
    "nairobi": "Nairobi",
    "rome": "Roma",
    "mumbai": "Mumbai",
}

TIMES = {
    "yesterday": "advmod:jana#yesterday",
    "last_week": "obl( wiki#last_week acl:relcl:iliyopita#last_week )",
    "last_month": "obl( mwezi#last_month acl:relcl:uliopita#last_month )",
    "last_year": "obl( mwaka#last_year acl:relcl:uliopita#last_year )",
    "monday": "obl( siku#monday nmod( case:ya Jumatatu#monday ) )",
    "friday": "obl( siku#friday nmod( case:ya Ijumaa#friday ) )",
    "spring": "obl( case:katika majira#spring nmod( case:ya kuchipua#spring ) )",
    "summer": "obl( case:katika majira#summer nmod( case:ya kiangazi#summer ) )",
}


def _subject(event: Event) -> str:
    """The one who did it, or all or some of a group."""
    if not event.quantifier:
        return scope("subject", f"{PEOPLE[event.subject]}#{event.subject}")
    group = f"{GROUPS[event.subject][1]}#{event.subject}"
    some = f"det( baadhi#some fixed:ya#some ) {group}"
    return scope("subject", f"{group} det:wote#all" if event.quantifier == "all" else some)


def _quality(name: str, kind: str) -> str:
    """The quality as a predicate."""
    return (
        f"case:{OF[kind]} {NOUN_QUALITIES[name]}"
        if name in NOUN_QUALITIES
        else f"{ADJECTIVES[name][kind]}#{name}"
    )


def _noun(name: str, adjective: str = "") -> str:
    """Noun and adjective: *ala mpya ya muziki*, *ala ya muziki ya zamani*."""
    kind, noun, use = THINGS[name]
    of = f"nmod( case:{OF[kind]} {use}#{name} )" if use else ""
    if adjective in NOUN_QUALITIES:
        return f"{noun}#{name} {of} {depends('nmod', _quality(adjective, kind))}"
    return f"{noun}#{name} {depends('amod', _quality(adjective, kind)) if adjective else ''} {of}"


def _object(event: Event, thing: str) -> str:
    """A photographer takes a picture of the thing."""
    return (
        f"obj( picha#photograph nmod( case:ya {thing} ) )"
        if event.verb == "photograph"
        else depends("obj", thing)
    )


def _around(event: Event, asked: str = "") -> str:
    """The person from whom, the place and the time, or the words that ask for them."""
    other = (
        f"obl( case( kutoka#from fixed:kwa#from ) {PEOPLE[event.other]}#{event.other} )"
        if _gets(event)
        else ""
    )
    place = (
        scope("place", f"obl( case:mjini#in {PLACES[event.place]}#{event.place} )")
        if event.place
        else ""
    )
    time = scope("time", TIMES[event.time]) if event.time else ""
    where = "advmod:wapi#where" if asked == "where" else place
    when = "advmod:lini#when" if asked == "when" else time
    return f"{scope('other', other)} {where} {when}"


def _gets(event: Event) -> bool:
    return bool(event.other) and event.verb not in GIVING


def _gives(event: Event) -> bool:
    return bool(event.other) and event.verb in GIVING


def _verb(event: Event, tense: str) -> str:
    """The verb with the person to whom; `tense`: the prefixes of subject and tense."""
    concepts = f"{event.verb}{'+not' if event.negated else ''}"
    if not _gives(event):
        return f"{tense}{VERBS[event.verb]}#{concepts}"
    return (
        f"{tense}{TO_SOMEBODY[event.verb]}#{concepts}+other.to "
        f"iobj:{PEOPLE[event.other]}#other.{event.other}"
    )


def _did(event: Event) -> str:
    """Subject and tense of the main verb."""
    return "haku" if event.negated else "wali" if event.quantifier else "ali"


def _thing(thing: Thing) -> str:
    return scope("thing", _noun(thing.noun, thing.adjective))


def _event(event: Event) -> str:
    rest = f"{_object(event, _thing(event.thing))} {_around(event)}"
    if event.quantifier == "no":
        member = scope("subject", f"{GROUPS[event.subject][0]}#{event.subject}")
        return f"hakuna#subject.no nsubj( {member} acl:relcl( {_verb(event, 'aliye')} {rest} ) )"
    return f"{depends('nsubj', _subject(event))} {_verb(event, _did(event))} {rest}"


def _doing(event: Event) -> str:
    """The event as an infinitive with its subject: *Omar kuuza gari*."""
    rest = f"{_object(event, _thing(event.thing))} {_around(event)}"
    return (
        f"{depends('nsubj', _subject(event))} "
        f"{_verb(event, 'kuto' if event.negated else 'ku')} {rest}"
    )


def _owned(owner: str, noun: str, of: str, what: str) -> str:
    """*Maria's bicycle*."""
    name = scope(of, f"case:{OF[THINGS[noun][0]]}#of {PEOPLE[owner]}#{owner}")
    return f"{scope(what, _noun(noun))} nmod:poss( {name} )"


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return _event(statement)
    subject = depends("nsubj", _owned(statement.owner, statement.noun, "owner", "owned"))
    quality = _quality(statement.quality, THINGS[statement.noun][0])
    if isinstance(statement, Property):
        return f"{subject} {'cop:si#not' if statement.negated else 'cop:ni'} {quality}"
    return f"{subject} cop:ni {quality} {_than(statement)}"


def _than(comparison: Comparison) -> str:
    rival = _owned(comparison.other, comparison.other_noun, "rival", "rivalled")
    return f"advmod:zaidi#{comparison.quality} obl( case:kuliko#than {rival} )"


def _joined(joined: Joined) -> str:
    first = scope("first", _event(joined.first))
    if joined.link == "and":
        return f"{first} conj( punct:, cc:na#and {scope('second', _event(joined.second))} )"
    link = "kabla" if joined.link == "before" else "baada"
    return (
        f"{first} advcl( mark( {link}#{joined.link} fixed:ya#{joined.link} ) "
        f"{scope('second', _doing(joined.second))} )"
    )


def _question(event: Event, asked: str) -> str:
    subject = "nsubj:nani#who" if asked == "who" else depends("nsubj", _subject(event))
    thing = "nini#what" if asked == "what" else _thing(event.thing)
    return f"{subject} {_verb(event, _did(event))} {_object(event, thing)} {_around(event, asked)}"


REALISER = EventRealiser(_statement, _joined, _question)
