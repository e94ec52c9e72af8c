"""Topic over the news."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from babelscope.corpus.languages import LANGUAGES
from babelscope.corpus.meaning.news import (
    CARRIERS,
    DEEDS,
    MATTERS,
    PLACES,
    SUBJECTS,
    TIMES,
    TOPICS,
    News,
)
from babelscope.corpus.splits import chance, known, owns, pick, some, source
from babelscope.corpus.task import Realised, Task, sentences

SHARES = (("deed", 0.4), ("speech", 0.2), ("not_but", 0.15), ("although", 0.1), ("instead", 0.15))
"""How often each frame is sampled."""


def _sampled(rng: Random, split: str) -> News:
    left, frame = rng.random(), SHARES[-1][0]
    for name, share in SHARES:
        left -= share
        if left < 0:
            frame = name
            break
    topic, distracting, third = some(rng, TOPICS, 3)
    time, place = pick(rng, known(split, TIMES, 1)), pick(rng, known(split, PLACES, 1))
    usual = pick(rng, SUBJECTS[topic if chance(rng, 0.3) else third])
    news = News(frame, topic)
    if frame in ("deed", "speech", "instead"):
        news = replace(news, subject=usual)
    deed = pick(rng, DEEDS[topic]) if frame == "deed" else ""
    news = replace(news, deed=deed, matter="" if deed else pick(rng, MATTERS[topic]))
    if frame in ("not_but", "although", "instead"):
        news = replace(news, distractor=pick(rng, MATTERS[distracting]))
    if frame in ("not_but", "although"):
        news = replace(news, carrier=pick(rng, known(split, CARRIERS, 1)))
    if frame in ("deed", "speech", "not_but"):
        news = replace(news, time=time)
    return replace(
        news, place=place if frame not in ("although", "not_but") and chance(rng, 0.6) else ""
    )


def _signature(news: News) -> tuple[str, ...]:
    """What is held out: who with what, and which matter instead of which."""
    return news.frame, news.subject, news.deed, news.matter, news.distractor


def _meanings(split: str, seed: int) -> Iterator[tuple[News, ...]]:
    """One item, or two on the same topic."""
    rng, seen = source("topic", split, seed), set[tuple[News, ...]]()
    while True:
        item = _sampled(rng, split)
        if not owns(split, *_signature(item)):
            continue
        items: tuple[News, ...] = (item,)
        if chance(rng, 0.25):
            more = _sampled(rng, split)
            if (
                more.topic != item.topic
                or more.frame == item.frame
                or not owns(split, *_signature(more))
            ):
                continue
            items = (item, replace(more, time="", place=""))
        if items not in seen:
            seen.add(items)
            yield items


def _realise(items: tuple[News, ...], lang: str) -> Realised:
    return Realised(
        (sentences([LANGUAGES[lang].news.item(item) for item in items], lang),), items[0].topic
    )


TOPIC = Task(
    "topic",
    TOPICS,
    ("news",),
    _meanings,
    _realise,
    "What is it about: sports, health, economy, science, culture or technology? What is done or "
    "spoken about decides, not who "
    "does it, nor what it was *not* about, began with or took the place of.",
    "The rationale holds the deed or the matter that decides, and the words that rule the other "
    "one out. What a split "
    "holds out: the combinations of frame, person, deed, matter and distractor; one time, place "
    "and carrier each. The "
    "words that bear the topic are shared by all splits.",
)
