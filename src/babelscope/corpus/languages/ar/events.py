"""Arabic events: the verb comes first and agrees in gender; indefinite masculine objects bear the
accusative tanwin.

The past is denied by لم with the jussive; *before* takes the subjunctive. The owner follows the
owned thing, and adjectives of an owned thing follow both. A shadda is written where the bare verb
would read as another word (صوّر).
"""

from __future__ import annotations

from babelscope.corpus.meaning.events import GIVING, Event, Joined, Property, Statement, Thing
from babelscope.corpus.meaning.events import PEOPLE as GENDERS
from babelscope.corpus.notation import depends, scope
from babelscope.corpus.realisers import EventRealiser

PEOPLE = {
    "maria": "ماريا",
    "omar": "عمر",
    "anna": "آنا",
    "david": "ديفيد",
    "fatima": "فاطمة",
    "carlos": "كارلوس",
    "leila": "ليلى",
    "john": "جون",
    "amina": "أمينة",
    "peter": "بيتر",
    "sara": "سارة",
    "ali": "علي",
}

THINGS = {
    "vehicle": ("مركبة", ""),
    "bicycle": ("دراجة", "amod:هوائية"),
    "car": ("سيارة", ""),
    "motorcycle": ("دراجة", "amod:نارية"),
    "truck": ("شاحنة", ""),
    "animal": ("حيوان", ""),
    "dog": ("كلب", ""),
    "cat": ("قطة", ""),
    "horse": ("حصان", ""),
    "goat": ("عنزة", ""),
    "fruit": ("فاكهة", ""),
    "apple": ("تفاحة", ""),
    "banana": ("موزة", ""),
    "mango": ("حبة", "nmod:مانجو"),
    "orange": ("برتقالة", ""),
    "instrument": ("آلة", "amod:موسيقية"),
    "guitar": ("غيتار", ""),
    "violin": ("كمان", ""),
    "drum": ("طبل", ""),
    "flute": ("ناي", ""),
}
"""The noun and what completes it. Nouns in ة are feminine; the others are masculine and take the
tanwin.
"""

ADJECTIVES = {
    "red": ("أحمر", "أحمر", "حمراء", ""),
    "white": ("أبيض", "أبيض", "بيضاء", ""),
    "black": ("أسود", "أسود", "سوداء", ""),
    "green": ("أخضر", "أخضر", "خضراء", ""),
    "big": ("كبير", "كبيرًا", "كبيرة", "أكبر"),
    "small": ("صغير", "صغيرًا", "صغيرة", "أصغر"),
    "new": ("جديد", "جديدًا", "جديدة", "أحدث"),
    "old": ("قديم", "قديمًا", "قديمة", "أقدم"),
    "expensive": ("غالٍ", "غاليًا", "غالية", "أغلى"),
    "cheap": ("رخيص", "رخيصًا", "رخيصة", "أرخص"),
}
"""Masculine nominative and accusative, feminine, and the elative, which does not agree."""

VERBS = {
    "buy": ("اشترى", "شتر", "شتري"),
    "sell": ("باع", "بع", "بيع"),
    "find": ("وجد", "جد", "جد"),
    "lose": ("ضيّع", "ضيّع", "ضيّع"),
    "see": ("رأى", "ر", "رى"),
    "photograph": ("صوّر", "صوّر", "صوّر"),
    "draw": ("رسم", "رسم", "رسم"),
    "give": ("أعطى", "عط", "عطي"),
    "receive": ("استلم", "ستلم", "ستلم"),
    "lend": ("أعار", "عر", "عير"),
    "borrow": ("استعار", "ستعر", "ستعير"),
}
"""Masculine past; jussive and subjunctive without the prefix of the person."""

GROUPS = {
    "students": ("طالب", "الطلاب"),
    "farmers": ("مزارع", "المزارعين"),
    "tourists": ("سائح", "السياح"),
    "doctors": ("طبيب", "الأطباء"),
    "children": ("طفل", "الأطفال"),
    "teachers": ("معلم", "المعلمين"),
}
"""One, and all of them in the genitive."""

QUANTIFIERS = {"all": "جميع", "some": "بعض", "no": "أي"}

PLACES = {
    "madrid": "مدريد",
    "cairo": "القاهرة",
    "delhi": "دلهي",
    "beijing": "بكين",
    "london": "لندن",
    "istanbul": "إسطنبول",
    "paris": "باريس",
    "nairobi": "نيروبي",
    "rome": "روما",
    "mumbai": "مومباي",
}

TIMES = {
    "yesterday": "advmod:أمس#yesterday",
    "last_week": "obl( الأسبوع#last_week amod:الماضي#last_week )",
    "last_month": "obl( الشهر#last_month amod:الماضي#last_month )",
    "last_year": "obl( العام#last_year amod:الماضي#last_year )",
    "monday": "obl( يوم#monday nmod:الاثنين#monday )",
    "friday": "obl( يوم#friday nmod:الجمعة#friday )",
    "spring": "obl( case:في الربيع#spring )",
    "summer": "obl( case:في الصيف#summer )",
}

ASKED = {"where": "أين", "when": "متى"}


def named(words: str, concept: str) -> str:
    """Words that express one concept together."""
    return " ".join(f"{word}#{concept}" for word in words.split())


def feminine(past: str) -> str:
    """*She did* from *he did*: اشترى, اشترت."""
    return past.removesuffix("ى") + "ت"


def with_and(clause: str) -> str:
    """The clause behind و, which is written together with its first word."""
    first, _, rest = clause.strip().partition(" ")
    word, _, concepts = first.partition("#")
    at = word.rfind(":") + 1
    at += word[at:].startswith("*")
    return f"{word[:at]}و{word[at:]}#and{concepts and '+' + concepts} {rest}"


def _is_feminine(noun: str) -> bool:
    return THINGS[noun][0].endswith("ة")


def _subject(event: Event) -> str:
    if not event.quantifier:
        return scope("subject", f"{PEOPLE[event.subject]}#{event.subject}")
    singular, several = GROUPS[event.subject]
    quantifier = f"det:{QUANTIFIERS[event.quantifier]}#{event.quantifier}"
    return scope(
        "subject",
        f"{quantifier} {singular if event.quantifier == 'no' else several}#{event.subject}",
    )


def _thing(thing: Thing) -> str:
    """The object, in the accusative."""
    noun, extra = THINGS[thing.noun]
    is_feminine = _is_feminine(thing.noun)
    words = named(f"{noun}{'' if is_feminine else 'ًا'} {extra}", thing.noun)
    adjective = (
        f"amod:{ADJECTIVES[thing.adjective][2 if is_feminine else 1]}#{thing.adjective}"
        if thing.adjective
        else ""
    )
    return scope("thing", f"{words} {adjective}")


def _around(event: Event, asked: str = "") -> str:
    """The other person, the place and the time."""
    way, word = ("to", "إلى") if event.verb in GIVING else ("from", "من")
    other = (
        scope("other", f"obl:arg( case:{word}#{way} {PEOPLE[event.other]}#{event.other} )")
        if event.other
        else ""
    )
    place = (
        scope("place", f"obl( case:في#in {PLACES[event.place]}#{event.place} )")
        if event.place and asked != "where"
        else ""
    )
    time = scope("time", TIMES[event.time]) if event.time and asked != "when" else ""
    return f"{other} {place} {time}"


def _verb(event: Event, is_feminine: bool, subjunctive: bool = False) -> str:
    """The verb with its negator; with *no student* the negator belongs to the quantifier."""
    past, after_not, after_that = VERBS[event.verb]
    denial = "subject.no" if event.quantifier == "no" else "not" if event.negated else ""
    person = "ت" if is_feminine else "ي"
    if subjunctive:
        return f"{denial and f'advmod:لا#{denial}'} {person}{after_that}#{event.verb}"
    if denial:
        return f"advmod:لم#{denial} {person}{after_not}#{event.verb}"
    return f"{feminine(past) if is_feminine else past}#{event.verb}"


def _agreeing(event: Event, subjunctive: bool = False) -> str:
    """The verb and its subject; a group takes the masculine singular, as its verb comes first."""
    is_feminine = not event.quantifier and GENDERS[event.subject] == "f"
    return f"{_verb(event, is_feminine, subjunctive)} {depends('nsubj', _subject(event))}"


def _event(event: Event, subjunctive: bool = False) -> str:
    return f"{_agreeing(event, subjunctive)} {depends('obj', _thing(event.thing))} {_around(event)}"


def _owned(owner: str, noun: str, of: str, what: str) -> str:
    """*دراجة ماريا الهوائية*, but *حبة مانجو ماريا*."""
    head, extra = THINGS[noun]
    relation, _, word = extra.partition(":")
    near, far = (extra, "") if relation == "nmod" else ("", word and f"amod:ال{word}")
    name = scope(of, f"nmod:{PEOPLE[owner]}#{owner}")
    return f"{scope(what, named(f'{head} {near}', noun))} {name} {scope(what, named(far, noun))}"


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return _event(statement)
    subject = depends("nsubj", _owned(statement.owner, statement.noun, "owner", "owned"))
    if isinstance(statement, Property):
        return f"{subject} {_predicate(statement)}#{statement.quality}"
    rival = _owned(statement.other, statement.other_noun, "rival", "rivalled")
    return (
        f"{subject} {ADJECTIVES[statement.quality][3]}#{statement.quality} obl( case:من#than "
        f"{rival} )"
    )


def _predicate(statement: Property) -> str:
    """The adjective; after ليس, which agrees, it stands in the accusative."""
    nominative, accusative, of_feminine, _ = ADJECTIVES[statement.quality]
    if _is_feminine(statement.noun):
        return f"cop:ليست#not {of_feminine}" if statement.negated else of_feminine
    return f"cop:ليس#not {accusative}" if statement.negated else nominative


def _joined(joined: Joined) -> str:
    first = scope("first", _event(joined.first))
    second = scope("second", _event(joined.second, subjunctive=joined.link == "before"))
    if joined.link == "and":
        return f"{first} conj( punct:، {with_and(second)} )"
    return (
        f"{first} advcl( mark:{'قبل' if joined.link == 'before' else 'بعد'}#{joined.link} "
        f"mark:أن {second} )"
    )


def _question(event: Event, asked: str) -> str:
    thing = depends("obj", _thing(event.thing))
    if asked == "who":
        return f"nsubj:من#who {_verb(event, is_feminine=False)} {thing} {_around(event)}"
    if asked == "what":
        return f"obj:ماذا#what {_agreeing(event)} {_around(event)}"
    return f"advmod:{ASKED[asked]}#{asked} {_agreeing(event)} {thing} {_around(event, asked)}"


REALISER = EventRealiser(_statement, _joined, _question)
