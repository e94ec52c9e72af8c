"""Words: the laws of `segment` and `words_of_tokens`, examples by language, and three real
tokenizers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from babelscope.data import segmentation as module
from babelscope.data import segmenters
from babelscope.data.segmentation import segment, segmenter, words_of_tokens
from babelscope.data.segmenters import FALLBACK, SEGMENTERS
from babelscope.types import Span

SHARED = Path(os.environ.get("BABELSCOPE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
LANGS = ("und", "en", "fr", "it", "sv", "hi", "ar", "zh", "zho_Hans", "ja", "th", "km", "")
# Letters, marks, joiners, quotes, digits, emoji, flags, scripts without spaces, blanks of many
# kinds, a lone surrogate.
TRICKY = (
    "aé\u0301Z19_.,;:!?'’\"-/\u00ad\u200b\u200c\u200d\u200f\ufeff\ufe0f\u2060❤👩🏽🇩🇪1\u20e3Ⓜאצ״׳"
    "कि्ष।ومَّ،؟가漢語学美國喜欢、。「」・あいうーカダｶﾞฉันรักกำๆฯ๏ລາວភាសាខ្មែរမြန်မာ"
    " \t\n\r\x1c\x1f\x85\u00a0\u2003\u3000\u2028\x00\x07\ud800"
)
TEXTS = st.one_of(st.text(max_size=40), st.text(alphabet=TRICKY, max_size=25))


def cut(text: str, lang: str = "und") -> list[str]:
    return [text[start:end] for start, end in segment(text, lang)]


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(LANGS))
@example("\u200b \u200d \x00", "und")
@example("l'’'l'", "fr")
def test_words_cover_everything_but_whitespace_once(text: str, lang: str) -> None:
    spans = segment(text, lang)
    assert all(start < end for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert "".join(cut(text, lang)) == "".join(text.split())
    assert not any(character.isspace() for word in cut(text, lang) for character in word)
    assert spans == segment(text, lang)


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from(("en", "zh", "ja", "th")))
@example("ぁ", "孤語", "ja")
@example("ぁ", "孤語", "zh")
def test_whitespace_separates(left: str, right: str, lang: str) -> None:
    """What is on the other side of a space does not matter once the language of Han is known: it is
    Chinese or Japanese if `lang` is; else kana anywhere in the text make it Japanese.
    """
    kana = [bool(regex.search(r"[\p{Hiragana}\p{Katakana}]", side)) for side in (left, right)]
    assume(lang in ("zh", "ja") or kana[0] == kana[1])
    assert cut(f"{left} {right}", lang) == cut(left, lang) + cut(right, lang)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(LANGS))
def test_marks_joiners_and_invisible_characters_stay_with_their_word(text: str, lang: str) -> None:
    loose = segmenters.pattern(segmenters.MARK)
    invisible = segmenters.pattern(module._INVISIBLE)
    for start, end in segment(text, lang):
        inside = start > 0 and not text[start - 1].isspace()
        assert not (inside and loose.match(text, start))
        if invisible.fullmatch(text, start, end):
            assert not inside
            assert end == len(text) or text[end].isspace()


@pytest.mark.parametrize("mark", list('!?.,;:()[]«»“”"…—–-/%&#@*、。「」！？，：；・।؟،๏'))
@pytest.mark.parametrize("word", ["word", "ค", "字", "カ", "शब्द", "كلمة"])
def test_punctuation_is_a_word(mark: str, word: str) -> None:
    assert cut(f"{mark}{word}{mark} {mark}{mark}") == [mark, word, mark, mark, mark]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't stop, it’s 3.14 or 1,000 e.g. a_b!", "don't|stop|,|it’s|3.14|or|1,000|e.g|.|a_b|!"),
        ("co-op note:this", "co|-|op|note|:|this"),
        ("हिन्दी में क्\u200dष लिखते हैं।", "हिन्दी|में|क्\u200dष|लिखते|हैं|।"),
        ("السَّلَامُ عَلَيْكُمْ، می\u200cخواهم", "السَّلَامُ|عَلَيْكُمْ|،|می\u200cخواهم"),
        ("צה\"ל ג' צה״ל", "צה\"ל|ג'|צה״ל"),
        ("cafe\u0301 co\u00adop", "cafe\u0301|co\u00adop"),
        ("안녕하세요 세계!", "안녕하세요|세계|!"),
        (
            "👩\u200d👩\u200d👧🇩🇪🇫🇷❤️👍🏽!1\ufe0f\u20e3😀😀",
            "👩\u200d👩\u200d👧|🇩🇪|🇫🇷|❤️|👍🏽|!|1\ufe0f\u20e3|😀|😀",
        ),
        ("\ufeffone\u200btwo \u200fthree\u200f", "\ufeffone\u200b|two|\u200fthree\u200f"),
    ],
)
def test_unicode_words(text: str, words: str) -> None:
    assert cut(text) == words.split("|")


# The rules of UAX #29, section 4.1.1, each with its boundary (|) where the annex puts it.
@pytest.mark.parametrize(
    ("rule", "segments"),
    [
        ("WB3c", "☺\u200d❤|☺"),
        ("WB4", "a\u0308\u200cb\u0308|☺\u0308"),
        ("WB5", "aא가"),
        ("WB6, WB7", "a.b’c|.|.|a"),
        ("WB7a", "א'|1"),
        ("WB7b, WB7c", 'א"א|"|a'),
        ("WB8, WB9, WB10", "1a2"),
        ("WB11, WB12", "1,2.3|,|a"),
        ("WB13", "カタカナ"),
        ("WB13a, WB13b", "_a_1_|-|__"),
        ("WB15, WB16", "🇩🇪|🇫🇷|🇮|a"),
        ("WB999", "(|a|)|©|漢|字"),
    ],
)
def test_rules_of_the_annex(rule: str, segments: str) -> None:
    pattern = segmenters.pattern(module._uax29(True))
    assert pattern.findall(segments.replace("|", "")) == segments.split("|"), rule


def test_tailored_languages() -> None:
    assert cut("L'homme qu'il aime aujourd'hui", "fr") == [
        "L'",
        "homme",
        "qu'",
        "il",
        "aime",
        "aujourd'hui",
    ]
    assert cut("dell'arte, un po' l’Italia", "ita") == [
        "dell'",
        "arte",
        ",",
        "un",
        "po",
        "'",
        "l’",
        "Italia",
    ]
    assert cut("l'home d'Olot", "ca") == ["l'", "home", "d'", "Olot"]
    assert cut("EU:n", "fi") == ["EU:n"]
    assert cut("EU:n", "en") == ["EU", ":", "n"]


@pytest.mark.parametrize(
    "lang", ["zh", "zh-Hans", "zh_TW", "zht", "zho_Hans", "cmn", "yue_Hant", "und", "en"]
)
def test_chinese(lang: str) -> None:
    if segmenter("zh") == FALLBACK:
        pytest.skip("no Chinese segmenter is installed")
    assert cut("我喜欢iPhone手机。", lang) == ["我", "喜欢", "iPhone", "手机", "。"]
    assert cut("美國的科學家", lang) == ["美國", "的", "科學家"]


@pytest.mark.parametrize("lang", ["ja", "jpn", "jpn_Jpan", "ja-JP", "und"])
def test_japanese(lang: str) -> None:
    if segmenter("ja") == FALLBACK:
        pytest.skip("no Japanese segmenter is installed")
    assert cut("東京でコーヒーを3杯飲む。", lang) == [
        "東京",
        "で",
        "コーヒー",
        "を",
        "3",
        "杯",
        "飲む",
        "。",
    ]


@pytest.mark.parametrize("lang", ["th", "tha", "tha_Thai", "th-TH", "und", "en"])
def test_thai(lang: str) -> None:
    if segmenter("th") == FALLBACK:
        pytest.skip("no Thai segmenter is installed")
    assert cut("ฉันรักภาษาไทย ปี2024 ok", lang) == ["ฉัน", "รัก", "ภาษา", "ไทย", "ปี", "2024", "ok"]


def test_kana_decides_who_reads_han_when_the_language_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cutters = {language: (lambda run: [run]) for language in SEGMENTERS} | {"zh": list}
    monkeypatch.setattr(segmenters, "splitter", cutters.__getitem__)
    assert cut("漢字") == ["漢", "字"]
    assert cut("漢字 かな") == ["漢字", "かな"]
    assert cut("漢字 かな", "zh") == ["漢", "字", "かな"]
    assert cut("漢字", "ja") == ["漢字"]


@pytest.fixture
def _fresh() -> Iterator[None]:
    segmenters.installed.cache_clear()
    segmenters.splitter.cache_clear()
    yield
    segmenters.installed.cache_clear()
    segmenters.splitter.cache_clear()


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize(
    ("language", "place"),
    [(name, i) for name, rows in SEGMENTERS.items() for i in range(len(rows))],
)
def test_every_segmenter_keeps_the_laws(
    language: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = SEGMENTERS[language][place]
    monkeypatch.setitem(SEGMENTERS, language, (row,))
    if segmenter(language) == FALLBACK:
        pytest.skip(f"{' and '.join(row.packages)} not installed")
    assert all(name in segmenter(language) for name in row.packages)
    for text in (TRICKY, TRICKY[::-1], "漢字𠀀\U000e0100々〇㐂かゞヵ゙๎ำ်ု្" * 3):
        assert "".join(cut(text, language)) == "".join(text.split())


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize("language", list(SEGMENTERS))
def test_without_its_libraries_a_language_is_split_into_clusters(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = tuple(
        segmenters.Segmenter(("no-such-distribution-here",), row.load)
        for row in SEGMENTERS[language]
    )
    monkeypatch.setitem(SEGMENTERS, language, absent)
    assert segmenter(language) == FALLBACK
    text = {
        "zh": "漢\ufe00字",
        "ja": "か\u3099な",
        "th": "กำกิ",
        "lo": "ກິກາ",
        "km": "កិខ",
        "my": "ကိခ",
    }[language]
    assert len(cut(text, language)) >= 2
    assert cut(text, language) == segmenters.pattern(segmenters.CLUSTER).findall(text)


def test_segmenter_names_what_is_in_use() -> None:
    assert segmenter("en") == segmenter("hin_Deva")
    assert segmenter("en").startswith("UAX #29")
    assert segmenter("zht") == segmenter("zho_Hans") == segmenter("zh")
    assert all(f"{language}: {segmenter(language)}" in segmenter("und") for language in SEGMENTERS)


def test_importing_words_loads_no_segmenter() -> None:
    program = "import sys, babelscope.data.segmentation; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"rjieba", "opencc", "fugashi", "ipadic", "icu4py", "torch", "transformers"} & set(
        loaded
    )


@st.composite
def tokenized(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and tokens whose starts and ends never decrease; they may overlap, be empty or cover
    whitespace.
    """
    text = draw(TEXTS)
    count = draw(st.integers(0, 8))
    position = st.integers(0, len(text))
    starts = sorted(draw(st.lists(position, min_size=count, max_size=count)))
    stops = sorted(draw(st.lists(position, min_size=count, max_size=count)))
    return text, [(start, max(start, stop)) for start, stop in zip(starts, stops, strict=True)]


@settings(max_examples=400, deadline=None)
@given(tokenized())
def test_every_token_has_the_word_it_shares_most_with(sample: tuple[str, list[Span]]) -> None:
    text, offsets = sample
    words = segment(text)
    found = words_of_tokens(offsets, words, text)
    assert len(found) == len(offsets)
    for (start, stop), index in zip(offsets, found, strict=True):
        # The slow reference: count shared characters one by one.
        shared = [
            len([i for i in range(start, stop) if left <= i < right]) for left, right in words
        ]
        if not words:
            assert index == -1
        elif max(shared) > 0:
            assert index == shared.index(max(shared))
        else:
            later = [i for i, (_, right) in enumerate(words) if right > start]
            assert index == (later[0] if later else len(words) - 1)


@settings(max_examples=200, deadline=None)
@given(tokenized())
def test_words_of_ordered_tokens_are_ordered(sample: tuple[str, list[Span]]) -> None:
    text, offsets = sample
    found = words_of_tokens(offsets, segment(text), text)
    assert list(found) == sorted(found)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_a_token_that_is_a_word_belongs_to_it(text: str) -> None:
    words = segment(text)
    assert words_of_tokens(words, words, text) == tuple(range(len(words)))


def test_tokens_by_hand() -> None:
    text = "ab  cde. "
    words = segment(text)
    assert words == ((0, 2), (4, 7), (7, 8))
    # Blank, empty inside a word, empty after the last, blank after the last, tie, blank + word,
    # more of the second.
    offsets = [(2, 4), (5, 5), (9, 9), (8, 9), (6, 8), (3, 5), (1, 6)]
    assert words_of_tokens(offsets, words, text) == (1, 1, 2, 2, 1, 1, 1)
    # Gold words may hold a space, which counts for nothing: (3, 7) shares "0" with the first, "xy"
    # with the second.
    assert words_of_tokens([(3, 7), (2, 3)], [(0, 4), (4, 8)], "20 0 xyz"[:3] + "0" + "xyz ") == (
        1,
        0,
    )


SENTENCES = {
    "en": "Don't worry: the naïve state-of-the-art models weren't trained on 1,000 emojis "
    "👩\u200d👩\u200d👧!",
    "hi": "मुझे यह फ़िल्म बहुत अच्छी लगी, लेकिन कहानी थोड़ी कमज़ोर थी।",
    "ar": "كانت الخِدمةُ رائعة، ولكنّ الطعام لم يعجبني أبدًا!",
    "zh": "我非常喜欢这家酒店的服务，但是iPhone充电器坏了。",
    "th": "ฉันรักภาษาไทยมาก แต่ว่ามันยากเกินไป 100%",
}


@cache
def _tokenizer(name: str) -> Any:
    folder = SHARED / "data" / "tokenizers" / name
    if not folder.is_dir():
        pytest.skip(f"no tokenizer in {folder} (set BABELSCOPE_SHARED)")
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("lang", list(SENTENCES))
@pytest.mark.parametrize("name", ["xlm-roberta", "bert-base-multilingual-cased", "gpt2"])
def test_tokens_of_a_word_spell_it(name: str, lang: str) -> None:
    text = SENTENCES[lang]
    encoded = _tokenizer(name)(text, add_special_tokens=False, return_offsets_mapping=True)
    offsets = [(int(start), int(stop)) for start, stop in encoded["offset_mapping"]]
    spans = segment(text, lang)
    found = words_of_tokens(offsets, spans, text)
    assert list(found) == sorted(found)
    # A piece may reach over several words, of which one gets it; the others may end up without any.
    assert len(set(found)) >= 2 / 3 * len(spans)
    for index, (left, right) in enumerate(spans):
        mine = [token for token, word in zip(offsets, found, strict=True) if word == index]
        touching = [token for token in offsets if token[0] < right and left < token[1]]
        assert all(token in touching for token in mine if text[slice(*token)].strip())
        if all(not text[start:left].strip() and stop <= right for start, stop in touching):
            assert touching, "a word no token reads"
            assert [token for token in mine if text[slice(*token)].strip()] == touching
            # XLM-R's normaliser drops joiners; all else of the word is read.
            read = {i for token in mine for i in range(*token) if not text[i].isspace()}
            assert {text[i] for i in read ^ set(range(left, right))} <= {"\u200d"}
