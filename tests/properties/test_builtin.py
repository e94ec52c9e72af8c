"""Laws of the built-in sentiment corpus, over every language."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from unicodedata import is_normalized

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from babelscope.data.builtin import LANGUAGES, sentiment
from babelscope.data.builtin.marked import typeset
from babelscope.data.builtin.reviews import REALISERS, ar, en, es, hi, zh
from babelscope.data.builtin.reviews.language import realised
from babelscope.data.builtin.reviews.meaning import (
    ATTITUDES,
    CITIES,
    COMPANY,
    FRAMES,
    HOLDERS,
    OPENERS,
    QUALITIES,
    SUMMARIES,
    TIMES,
    TOPICS,
    VIEWS,
    Opinion,
    Review,
    label,
    positive,
)
from babelscope.data.builtin.reviews.sample import DRAWS, reviews
from babelscope.errors import InputError
from babelscope.types import Example

SPLITS = ("train", "dev", "test")
NOUNS = [name for topics in TOPICS.values() for name in topics]


def words(example: Example) -> list[str]:
    assert example.words is not None
    return [example.texts[0][start:end] for start, end in example.words[0]]


def said(lang: str, opinion: Opinion) -> str:
    return realised(Review("film", "plain", opinion), REALISERS[lang])[0]


def test_languages() -> None:
    assert LANGUAGES == ("en", "es", "zh", "hi", "ar")


def test_translations_share_group_and_label() -> None:
    columns = [sentiment(lang, "test", 300, seed=3) for lang in LANGUAGES]
    for index, row in enumerate(zip(*columns, strict=True)):
        assert {example.group for example in row} == {f"sentiment-test-3-{index:06d}"}
        assert [example.id for example in row] == [f"{row[0].group}-{lang}" for lang in LANGUAGES]
        assert [example.lang for example in row] == list(LANGUAGES)
        assert len({example.label for example in row}) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_same_bytes_in_every_process(lang: str) -> None:
    code = (
        "import hashlib; from babelscope.data.builtin import sentiment; "
        f"print(hashlib.sha256(repr(sentiment({lang!r}, 'dev', 100, 5)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("split", SPLITS)
def test_a_longer_list_starts_with_the_shorter_one(split: str) -> None:
    assert sentiment("hi", split, 200)[:70] == sentiment("hi", split, 70)
    assert sentiment("hi", split, 0) == []
    assert sentiment("hi", split, 20, seed=0) != sentiment("hi", split, 20, seed=1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_words_cover_the_text(lang: str) -> None:
    for example in sentiment(lang, "train", 1000):
        assert example.words is not None
        assert example.rationale is not None
        text, end = example.texts[0], 0
        for start, stop in example.words[0]:
            assert text[end:start].strip() == ""
            assert start < stop
            assert not any(character.isspace() for character in text[start:stop])
            end = stop
        assert end == len(text)
        assert is_normalized("NFC", text)
        assert "*" not in text
        assert "  " not in text
        assert len(example.rationale[0]) == len(example.words[0])
        assert any(example.rationale[0])
        assert not all(example.rationale[0])
        assert 6 <= len(example.words[0]) <= 36


@pytest.mark.parametrize("lang", LANGUAGES)
def test_punctuation_is_of_the_language(lang: str) -> None:
    stop, comma = {"zh": ("。", "，"), "hi": ("।", ","), "ar": (".", "،")}.get(lang, (".", ","))
    for example in sentiment(lang, "dev", 500):
        marks = {word for word in words(example) if not any(letter.isalpha() for letter in word)}
        assert marks <= {stop, comma}
        assert example.texts[0].endswith(stop)
        assert (" " in example.texts[0]) == (lang != "zh")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_text_twice_within_or_across_splits(lang: str) -> None:
    texts = [example.texts[0] for split in SPLITS for example in sentiment(lang, split, 2000)]
    assert len(set(texts)) == len(texts)


def test_splits_hold_out_combinations_for_every_seed() -> None:
    def combinations(split: str, seed: int) -> set[tuple[object, ...]]:
        return {
            (review.frame, *((o.topic, o.evaluation, o.negated) for o in (review.left, review.right) if o))
            for review in islice(reviews(split, seed), 1500)
        }

    for seed in (0, 1):
        assert not combinations("train", 0) & combinations("test", seed)
        assert not combinations("train", 0) & combinations("dev", seed)
        assert not combinations("dev", 0) & combinations("test", seed)


def test_splits_hold_out_scenes_except_of_novels() -> None:
    train, test = (
        {(review.domain, review.scene) for review in islice(reviews(split, 0), 3000) if review.scene}
        for split in ("train", "test")
    )
    assert {domain for domain, _ in train & test} == {"novel"}


@pytest.mark.parametrize("split", SPLITS)
def test_labels_and_frames_are_balanced(split: str) -> None:
    drawn = list(islice(reviews(split, 0), 4000))
    assert abs(sum(label(review) == "positive" for review in drawn) / len(drawn) - 0.5) < 0.03
    direct = sum(review.frame == "plain" and not review.left.negated for review in drawn) / len(drawn)
    assert 0.35 < direct < 0.45
    assert {review.frame for review in drawn} == set(FRAMES)
    assert sum(share for share, _ in DRAWS) == pytest.approx(1)


def test_the_label_follows_from_the_frame() -> None:
    for review in islice(reviews("train", 1), 4000):
        frame, left, right = FRAMES[review.frame], review.left, review.right
        if right is not None:  # two deciding opinions agree; a deciding one outweighs one to the contrary
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
        text, spans, marks = realised(review, REALISERS["en"])
        assert label(review) == expected
        assert " ".join(text[a:b] for (a, b), deciding in zip(spans, marks, strict=True) if deciding) == marked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_bag_of_words_is_not_enough(lang: str) -> None:
    train, test = sentiment(lang, "train", 2000), sentiment(lang, "test", 1000)
    bag = CountVectorizer(analyzer=words, binary=True)
    model = LogisticRegression(max_iter=2000).fit(bag.fit_transform(train), [example.label for example in train])
    accuracy = model.score(bag.transform(test), [example.label for example in test])
    print(f"bag of words, {lang}: {accuracy:.3f}")
    assert 0.55 < accuracy < 0.85


def test_every_language_can_say_everything() -> None:
    for language in (en, es, zh, hi, ar):
        assert set(language.NOUNS) == set(NOUNS)
        assert set(language.HOLDERS) == set(HOLDERS)
        assert set(language.OPENERS) == {*OPENERS, *VIEWS}
        assert set(language.SUMMARIES) == {"", *SUMMARIES}
        assert set(language.TIMES) == set(TIMES)
        assert set(language.COMPANY) == {"", *COMPANY}
        assert set(language.SCENES) == set(language.NOTES) == set(TOPICS)
    for city in CITIES:
        assert all(city in language.CITIES for language in (es, zh, hi, ar))
    for table in (es.QUALITIES, zh.QUALITIES, hi.QUALITIES, ar.QUALITIES):
        assert set(table) == set(QUALITIES)
        assert len(set(table.values())) == len(table)
    assert sum(row.positive for row in QUALITIES.values()) >= 24
    assert sum(not row.positive for row in QUALITIES.values()) >= 24
    assert len(NOUNS) == len(set(NOUNS)) >= 40
    assert not set(QUALITIES) & set(ATTITUDES)


def test_spanish_agreement() -> None:
    endings = {"m": "o", "f": "a", "mp": "os", "fp": "as"}
    articles = {"m": "el", "f": "la", "mp": "los", "fp": "las"}
    for topic, (noun, agreement, _) in es.NOUNS.items():
        assert noun.split()[0] == articles[agreement] or noun == "el aula"  # feminine with el before a stressed a
        sentence = said("es", Opinion(topic, "good", degree="very"))
        assert sentence.split()[-1] == f"buen{endings[agreement]}."
        assert sentence.split()[-3] in (("fueron", "eran") if agreement.endswith("p") else ("fue", "era"))
    assert [es.adjective("útil", form) for form in endings] == ["útil", "útil", "útiles", "útiles"]
    assert [es.adjective("conmovedor", form) for form in endings] == [
        "conmovedor",
        "conmovedora",
        "conmovedores",
        "conmovedoras",
    ]
    assert said("es", Opinion("soup", "cold")) == "La sopa estaba fría."


def test_hindi_agreement() -> None:
    forms = {"m": "अच्छा था", "f": "अच्छी थी", "mp": "अच्छे थे", "fp": "अच्छी थीं"}
    for topic, (noun, agreement) in hi.NOUNS.items():
        assert said("hi", Opinion(topic, "good")) == typeset(f"{noun} {forms[agreement]} ।", spaced=True)[0]
    assert hi.adjective("घटिया", "f") == "घटिया"
    assert hi.adjective("औसत दर्जे का", "fp") == "औसत दर्जे की"
    assert hi.adjective("घिसा-पिटा", "mp") == "घिसे-पिटे"


def test_arabic_agreement() -> None:
    for topic, (noun, agreement, *_) in ar.NOUNS.items():
        verb, adjective = {"m": ("كان", "جيدًا"), "f": ("كانت", "جيدة"), "p": ("كان", "جيدين")}[agreement]
        assert said("ar", Opinion(topic, "good")) == f"{verb} {noun} {adjective}."
    for forms in ar.QUALITIES.values():
        head, feminine = forms[0].split()[0], forms[1].split()[0]
        if head.endswith("ًا"):
            stem = head.removesuffix("ًا")
            assert feminine == stem + "ة"
            assert len(forms) == 2 or forms[2] == stem + "ين"
    assert said("ar", Opinion("actors", "convincing", holder="i")) == "وجدت الممثلين مقنعين."
    for topic, kinds in ((topic, kinds) for topics in TOPICS.values() for topic, kinds in topics.items()):
        if ar.NOUNS[topic][1] == "p":
            fitting = {name for name, row in QUALITIES.items() if row.kinds & set(kinds.split())}
            assert all(len(ar.QUALITIES[name]) == 3 for name in fitting)


def test_errors_say_what_to_do() -> None:
    with pytest.raises(InputError, match="choose one of en, es, zh, hi, ar"):
        sentiment("xx", "train", 1)
    with pytest.raises(InputError, match="choose one of train, dev, test"):
        sentiment("en", "validation", 1)
    with pytest.raises(InputError, match="negative"):
        sentiment("en", "train", -1)
