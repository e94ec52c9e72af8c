"""English events."""

from __future__ import annotations

from babelscope.corpus.meaning.events import GIVING, Event, Joined, Property, Statement, Thing
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
    "vehicle": "vehicle",
    "bicycle": "bicycle",
    "car": "car",
    "motorcycle": "motorcycle",
    "truck": "truck",
    "animal": "animal",
    "dog": "dog",
    "cat": "cat",
    "horse": "horse",
    "goat": "goat",
    "fruit": "fruit",
    "apple": "apple",
    "banana": "banana",
    "mango": "mango",
    "orange": "orange",
    "instrument": "amod:musical#instrument instrument",
    "guitar": "guitar",
    "violin": "violin",
    "drum": "drum",
    "flute": "flute",
}

ADJECTIVES = {
    "red": ("red", ""),
    "white": ("white", ""),
    "black": ("black", ""),
    "green": ("green", ""),
    "big": ("big", "bigger"),
    "small": ("small", "smaller"),
    "new": ("new", "newer"),
    "old": ("old", "older"),
    "expensive": ("expensive", "more expensive"),
    "cheap": ("cheap", "cheaper"),
}
"""The adjective and its comparative."""

VERBS = {
    "buy": ("buy", "bought"),
    "sell": ("sell", "sold"),
    "find": ("find", "found"),
    "lose": ("lose", "lost"),
    "see": ("see", "saw"),
    "photograph": ("photograph", "photographed"),
    "draw": ("draw", "drew"),
    "give": ("give", "gave"),
    "receive": ("receive", "received"),
    "lend": ("lend", "lent"),
    "borrow": ("borrow", "borrowed"),
}
"""Infinitive and past."""

GROUPS = {
    "students": ("student", "students"),
    "farmers": ("farmer", "farmers"),
    "tourists": ("tourist", "tourists"),
    "doctors": ("doctor", "doctors"),
    "children": ("child", "children"),
    "teachers": ("teacher", "teachers"),
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
    "rome": "Rome",
    "mumbai": "Mumbai",
}

TIMES = {
    "yesterday": "advmod:yesterday#yesterday",
    "last_week": "obl( amod:last#last_week week#last_week )",
    "last_month": "obl( amod:last#last_month month#last_month )",
    "last_year": "obl( amod:last#last_year year#last_year )",
    "monday": "obl( case:on Monday#monday )",
    "friday": "obl( case:on Friday#friday )",
    "spring": "obl( case:in det:the spring#spring )",
    "summer": "obl( case:in det:the summer#summer )",
}


def _subject(event: Event) -> str:
    if not event.quantifier:
        return scope("subject", f"{PEOPLE[event.subject]}#{event.subject}")
    singular, several = GROUPS[event.subject]
    return scope(
        "subject",
        f"det:{event.quantifier}#{event.quantifier} "
        f"{singular if event.quantifier == 'no' else several}#{event.subject}",
    )


def _thing(thing: Thing) -> str:
    noun = THINGS[thing.noun]
    adjective = (
        f"amod:{ADJECTIVES[thing.adjective][0]}#{thing.adjective}" if thing.adjective else ""
    )
    first = (
        ADJECTIVES[thing.adjective][0] if thing.adjective else noun.split()[0].rpartition(":")[2]
    )
    return (
        f"det:{'an' if first[0] in 'aeiou' else 'a'} "
        f"{scope('thing', f'{adjective} {noun}#{thing.noun}')}"
    )


def _around(event: Event, asked: str = "") -> str:
    """The other person, the place and the time."""
    way = "to" if event.verb in GIVING else "from"
    other = (
        scope("other", f"obl( case:{way}#{way} {PEOPLE[event.other]}#{event.other} )")
        if event.other
        else ""
    )
    place = (
        scope("place", f"obl( case:in#in {PLACES[event.place]}#{event.place} )")
        if event.place and asked != "where"
        else ""
    )
    time = scope("time", TIMES[event.time]) if event.time and asked != "when" else ""
    return f"{other} {place} {time}"


def _verb(event: Event) -> str:
    infinitive, past = VERBS[event.verb]
    return (
        f"aux:did advmod:not#not {infinitive}#{event.verb}"
        if event.negated
        else f"{past}#{event.verb}"
    )


def _event(event: Event) -> str:
    return (
        f"{depends('nsubj', _subject(event))} {_verb(event)} "
        f"{depends('obj', _thing(event.thing))} {_around(event)}"
    )


def _owned(owner: str, noun: str, of: str, what: str) -> str:
    """*Maria's bicycle*."""
    return (
        f"nmod:poss( {scope(of, f'{PEOPLE[owner]}#{owner}')} case:'s#{of}.of ) "
        f"{scope(what, f'{THINGS[noun]}#{noun}')}"
    )


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return _event(statement)
    subject = depends("nsubj", _owned(statement.owner, statement.noun, "owner", "owned"))
    positive, comparative = ADJECTIVES[statement.quality]
    if isinstance(statement, Property):
        return (
            f"{subject} cop:is {'advmod:not#not' if statement.negated else ''} "
            f"{positive}#{statement.quality}"
        )
    more = f"advmod:more#{statement.quality}" if " " in comparative else ""
    rival = _owned(statement.other, statement.other_noun, "rival", "rivalled")
    return (
        f"{subject} cop:is {more} {comparative.split()[-1]}#{statement.quality} obl( "
        f"case:than#than {rival} )"
    )


def _joined(joined: Joined) -> str:
    first, second = scope("first", _event(joined.first)), scope("second", _event(joined.second))
    if joined.link == "and":
        return f"{first} conj( punct:, cc:and#and {second} )"
    return f"{first} advcl( mark:{joined.link}#{joined.link} {second} )"


def _question(event: Event, asked: str) -> str:
    infinitive = f"{VERBS[event.verb][0]}#{event.verb}"
    if asked == "who":
        return (
            f"nsubj:who#who {_verb(event)} {depends('obj', _thing(event.thing))} {_around(event)}"
        )
    if asked == "what":
        return (
            f"obj:what#what aux:did {depends('nsubj', _subject(event))} {infinitive} "
            f"{_around(event)}"
        )
    thing = depends("obj", _thing(event.thing))
    return (
        f"advmod:{asked}#{asked} aux:did {depends('nsubj', _subject(event))} {infinitive} "
        f"{thing} {_around(event, asked)}"
    )


REALISER = EventRealiser(_statement, _joined, _question)
