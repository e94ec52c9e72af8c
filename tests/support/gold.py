"""Reads the gold of the built-in corpus back into meanings and decides the label anew, without the
generator.

Only an example's own words, concepts and tree are read, in any language, and of these only the
words that are `kept`. None means: with what is left there is no label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations, product

from babelscope.corpus.meaning.events import KINDS, OPPOSITES
from babelscope.corpus.meaning.news import DEEDS, MATTERS
from babelscope.corpus.meaning.reviews import ATTITUDES, QUALITIES
from babelscope.types import Example

Kept = tuple[tuple[bool, ...], ...]
Parts = frozenset[str]


def everything(example: Example) -> Kept:
    assert example.words is not None
    return tuple((True,) * len(spans) for spans in example.words)


def paths(example: Example, text: int, kept: Kept) -> list[str]:
    """The concepts of the kept words."""
    assert example.concepts is not None
    return [
        path
        for word, stays in zip(example.concepts[text], kept[text], strict=True)
        if stays
        for path in word
    ]


def clauses(example: Example, text: int, kept: Kept) -> dict[str, Parts]:
    """The concepts by clause: `s0`, or `s0.first` and `s0.second` where two are joined; `s0` then
    holds the link.
    """
    found: dict[str, set[str]] = {}
    for path in paths(example, text, kept):
        sentence, _, rest = path.partition(".")
        head, _, inner = rest.partition(".")
        if head in ("first", "second"):
            found.setdefault(f"{sentence}.{head}", set()).add(inner)
        else:
            found.setdefault(sentence, set()).add(rest)
    return {name: frozenset(parts) for name, parts in found.items()}


def one(parts: Parts, slot: str, besides: Iterable[str] = ()) -> str:
    """What fills a slot, or nothing."""
    names = [part.partition(".")[2] for part in parts if part.startswith(f"{slot}.")]
    names = [name for name in names if name not in (*besides, "in", "of", "to", "from")]
    assert len(names) <= 1, (slot, parts)
    return names[0] if names else ""


VERBS = (
    "buy",
    "sell",
    "find",
    "lose",
    "see",
    "photograph",
    "draw",
    "give",
    "receive",
    "lend",
    "borrow",
)
NOUNS = frozenset([*KINDS, *(noun for nouns in KINDS.values() for noun in nouns)])
QUANTIFIERS = ("all", "some", "no")


def statement(parts: Parts) -> tuple[object, ...] | None:
    """An event, a property or a comparison; None if a part of it that must be there is not."""
    if any(part.startswith("owner.") for part in parts) or any(
        part.startswith("owned.") for part in parts
    ):
        quality = next((each for each in OPPOSITES if each in parts), "")
        side = (one(parts, "owner"), one(parts, "owned"))
        if "than" in parts or any(part.startswith("rival") for part in parts):
            other = (one(parts, "rival"), one(parts, "rivalled"))
            return (
                ("comparison", side, quality, other)
                if quality and "than" in parts and all((*side, *other))
                else None
            )
        return ("property", side, quality, "not" in parts) if quality and all(side) else None
    verb = next((each for each in VERBS if each in parts), "")
    things = [part.partition(".")[2] for part in parts if part.startswith("thing.")]
    noun = next((each for each in things if each in NOUNS), "")
    adjective = next((each for each in things if each not in NOUNS), "")
    subject = one(parts, "subject", QUANTIFIERS)
    quantifier = next((each for each in QUANTIFIERS if f"subject.{each}" in parts), "")
    if not (verb and noun and subject):
        return None
    places = (one(parts, "other"), one(parts, "place"), one(parts, "time"))
    return ("event", subject, quantifier, "not" in parts, (verb, noun, adjective, *places))


# Sentiment


def sentiment(example: Example, kept: Kept) -> str | None:
    found = [
        path.removeprefix("opinion.")
        for path in paths(example, 0, kept)
        if path.startswith("opinion.")
    ]

    def pleased(side: str) -> bool | None:
        mine = {path.removeprefix(f"{side}.") for path in found if path.startswith(f"{side}.")}
        named = [
            row.positive
            for table in (QUALITIES, ATTITUDES)
            for name, row in table.items()
            if name in mine
        ]
        return None if len(named) != 1 else named[0] != ("not" in mine)

    left, right = pleased("left"), pleased("right")
    outcome: bool | None
    if "agree" in found:
        outcome = None if left is None else left != ("not" in found)
    elif "right" in found or "wrong" in found:
        outcome = None if left is None else left == ("right" in found)
    elif "but" in found:
        outcome = right
    elif "although" in found:
        outcome = right if conceded(example) == "left" else left
    else:
        views = {view for view in (left, right) if view is not None}
        outcome = views.pop() if len(views) == 1 else None
    return None if outcome is None else "positive" if outcome else "negative"


def conceded(example: Example) -> str:
    """The side that stands in the clause with *although*: the one nearest to it in the tree."""
    assert example.concepts is not None
    assert example.heads is not None
    concepts, heads = example.concepts[0], example.heads[0]
    at = next(place for place, word in enumerate(concepts) if "opinion.although" in word)
    while True:
        below = [
            place for place in range(len(heads)) if place == at or at in ancestors(heads, place)
        ]
        sides = {
            path.split(".")[1]
            for place in below
            for path in concepts[place]
            if path.startswith(("opinion.left.", "opinion.right."))
        }
        if sides:
            assert len(sides) == 1, (example.texts, sides)
            return sides.pop()
        at = heads[at] - 1


def ancestors(heads: Sequence[int], place: int) -> list[int]:
    found = []
    while heads[place]:
        place = heads[place] - 1
        found.append(place)
    return found


# Topic


def topic(example: Example, kept: Kept) -> str | None:
    topics = set()
    sentences: dict[str, set[str]] = {}
    for path in paths(example, 0, kept):
        sentence, _, rest = path.partition(".")
        sentences.setdefault(sentence, set()).add(rest)
    for found in sentences.values():
        deed = {part.removeprefix("deed.") for part in found if part.startswith("deed.")}
        matter, distractor = one(frozenset(found), "matter"), one(frozenset(found), "distractor")
        if deed:
            topics |= {
                name
                for name, deeds in DEEDS.items()
                if any(deed == set(each.split("_")) for each in deeds)
            }
        if distractor and not found & {"not", "although", "instead"}:
            matter = "" if matter else distractor  # without what rules it out it counts as much
        topics |= {name for name, matters in MATTERS.items() if matter in matters}
    return topics.pop() if len(topics) == 1 else None


# Inference, by exhaustive search


def nli(example: Example, kept: Kept) -> str | None:
    premises = [said for said in map(statement, clauses(example, 0, kept).values()) if said]
    hypotheses = [said for said in map(statement, clauses(example, 1, kept).values()) if said]
    if len(hypotheses) != 1 or not premises:
        return None
    return search(frozenset(premises), hypotheses[0])


@cache
def search(premises: frozenset[tuple[object, ...]], hypothesis: tuple[object, ...]) -> str:
    """Every world, up to what these statements can tell apart."""
    everything = (*premises, hypothesis)
    worlds = [
        truths
        for truths in product(*(kind(everything) for kind in (event_truths, quality_truths)))
        if all(truths[0].get(said, truths[1].get(said)) for said in premises)
    ]
    assert worlds, premises
    outcomes = {truths[0].get(hypothesis, truths[1].get(hypothesis)) for truths in worlds}
    return {frozenset({True}): "entailment", frozenset({False}): "contradiction"}.get(
        frozenset(outcomes), "neutral"
    )  # type: ignore[arg-type]


def event_truths(everything: Sequence[tuple[object, ...]]) -> list[dict[object, bool]]:
    """For each world, whether each event statement holds in it. A world says what every individual
    has done.
    """
    events = [said for said in everything if said[0] == "event"]
    if not events:
        return [{}]
    deeds = [said[4] for said in events]
    names = dict.fromkeys((str(said[1]), bool(said[2])) for said in events)
    profiles = done(deeds)  # type: ignore[arg-type]
    found = []
    sizes = [product(profiles, repeat=3 if group else 1) for _, group in names]
    for world in product(*(list(each) for each in sizes)):
        members = dict(zip(names, world))
        truths = {}
        for number, said in enumerate(events):
            did = [bool(profile >> number & 1) for profile in members[str(said[1]), bool(said[2])]]
            quantifier = {"all": all(did), "some": any(did), "no": not any(did)}
            truths[said] = quantifier[str(said[2])] if said[2] else did[0] != said[3]
        found.append(truths)
    return [dict(pairs) for pairs in {tuple(truths.items()) for truths in found}]


def done(deeds: Sequence[tuple[str, ...]]) -> list[int]:
    """Every set of the described deeds that one individual can have done, as bits, by trying all
    concrete doings.
    """
    verbs = {deed[0] for deed in deeds}
    nouns = {
        each for deed in deeds for each in ([*KINDS[deed[1]]] if deed[1] in KINDS else [deed[1]])
    }
    adjectives = sorted({deed[2] for deed in deeds} - {""})
    subsets = [
        frozenset(a for a, bit in zip(adjectives, bits) if bit)
        for bits in product((0, 1), repeat=len(adjectives))
    ]
    where = [{deed[slot] for deed in deeds} | {"elsewhere"} for slot in (3, 4, 5)]
    single = set()
    for verb, noun, has, other, place, time in product(verbs, nouns, subsets, *where):
        fits = [
            deed[0] == verb
            and (deed[1] == noun or noun in KINDS.get(deed[1], ()))
            and (not deed[2] or deed[2] in has)
            and all(not said or said == real for said, real in zip(deed[3:], (other, place, time)))
            for deed in deeds
        ]
        single.add(sum(bit << number for number, bit in enumerate(fits)))
    closed = {0}
    for bits in single:
        closed |= {bits | other for other in closed}
    return sorted(closed)


def quality_truths(everything: Sequence[tuple[object, ...]]) -> list[dict[object, bool]]:
    """Things lie on scales; where *small* ends and *big* begins is free, and between them is
    neither.
    """
    told = [said for said in everything if said[0] != "event"]
    if not told:
        return [{}]
    things = list(
        dict.fromkeys(side for said in told for side in said[1:4:2] if isinstance(side, tuple))
    )
    scales = list(dict.fromkeys(scale(str(said[2])) for said in told))
    worlds = set()
    for values in product(range(3), repeat=len(things) * len(scales)):
        at = dict(zip(product(things, scales), values, strict=True))
        for low, high in combinations(range(-1, 4), 2):
            truths = []
            for said in told:
                up, mine = scale(str(said[2])) == said[2], at[said[1], scale(str(said[2]))]  # type: ignore[index]
                if said[0] == "comparison":
                    other = at[said[3], scale(str(said[2]))]  # type: ignore[index]
                    truths.append((said, mine > other if up else mine < other))
                else:
                    truths.append((said, (mine >= high if up else mine <= low) != said[3]))
            worlds.add(tuple(truths))
    return [dict(world) for world in worlds]


def scale(quality: str) -> str:
    """The upper end of a quality's scale."""
    return quality if quality in ("big", "new", "expensive") else OPPOSITES[quality]


# Paraphrase


def paraphrase(example: Example, kept: Kept) -> str | None:
    one_side, other = (facts(example, text, kept) for text in (0, 1))
    if one_side is None or other is None:
        return None
    return "paraphrase" if one_side == other else "different"


GETTING = {"receive": "give", "buy": "sell", "borrow": "lend"}


def facts(example: Example, text: int, kept: Kept) -> frozenset[object] | None:
    """What a text says, whoever tells it from which side: givers and takers, earlier and later,
    upper and lower.
    """
    found = clauses(example, text, kept)
    told: dict[str, object] = {}
    for name, parts in found.items():
        said = statement(parts)
        if said is not None:
            told[name] = plain(said)
    every: set[object] = set(told.values())
    for name, parts in found.items():
        for link in parts & {"before", "after"}:
            first, second = told.get(f"{name}.first"), told.get(f"{name}.second")
            every.add(("order", first, second) if link == "before" else ("order", second, first))
    return frozenset(every) or None


def plain(said: tuple[object, ...]) -> object:
    if said[0] == "comparison":
        _, side, quality, other = said
        upper, lower = (side, other) if scale(str(quality)) == quality else (other, side)
        return ("comparison", scale(str(quality)), upper, lower)
    if said[0] == "event":
        _, subject, quantifier, negated, deed = said
        verb, noun, adjective, other, place, time = deed  # type: ignore[misc]
        if other and verb in GETTING:
            subject, other, verb = other, subject, GETTING[verb]
        return ("event", subject, quantifier, negated, verb, noun, adjective, other, place, time)
    return said


# Reading


def reading(example: Example, kept: Kept) -> str | None:
    """The answer's text: of the one event that fits the question, the words of what is asked."""
    assert example.concepts is not None
    assert example.words is not None
    question = clauses(example, 0, kept).get("s0", frozenset())
    asked = next((word for word in ("who", "what", "where", "when") if word in question), None)
    if asked is None or not any(verb in question for verb in VERBS):
        return None
    slot = {"who": "subject.", "what": "thing.", "where": "place.", "when": "time."}[asked]
    said = {part for part in question if part != asked and part != "place.in"}
    fitting = [
        name
        for name, parts in clauses(example, 1, kept).items()
        if said <= parts and any(part.startswith(slot) for part in parts)
    ]
    if len(fitting) != 1:
        return None
    prefix = f"{fitting[0]}.{slot}"
    inside = [
        span
        for span, word in zip(example.words[1], example.concepts[1], strict=True)
        if any(path.startswith(prefix) and path != f"{fitting[0]}.place.in" for path in word)
    ]
    return example.texts[1][inside[0][0] : inside[-1][1]]


DECIDE: dict[str, Callable[[Example, Kept], str | None]] = {
    "sentiment": sentiment,
    "topic": topic,
    "nli": nli,
    "paraphrase": paraphrase,
    "reading": reading,
}
