"""Natural language inference over the events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from babelscope.corpus.meaning.events import (
    ADJECTIVES,
    KIND,
    KINDS,
    OPPOSITES,
    QUANTIFIERS,
    Comparison,
    Event,
    Joined,
    Property,
    Statement,
    Thing,
    kind,
    relation,
    turned,
)
from babelscope.corpus.notation import Gold
from babelscope.corpus.sampling import events as sampling
from babelscope.corpus.splits import chance, owns, pick, source
from babelscope.corpus.task import Realised, Task, deciding, sentences
from babelscope.corpus.tasks.statements import realised

LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, slots=True)
class Inference:
    """A premise, perhaps with an irrelevant statement before or after it, and a hypothesis."""

    premise: Statement
    hypothesis: Statement
    aside: Event | None = None
    aside_first: bool = False
    joined: bool = False
    """Premise and aside in one sentence, with *and*."""


def _changed_thing(rng: Random, thing: Thing) -> Thing:
    """The thing named more or less exactly."""
    form = pick(rng, ("adjective", "noun"))
    if form == "adjective":
        return replace(
            thing, adjective="" if thing.adjective else pick(rng, ADJECTIVES[kind(thing.noun)])
        )
    return replace(
        thing, noun=pick(rng, KINDS[thing.noun]) if thing.noun in KINDS else kind(thing.noun)
    )


def _changed_event(rng: Random, event: Event, split: str) -> Event:
    """One edit away: a detail of thing, place, time or quantifier added or removed, or a negation."""
    step = pick(rng, ("thing", "thing", "place", "time", "turn"))
    if step == "thing":
        return replace(event, thing=_changed_thing(rng, event.thing))
    if step == "place":
        return replace(event, place="" if event.place else sampling.place(rng, split))
    if step == "time":
        return replace(event, time="" if event.time else sampling.time(rng, split))
    if event.quantifier:
        return replace(event, quantifier=pick(rng, QUANTIFIERS))
    return replace(event, negated=not event.negated)


def _changed(rng: Random, premise: Statement, split: str) -> Statement:
    if isinstance(premise, Event):
        hypothesis = _changed_event(rng, premise, split)
        return _changed_event(rng, hypothesis, split) if chance(rng, 0.7) else hypothesis
    if isinstance(premise, Property):
        quality = pick(rng, [each for each in ADJECTIVES[kind(premise.noun)] if each in OPPOSITES])
        return replace(premise, quality=quality, negated=chance(rng, 0.5))
    other = turned(premise) if chance(rng, 0.5) else premise
    if chance(rng, 0.5):
        other = replace(other, quality=OPPOSITES[other.quality])
    return Property(other.owner, other.noun, other.quality) if chance(rng, 0.4) else other


def _premise(rng: Random, split: str, name: str) -> Statement:
    form = rng.random()
    if form < 0.5:
        return replace(sampling.event(rng, split, name, general=0.3), negated=chance(rng, 0.35))
    if form < 0.8:
        return sampling.group(rng, split)
    return (
        sampling.owned(rng, name)
        if form < 0.9
        else sampling.comparison(rng, name, sampling.people(rng, split, 1)[0])
    )


def _sampled(rng: Random, split: str, label: str) -> Inference | None:
    name, stranger = sampling.people(rng, split, 2)
    premise = _premise(rng, split, name)
    if isinstance(premise, Comparison) and premise.other in (name, stranger):
        return None
    aside = sampling.event(rng, split, stranger) if chance(rng, 0.6) else None
    hypothesis = _changed(rng, premise, split)
    if (
        aside
        and isinstance(premise, Event)
        and not premise.quantifier
        and label == "neutral"
        and chance(rng, 0.25)
    ):
        hypothesis = replace(premise, subject=stranger, place="", time="")  # who did it is mixed up
        if aside.verb == premise.verb:
            return None
    if (
        hypothesis == premise
        or _rival(premise, hypothesis)
        or relation(premise, hypothesis) != label
    ):
        return None
    if not owns(split, "nli", *_signature(premise), *_signature(hypothesis)):
        return None
    joined = (
        bool(aside)
        and isinstance(premise, Event)
        and not (premise.quantifier or premise.negated)
        and chance(rng, 0.5)
    )
    return Inference(premise, hypothesis, aside, bool(aside) and chance(rng, 0.5), joined)


def _rival(premise: Statement, hypothesis: Statement) -> bool:
    """Whether both might be taken for descriptions of one event: *in Paris* and *in Rome*,
    *a dog* and *a cat*.
    """
    if not (isinstance(premise, Event) and isinstance(hypothesis, Event)):
        return False
    pairs = [
        (premise.place, hypothesis.place),
        (premise.time, hypothesis.time),
        (premise.thing.adjective, hypothesis.thing.adjective),
        *(
            [(premise.thing.noun, hypothesis.thing.noun)]
            if {premise.thing.noun, hypothesis.thing.noun} <= set(KIND)
            else []
        ),
    ]
    return any(first and second and first != second for first, second in pairs)


def _signature(statement: Statement) -> tuple[object, ...]:
    """What is held out: the premise's wording with the hypothesis', but for names, places and
    times.
    """
    if isinstance(statement, Event):
        parts = (bool(statement.place), bool(statement.time), statement.negated)
        return statement.quantifier, statement.verb, statement.thing, *parts
    if isinstance(statement, Property):
        return statement.noun, statement.quality, statement.negated
    return statement.noun, statement.quality, statement.other_noun


def _meanings(split: str, seed: int) -> Iterator[Inference]:
    rng, seen = source("nli", split, seed), set[Inference]()
    while True:
        label, inference = pick(rng, LABELS), None
        while inference is None or inference in seen:
            inference = _sampled(rng, split, label)
        seen.add(inference)
        yield inference


def _premise_text(inference: Inference, lang: str) -> tuple[Gold, str]:
    """The premise, and how the concepts of its main statement start."""
    main, aside, first = inference.premise, inference.aside, inference.aside_first
    if aside is None:
        return sentences([realised(main, lang)], lang), "s0."
    if inference.joined and isinstance(main, Event):
        both = Joined(aside, "and", main) if first else Joined(main, "and", aside)
        return sentences([realised(both, lang)], lang), "s0.second." if first else "s0.first."
    order = [aside, main] if first else [main, aside]
    return sentences([realised(each, lang) for each in order], lang), f"s{order.index(main)}."


def _beside(premise: Statement, hypothesis: Statement) -> set[str]:
    """The parts of the premise that are irrelevant to the hypothesis; a denial needs all of
    its parts.
    """
    if (
        not (isinstance(premise, Event) and isinstance(hypothesis, Event))
        or premise.negated
        or premise.quantifier == "no"
    ):
        return set()
    beside = set[str]()
    if premise.thing.adjective and not hypothesis.thing.adjective:
        beside.add(f"thing.{premise.thing.adjective}")
    if premise.place and not hypothesis.place:
        beside.add("place.")
    if premise.time and not hypothesis.time:
        beside.add("time.")
    return beside


def _realise(inference: Inference, lang: str) -> Realised:
    premise, prefix = _premise_text(inference, lang)
    beside = _beside(inference.premise, inference.hypothesis)
    mixed = (
        isinstance(inference.hypothesis, Event)
        and inference.aside
        and inference.hypothesis.subject == inference.aside.subject
    )

    def decides(concept: str) -> bool:
        if mixed and not concept.startswith(prefix):
            return not any(f".{part}" in concept for part in ("place.", "time."))
        return concept.startswith(prefix) and not any(f".{part}" in concept for part in beside)

    hypothesis = sentences([realised(inference.hypothesis, lang)], lang)
    label = relation(inference.premise, inference.hypothesis)
    return Realised((deciding(premise, decides), deciding(hypothesis, lambda _: True)), label)


NLI = Task(
    "nli",
    LABELS,
    ("premise", "hypothesis"),
    _meanings,
    _realise,
    "Does the second sentence follow from the first, contradict it, or neither? By negation, "
    "*all*, *some* and *no*, kinds of "
    "things, adjectives, places and times that are left out or added, opposites and comparisons; "
    "something beside the point "
    "stands in three premises of five.",
    "The rationale holds the hypothesis, and of the premise the statement that it is about without "
    "the parts that do "
    "not matter. What a split holds out: the combinations of the premise's and the hypothesis' "
    "verbs, things, "
    "adjectives and quantifiers; two names, one place and one time each.",
)
