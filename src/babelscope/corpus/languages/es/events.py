"""Spanish events: a recipient or seller is doubled by a clitic (*le vendió un coche a Omar*), a
denied thing takes *ningún*, and the verb of a question stands before its subject."""

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
    "maria": "María",
    "omar": "Omar",
    "anna": "Ana",
    "david": "David",
    "fatima": "Fátima",
    "carlos": "Carlos",
    "leila": "Leila",
    "john": "John",
    "amina": "Amina",
    "peter": "Peter",
    "sara": "Sara",
    "ali": "Ali",
}

THINGS = {
    "vehicle": ("vehículo", "m"),
    "bicycle": ("bicicleta", "f"),
    "car": ("coche", "m"),
    "motorcycle": ("motocicleta", "f"),
    "truck": ("camión", "m"),
    "animal": ("animal", "m"),
    "dog": ("perro", "m"),
    "cat": ("gato", "m"),
    "horse": ("caballo", "m"),
    "goat": ("cabra", "f"),
    "fruit": ("fruta", "f"),
    "apple": ("manzana", "f"),
    "banana": ("plátano", "m"),
    "mango": ("mango", "m"),
    "orange": ("naranja", "f"),
    "instrument": ("instrumento#instrument amod:musical", "m"),
    "guitar": ("guitarra", "f"),
    "violin": ("violín", "m"),
    "drum": ("tambor", "m"),
    "flute": ("flauta", "f"),
}
"""Noun and gender."""

ARTICLES = {"m": ("un", "el", "ningún"), "f": ("una", "la", "ninguna")}
"""Indefinite, definite and negative."""

ADJECTIVES = {
    "red": {"m": "rojo", "f": "roja"},
    "white": {"m": "blanco", "f": "blanca"},
    "black": {"m": "negro", "f": "negra"},
    "green": {"m": "verde", "f": "verde"},
    "big": {"m": "grande", "f": "grande"},
    "small": {"m": "pequeño", "f": "pequeña"},
    "new": {"m": "nuevo", "f": "nueva"},
    "old": {"m": "viejo", "f": "vieja"},
    "expensive": {"m": "caro", "f": "cara"},
    "cheap": {"m": "barato", "f": "barata"},
}

VERBS = {
    "buy": ("compró", "compraron"),
    "sell": ("vendió", "vendieron"),
    "find": ("encontró", "encontraron"),
    "lose": ("perdió", "perdieron"),
    "see": ("vio", "vieron"),
    "photograph": ("fotografió", "fotografiaron"),
    "draw": ("dibujó", "dibujaron"),
    "give": ("dio", "dieron"),
    "receive": ("recibió", "recibieron"),
    "lend": ("prestó", "prestaron"),
    "borrow": ("tomó", "tomaron"),
}
"""One did, several did."""

BORROWED = {"m": "xcomp:prestado#borrow", "f": "xcomp:prestada#borrow"}

GROUPS = {
    "students": ("estudiante", "estudiantes"),
    "farmers": ("agricultor", "agricultores"),
    "tourists": ("turista", "turistas"),
    "doctors": ("médico", "médicos"),
    "children": ("niño", "niños"),
    "teachers": ("profesor", "profesores"),
}

QUANTIFIERS = {"all": "det:todos#all det:los", "some": "det:algunos#some", "no": "det:ningún#no"}

PLACES = {
    "madrid": "Madrid#madrid",
    "cairo": "det:El#cairo Cairo#cairo",
    "delhi": "Delhi#delhi",
    "beijing": "Pekín#beijing",
    "london": "Londres#london",
    "istanbul": "Estambul#istanbul",
    "paris": "París#paris",
    "nairobi": "Nairobi#nairobi",
    "rome": "Roma#rome",
    "mumbai": "Bombay#mumbai",
}

TIMES = {
    "yesterday": "advmod:ayer#yesterday",
    "last_week": "obl( det:la#last_week semana#last_week amod:pasada#last_week )",
    "last_month": "obl( det:el#last_month mes#last_month amod:pasado#last_month )",
    "last_year": "obl( det:el#last_year año#last_year amod:pasado#last_year )",
    "monday": "obl( det:el#monday lunes#monday )",
    "friday": "obl( det:el#friday viernes#friday )",
    "spring": "obl( case:en primavera#spring )",
    "summer": "obl( case:en verano#summer )",
}

QUESTIONS = {"where": "advmod:dónde#where", "when": "advmod:cuándo#when"}


def _subject(event: Event) -> str:
    if not event.quantifier:
        return scope("subject", f"{PEOPLE[event.subject]}#{event.subject}")
    singular, several = GROUPS[event.subject]
    noun = singular if event.quantifier == "no" else several
    return scope("subject", f"{QUANTIFIERS[event.quantifier]} {noun}#{event.subject}")


def _thing(thing: Thing, negated: bool = False) -> str:
    """*una bicicleta roja*; denied, *ninguna bicicleta roja*."""
    noun, gender = THINGS[thing.noun]
    adjective = (
        f"amod:{ADJECTIVES[thing.adjective][gender]}#{thing.adjective}" if thing.adjective else ""
    )
    return (
        f"det:{ARTICLES[gender][2 if negated else 0]} "
        f"{scope('thing', f'{noun}#{thing.noun} {adjective}')}"
    )


def _object(event: Event) -> str:
    """The thing; what is borrowed is taken *prestado*, which agrees with it."""
    borrowed = BORROWED[THINGS[event.thing.noun][1]] if event.verb == "borrow" else ""
    return f"{borrowed} {depends('obj', _thing(event.thing, event.negated))}"


def _other(event: Event) -> str:
    way = "to" if event.verb in GIVING else "from"
    link = "obl( case:de" if event.verb in ("receive", "borrow") else "obl:arg( case:a"
    return (
        scope("other", f"{link}#{way} {PEOPLE[event.other]}#{event.other} )") if event.other else ""
    )


def _place(event: Event) -> str:
    return scope("place", f"obl( case:en#in {PLACES[event.place]} )") if event.place else ""


def _time(event: Event) -> str:
    return scope("time", TIMES[event.time]) if event.time else ""


def _verb(event: Event, subjunctive: bool = False) -> str:
    """*compró*, *no le compró*; after *antes de que* the subjunctive, always made from the plural:
    *comprara*.
    """
    singular, several = VERBS[event.verb]
    plural = event.quantifier in ("all", "some")
    form = several if plural else singular
    if subjunctive:
        form = several.removesuffix("ron") + ("ran" if plural else "ra")
    clitic = "iobj:le" if event.other and event.verb not in ("receive", "borrow") else ""
    return f"{'advmod:no#not' if event.negated else ''} {clitic} {form}#{event.verb}"


def _event(event: Event, main: bool = True, subjunctive: bool = False) -> str:
    """The time opens a main clause: *ayer María compró un coche en Roma*."""
    before, after = (_time(event), "") if main else ("", _time(event))
    clause = (
        f"{depends('nsubj', _subject(event))} {_verb(event, subjunctive)} {_object(event)} "
        f"{_other(event)}"
    )
    return f"{before} {clause} {after} {_place(event)}"


def _owned(owner: str, noun: str, of: str, what: str) -> str:
    """*la bicicleta de María*."""
    form, gender = THINGS[noun]
    name = f"nmod( case:de#{of}.of {scope(of, f'{PEOPLE[owner]}#{owner}')} )"
    return f"det:{ARTICLES[gender][1]} {scope(what, f'{form}#{noun}')} {name}"


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return _event(statement)
    subject = depends("nsubj", _owned(statement.owner, statement.noun, "owner", "owned"))
    quality = f"{ADJECTIVES[statement.quality][THINGS[statement.noun][1]]}#{statement.quality}"
    if isinstance(statement, Property):
        return f"{subject} {'advmod:no#not' if statement.negated else ''} cop:es {quality}"
    return f"{subject} cop:es advmod:más#{statement.quality} {quality} {_than(statement)}"


def _than(comparison: Comparison) -> str:
    return (
        "obl( case:que#than "
        f"{_owned(comparison.other, comparison.other_noun, 'rival', 'rivalled')} )"
    )


def _joined(joined: Joined) -> str:
    before = joined.link == "before"
    first = scope("first", _event(joined.first))
    second = scope("second", _event(joined.second, main=joined.link == "and", subjunctive=before))
    if joined.link == "and":
        return f"{first} conj( punct:, cc:y#and {second} )"
    word = "antes" if before else "después"
    return (
        f"{first} advcl( mark( {word}#{joined.link} fixed:de#{joined.link} "
        f"fixed:que#{joined.link} ) {second} )"
    )


def _question(event: Event, asked: str) -> str:
    verb, subject = _verb(event), depends("nsubj", _subject(event))
    time = "" if asked == "when" else _time(event)
    around = f"{_other(event)} {time} {'' if asked == 'where' else _place(event)}"
    if asked == "who":
        return f"punct:¿ nsubj:quién#who {verb} {_object(event)} {around}"
    if asked == "what":
        borrowed = BORROWED["m"] if event.verb == "borrow" else ""
        return f"punct:¿ obj:qué#what {verb} {borrowed} {subject} {around}"
    return f"punct:¿ {QUESTIONS[asked]} {verb} {subject} {_object(event)} {around}"


REALISER = EventRealiser(_statement, _joined, _question)
