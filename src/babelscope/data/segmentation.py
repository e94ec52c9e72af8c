"""Words of a text, independent of any tokenizer, and the word that every token belongs to.

Explanations are compared between models and between languages in words, so words must depend on
neither tokenizer nor model. Most scripts follow the word boundaries of Unicode (UAX #29). Runs of
scripts written without spaces are segmented by a segmenter of their language (`segmenters`);
`segmenter(lang)` names the one in use here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import regex

from babelscope.data import segmenters
from babelscope.data.segmenters import CLUSTER, FALLBACK, MARK, SEGMENTERS, pattern
from babelscope.types import Span

LANGUAGES = {
    "zh": "zh zho chi zht zhs cmn yue lzh wuu hak gan nan hsn",
    "ja": "ja jpn",
    "th": "th tha",
    "lo": "lo lao",
    "km": "km khm",
    "my": "my mya bur",
    "fr": "fr fra fre",
    "it": "it ita",
    "ca": "ca cat",
    "sv": "sv swe",
    "fi": "fi fin",
}
"""Spellings of the languages with rules of their own; the first part of a tag decides (zho_Hans is
zh).
"""

ELISIONS = {
    "fr": r"(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’]",
    "it": r"\p{L}+['’]",
    "ca": r"[dlmnst]['’]",
}
"""Elided words that UAX #29 leaves joined to the next (l'homme, dell'arte) and asks languages to
separate.
"""

_HAN, _KANA, _SHARED_KANA = r"\p{Han}", r"\p{Hiragana}\p{Katakana}", "ー゛゜ｰ"
_SPACELESS = {"th": r"\p{Thai}", "lo": r"\p{Lao}", "km": r"\p{Khmer}", "my": r"\p{Myanmar}"}
_MARKS = f"{MARK}*+"
_INVISIBLE = r"[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+"


def segment(text: str, lang: str = "und") -> tuple[Span, ...]:
    """Words of a text as character spans.

        segment("我喜欢iPhone。", "zh")  # ((0, 1), (1, 3), (3, 9), (9, 10))

    Runs of a script written without spaces are segmented by the segmenter of their language, all
    else by UAX #29. Thai, Lao, Khmer and Burmese letters identify their language. Han is Chinese if
    `lang` is, Japanese if `lang` is; otherwise Japanese if the text has kana, else Chinese.

    *Laws*: spans are ordered and disjoint; they cover every character but whitespace
    (`str.isspace`), and none of that; punctuation is a word of its own, except inside a word or
    number (don't, 3.14, a_b); marks and joiners stay with what they follow; invisible characters
    are no word of their own if anything is adjacent to them.

    *Left open by UAX #29*, our choice: a colon ends a word except in Swedish and Finnish (as in
    CLDR); French, Italian and Catalan elisions are words (ELISIONS).
    """
    language = _language(lang)
    kana = language == "ja" or (language != "zh" and pattern(f"[{_KANA}]").search(text) is not None)
    runs, words = pattern(_runs(kana)), pattern(_uax29(language in ("sv", "fi")))
    spans: list[Span] = []
    # Not \S: `regex` and `str.isspace` disagree about U+001C to U+001F.
    for chunk in pattern(r"[^\s\x1c-\x1f]+").finditer(text):
        adjacent: list[Span] = []
        start, stop = chunk.span()
        for run in runs.finditer(text, start, stop):
            adjacent += _spaced(text, start, run.start(), words, language)
            adjacent += _split(run.group(), run.start(), run.lastgroup)
            start = run.end()
        adjacent += _spaced(text, start, stop, words, language)
        spans += _visible(text, adjacent)
    return tuple(spans)


def segmenter(lang: str) -> str:
    """The segmenter in use for a language, with versions: to be named wherever words are counted.

    It is part of the identity of stored explanations.
    """
    language = _language(lang)
    if language in SEGMENTERS:
        row = segmenters.installed(language)
        return " + ".join(f"{name} {version(name)}" for name in row.packages) if row else FALLBACK
    unicode = f"UAX #29 (regex {version('regex')})"
    if lang != "und":
        return unicode
    return "; ".join([unicode, *(f"{language}: {segmenter(language)}" for language in SEGMENTERS)])


def words_of_tokens(offsets: Sequence[Span], words: Sequence[Span], text: str) -> tuple[int, ...]:
    """The word of every token: the one it shares most characters with, the first of equals.

    Whitespace does not count. A token without a character in any word (a lone meta-space, zero
    width) belongs to the word around it or the next one, after the last word to the last. -1 only
    if there are no words. `words` must be ordered and disjoint.

    *Laws*: one word per token; a token inside one word belongs to it; if starts and ends of the
    offsets never decrease, neither do the words.
    """
    ends = [end for _, end in words]

    def word(start: int, stop: int) -> int:
        first = best = bisect_right(ends, start)
        if first < len(ends) and stop <= ends[first]:  # no later word begins before its end
            return first
        most = 0
        for index in range(first, len(words)):
            left, right = words[index]
            if left >= stop:
                break
            shared = sum(
                not character.isspace() for character in text[max(start, left) : min(stop, right)]
            )
            if shared > most:
                best, most = index, shared
        return min(best, len(words) - 1)

    return tuple(word(start, stop) for start, stop in offsets)


@cache
def _language(lang: str) -> str:
    first = regex.split("[-_]", lang.strip().lower(), maxsplit=1)[0]
    return next(
        (language for language, spellings in LANGUAGES.items() if first in spellings.split()), "und"
    )


@cache
def _runs(japanese: bool) -> str:
    """Runs of the scripts written without spaces, each under its language's name, without their
    punctuation.
    """
    kana = _KANA + _SHARED_KANA
    scripts = ({"ja": _HAN + kana} if japanese else {"zh": _HAN, "ja": kana}) | _SPACELESS
    return "|".join(
        rf"(?P<{name}>(?:[[{letters}]--\p{{P}}--{MARK}]{_MARKS})++)"
        for name, letters in scripts.items()
    )


@cache
def _uax29(colon: bool) -> str:
    """One segment between word boundaries, rules WB3c to WB999; it never sees whitespace, of which
    the others speak.

    Every class is followed by its marks (WB4). `letter` and `digit` take a middle mark with them if
    one of their kind follows it (WB6, 7, 7b, 7c, 11, 12); a Hebrew letter keeps its closing geresh
    (WB7a).
    """
    between = r"\p{WB=MidLetter}" if colon else r"[\p{WB=MidLetter}--[:﹕：]]"
    quote, kin = r"[\p{WB=MidNumLet}\p{WB=Single_Quote}]", r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
    hebrew, number = r"\p{WB=Hebrew_Letter}", r"\p{WB=Numeric}"
    after_hebrew = f"(?<={hebrew}{MARK}*)"
    letter = rf"{kin}{_MARKS}(?:[{between}{quote}]{_MARKS}(?={kin})|{after_hebrew}\"{_MARKS}(?={hebrew}))?+"
    digit = rf"{number}{_MARKS}(?:[\p{{WB=MidNum}}{quote}]{_MARKS}(?={number}))?+"
    plain = rf"(?:(?:{letter}|{digit})++|(?:\p{{WB=Katakana}}{_MARKS})++)"
    joint = rf"(?:\p{{WB=ExtendNumLet}}{_MARKS})"
    word = rf"(?:{joint}*+{plain}(?:{joint}++{plain})*+{joint}*+|{joint}++)(?:{after_hebrew}'{_MARKS})?+"
    flag = rf"\p{{WB=Regional_Indicator}}{_MARKS}"
    piece = rf"(?:{word}|{flag}{flag}|.{_MARKS})"
    return rf"{piece}(?:(?<=\u200d)(?=\p{{Extended_Pictographic}}){piece})*+"


def _split(run: str, start: int, language: str) -> Iterator[Span]:
    """Spans of the words of a run; a boundary inside a grapheme cluster is not taken."""
    ends: set[int] = set()
    position = 0
    for word in segmenters.splitter(language)(run):
        position += len(word)
        ends.add(position)
    if position != len(run):
        raise AssertionError(
            f"{segmenter(language)} changed the run {run!r}: {position} of {len(run)} characters"
        )
    left = start
    for cluster in pattern(CLUSTER).finditer(run):
        if cluster.end() in ends:
            yield left, start + cluster.end()
            left = start + cluster.end()


def _spaced(text: str, start: int, stop: int, words: Any, language: str) -> Iterator[Span]:
    """Spans of the UAX #29 words between two positions, elisions separated."""
    elision = pattern(rf"(?i){ELISIONS[language]}(?=\p{{L}})") if language in ELISIONS else None
    for word in words.finditer(text, start, stop):
        left, right = word.span()
        if elision and (head := elision.match(text, left, right)):
            yield left, head.end()
            left = head.end()
        yield left, right


def _visible(text: str, spans: Sequence[Span]) -> list[Span]:
    """Adjacent spans; one of invisible characters only is joined to the one before, the first to
    the next.
    """
    visible: list[Span] = []
    invisible = pattern(_INVISIBLE)
    for left, right in spans:
        if visible and (
            invisible.fullmatch(text, left, right) or invisible.fullmatch(text, *visible[-1])
        ):
            visible[-1] = visible[-1][0], right
        else:
            visible.append((left, right))
    return visible
