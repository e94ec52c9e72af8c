"""Reading comprehension over the events: three or four sentences, and a question that one of them
answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from babelscope.corpus.languages import LANGUAGES
from babelscope.corpus.meaning.events import Event, Property, Thing
from babelscope.corpus.sampling import events as sampling
from babelscope.corpus.splits import chance, owns, pick, source
from babelscope.corpus.task import Realised, Task, deciding, sentences
from babelscope.corpus.tasks.statements import realised

PARTS = {"who": "subject.", "what": "thing.", "where": "place.", "when": "time."}
"""The question words, and how the concepts of their answers start."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`question` is the event of sentence `at` with some of its parts left out; so is the part in
    question.
    """

    story: tuple[Event | Property, ...]
    at: int
    part: str
    question: Event


def answers(question: Event, part: str, event: Event) -> bool:
    """Whether the event matches everything the question mentions, and has the part in question."""
    pairs = [
        (question.verb, event.verb),
        *([(question.subject, event.subject)] if part != "who" else []),
        *(
            [
                (question.thing.noun, event.thing.noun),
                (question.thing.adjective, event.thing.adjective),
            ]
            * (part != "what")
        ),
        (question.other, event.other),
        *([(question.place, event.place)] if part != "where" else []),
        *([(question.time, event.time)] if part != "when" else []),
    ]
    has = {
        "who": event.subject,
        "what": event.thing.noun,
        "where": event.place,
        "when": event.time,
    }[part]
    return bool(has) and all(mentioned in ("", actual) for mentioned, actual in pairs)


def _story(rng: Random, split: str) -> list[Event]:
    """Three events; each shares its person, verb or thing with the first, so that no single word
    finds the answer.
    """
    names = sampling.people(rng, split, 3)
    first = replace(
        sampling.event(rng, split, names[0]),
        place=sampling.place(rng, split),
        time=sampling.time(rng, split),
    )
    events = [first]
    for name in names[1:]:
        other = sampling.event(rng, split, name)
        shared = pick(rng, ("subject", "verb", "thing"))
        if shared == "subject":
            other = replace(other, subject=names[0])
        elif shared == "verb":
            other = replace(other, verb=first.verb)
        else:
            other = replace(
                other,
                thing=replace(other.thing, noun=first.thing.noun, adjective=first.thing.adjective),
            )
        events.append(other)
    return events


def _question(rng: Random, event: Event, part: str) -> Event:
    """The event without some of its optional parts."""
    question = replace(
        event,
        place="" if part == "where" or chance(rng, 0.5) else event.place,
        time="" if part == "when" or chance(rng, 0.5) else event.time,
    )
    return replace(question, thing=Thing(event.thing.noun)) if chance(rng, 0.5) else question


def _sampled(rng: Random, split: str) -> Reading | None:
    events = _story(rng, split)
    if len({(event.subject, event.verb, event.thing.noun) for event in events}) < len(events):
        return None
    part = pick(rng, tuple(PARTS))
    question = _question(rng, events[0], part)
    if sum(answers(question, part, event) for event in events) != 1:
        return None
    if not owns(
        split,
        "reading",
        part,
        question.verb,
        question.thing,
        bool(question.place),
        bool(question.time),
    ):
        return None
    story: list[Event | Property] = [*events]
    if chance(rng, 0.4):
        story.append(sampling.owned(rng, sampling.people(rng, split, 1)[0]))
    order = sorted(range(len(story)), key=lambda _: rng.random())
    return Reading(tuple(story[at] for at in order), order.index(0), part, question)


def _meanings(split: str, seed: int) -> Iterator[Reading]:
    rng, seen = source("reading", split, seed), set[Reading]()
    while True:
        reading = _sampled(rng, split)
        if reading is not None and reading not in seen:
            seen.add(reading)
            yield reading


def _realise(reading: Reading, lang: str) -> Realised:
    question = sentences(
        [LANGUAGES[lang].events.question(reading.question, reading.part)], lang, question=True
    )
    story = sentences([realised(each, lang) for each in reading.story], lang)
    needed = _parts(reading)
    prefix = f"s{reading.at}."

    def decides(concept: str) -> bool:
        rest = concept.removeprefix(prefix)
        return rest != concept and (
            rest == reading.question.verb or any(rest.startswith(part) for part in needed)
        )

    event = reading.story[reading.at]
    city = (
        event.place if isinstance(event, Event) and reading.part == "where" else ""
    )  # not the preposition
    return Realised(
        (deciding(question, lambda _: True), deciding(story, decides)),
        None,
        prefix + PARTS[reading.part] + city,
    )


def _parts(reading: Reading) -> list[str]:
    """What the question mentions or requests, as prefixes of concepts."""
    question = reading.question
    parts = ["subject.", "thing."]
    parts += ["place."] * (bool(question.place) or reading.part == "where")
    return parts + ["time."] * (bool(question.time) or reading.part == "when")


READING = Task(
    "reading",
    (),
    ("question", "story"),
    _meanings,
    _realise,
    "Who, what, where or when? One sentence of the story answers; the others share its people, "
    "verbs or things.",
    "The rationale holds the question, and of the sentence that answers it the parts that the "
    "question names or asks "
    "for. What a split holds out: the combinations of question word, verb and thing; two names, "
    "one place and one "
    "time each.",
)
