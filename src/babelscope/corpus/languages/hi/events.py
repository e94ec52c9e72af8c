"""Hindi events: verb-final; in the past the subject is ergative (ने) and the verb agrees with the
thing.

Whoever receives stands in the dative (को). Under negation *a* is कोई, in the oblique किसी, and the
failed search is in the nominative, so that its verb agrees with the person (*मारिया कोई कार नहीं
ढूँढ़ पाई*). Clauses with *before* and *after* are infinitives. Trees follow UD_Hindi-PUD.
"""

from __future__ import annotations

from babelscope.corpus.meaning.events import GIVING, Event, Joined, Property, Statement, Thing
from babelscope.corpus.meaning.events import PEOPLE as GENDERS
from babelscope.corpus.notation import depends, scope
from babelscope.corpus.realisers import EventRealiser

PEOPLE = {
    "maria": "मारिया",
    "omar": "उमर",
    "anna": "एना",
    "david": "डेविड",
    "fatima": "फ़ातिमा",
    "carlos": "कार्लोस",
    "leila": "लैला",
    "john": "जॉन",
    "amina": "अमीना",
    "peter": "पीटर",
    "sara": "सारा",
    "ali": "अली",
}

THINGS = {
    "vehicle": ("m", "वाहन", "वाहन"),
    "bicycle": ("f", "साइकिल", "साइकिल"),
    "car": ("f", "कार", "कार"),
    "motorcycle": ("f", "मोटरसाइकिल", "मोटरसाइकिल"),
    "truck": ("m", "ट्रक", "ट्रक"),
    "animal": ("m", "जानवर", "जानवर"),
    "dog": ("m", "कुत्ता", "कुत्ते"),
    "cat": ("f", "बिल्ली", "बिल्ली"),
    "horse": ("m", "घोड़ा", "घोड़े"),
    "goat": ("f", "बकरी", "बकरी"),
    "fruit": ("m", "फल", "फल"),
    "apple": ("m", "सेब", "सेब"),
    "banana": ("m", "केला", "केले"),
    "mango": ("m", "आम", "आम"),
    "orange": ("m", "संतरा", "संतरे"),
    "instrument": ("m", "compound:वाद्य#instrument यंत्र", "compound:वाद्य#instrument यंत्र"),
    "guitar": ("m", "गिटार", "गिटार"),
    "violin": ("m", "वायलिन", "वायलिन"),
    "drum": ("m", "ढोल", "ढोल"),
    "flute": ("f", "बाँसुरी", "बाँसुरी"),
}
"""Gender, direct form, oblique form."""

ADJECTIVES = {
    "red": ("लाल", "लाल", "लाल"),
    "white": ("सफ़ेद", "सफ़ेद", "सफ़ेद"),
    "black": ("काला", "काले", "काली"),
    "green": ("हरा", "हरे", "हरी"),
    "big": ("बड़ा", "बड़े", "बड़ी"),
    "small": ("छोटा", "छोटे", "छोटी"),
    "new": ("नया", "नए", "नई"),
    "old": ("पुराना", "पुराने", "पुरानी"),
    "expensive": ("महँगा", "महँगे", "महँगी"),
    "cheap": ("सस्ता", "सस्ते", "सस्ती"),
}
"""Masculine direct, masculine oblique, feminine."""

MORE = frozenset({"new", "old", "expensive"})
"""Adjectives that are compared with ज़्यादा; the others bare: *कार से बड़ी*."""

VERBS = {
    "buy": ("ख़रीदा", "ख़रीदी", "ख़रीदने"),
    "sell": ("बेचा", "बेची", "बेचने"),
    "find": ("ढूँढ़ aux:निकाला", "ढूँढ़ aux:निकाली", "ढूँढ़ aux:निकालने"),
    "lose": ("खो aux:दिया", "खो aux:दी", "खो aux:देने"),
    "see": ("देखा", "देखी", "देखने"),
    "photograph": ("खींचा", "खींची", "खींचने"),
    "draw": ("बनाया", "बनाई", "बनाने"),
    "give": ("दिया", "दी", "देने"),
    "receive": ("मिला", "मिली", "मिलने"),
    "lend": ("दिया", "दी", "देने"),
    "borrow": ("लिया", "ली", "लेने"),
}
"""Masculine past, feminine past, oblique infinitive."""

DENIED = {
    "find": ("ढूँढ़ aux:पाया", "ढूँढ़ aux:पाई", "ढूँढ़ aux:पाने"),
    "lose": ("खोया", "खोई", "खोने"),
}
"""Verbs whose second verb does not go with a negation."""

LOAN = {"lend": "compound:lvc:उधार#lend", "borrow": "compound:lvc:उधार#borrow"}

PICTURES = {"photograph": ("f", "की", "तस्वीर"), "draw": ("m", "का", "चित्र")}
"""Verbs whose object is a picture of the thing: its gender, its genitive and its name."""

GROUPS = {
    "students": ("छात्रों", "छात्र", "छात्र"),
    "farmers": ("किसानों", "किसान", "किसान"),
    "tourists": ("पर्यटकों", "पर्यटक", "पर्यटक"),
    "doctors": ("डॉक्टरों", "डॉक्टर", "डॉक्टर"),
    "children": ("बच्चों", "बच्चे", "बच्चा"),
    "teachers": ("शिक्षकों", "शिक्षक", "शिक्षक"),
}
"""Oblique plural, oblique singular, direct singular."""

QUANTIFIERS = {"all": "det:सभी#all", "some": "det:कुछ#some"}

PLACES = {
    "madrid": "मैड्रिड",
    "cairo": "काहिरा",
    "delhi": "दिल्ली",
    "beijing": "बीजिंग",
    "london": "लंदन",
    "istanbul": "इस्तांबुल",
    "paris": "पेरिस",
    "nairobi": "नैरोबी",
    "rome": "रोम",
    "mumbai": "मुंबई",
}

TIMES = {
    "yesterday": "obl:tmod:कल#yesterday",
    "last_week": "obl:tmod( amod:पिछले#last_week हफ़्ते#last_week )",
    "last_month": "obl:tmod( amod:पिछले#last_month महीने#last_month )",
    "last_year": "obl:tmod( amod:पिछले#last_year साल#last_year )",
    "monday": "obl:tmod( सोमवार#monday case:को )",
    "friday": "obl:tmod( शुक्रवार#friday case:को )",
    "spring": "obl:tmod( वसंत#spring case:में )",
    "summer": "obl:tmod( गर्मियों#summer case:में )",
}

ASKED = {"where": "advmod:कहाँ#where", "when": "advmod:कब#when"}
WHO = {"ने": "nsubj:किसने#who", "को": "nsubj:किसे#who", "": "nsubj:कौन#who"}
"""By the case of the subject."""

LINKS = {"before": "mark( से fixed:पहले#before )", "after": "mark( के fixed:बाद#after )"}


def _denied(event: Event) -> bool:
    return event.negated or event.quantifier == "no"


def _case(event: Event) -> str:
    """The case of the subject of a finite verb; empty in the nominative."""
    if event.verb == "receive":
        return "को"
    return "" if event.verb == "find" and _denied(event) else "ने"


def _subject(event: Event, case: str) -> str:
    marked = f"case:{case}" if case else ""
    if not event.quantifier:
        return depends(
            "nsubj", f"{scope('subject', f'{PEOPLE[event.subject]}#{event.subject}')} {marked}"
        )
    many, oblique, direct = GROUPS[event.subject]
    if event.quantifier == "no":
        any_one, one = ("किसी", oblique) if case else ("कोई", direct)
        people = f"det( {any_one}#no discourse:भी#no ) {one}#{event.subject}"
    else:
        people = f"{QUANTIFIERS[event.quantifier]} {many}#{event.subject}"
    return depends("nsubj", f"{scope('subject', people)} {marked}")


def _adjective(name: str, gender: str, oblique: bool) -> str:
    direct, other, feminine = ADJECTIVES[name]
    return f"{feminine if gender == 'f' else other if oblique else direct}#{name}"


def _thing(thing: Thing, oblique: bool) -> str:
    gender, *forms = THINGS[thing.noun]
    adjective = f"amod:{_adjective(thing.adjective, gender, oblique)}" if thing.adjective else ""
    return scope("thing", f"{adjective} {forms[oblique]}#{thing.noun}")


def _object(event: Event, one: str, some: str) -> str:
    """The thing, or the picture of it; `one` and `some` are the article in the direct and in the
    oblique form.
    """
    if event.verb in PICTURES:
        _, of, picture = PICTURES[event.verb]
        return (
            f"obj( nmod:poss( {some} {_thing(event.thing, True)} case:{of} ) "
            f"{picture}#{event.verb} )"
        )
    return f"obj( {one} {_thing(event.thing, False)} )"


def _stated(event: Event) -> str:
    """The object of a statement."""
    return (
        _object(event, "det:कोई", "det:किसी")
        if _denied(event)
        else _object(event, "det:एक", "det:एक")
    )


def _around(event: Event, asked: str = "") -> str:
    """The time, the place and the other person."""
    way, case = ("to", "को") if event.verb in GIVING else ("from", "से")
    time = scope("time", TIMES[event.time]) if event.time and asked != "when" else ""
    place = (
        scope("place", f"obl( {PLACES[event.place]}#{event.place} case:में#in )")
        if event.place and asked != "where"
        else ""
    )
    other = (
        scope("other", f"obl( {PEOPLE[event.other]}#{event.other} case:{case}#{way} )")
        if event.other
        else ""
    )
    return f"{time} {place} {other}"


def _gender(event: Event) -> str:
    """What the verb agrees with: the person in the nominative, the picture, or the thing."""
    if not _case(event):
        return GENDERS.get(event.subject, "m")
    return PICTURES[event.verb][0] if event.verb in PICTURES else THINGS[event.thing.noun][0]


def _verb(event: Event, form: int, no: str = "नहीं") -> str:
    """The verb in a form of VERBS, with its negation."""
    words = (DENIED.get(event.verb, VERBS[event.verb]) if _denied(event) else VERBS[event.verb])[
        form
    ]
    negation = f"advmod:{no}#{'not' if event.negated else 'subject.no'}" if _denied(event) else ""
    return (
        f"{LOAN.get(event.verb, '')} {negation} "
        f"{' '.join(f'{word}#{event.verb}' for word in words.split())}"
    )


def _past(event: Event) -> str:
    return _verb(event, "mf".index(_gender(event)))


def _event(event: Event) -> str:
    return f"{_subject(event, _case(event))} {_around(event)} {_stated(event)} {_past(event)}"


def _infinitive(event: Event) -> str:
    """*उमर के एक कार बेचने*, *उमर को एक कार मिलने*; *उमर के एक घोड़े की तस्वीर* would be a picture
    of his horse.
    """
    subject = _subject(
        event, "को" if event.verb == "receive" else "द्वारा" if event.verb in PICTURES else "के"
    )
    return f"{subject} {_around(event)} {_stated(event)} {_verb(event, 2, 'न')}"


def _owned(owner: str, noun: str, of: str, what: str, oblique: bool) -> str:
    """*मारिया की साइकिल*."""
    gender, *forms = THINGS[noun]
    case = "की" if gender == "f" else "के" if oblique else "का"
    return (
        f"nmod:poss( {scope(of, f'{PEOPLE[owner]}#{owner} case:{case}#of')} ) "
        f"{scope(what, f'{forms[oblique]}#{noun}')}"
    )


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return _event(statement)
    subject = depends("nsubj", _owned(statement.owner, statement.noun, "owner", "owned", False))
    quality = _adjective(statement.quality, THINGS[statement.noun][0], False)
    if isinstance(statement, Property):
        return f"{subject} {quality} {'advmod:नहीं#not' if statement.negated else ''} cop:है"
    rival = _owned(statement.other, statement.other_noun, "rival", "rivalled", True)
    more = f"advmod:ज़्यादा#{statement.quality}" if statement.quality in MORE else ""
    return f"{subject} obl( {rival} case:से#than ) {more} {quality} cop:है"


def _joined(joined: Joined) -> str:
    first = scope("first", _event(joined.first))
    if joined.link == "and":
        return f"{first} conj( cc:और#and {scope('second', _event(joined.second))} )"
    return f"advcl( {scope('second', _infinitive(joined.second))} {LINKS[joined.link]} ) {first}"


def _question(event: Event, asked: str) -> str:
    subject, around, bare = (
        _subject(event, _case(event)),
        _around(event, asked),
        _object(event, "", ""),
    )
    match asked:
        case "who":
            return f"{around} {bare} {WHO[_case(event)]} {_past(event)}"
        case "what":
            if event.verb in PICTURES:
                _, of, picture = PICTURES[event.verb]
                return (
                    f"{subject} {around} obj( nmod:poss:किस{of}#what {picture}#{event.verb} ) "
                    f"{_past(event)}"
                )
            return f"{subject} {around} obj:क्या#what {_verb(event, 0)}"
    return f"{subject} {around} {bare} {ASKED[asked]} {_past(event)}"


REALISER = EventRealiser(_statement, _joined, _question)
