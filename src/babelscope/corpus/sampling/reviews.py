"""Random reviews: the same stream of meanings for every language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from babelscope.corpus.meaning.reviews import (
    ALONE,
    ATTITUDES,
    CITIES,
    COMPANY,
    CRITICISED,
    DEGREES,
    HOLDERS,
    NOTES,
    OPENERS,
    QUALITIES,
    SUMMARIES,
    TIMES,
    TOPICS,
    VIEWS,
    Opinion,
    Review,
    Scene,
    foreign,
)
from babelscope.corpus.splits import known, owns, pick, source


def _quality(
    rng: Random, topic: str, kinds: str, good: bool, negated: bool, holder: str = ""
) -> Opinion:
    """A quality that suits the topic; a personal impression is more specific than good or bad."""
    fitting = frozenset(kinds.split())
    names = [
        name
        for name, row in QUALITIES.items()
        if row.positive == (good != negated)
        and (row.negatable or not negated)
        and row.kinds & fitting
        if not (holder and name in ("good", "bad"))
    ]
    if not names:
        return _quality(rng, topic, kinds, good, False, holder)
    name = pick(rng, names)
    degrees = ("", "at_all") if negated else DEGREES[QUALITIES[name].negatable]
    return Opinion(topic, name, negated, holder, pick(rng, degrees))


def _attitude(rng: Random, topic: str, good: bool, negated: bool, holder: str = "i") -> Opinion:
    kind = "i" if holder == "i" else "other"
    rows = [
        name
        for name, row in ATTITUDES.items()
        if row.positive == (good != negated)
        and (row.negatable or not negated)
        and kind in row.kinds
    ]
    return (
        Opinion(topic, pick(rng, rows), negated, holder)
        if rows
        else _attitude(rng, topic, good, False, holder)
    )


def _own(rng: Random, domain: str, good: bool, negated: bool) -> Opinion:
    """The narrator on the item or a part of it: a fact, an impression or an attitude."""
    form = rng.random()
    if form < 0.25:
        return _attitude(rng, domain, good, negated)
    topic, kinds = pick(rng, tuple(TOPICS[domain].items()))
    return _quality(rng, topic, kinds, good, negated, holder="i" if form < 0.45 else "")


def _others(rng: Random, domain: str, good: bool, negated: bool) -> Opinion:
    """Somebody else on the item or a part of it."""
    holder = pick(rng, HOLDERS if domain in CRITICISED else HOLDERS[:-1])
    if rng.random() < 0.5:
        return _attitude(rng, domain, good, negated, holder)
    topic, kinds = pick(rng, tuple(TOPICS[domain].items()))
    return _quality(rng, topic, kinds, good, negated, holder)


def _part(rng: Random, domain: str, good: bool, negated: bool, besides: str = "") -> Opinion:
    """A fact about a part of the item."""
    parts = [pair for pair in TOPICS[domain].items() if pair[0] not in (domain, besides)]
    return _quality(rng, *pick(rng, parts), good, negated)


def _verdict(rng: Random, domain: str, good: bool, negated: bool) -> Opinion:
    """The narrator on the item as a whole."""
    if rng.random() < 0.6:
        return _attitude(rng, domain, good, negated)
    return _quality(rng, domain, TOPICS[domain][domain], good, negated)


def _reply(rng: Random, domain: str, to: Opinion, good: bool, negated: bool) -> Opinion:
    """The narrator on what somebody else has just judged."""
    if to.topic == domain and rng.random() < 0.6:
        return _attitude(rng, domain, good, negated)
    return _quality(rng, to.topic, TOPICS[domain][to.topic], good, negated, holder="i")


def _some(rng: Random) -> bool:
    return rng.random() < 0.25


def _plain(rng: Random, domain: str, good: bool) -> Review:
    return Review(domain, "plain", _own(rng, domain, good, False))


def _negated(rng: Random, domain: str, good: bool) -> Review:
    return Review(domain, "plain", _own(rng, domain, good, True))


def _both(rng: Random, domain: str, good: bool) -> Review:
    left = _part(rng, domain, good, _some(rng))
    return Review(domain, "both", left, _part(rng, domain, good, _some(rng), besides=left.topic))


def _because(rng: Random, domain: str, good: bool) -> Review:
    left, right = _attitude(rng, domain, good, _some(rng)), _part(rng, domain, good, _some(rng))
    if right.evaluation.startswith(
        left.evaluation
    ):  # "it disappointed me because the pool was disappointing"
        return _because(rng, domain, good)
    return Review(domain, "because", left, right)


def _contrast(rng: Random, domain: str, good: bool, frame: str) -> Review:
    """A part against the whole, or somebody else's view against the narrator's."""
    inner, outer = pick(rng, (*((False, False),) * 4, (True, False), (False, True)))
    if rng.random() < 0.5:
        aside, main = _part(rng, domain, not good, inner), _verdict(rng, domain, good, outer)
        return Review(domain, frame, aside, main, summary=pick(rng, SUMMARIES))
    aside = _others(rng, domain, not good, inner)
    return Review(domain, frame, aside, _reply(rng, domain, aside, good, outer))


def _but(rng: Random, domain: str, good: bool) -> Review:
    return _contrast(rng, domain, good, "but")


def _although(rng: Random, domain: str, good: bool) -> Review:
    return _contrast(rng, domain, good, "although")


def _after(rng: Random, domain: str, good: bool) -> Review:
    review = _contrast(rng, domain, good, "after")
    assert review.right is not None
    return Review(domain, "after", review.right, review.left)


def _surprised(rng: Random, domain: str, good: bool) -> Review:
    topic, kinds = pick(rng, tuple(TOPICS[domain].items()))
    left = replace(_quality(rng, topic, kinds, not good, _some(rng)), degree="")
    right = _quality(rng, topic, kinds, good, _some(rng))
    if right.evaluation == left.evaluation:  # "I thought it would be good, but it was not good"
        return _surprised(rng, domain, good)
    return Review(domain, "surprised", left, right)


def _echo(rng: Random, domain: str, good: bool) -> Review:
    flips = rng.random() < 0.5
    return Review(
        domain, "disagree" if flips else "agree", _others(rng, domain, good != flips, _some(rng))
    )


def _forecast(rng: Random, domain: str, good: bool) -> Review:
    flips = rng.random() < 0.5
    topic, kinds = pick(rng, tuple(TOPICS[domain].items()))
    left = replace(_quality(rng, topic, kinds, good != flips, _some(rng)), degree="")
    return Review(domain, "refuted" if flips else "confirmed", left)


Sampler = Callable[[Random, str, bool], Review]

SAMPLERS: tuple[tuple[float, Sampler], ...] = (
    (0.42, _plain),
    (0.14, _negated),
    (0.04, _both),
    (0.05, _because),
    (0.12, _but),
    (0.06, _although),
    (0.07, _after),
    (0.03, _surprised),
    (0.04, _echo),
    (0.03, _forecast),
)
"""Share of each way to build a review; the shares sum to one."""


def _sampler(rng: Random) -> Sampler:
    left = rng.random()
    for share, sampler in SAMPLERS:
        left -= share
        if left < 0:
            return sampler
    return SAMPLERS[-1][1]


def _scene(rng: Random, split: str, domain: str, short: bool) -> Scene:
    """A time, company and city whose combination belongs to the split."""
    while True:
        company = pick(rng, ("", *known(split, COMPANY, 1))) if domain not in ALONE else ""
        city = (
            pick(rng, ("", *known(split, CITIES, 1)))
            if domain != "novel" and not (short and company)
            else ""
        )
        scene = Scene(pick(rng, TIMES), company, city)
        if owns(split, "scene", domain, scene.time, company, city) or domain == "novel":
            return scene


def _furnished(rng: Random, review: Review, split: str) -> Review:
    """The review with an opener, a scene or a note: at least one if it is short, at most one if it
    is long.
    """
    left, long = review.left, review.right is not None or review.frame != "plain"
    openers = () if foreign(left) else OPENERS if left.holder or long else OPENERS + VIEWS
    extras = ["scene", "note"] + ["opener"] * bool(openers)
    chosen = {pick(rng, extras)} if not long else {pick(rng, [*extras, "", "", ""])}
    if not long and rng.random() < 0.5:
        chosen.add(pick(rng, extras))
    note = pick(rng, NOTES) if "note" in chosen else ""
    return replace(
        review,
        opener=pick(rng, openers) if "opener" in chosen else "",
        scene=_scene(rng, split, review.domain, long or bool(note)) if "scene" in chosen else None,
        note=note,
        note_first=bool(note) and rng.random() < 0.5,
    )


def _signature(review: Review) -> tuple[object, ...]:
    """What is held out: the frame with the things judged and their evaluations."""
    opinions = (review.left, review.right) if review.right else (review.left,)
    return (review.frame, *((o.topic, o.evaluation, o.negated) for o in opinions))


def reviews(split: str, seed: int) -> Iterator[Review]:
    """An endless stream of distinct reviews of the split; a longer prefix starts with a shorter one."""
    rng, seen = source("sentiment", split, seed), set[Review]()
    while True:
        sampler, good = _sampler(rng), rng.random() < 0.5
        while True:
            domain = pick(rng, tuple(TOPICS))
            review = sampler(rng, domain, good)
            if not owns(split, *_signature(review)):
                continue
            review = _furnished(rng, review, split)
            if review not in seen:
                seen.add(review)
                yield review
                break
