"""French events: the passé composé, `pas de` and `aucun ... ne`, adjectives before or behind the
noun.

Sentences are put together from full forms; `spelled` then elides and contracts them (*de le hôtel*,
*de l'hôtel*; *de le film*,
*du film*) for the events, the reviews and the news.
"""

from __future__ import annotations

import re

from babelscope.corpus.meaning.events import PEOPLE as GENDERS
from babelscope.corpus.meaning.events import Event, Joined, Property, Statement, Thing, kind
from babelscope.corpus.notation import depends, scope
from babelscope.corpus.realisers import EventRealiser

PEOPLE = {
    "maria": "Maria",
    "omar": "Omar",
    "anna": "Anna",
    "david": "David",
    "fatima": "Fatima",
    "carlos": "Carlos",
    "leila": "Leïla",
    "john": "John",
    "amina": "Amina",
    "peter": "Peter",
    "sara": "Sara",
    "ali": "Ali",
}

THINGS = {
    "vehicle": ("véhicule", "m"),
    "bicycle": ("vélo", "m"),
    "car": ("voiture", "f"),
    "motorcycle": ("moto", "f"),
    "truck": ("camion", "m"),
    "animal": ("animal", "m"),
    "dog": ("chien", "m"),
    "cat": ("chat", "m"),
    "horse": ("cheval", "m"),
    "goat": ("chèvre", "f"),
    "fruit": ("fruit", "m"),
    "apple": ("pomme", "f"),
    "banana": ("banane", "f"),
    "mango": ("mangue", "f"),
    "orange": ("orange", "f"),
    "instrument": ("instrument", "m"),
    "guitar": ("guitare", "f"),
    "violin": ("violon", "m"),
    "drum": ("tambour", "m"),
    "flute": ("flûte", "f"),
}

ADJECTIVES = {
    "red": ("rouge", "rouge"),
    "white": ("blanc", "blanche"),
    "black": ("noir", "noire"),
    "green": ("vert", "verte"),
    "big": ("grand", "grande"),
    "small": ("petit", "petite"),
    "new": ("neuf", "neuve"),
    "old": ("vieux", "vieille"),
    "expensive": ("cher", "chère"),
}
"""Masculine and feminine; *bon marché* does not change."""

BULKY = ("gros", "grosse")
"""What a big fruit is."""

RECENT = ("récent", "récente")
"""What compares for *neuf*."""

BEFORE = ("big", "small", "old")
"""Adjectives that stand before their noun."""

VERBS = {
    "buy": ("acheté", "achète", "achètent"),
    "sell": ("vendu", "vende", "vendent"),
    "find": ("trouvé", "trouve", "trouvent"),
    "lose": ("perdu", "perde", "perdent"),
    "see": ("vu", "voie", "voient"),
    "photograph": ("photographié", "photographie", "photographient"),
    "draw": ("dessiné", "dessine", "dessinent"),
    "give": ("donné", "donne", "donnent"),
    "receive": ("reçu", "reçoive", "reçoivent"),
    "lend": ("prêté", "prête", "prêtent"),
    "borrow": ("emprunté", "emprunte", "empruntent"),
}
"""Past participle; subjunctive of one and of many."""

OTHERS = {
    "give": "case:à#to",
    "sell": "case:à#to",
    "lend": "case:à#to",
    "receive": "case( de#from fixed:la fixed:part fixed:de )",
    "buy": "case( auprès#from fixed:de )",
    "borrow": "case:à#from",
}
"""*Acheter à* would also mean to buy for somebody."""

GROUPS = {
    "students": ("étudiant", "étudiants"),
    "farmers": ("agriculteur", "agriculteurs"),
    "tourists": ("touriste", "touristes"),
    "doctors": ("médecin", "médecins"),
    "children": ("enfant", "enfants"),
    "teachers": ("enseignant", "enseignants"),
}

QUANTIFIERS = {"all": "det:tous#all det:les", "some": "det:certains#some", "no": "det:aucun#no"}

PLACES = {
    "madrid": "Madrid",
    "cairo": "det:le Caire",
    "delhi": "Delhi",
    "beijing": "Pékin",
    "london": "Londres",
    "istanbul": "Istanbul",
    "paris": "Paris",
    "nairobi": "Nairobi",
    "rome": "Rome",
    "mumbai": "Bombay",
}

TIMES = {
    "yesterday": "advmod:hier#yesterday",
    "last_week": "obl( det:la semaine#last_week amod:dernière#last_week )",
    "last_month": "obl( det:le mois#last_month amod:dernier#last_month )",
    "last_year": "obl( det:la année#last_year amod:dernière#last_year )",
    "monday": "obl:lundi#monday",
    "friday": "obl:vendredi#friday",
    "spring": "obl( case:à det:le printemps#spring )",
    "summer": "obl( case:pendant det:le été#summer )",
}

VOWELS = "aâàeéèêëhiîïoôöuûùœ"
"""First letters that elide; no word of the corpus that follows an elidable one has an aspirated h.
"""

GAP = r"(?:#\S*)?(?:\s+[^\s()]*\(|\s+\))*\s+(?:[^\s()#]*:)?\*?"
"""What stands in the notation between the letters of a word and those of the next one."""

ELISION = re.compile(
    rf"(?<![^\s:*])(?:(?:l[ea]|[cdjmns]e|que)(?={GAP}(?i:[{VOWELS}])[^\s():]*(?:\s|$))|si(?={GAP}ils?(?:#|\s)))"
)
CONTRACTION = re.compile(r"\bcase:(\*?)(à|de)(#\S*)?\s+det:(les?)(?=\s)")
CONTRACTED = {"à le": "au", "à les": "aux", "de le": "du", "de les": "des"}


def spelled(phrase: str) -> str:
    """The phrase with its words elided, then its prepositions and articles contracted."""
    phrase = ELISION.sub(lambda found: found[0][:-1] + "'", phrase)
    return CONTRACTION.sub(
        lambda found: f"case:{found[1]}{CONTRACTED[f'{found[2]} {found[4]}']}{found[3] or ''}",
        phrase,
    )


def _subject(event: Event) -> str:
    if not event.quantifier:
        return scope("subject", f"{PEOPLE[event.subject]}#{event.subject}")
    singular, several = GROUPS[event.subject]
    noun = singular if event.quantifier == "no" else several
    return scope("subject", f"{QUANTIFIERS[event.quantifier]} {noun}#{event.subject}")


def _noun(noun: str) -> str:
    music = f"nmod( case:de#{noun} musique#{noun} )" if noun == "instrument" else ""
    return f"{THINGS[noun][0]}#{noun} {music}"


def _article(noun: str) -> str:
    return "la" if THINGS[noun][1] == "f" else "le"


def _agreeing(forms: tuple[str, str], noun: str) -> str:
    return forms[THINGS[noun][1] == "f"]


def _adjective(quality: str, noun: str) -> str:
    """The adjective as it is said of the noun, with its concept."""
    if quality == "cheap":
        return "bon#cheap fixed:marché#cheap"
    forms = BULKY if quality == "big" and kind(noun) == "fruit" else ADJECTIVES[quality]
    return f"{_agreeing(forms, noun)}#{quality}"


def _comparative(quality: str, noun: str) -> str:
    if quality == "cheap":
        return "meilleur#cheap fixed:marché#cheap"
    adjective = f"{_agreeing(RECENT, noun)}#new" if quality == "new" else _adjective(quality, noun)
    return f"advmod:plus#{quality} {adjective}"


def _denied(event: Event) -> bool:
    return event.negated or event.quantifier == "no"


def _thing(thing: Thing, denied: bool) -> str:
    """*une voiture rouge*, *un vieil instrument de musique*; denied *de voiture rouge*."""
    word, gender = THINGS[thing.noun]
    article = "de" if denied else "une" if gender == "f" else "un"
    adjective = depends("amod", _adjective(thing.adjective, thing.noun)) if thing.adjective else ""
    if thing.adjective == "old" and word[0] in VOWELS:
        adjective = adjective.replace("vieux", "vieil")
    noun = _noun(thing.noun)
    phrase = f"{adjective} {noun}" if thing.adjective in BEFORE else f"{noun} {adjective}"
    return f"det:{article} {scope('thing', phrase)}"


def _around(event: Event, asked: str = "") -> str:
    """The other person, the time and the place."""
    other = (
        scope("other", f"obl( {OTHERS[event.verb]} {PEOPLE[event.other]}#{event.other} )")
        if event.other
        else ""
    )
    time = scope("time", TIMES[event.time]) if event.time and asked != "when" else ""
    place = (
        scope("place", f"obl( case:à#in {PLACES[event.place]}#{event.place} )")
        if event.place and asked != "where"
        else ""
    )
    return f"{other} {time} {place}"


def _plural(event: Event) -> bool:
    return event.quantifier in ("all", "some")


def _finite(event: Event, finite: str) -> str:
    """The finite verb with its negation; *aucun* keeps the *ne*."""
    if event.negated:
        return f"advmod:ne#not {finite} advmod:pas#not"
    return f"advmod:ne {finite}" if _denied(event) else finite


def _verb(event: Event, auxiliary: str = "") -> str:
    """The passé composé; in questions the auxiliary has the pronoun of the subject behind it
    (*a-t-elle*).
    """
    auxiliary = auxiliary or ("ont" if _plural(event) else "a")
    return f"{_finite(event, f'aux:{auxiliary}')} {VERBS[event.verb][0]}#{event.verb}"


def _subjunctive(event: Event) -> str:
    _, singular, several = VERBS[event.verb]
    return _finite(event, f"{several if _plural(event) else singular}#{event.verb}")


def _event(event: Event, subjunctive: bool = False) -> str:
    thing = depends("obj", _thing(event.thing, _denied(event)))
    return (
        f"{depends('nsubj', _subject(event))} "
        f"{_subjunctive(event) if subjunctive else _verb(event)} {thing} {_around(event)}"
    )


def _owned(owner: str, noun: str, of: str, what: str) -> str:
    """*la voiture de Maria*."""
    person = f"nmod( case:de#{of}.of {scope(of, f'{PEOPLE[owner]}#{owner}')} )"
    return f"det:{_article(noun)} {scope(what, _noun(noun))} {person}"


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return spelled(_event(statement))
    subject = depends("nsubj", _owned(statement.owner, statement.noun, "owner", "owned"))
    if isinstance(statement, Property):
        adjective = _adjective(statement.quality, statement.noun)
        copula = "advmod:ne#not cop:est advmod:pas#not" if statement.negated else "cop:est"
        return spelled(f"{subject} {copula} {adjective}")
    rival = _owned(statement.other, statement.other_noun, "rival", "rivalled")
    return spelled(
        f"{subject} cop:est {_comparative(statement.quality, statement.noun)} obl( case:que#than "
        f"{rival} )"
    )


def _joined(joined: Joined) -> str:
    first, second = (
        scope("first", _event(joined.first)),
        scope("second", _event(joined.second, joined.link == "before")),
    )
    if joined.link == "and":
        return spelled(f"{first} conj( punct:, cc:et#and {second} )")
    word = "avant" if joined.link == "before" else "après"
    return spelled(
        f"{first} advcl( mark( {word}#{joined.link} fixed:que#{joined.link} ) {second} )"
    )


def _question(event: Event, asked: str) -> str:
    subject, thing = (
        depends("nsubj", _subject(event)),
        depends("obj", _thing(event.thing, _denied(event))),
    )
    if asked == "who":
        return spelled(f"nsubj:qui#who {_verb(event)} {thing} {_around(event)}")
    if asked == "what":
        what = "obj( que#what fixed:est-ce#what fixed:que#what )"
        return spelled(f"{what} {subject} {_verb(event)} {_around(event)}")
    word = "où" if asked == "where" else "quand"
    pronoun = "elle" if not event.quantifier and GENDERS[event.subject] == "f" else "il"
    has = "ont-ils" if _plural(event) else f"a-t-{pronoun}"
    return spelled(
        f"advmod:{word}#{asked} {subject} {_verb(event, has)} {thing} {_around(event, asked)}"
    )


REALISER = EventRealiser(_statement, _joined, _question)
