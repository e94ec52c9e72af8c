"""Turkish events: verb-final, case and negation in the word, the other clause nominalised before
*önce* and *sonra*.

A new thing stands in the nominative (*kırmızı bir bisiklet*), only what is photographed in the
genitive; a question word stands in front of it. In denials a thing without adjective loses its
*bir*: *köpek görmedi*.
"""

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
    "maria": ("Maria", "Maria'nın", "Maria'ya", "Maria'dan"),
    "omar": ("Ömer", "Ömer'in", "Ömer'e", "Ömer'den"),
    "anna": ("Anna", "Anna'nın", "Anna'ya", "Anna'dan"),
    "david": ("David", "David'in", "David'e", "David'den"),
    "fatima": ("Fatma", "Fatma'nın", "Fatma'ya", "Fatma'dan"),
    "carlos": ("Carlos", "Carlos'un", "Carlos'a", "Carlos'tan"),
    "leila": ("Leyla", "Leyla'nın", "Leyla'ya", "Leyla'dan"),
    "john": ("John", "John'un", "John'a", "John'dan"),
    "amina": ("Emine", "Emine'nin", "Emine'ye", "Emine'den"),
    "peter": ("Peter", "Peter'in", "Peter'e", "Peter'den"),
    "sara": ("Sara", "Sara'nın", "Sara'ya", "Sara'dan"),
    "ali": ("Ali", "Ali'nin", "Ali'ye", "Ali'den"),
}
"""Nominative, genitive, dative and ablative."""

THINGS = {
    "vehicle": ("araç", "aracın", "aracı", "aracından"),
    "bicycle": ("bisiklet", "bisikletin", "bisikleti", "bisikletinden"),
    "car": ("araba", "arabanın", "arabası", "arabasından"),
    "motorcycle": ("motosiklet", "motosikletin", "motosikleti", "motosikletinden"),
    "truck": ("kamyon", "kamyonun", "kamyonu", "kamyonundan"),
    "animal": ("hayvan", "hayvanın", "hayvanı", "hayvanından"),
    "dog": ("köpek", "köpeğin", "köpeği", "köpeğinden"),
    "cat": ("kedi", "kedinin", "kedisi", "kedisinden"),
    "horse": ("at", "atın", "atı", "atından"),
    "goat": ("keçi", "keçinin", "keçisi", "keçisinden"),
    "fruit": ("meyve", "meyvenin", "meyvesi", "meyvesinden"),
    "apple": ("elma", "elmanın", "elması", "elmasından"),
    "banana": ("muz", "muzun", "muzu", "muzundan"),
    "mango": ("mango", "mangonun", "mangosu", "mangosundan"),
    "orange": ("portakal", "portakalın", "portakalı", "portakalından"),
    "instrument": ("enstrüman", "enstrümanın", "enstrümanı", "enstrümanından"),
    "guitar": ("gitar", "gitarın", "gitarı", "gitarından"),
    "violin": ("keman", "kemanın", "kemanı", "kemanından"),
    "drum": ("davul", "davulun", "davulu", "davulundan"),
    "flute": ("flüt", "flütün", "flütü", "flütünden"),
}
"""Nominative and genitive; nominative and ablative of what is somebody's."""

ADJECTIVES = {
    "red": "kırmızı",
    "white": "beyaz",
    "black": "siyah",
    "green": "yeşil",
    "big": "büyük",
    "small": "küçük",
    "new": "yeni",
    "old": "eski",
    "expensive": "pahalı",
    "cheap": "ucuz",
}

VERBS = {
    "buy": ("aldı", "almadı", "almadan", "aldıktan"),
    "sell": ("sattı", "satmadı", "satmadan", "sattıktan"),
    "find": ("buldu", "bulmadı", "bulmadan", "bulduktan"),
    "lose": ("kaybetti", "kaybetmedi", "kaybetmeden", "kaybettikten"),
    "see": ("gördü", "görmedi", "görmeden", "gördükten"),
    "photograph": ("çekti", "çekmedi", "çekmeden", "çektikten"),
    "draw": ("çizdi", "çizmedi", "çizmeden", "çizdikten"),
    "give": ("verdi", "vermedi", "vermeden", "verdikten"),
    "receive": ("aldı", "almadı", "almadan", "aldıktan"),
    "lend": ("verdi", "vermedi", "vermeden", "verdikten"),
    "borrow": ("aldı", "almadı", "almadan", "aldıktan"),
}
"""Past, negated past, and what stands before *önce* and *sonra*."""

BEFORE_VERB = {
    "buy": "compound:lvc:satın#buy",
    "lend": "compound:lvc:ödünç#lend",
    "borrow": "compound:lvc:ödünç#borrow",
}

GROUPS = {
    "students": ("öğrenci", "öğrenciler"),
    "farmers": ("çiftçi", "çiftçiler"),
    "tourists": ("turist", "turistler"),
    "doctors": ("doktor", "doktorlar"),
    "children": ("çocuk", "çocuklar"),
    "teachers": ("öğretmen", "öğretmenler"),
}

QUANTIFIERS = {"all": "bütün", "some": "bazı", "no": "hiçbir"}

PLACES = {
    "madrid": "Madrid'de",
    "cairo": "Kahire'de",
    "delhi": "Delhi'de",
    "beijing": "Pekin'de",
    "london": "Londra'da",
    "istanbul": "İstanbul'da",
    "paris": "Paris'te",
    "nairobi": "Nairobi'de",
    "rome": "Roma'da",
    "mumbai": "Mumbai'de",
}
"""Locative."""

TIMES = {
    "yesterday": "advmod:dün#yesterday",
    "last_week": "obl( amod:geçen#last_week hafta#last_week )",
    "last_month": "obl( amod:geçen#last_month ay#last_month )",
    "last_year": "obl( amod:geçen#last_year yıl#last_year )",
    "monday": "obl( nmod:poss:pazartesi#monday günü#monday )",
    "friday": "obl( nmod:poss:cuma#friday günü#friday )",
    "spring": "obl:ilkbaharda#spring",
    "summer": "obl:yazın#summer",
}

ASKED = {
    "who": "nsubj:kim#who",
    "where": "advmod:nerede#where",
    "when": "advmod( det:ne#when zaman#when )",
}


def _denied(event: Event) -> bool:
    return event.negated or event.quantifier == "no"


def _subject(event: Event) -> str:
    if not event.quantifier:
        return scope("subject", f"{PEOPLE[event.subject][0]}#{event.subject}")
    noun = GROUPS[event.subject][event.quantifier != "no"]
    return scope(
        "subject", f"det:{QUANTIFIERS[event.quantifier]}#{event.quantifier} {noun}#{event.subject}"
    )


def _thing(thing: Thing, genitive: bool, bare: bool) -> str:
    adjective = (
        f"amod:{ADJECTIVES[thing.adjective]}#thing.{thing.adjective}" if thing.adjective else ""
    )
    return (
        f"{adjective} {'' if bare else 'det:bir'} {THINGS[thing.noun][genitive]}#thing.{thing.noun}"
    )


def _object(event: Event, asked: str) -> str:
    """What it was done to; to photograph is to take the picture *of* something."""
    photographed = event.verb == "photograph"
    if asked == "what":
        thing = "neyin#what" if photographed else "ne#what"
    else:
        bare = _denied(event) and not event.thing.adjective and not photographed
        thing = _thing(event.thing, photographed, bare)
    return (
        f"obj( nmod:poss( {thing} ) fotoğrafını#photograph )"
        if photographed
        else depends("obj", thing)
    )


def _around(event: Event, asked: str) -> str:
    """The time, the place and the other person."""
    time = scope("time", TIMES[event.time]) if event.time and asked != "when" else ""
    place = (
        f"obl:{PLACES[event.place]}#place.{event.place}+place.in"
        if event.place and asked != "where"
        else ""
    )
    if not event.other:
        return f"{time} {place}"
    way, case = ("to", 2) if event.verb in GIVING else ("from", 3)
    return f"{time} {place} obl:{PEOPLE[event.other][case]}#other.{event.other}+other.{way}"


def _clause(event: Event, form: int, asked: str = "") -> str:
    """`form`: which of the verb's forms."""
    subject = depends("nsubj", _subject(event)) if asked != "who" else ""
    no = "+not" if event.negated else ""
    verb = f"{BEFORE_VERB.get(event.verb, '')} {VERBS[event.verb][form]}#{event.verb}{no}"
    return (
        f"{subject} {_around(event, asked)} {ASKED.get(asked, '')} {_object(event, asked)} {verb}"
    )


def _event(event: Event) -> str:
    return _clause(event, int(_denied(event)))


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return _event(statement)
    owner, owned = statement.owner, f"{THINGS[statement.noun][2]}#owned.{statement.noun}"
    subject = f"nsubj( nmod:poss:{PEOPLE[owner][1]}#owner.{owner}+owner.of {owned} )"
    quality = f"{ADJECTIVES[statement.quality]}#{statement.quality}"
    if isinstance(statement, Property):
        return f"{subject} {quality} {'aux:değil#not' if statement.negated else ''}"
    return f"{subject} {_than(statement)} advmod:daha#{statement.quality} {quality}"


def _than(comparison: Comparison) -> str:
    """*Ömer'in arabasından*: than is the ablative."""
    rivalled = f"{THINGS[comparison.other_noun][3]}#rivalled.{comparison.other_noun}+than"
    return (
        f"obl( nmod:poss:{PEOPLE[comparison.other][1]}#rival.{comparison.other}+rival.of "
        f"{rivalled} )"
    )


def _joined(joined: Joined) -> str:
    first = scope("first", _event(joined.first))
    if joined.link == "and":
        return f"{first} conj( cc:ve#and {scope('second', _event(joined.second))} )"
    form, link = (2, "önce") if joined.link == "before" else (3, "sonra")
    return (
        f"advcl( {scope('second', _clause(joined.second, form))} mark:{link}#{joined.link} ) "
        f"{first}"
    )


def _question(event: Event, asked: str) -> str:
    return _clause(event, int(_denied(event)), asked)


REALISER = EventRealiser(_statement, _joined, _question)
