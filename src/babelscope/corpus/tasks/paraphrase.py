"""Paraphrase over the events: pairs of nearly the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from babelscope.corpus.meaning.events import (
    CONVERSES,
    GIVING,
    KIND,
    KINDS,
    OPPOSITES,
    VERBS,
    Comparison,
    Event,
    Joined,
    converse,
    turned,
)
from babelscope.corpus.sampling import events as sampling
from babelscope.corpus.splits import chance, owns, pick, source
from babelscope.corpus.task import Realised, Task, deciding, sentences
from babelscope.corpus.tasks.statements import realised

LABELS = ("different", "paraphrase")
TAKING = tuple(verb for verb in CONVERSES if verb not in GIVING)
Side = Event | Joined | Comparison


@dataclass(frozen=True, slots=True)
class Pair:
    first: Side
    second: Side
    same: bool


def _two(rng: Random, split: str) -> tuple[Event, Event]:
    """Two people, two things, two verbs."""
    name, other = sampling.people(rng, split, 2)
    first, second = (
        replace(sampling.event(rng, split, each), place="", time="") for each in (name, other)
    )
    if first.thing.noun == second.thing.noun or first.verb == second.verb:
        return _two(rng, split)
    first = replace(first, place=sampling.place(rng, split)) if chance(rng, 0.5) else first
    return first, replace(second, place=sampling.place(rng, split)) if chance(rng, 0.3) else second


def _order(rng: Random, split: str, same: bool) -> tuple[Side, Side]:
    """*A before B* is *B after A*, not *A after B*, nor *B before A*."""
    first, second = _two(rng, split)
    link = pick(rng, ("before", "after"))
    other = {"before": "after", "after": "before"}[link]
    if same:
        return Joined(first, link, second), Joined(second, other, first)
    return Joined(first, link, second), Joined(first, other, second) if chance(
        rng, 0.75
    ) else Joined(second, link, first)


def _exchange(rng: Random, split: str, same: bool) -> tuple[Side, Side]:
    """*A sold it to B* is *B bought it from A*, not *A bought it from B*, nor *B sold it to A*."""
    name, other = sampling.people(rng, split, 2)
    first = replace(
        sampling.exchange(rng, name, other),
        time=sampling.time(rng, split) if chance(rng, 0.5) else "",
    )
    swapped = replace(first, subject=other, other=name)
    return first, converse(first) if same else converse(swapped) if chance(rng, 0.75) else swapped


def _comparison(rng: Random, split: str, same: bool) -> tuple[Side, Side]:
    """*bigger than* is *smaller than* from the other side only."""
    first = sampling.comparison(rng, *sampling.people(rng, split, 2))
    if same:
        return first, turned(first)
    opposite = replace(first, quality=OPPOSITES[first.quality])
    return first, turned(opposite) if chance(rng, 0.25) else opposite


def _pairing(rng: Random, split: str, same: bool) -> tuple[Side, Side]:
    """Two deeds in either order; who did what must stay."""
    first, second = _two(rng, split)
    left, right = (
        (first, second)
        if same
        else (replace(first, thing=second.thing), replace(second, thing=first.thing))
    )
    return Joined(first, "and", second), Joined(right, "and", left) if same or chance(
        rng, 0.5
    ) else Joined(left, "and", right)


def _replaced(rng: Random, split: str, side: Side) -> Side:
    """The same statement with one name, verb or thing replaced."""
    if isinstance(side, Joined):
        if chance(rng, 0.5):
            return replace(
                side,
                first=_other_event(
                    rng, split, side.first, {side.first.subject, side.second.subject}
                ),
            )
        return replace(
            side,
            second=_other_event(rng, split, side.second, {side.first.subject, side.second.subject}),
        )
    if isinstance(side, Event):
        return _other_event(rng, split, side, {side.subject, side.other})
    noun = pick(
        rng, [each for each in KINDS[KIND[side.noun]] if each not in (side.noun, side.other_noun)]
    )
    return replace(side, noun=noun) if chance(rng, 0.5) else replace(side, other_noun=noun)


def _other_event(rng: Random, split: str, event: Event, known: set[str]) -> Event:
    part = pick(rng, ("subject", "verb", "thing"))
    if part == "subject":
        return replace(
            event,
            subject=next(name for name in sampling.people(rng, split, 4) if name not in known),
        )
    if part == "thing":
        siblings = [each for each in KINDS[KIND[event.thing.noun]] if each != event.thing.noun]
        return replace(event, thing=replace(event.thing, noun=pick(rng, siblings)))
    verbs = GIVING if event.verb in GIVING and event.other else TAKING if event.other else VERBS
    return replace(event, verb=pick(rng, [each for each in verbs if each != event.verb]))


SAMPLERS: tuple[Callable[[Random, str, bool], tuple[Side, Side]], ...] = (
    _order,
    _exchange,
    _comparison,
    _pairing,
)


def _signature(side: Side) -> tuple[object, ...]:
    """What is held out: verbs, things and their order, but for names, places and times."""
    if isinstance(side, Joined):
        return side.link, *_signature(side.first), *_signature(side.second)
    return (
        (side.verb, side.thing)
        if isinstance(side, Event)
        else (side.noun, side.quality, side.other_noun)
    )


def _meanings(split: str, seed: int) -> Iterator[Pair]:
    rng, seen = source("paraphrase", split, seed), set[Pair]()
    while True:
        same, sample = chance(rng, 0.5), pick(rng, SAMPLERS)
        if not same and chance(rng, 0.4):
            first, second = sample(rng, split, True)
            second = _replaced(rng, split, second)
        else:
            first, second = sample(rng, split, same)
        if not owns(
            split, "paraphrase", *sorted((str(_signature(first)), str(_signature(second))))
        ):
            continue
        pair = Pair(first, second, same)
        if pair not in seen:
            seen.add(pair)
            yield pair


def _realise(pair: Pair, lang: str) -> Realised:
    texts = [
        deciding(sentences([realised(side, lang)], lang), _decides)
        for side in (pair.first, pair.second)
    ]
    return Realised(tuple(texts), LABELS[pair.same])


def _decides(concept: str) -> bool:
    return ".place." not in concept and ".time." not in concept


PARAPHRASE = Task(
    "paraphrase",
    LABELS,
    ("sentence", "other sentence"),
    _meanings,
    _realise,
    "Do the two texts say the same? They differ in order and view: *before* and *after*, *sell to* "
    "and *buy from*, *bigger* "
    "and *smaller*, who did which of two things; or one name, verb or thing is another.",
    "The rationale holds who did what to whom in which order, on both sides, but no places and "
    "times. What a split "
    "holds out: the combinations of the verbs, things and adjectives of both sides; two names, one "
    "place and one time "
    "each.",
)
