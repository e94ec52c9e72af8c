"""Chinese events.

What is counted takes its measure word, what is denied goes without number (after a name with 任何);
the person who gets something follows the verb (卖给 奥马尔), the person it comes from precedes it (从 奥马尔
那里); clauses with 之前 and 之后 come first.
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
    "maria": "玛丽亚",
    "omar": "奥马尔",
    "anna": "安娜",
    "david": "大卫",
    "fatima": "法蒂玛",
    "carlos": "卡洛斯",
    "leila": "莱拉",
    "john": "约翰",
    "amina": "阿米娜",
    "peter": "彼得",
    "sara": "萨拉",
    "ali": "阿里",
}

THINGS = {
    "vehicle": ("车", "辆"),
    "bicycle": ("自行车", "辆"),
    "car": ("轿车", "辆"),
    "motorcycle": ("摩托车", "辆"),
    "truck": ("卡车", "辆"),
    "animal": ("动物", "只"),
    "dog": ("狗", "只"),
    "cat": ("猫", "只"),
    "horse": ("马", "匹"),
    "goat": ("山羊", "只"),
    "fruit": ("水果", "个"),
    "apple": ("苹果", "个"),
    "banana": ("香蕉", "根"),
    "mango": ("芒果", "个"),
    "orange": ("橙子", "个"),
    "instrument": ("乐器", "件"),
    "guitar": ("吉他", "把"),
    "violin": ("小提琴", "把"),
    "drum": ("鼓", "面"),
    "flute": ("长笛", "支"),
}
"""Noun and measure word."""

COLOURS = {"red": "红色", "white": "白色", "black": "黑色", "green": "绿色"}
QUALITIES = {
    "big": "大",
    "small": "小",
    "new": "新",
    "old": "旧",
    "expensive": "贵",
    "cheap": "便宜",
}

VERBS = {
    "buy": "买",
    "sell": "卖",
    "find": "找到",
    "lose": "弄丢",
    "see": "看到",
    "photograph": "拍摄",
    "draw": "画",
    "give": "送",
    "receive": "收到",
    "lend": "借出",
    "borrow": "借",
}

TO = {"give": "送给", "sell": "卖给", "lend": "借给"}
"""The verb before the person who gets the thing."""

GROUPS = {
    "students": "学生",
    "farmers": "农民",
    "tourists": "游客",
    "doctors": "医生",
    "children": "孩子",
    "teachers": "老师",
}

QUANTIFIERS = {
    "": ("", ""),
    "all": ("所有", "advmod:都#subject.all"),
    "some": ("有些", ""),
    "no": ("任何", "advmod:都#subject.no advmod:没有#subject.no"),
}
"""The determiner and what it demands before the verb."""

PLACES = {
    "madrid": "马德里",
    "cairo": "开罗",
    "delhi": "德里",
    "beijing": "北京",
    "london": "伦敦",
    "istanbul": "伊斯坦布尔",
    "paris": "巴黎",
    "nairobi": "内罗毕",
    "rome": "罗马",
    "mumbai": "孟买",
}

TIMES = {
    "yesterday": "昨天#yesterday",
    "last_week": "上周#last_week",
    "last_month": "上个月#last_month",
    "last_year": "去年#last_year",
    "monday": "周一#monday",
    "friday": "周五#friday",
    "spring": "nmod:今年#spring 春天#spring",
    "summer": "nmod:今年#summer 夏天#summer",
}


def _subject(event: Event) -> str:
    if not event.quantifier:
        return scope("subject", f"{PEOPLE[event.subject]}#{event.subject}")
    which = QUANTIFIERS[event.quantifier][0]
    return scope(
        "subject", f"det:{which}#{event.quantifier} {GROUPS[event.subject]}#{event.subject}"
    )


def _attribute(adjective: str, counted: bool) -> str:
    """*红色 的*, *新*, *便宜 的*, *很 大 的*; a denied thing is plainly *大 的*."""
    if adjective in COLOURS:
        return f"amod( {COLOURS[adjective]}#{adjective} mark:的 )"
    word = f"{QUALITIES[adjective]}#{adjective}"
    if adjective in ("new", "old"):
        return f"amod:{word}"
    return f"amod( {'advmod:很' if counted and adjective != 'cheap' else ''} {word} mark:的 )"


def _thing(thing: Thing, counted: bool) -> str:
    """*一 辆 红色 的 自行车*, and where it is denied *红色 的 自行车*."""
    noun, measure = THINGS[thing.noun]
    number = f"nummod( 一 clf:{measure} )" if counted else ""
    attribute = _attribute(thing.adjective, counted) if thing.adjective else ""
    return f"{number} {scope('thing', f'{attribute} {noun}#{thing.noun}')}"


def _verb(event: Event, done: bool) -> str:
    """*从 奥马尔 那里 买 了*, *卖给 了 奥马尔*; `done`: with 了."""
    aspect = "aux:了" if done else ""
    if not event.other:
        return f"{VERBS[event.verb]}#{event.verb} {aspect}"
    other = f"{PEOPLE[event.other]}#other.{event.other}"
    if event.verb in GIVING:
        return f"{TO[event.verb]}#{event.verb}+other.to {aspect} {depends('iobj', other)}"
    return f"obl( case:从#other.from {other} case:那里 ) {VERBS[event.verb]}#{event.verb} {aspect}"


def _clause(event: Event, asked: str = "", done: bool = True) -> str:
    """Who, when, whether, where, did what: the asked part is replaced by its question word."""
    denied = event.negated or event.quantifier == "no"
    who = "谁#who" if asked == "who" else _subject(event)
    when = (
        "det:什么#when 时候#when"
        if asked == "when"
        else scope("time", TIMES[event.time])
        if event.time
        else ""
    )
    where = f"case:在#place.in {PLACES[event.place]}#place.{event.place}" if event.place else ""
    where = "case:在 哪里#where" if asked == "where" else where
    any_of = "det:任何" if denied and event.other and event.verb in GIVING else ""
    what = "什么#what" if asked == "what" else f"{any_of} {_thing(event.thing, counted=not denied)}"
    whether = (
        "advmod:没有#not"
        if event.negated
        else QUANTIFIERS[event.quantifier][1]
        if asked != "who"
        else ""
    )
    before = (
        f"{depends('nsubj', who)} {depends('obl:tmod', when)} {whether} {depends('obl', where)}"
    )
    return f"{before} {_verb(event, done and not denied)} {depends('obj', what)}"


def _owned(owner: str, noun: str, of: str, what: str) -> str:
    """*玛丽亚 的 自行车*."""
    return f"nmod( {PEOPLE[owner]}#{of}.{owner} case:的#{of}.of ) {THINGS[noun][0]}#{what}.{noun}"


def _property(statement: Property) -> str:
    """*很 新*, *不 新*; a colour is nominal: *是 红色 的*."""
    no = "advmod:不#not" if statement.negated else ""
    if statement.quality in COLOURS:
        return f"{no} cop:是 {COLOURS[statement.quality]}#{statement.quality} mark:的"
    return f"{no or 'advmod:很'} {QUALITIES[statement.quality]}#{statement.quality}"


def _compared(statement: Comparison) -> str:
    rival = _owned(statement.other, statement.other_noun, "rival", "rivalled")
    return f"obl( case:比#than {rival} ) {QUALITIES[statement.quality]}#{statement.quality}"


def _statement(statement: Statement) -> str:
    if isinstance(statement, Event):
        return _clause(statement)
    subject = depends("nsubj", _owned(statement.owner, statement.noun, "owner", "owned"))
    return (
        f"{subject} "
        f"{_property(statement) if isinstance(statement, Property) else _compared(statement)}"
    )


def _joined(joined: Joined) -> str:
    first, second = (
        scope("first", _clause(joined.first)),
        scope("second", _clause(joined.second, done=joined.link != "before")),
    )
    if joined.link == "and":
        link = "并且" if joined.first.subject == joined.second.subject else "而"
        return f"{first} conj( punct:， cc:{link}#and {second} )"
    return (
        f"advcl( {second} mark:{'之前' if joined.link == 'before' else '之后'}#{joined.link} "
        f"punct:， ) {first}"
    )


def _question(event: Event, asked: str) -> str:
    return _clause(event, asked)


REALISER = EventRealiser(_statement, _joined, _question)
