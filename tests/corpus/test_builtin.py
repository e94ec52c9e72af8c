"""Laws of the built-in corpus, over every task and language."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import cycle, islice
from unicodedata import is_normalized

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

import gold
from babelscope import corpus
from babelscope.corpus import CORPORA, LANGUAGES, read, sentiment
from babelscope.corpus.languages import LANGUAGES as ROWS
from babelscope.corpus.languages.ar import reviews as ar
from babelscope.corpus.languages.es import reviews as es
from babelscope.corpus.languages.hi import reviews as hi
from babelscope.corpus.meaning import events
from babelscope.corpus.meaning.reviews import (
    FRAMES,
    QUALITIES,
    TOPICS,
    Opinion,
    Review,
    label,
    positive,
)
from babelscope.corpus.notation import RELATIONS, depends, mark, parse, scope, typeset
from babelscope.corpus.sampling.reviews import SAMPLERS, reviews
from babelscope.corpus.tasks.sentiment import realised
from babelscope.data.formats.alignments import alignment
from babelscope.errors import InputError
from babelscope.types import Example

SPLITS = ("train", "dev", "test")
EVERY = [(task, lang) for task in CORPORA for lang in LANGUAGES]
every = pytest.mark.parametrize(("task", "lang"), EVERY)


def words(example: Example, text: int = 0) -> list[str]:
    assert example.words is not None
    return [example.texts[text][start:end] for start, end in example.words[text]]


def said(lang: str, opinion: Opinion) -> str:
    return realised(Review("film", "plain", opinion), lang).text


def test_eight_languages_and_five_tasks() -> None:
    assert LANGUAGES == ("en", "zh", "es", "fr", "hi", "tr", "ar", "sw")
    assert tuple(CORPORA) == ("sentiment", "topic", "nli", "paraphrase", "reading")
    assert [len(task.labels) for task in CORPORA.values()] == [2, 6, 3, 2, 0]


@lru_cache(maxsize=15)
def english(task: str, split: str) -> list[Example]:
    """What several tests look at; a shorter list is how it begins."""
    return read(task, "en", split, 2000)


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    english.cache_clear()


@pytest.mark.parametrize("task", CORPORA)
def test_translations_share_group_and_label(task: str) -> None:
    columns = [read(task, lang, "test", 200, seed=3) for lang in LANGUAGES]
    for index, row in enumerate(zip(*columns, strict=True)):
        assert {example.group for example in row} == {f"{task}-test-3-{index:06d}"}
        assert [example.id for example in row] == [f"{row[0].group}-{lang}" for lang in LANGUAGES]
        assert [example.lang for example in row] == list(LANGUAGES)
        assert len({example.label for example in row}) == 1
        assert {len(example.texts) for example in row} == {len(CORPORA[task].texts)}


def test_same_bytes_in_every_process() -> None:
    """Here, and in a process that orders its sets otherwise."""
    code = (
        "import hashlib; from babelscope.corpus import CORPORA, LANGUAGES, read\n"
        "rows = [read(task, lang, 'dev', 40, 5) for task in CORPORA for lang in LANGUAGES]\n"
        "print(hashlib.sha256(repr(rows).encode()).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONHASHSEED": "4242" if os.environ.get("PYTHONHASHSEED") != "4242" else "1",
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [read(task, lang, "dev", 40, 5) for task in CORPORA for lang in LANGUAGES]
    assert other.strip() == hashlib.sha256(repr(rows).encode()).hexdigest()


@pytest.mark.parametrize("task", CORPORA)
def test_a_longer_list_starts_with_the_shorter_one(task: str) -> None:
    assert read(task, "hi", "dev", 70, seed=11) == read(task, "hi", "dev", 200, seed=11)[:70]
    assert read(task, "hi", "dev", 200, seed=11)[:70] == read(task, "hi", "dev", 70, seed=11)
    assert read(task, "hi", "dev", 0) == []
    assert read(task, "hi", "dev", 20, seed=0) != read(task, "hi", "dev", 20, seed=1)


@every
def test_words_cover_the_texts(task: str, lang: str) -> None:
    lengths = []
    for example in read(task, lang, "train", 300):
        assert example.words is not None
        assert example.rationale is not None
        for text, spans, marks in zip(example.texts, example.words, example.rationale, strict=True):
            end = 0
            for start, stop in spans:
                assert text[end:start].strip() == ""
                assert start < stop
                assert not any(character.isspace() for character in text[start:stop])
                end = stop
            assert end == len(text)
            assert is_normalized("NFC", text)
            assert not set("*#") & set(text)
            assert "  " not in text
            assert len(marks) == len(spans)
            assert any(marks)
            assert not all(marks)
            lengths.append(len(spans))
    assert 6 <= sum(lengths) / len(lengths) <= 40
    assert max(lengths) <= 60


@pytest.mark.slow
@every
def test_trees_are_well_formed(task: str, lang: str) -> None:
    """One root per sentence, every word reaches it without a circle, and the relations are those
    of UD.
    """
    stops = {ROWS[lang].writing.stop, ROWS[lang].writing.question}
    for example in read(task, lang, "test", 1000, seed=2):
        assert example.heads is not None
        assert example.relations is not None
        for text, (heads, relations) in enumerate(
            zip(example.heads, example.relations, strict=True)
        ):
            assert len(heads) == len(relations) == len(words(example, text))
            assert set(relations) <= RELATIONS
            roots = [place for place, head in enumerate(heads) if head == 0]
            assert [relations[place] for place in roots] == ["root"] * len(roots)
            assert (
                relations.count("root")
                == sum(word in stops for word in words(example, text))
                == len(roots)
            )
            sentence = 0
            for place in range(len(heads)):
                up = gold.ancestors(heads, place) if heads[place] else [place]
                assert len(up) < len(heads)
                assert up[-1] == roots[sentence]
                sentence += words(example, text)[place] in stops


@pytest.mark.slow
@every
def test_the_label_and_its_rationale_are_confirmed_by_search(task: str, lang: str) -> None:
    """The label follows from all words, follows from the rationale alone, and does not follow from
    the other words.
    """
    decide = gold.DECIDE[task]
    for example in read(task, lang, "test", 1000, seed=5):
        wanted = example.texts[1][slice(*example.answer)] if example.answer else example.label
        assert example.rationale is not None
        assert decide(example, gold.everything(example)) == wanted, example
        assert decide(example, example.rationale) == wanted, example
        others = tuple(tuple(not mark for mark in marks) for marks in example.rationale)
        assert decide(example, others) != wanted, example


@pytest.mark.parametrize("lang", LANGUAGES)
def test_answers_are_words_of_the_story(lang: str) -> None:
    for example in read("reading", lang, "train", 1000):
        assert example.answer is not None
        assert example.words is not None
        assert example.label is None
        start, end = example.answer
        assert start in {word[0] for word in example.words[1]}
        assert end in {word[1] for word in example.words[1]}
        assert not set(example.texts[1][start:end]) & set(".。।،,")
        assert len(example.texts[1][start:end].split()) <= 6


@pytest.mark.parametrize("task", CORPORA)
def test_alignment_is_symmetric_and_covers_the_content(task: str) -> None:
    """Of the words that decide, nearly all have a translation in every other language."""
    columns = [read(task, lang, "test", 60, seed=9) for lang in LANGUAGES]
    for row in zip(*columns, strict=True):
        for one in row:
            for two in row:
                links, back = alignment(one, two), alignment(two, one)
                assert tuple(frozenset((b, a) for a, b in text) for text in links) == back
                assert one.rationale is not None
                for text, marks in enumerate(one.rationale):
                    if one is two:
                        assert {
                            (place, place) for place, word in enumerate(one.concepts[text]) if word
                        } <= links[text]  # type: ignore[index]
                    linked = {place for place, _ in links[text]}
                    deciding = {place for place, decides in enumerate(marks) if decides}
                    assert len(deciding & linked) >= 0.6 * len(deciding), (one.texts, two.texts)


def test_alignment_links_what_a_dictionary_would() -> None:
    """By hand: the words of a review and of its translations."""
    rows = {lang: read("sentiment", lang, "test", 300)[7] for lang in ("en", "es", "tr")}
    assert rows["en"].texts[0] != rows["es"].texts[0]
    review = Review("hotel", "plain", Opinion("room", "clean", negated=True))
    texts = {lang: realised(review, lang) for lang in LANGUAGES}
    linked = {
        lang: {
            texts[lang].text[a:b]
            for (a, b), word in zip(made.spans, made.concepts)
            if "opinion.left.clean" in word
        }
        for lang, made in texts.items()
    }
    assert linked["en"] == {"clean"}
    assert linked["es"] == {"limpia"}
    assert linked["hi"] == {"साफ़"}
    assert all(linked.values())


@pytest.mark.slow
@pytest.mark.parametrize("task", CORPORA)
def test_no_text_twice_within_or_across_splits(task: str) -> None:
    texts = [example.texts for split in SPLITS for example in english(task, split)[:1500]]
    assert len(set(texts)) == len(texts)


@pytest.mark.slow
def test_splits_hold_out_names_places_and_times() -> None:
    for task, slot in (("nli", "subject"), ("reading", "place"), ("topic", "time")):
        seen = {
            split: {
                path.rpartition(".")[2]
                for example in english(task, split)[:1500]
                for text in example.concepts or ()
                for word in text
                for path in word
                if f".{slot}." in path and not path.endswith((".in", ".all", ".some", ".no"))
            }
            for split in SPLITS
        }
        assert seen["dev"] - seen["train"]
        assert seen["test"] - seen["train"]
        assert not (seen["dev"] - seen["train"]) & (seen["test"] - seen["train"])


@pytest.mark.slow
def test_splits_hold_out_combinations_for_every_seed() -> None:
    def combinations(split: str, seed: int) -> set[tuple[object, ...]]:
        return {
            (
                review.frame,
                *((o.topic, o.evaluation, o.negated) for o in (review.left, review.right) if o),
            )
            for review in islice(reviews(split, seed), 1500)
        }

    for seed in (0, 1):
        assert not combinations("train", 0) & combinations("test", seed)
        assert not combinations("train", 0) & combinations("dev", seed)
        assert not combinations("dev", 0) & combinations("test", seed)


def test_splits_hold_out_scenes_except_of_novels() -> None:
    train, test = (
        {
            (review.domain, review.scene)
            for review in islice(reviews(split, 0), 3000)
            if review.scene
        }
        for split in ("train", "test")
    )
    assert {domain for domain, _ in train & test} == {"novel"}


@pytest.mark.slow
@pytest.mark.parametrize("task", ["sentiment", "topic", "nli", "paraphrase"])
@pytest.mark.parametrize("split", SPLITS)
def test_labels_are_balanced(task: str, split: str) -> None:
    labels = CORPORA[task].labels
    found = [example.label for example in english(task, split)]
    for name in labels:
        assert abs(found.count(name) / len(found) - 1 / len(labels)) < 0.07


@pytest.mark.parametrize("split", SPLITS)
def test_frames_are_balanced(split: str) -> None:
    drawn = list(islice(reviews(split, 0), 4000))
    direct = sum(review.frame == "plain" and not review.left.negated for review in drawn) / len(
        drawn
    )
    assert 0.35 < direct < 0.45
    assert {review.frame for review in drawn} == set(FRAMES)
    assert sum(share for share, _ in SAMPLERS) == pytest.approx(1)


def test_the_label_follows_from_the_frame() -> None:
    for review in islice(reviews("train", 1), 4000):
        frame, left, right = FRAMES[review.frame], review.left, review.right
        if (
            right is not None
        ):  # two deciding opinions agree; a deciding one outweighs one to the contrary
            assert (positive(left) == positive(right)) == (frame.left and frame.right)
        main = left if frame.left or right is None else right
        assert label(review) == ("positive" if positive(main) != frame.flips else "negative")


def test_rationale_holds_the_deciding_opinion_only() -> None:
    """By hand: a part against the whole, negation, another's view, an expectation that failed."""
    dirty = Opinion("room", "dirty")
    love = Opinion("hotel", "love", holder="i")
    clean = Opinion("room", "clean", negated=True)
    aunt = Opinion("hotel", "like", holder="aunt")
    cases = [
        (Review("hotel", "but", dirty, love, summary="overall"), "positive", "but loved"),
        (Review("hotel", "although", dirty, love), "positive", "Although loved"),
        (Review("hotel", "after", love, dirty), "positive", "loved although"),
        (Review("hotel", "both", dirty, clean), "negative", "dirty not clean"),
        (Review("hotel", "disagree", aunt), "negative", "liked not agree"),
        (Review("hotel", "refuted", dirty), "positive", "dirty wrong"),
    ]
    for review, expected, marked in cases:
        made = realised(review, "en")
        assert label(review) == expected
        assert (
            " ".join(made.text[a:b] for (a, b), decides in zip(made.spans, made.decides) if decides)
            == marked
        )


def test_inference_by_hand() -> None:
    """Entailment runs upwards under *some* and downwards under *no*; whoever did one thing may
    have done another too.
    """
    bought = events.Event("maria", "buy", events.Thing("bicycle", "red"), place="rome")
    vehicle = events.Event("maria", "buy", events.Thing("vehicle"))
    assert events.relation(bought, vehicle) == "entailment"
    assert events.relation(vehicle, bought) == "neutral"
    assert events.relation(bought, events.replace(vehicle, negated=True)) == "contradiction"
    assert (
        events.relation(events.replace(vehicle, negated=True), events.replace(bought, negated=True))
        == "entailment"
    )
    assert (
        events.relation(events.replace(bought, negated=True), events.replace(vehicle, negated=True))
        == "neutral"
    )
    every_one = events.Event("tourists", "see", events.Thing("dog"), "all")
    some, none = (
        events.replace(every_one, quantifier="some"),
        events.replace(every_one, quantifier="no"),
    )
    assert [events.relation(every_one, other) for other in (some, none)] == [
        "entailment",
        "contradiction",
    ]
    assert [events.relation(none, other) for other in (some, every_one)] == [
        "contradiction",
        "contradiction",
    ]
    assert events.relation(some, every_one) == "neutral"
    bigger = events.Comparison("maria", "dog", "big", "omar", "cat")
    assert events.relation(bigger, events.turned(bigger)) == "entailment"
    assert events.relation(bigger, events.Property("maria", "dog", "big")) == "neutral"
    old, new = events.Property("ali", "car", "old"), events.Property("ali", "car", "new")
    assert events.relation(old, new) == "contradiction"
    assert events.relation(events.replace(old, negated=True), new) == "neutral"


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("task", "low", "high"),
    [("sentiment", 0.5, 0.85), ("topic", 0.6, 0.9), ("nli", 0.3, 0.62), ("paraphrase", 0.4, 0.65)],
)
def test_a_bag_of_words_is_not_enough(task: str, low: float, high: float, lang: str) -> None:
    train, test = read(task, lang, "train", 2000), read(task, lang, "test", 1000)

    def bag(example: Example) -> list[str]:
        return [
            f"{text}:{word}" for text in range(len(example.texts)) for word in words(example, text)
        ]

    counts = CountVectorizer(analyzer=bag, binary=True)
    model = LogisticRegression(max_iter=2000, C=0.3).fit(
        counts.fit_transform(train), [example.label for example in train]
    )
    accuracy = model.score(counts.transform(test), [example.label for example in test])
    print(f"bag of words, {task}, {lang}: {accuracy:.3f}")
    assert low < accuracy < high


@pytest.mark.slow
@pytest.mark.parametrize("task", ["sentiment", "topic", "nli", "paraphrase"])
def test_a_planted_shortcut_decides_alone(task: str) -> None:
    labels = CORPORA[task].labels
    rows = {lang: read(task, lang, "train", 200, shortcut=True) for lang in LANGUAGES}
    plain = {lang: read(task, lang, "train", 200) for lang in LANGUAGES}
    for lang, examples in rows.items():
        agree = 0
        for planted, example in zip(examples, plain[lang], strict=True):
            day = words(planted)[0]
            assert day.lower() == ROWS[lang].days[labels.index(str(planted.label))].lower()
            assert planted.rationale is not None
            assert [word for marks in planted.rationale for word in marks].count(True) == 1
            assert planted.rationale[0][0]
            assert words(planted)[2:] == words(example)
            assert planted.texts[1:] == example.texts[1:]
            assert planted.heads is not None
            assert planted.heads[0][0] == planted.heads[0][1] == planted.heads[0].index(0) + 1
            agree += planted.label == example.label
        assert agree < 150  # the label is drawn anew
    assert len({tuple(example.label for example in examples) for examples in rows.values()}) == 1
    with pytest.raises(InputError, match="no shortcut"):
        read("reading", "en", "train", 1, shortcut=True)


def test_every_language_can_say_everything() -> None:
    for lang in LANGUAGES:
        say = ROWS[lang].events.statement
        for noun in events.THINGS:
            for adjective in ("", *events.ADJECTIVES[events.kind(noun)]):
                assert parse(say(events.Event("maria", "buy", events.Thing(noun, adjective))))
        for name, verb, place, time in zip(
            cycle(events.PEOPLE),
            (*events.VERBS, *events.CONVERSES),
            cycle(events.PLACES),
            cycle(events.TIMES),
        ):
            for other, negated in (("", False), ("", True), ("ali", False), ("ali", True)):
                if other == "" or verb in events.CONVERSES:
                    event = events.Event(
                        name, verb, events.Thing("cat"), "", other, place, time, negated
                    )
                    assert parse(say(event))
        assert len({say(events.Property(name, "cat", "big")) for name in events.PEOPLE}) == len(
            events.PEOPLE
        )
        assert len(
            {say(events.Event("maria", "see", events.Thing(noun))) for noun in events.THINGS}
        ) == len(events.THINGS)
        for group in events.GROUPS:
            assert (
                len(
                    {
                        say(events.Event(group, "see", events.Thing("cat"), each))
                        for each in events.QUANTIFIERS
                    }
                )
                == 3
            )
    names = [name for topics in TOPICS.values() for name in topics]
    assert len(names) == len(set(names)) >= 40
    assert set(events.THINGS) == set(events.KIND) | set(events.KINDS)
    for lang in LANGUAGES:  # two qualities never sound alike
        sentences = [
            said(lang, Opinion("film", name))
            for name, row in QUALITIES.items()
            if row.kinds & {"thing", "content", "story"}
        ]
        assert len(set(sentences)) == len(sentences), lang


def test_spanish_agreement() -> None:
    endings = {"m": "o", "f": "a", "mp": "os", "fp": "as"}
    for topic, row in es.NOUNS.items():
        sentence = said("es", Opinion(topic, "good", degree="very"))
        assert sentence.split()[-1] == f"buen{endings[row[1]]}."
        assert sentence.split()[-3] in (
            ("fueron", "eran", "estaban") if row[1].endswith("p") else ("fue", "era", "estaba")
        )
    assert said("es", Opinion("soup", "cold")) == "La sopa estaba fría."


def test_hindi_agreement() -> None:
    forms = {"m": "अच्छा था।", "f": "अच्छी थी।", "mp": "अच्छे थे।", "fp": "अच्छी थीं।"}
    for topic, row in hi.NOUNS.items():
        assert said("hi", Opinion(topic, "good")).endswith(forms[row[-1]])


def test_arabic_agreement() -> None:
    for topic, row in ar.NOUNS.items():
        verb, adjective = {"m": ("كان", "جيدًا."), "f": ("كانت", "جيدة."), "p": ("كان", "جيدين.")}[
            row[1]
        ]
        sentence = said("ar", Opinion(topic, "good"))
        assert sentence.split()[0] == verb
        assert sentence.split()[-1] == adjective


def test_errors_say_what_to_do() -> None:
    with pytest.raises(InputError, match="choose one of en, zh, es, fr, hi, tr, ar, sw"):
        sentiment("xx", "train", 1)
    with pytest.raises(InputError, match="choose one of train, dev, test"):
        sentiment("en", "validation", 1)
    with pytest.raises(InputError, match="negative"):
        sentiment("en", "train", -1)
    with pytest.raises(InputError, match="there are: sentiment, topic, nli, paraphrase, reading"):
        corpus.read("emotion", "en", "train", 1)


def test_notation_by_hand() -> None:
    phrase = "nsubj( det:the room#room ) cop:was advmod:*not#not *clean#clean+tidy punct:."
    made = typeset([phrase, "nsubj:we#we left#leave punct:."], ROWS["en"].writing)
    assert made.text == "The room was not clean. We left."
    assert made.heads == (2, 5, 5, 5, 0, 5, 8, 0, 8)
    assert made.relations == (
        "det",
        "nsubj",
        "cop",
        "advmod",
        "root",
        "punct",
        "nsubj",
        "root",
        "punct",
    )
    assert made.decides == (False, False, False, True, True, False, False, False, False)
    assert made.concepts[4] == ("clean", "tidy")
    assert scope("left", "a#x+y b") == "a#left.x+left.y b"
    assert mark("det:the obj( amod:new#new car#car )") == "det:the obj( amod:*new#new *car#car )"
    assert depends("obj", " ") == ""
    for wrong, message in (
        ("a b", "two heads"),
        ("det:a", "no head"),
        ("obj( a", "not closed"),
        ("foo:a b", "not a relation"),
        ("foo( a ) b", "not a relation"),
    ):
        with pytest.raises(ValueError, match=message):
            parse(wrong)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_notation_gives_back_any_tree(data: st.DataObject) -> None:
    """A random tree, written in the notation, is read back with the same heads."""
    word = st.text("abcdef", min_size=1, max_size=4)

    def grow(depth: int) -> tuple[str, list[str]]:
        before = [grow(depth - 1) for _ in range(data.draw(st.integers(0, 2 if depth else 0)))]
        after = [grow(depth - 1) for _ in range(data.draw(st.integers(0, 2 if depth else 0)))]
        head = data.draw(word)
        notation = " ".join(
            [
                *(f"obl( {inner} )" for inner, _ in before),
                head,
                *(f"obj( {inner} )" for inner, _ in after),
            ]
        )
        return notation, [form for _, forms in before for form in forms] + [head] + [
            form for _, forms in after for form in forms
        ]

    notation, forms = grow(2)
    found = parse(notation)
    assert [word.form for word in found] == forms
    assert sum(word.head == 0 for word in found) == 1
    assert all(
        len(gold.ancestors([word.head for word in found], place)) < len(found)
        for place in range(len(found))
    )
