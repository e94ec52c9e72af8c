"""Words of a text, whatever tokenizer reads it, and the word every token belongs to.

Explanations are compared between models and between languages in words, so words may depend on neither tokenizer nor
model. Most scripts follow the word boundaries of Unicode (UAX #29). Scripts written without spaces go, run by run, to
a segmenter of their language; SEGMENTERS says which, `segmenter(lang)` says which one is in use here.
"""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import regex

from babelscope.types import Span

Cut = Callable[[str], Iterable[str]]
"""Cuts a run of one script into words; joined again they are the run."""


@dataclass(frozen=True, slots=True)
class Segmenter:
    """One way to cut the runs of a language: the PyPI distributions it needs, and the function that loads it."""

    packages: tuple[str, ...]
    load: Callable[[], Cut]


def _jieba() -> Cut:
    """Jieba's words are simplified, so it reads a simplified copy, made character by character to keep the offsets."""
    cut, simplified = import_module("rjieba").Jieba().cut, import_module("opencc").OpenCC("t2s").convert

    class Simplified(dict[int, str]):
        def __missing__(self, code: int) -> str:
            plain = simplified(chr(code))
            self[code] = plain if len(plain) == 1 else chr(code)
            return self[code]

    table = Simplified()

    def words(run: str) -> Iterator[str]:
        start = 0
        for piece in cut(run.translate(table)):
            yield run[start : start + len(piece)]
            start += len(piece)

    return words


def _mecab() -> Cut:
    tagger = import_module("fugashi").GenericTagger(import_module("ipadic").MECAB_ARGS)
    return lambda run: [node.surface for node in tagger(run)]


def _icu() -> Cut:
    breaker: Any = import_module("icu4py.breakers").WordBreaker
    # Its strings, not its `segments()`: those count UTF-16 units.
    return lambda run: list(breaker(run, "und"))


FALLBACK = "grapheme clusters"
"""When none of a language's segmenters is installed: one cluster (a letter with its marks) is one word."""

SEGMENTERS: dict[str, tuple[Segmenter, ...]] = {
    "zh": (Segmenter(("rjieba", "opencc"), _jieba), Segmenter(("icu4py",), _icu)),
    "ja": (Segmenter(("fugashi", "ipadic"), _mecab), Segmenter(("icu4py",), _icu)),
    "th": (Segmenter(("icu4py",), _icu),),
    "lo": (Segmenter(("icu4py",), _icu),),
    "km": (Segmenter(("icu4py",), _icu),),
    "my": (Segmenter(("icu4py",), _icu),),
}
"""Segmenters of the languages written without spaces. The first whose distributions are installed is in use; where
none is, FALLBACK. Chosen by measurement: docs/words.md, benchmarks/words.py."""

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
"""Spellings of the languages that need something of their own; the first part of a tag decides (zho_Hans is zh)."""

ELISIONS = {
    "fr": r"(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’]",
    "it": r"\p{L}+['’]",
    "ca": r"[dlmnst]['’]",
}
"""The elided words that UAX #29 leaves glued to the next (l'homme, dell'arte), which it asks languages to cut off."""

_HAN, _KANA, _SHARED_KANA = r"\p{Han}", r"\p{Hiragana}\p{Katakana}", "ー゛゜ｰ"
_SPACELESS = {"th": r"\p{Thai}", "lo": r"\p{Lao}", "km": r"\p{Khmer}", "my": r"\p{Myanmar}"}
_MARK = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]"
_MARKS = f"{_MARK}*+"
_CLUSTER = rf"\X{_MARKS}"
_INVISIBLE = r"[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+"


def segment(text: str, lang: str = "und") -> tuple[Span, ...]:
    """Words of a text as character spans.

    Runs of a script written without spaces are cut by the segmenter of their language, all else by UAX #29. Thai, Lao,
    Khmer and Burmese letters name their language themselves. Han is Chinese if `lang` is, Japanese if `lang` is; in any
    other case Japanese if the text has kana, else Chinese.

    Laws: spans are ordered and disjoint; they cover every character but whitespace (`str.isspace`), and none of that;
    punctuation stands alone, except inside a word or number (don't, 3.14, a_b); marks and joiners stay with what they
    follow; invisible characters are no word of their own if anything stands beside them.

    Left open by UAX #29, our choice: a colon ends a word except in Swedish and Finnish (as in CLDR); French, Italian
    and Catalan elisions are words (ELISIONS).
    """
    language = _language(lang)
    kana = language == "ja" or (language != "zh" and _pattern(f"[{_KANA}]").search(text) is not None)
    runs, words = _pattern(_runs(kana)), _pattern(_uax29(language in ("sv", "fi")))
    spans: list[Span] = []
    # Not \S: `regex` and `str.isspace` disagree about U+001C to U+001F.
    for chunk in _pattern(r"[^\s\x1c-\x1f]+").finditer(text):
        found: list[Span] = []
        start, stop = chunk.span()
        for run in runs.finditer(text, start, stop):
            found += _spelled(text, start, run.start(), words, language)
            found += _cut(run.group(), run.start(), run.lastgroup)
            start = run.end()
        found += _spelled(text, start, stop, words, language)
        spans += _seen(text, found)
    return tuple(spans)


def segmenter(lang: str) -> str:
    """What cuts the words of a language here, with versions: to be named wherever words are counted or compared."""
    from importlib.metadata import version

    language = _language(lang)
    if language in SEGMENTERS:
        row = _installed(language)
        return " + ".join(f"{name} {version(name)}" for name in row.packages) if row else FALLBACK
    unicode = f"UAX #29 (regex {version('regex')})"
    if lang != "und":
        return unicode
    return "; ".join([unicode, *(f"{language}: {segmenter(language)}" for language in SEGMENTERS)])


def words_of_tokens(offsets: Sequence[Span], words: Sequence[Span], text: str) -> tuple[int, ...]:
    """The word of every token: the one it shares most characters with, the first of equals; whitespace does not count.

    A token without a character in any word (a lone meta-space, zero width) belongs to the word around it or the next
    one, after the last word to the last. -1 only if there are no words. `words` must be ordered and disjoint.

    Laws: one word per token; a token inside one word belongs to it; if starts and ends of the offsets never decrease,
    neither do the words.
    """
    ends = [end for _, end in words]

    def word(start: int, stop: int) -> int:
        first = best = bisect_right(ends, start)
        most = 0
        for index in range(first, len(words)):
            left, right = words[index]
            if left >= stop:
                break
            shared = sum(not character.isspace() for character in text[max(start, left) : min(stop, right)])
            if shared > most:
                best, most = index, shared
        return min(best, len(words) - 1)

    return tuple(word(start, stop) for start, stop in offsets)


@cache
def _pattern(source: str) -> Any:
    return regex.compile(source, regex.V1 | regex.DOTALL)


@cache
def _language(lang: str) -> str:
    first = regex.split("[-_]", lang.strip().lower(), maxsplit=1)[0]
    return next((language for language, spellings in LANGUAGES.items() if first in spellings.split()), "und")


@cache
def _runs(japanese: bool) -> str:
    """Runs of the scripts written without spaces, each under its language's name, without their punctuation."""
    kana = _KANA + _SHARED_KANA
    scripts = ({"ja": _HAN + kana} if japanese else {"zh": _HAN, "ja": kana}) | _SPACELESS
    return "|".join(rf"(?P<{name}>(?:[[{letters}]--\p{{P}}--{_MARK}]{_MARKS})++)" for name, letters in scripts.items())


@cache
def _uax29(colon: bool) -> str:
    """One segment between word boundaries, rules WB3c to WB999; it never sees whitespace, of which the others speak.

    Every class is followed by its marks (WB4). `letter` and `digit` take a middle mark with them if one of their kind
    follows it (WB6, 7, 7b, 7c, 11, 12); a Hebrew letter keeps its closing geresh (WB7a).
    """
    between = r"\p{WB=MidLetter}" if colon else r"[\p{WB=MidLetter}--[:﹕：]]"
    quote, kin = r"[\p{WB=MidNumLet}\p{WB=Single_Quote}]", r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
    hebrew, number = r"\p{WB=Hebrew_Letter}", r"\p{WB=Numeric}"
    after_hebrew = f"(?<={hebrew}{_MARK}*)"
    letter = rf"{kin}{_MARKS}(?:[{between}{quote}]{_MARKS}(?={kin})|{after_hebrew}\"{_MARKS}(?={hebrew}))?+"
    digit = rf"{number}{_MARKS}(?:[\p{{WB=MidNum}}{quote}]{_MARKS}(?={number}))?+"
    plain = rf"(?:(?:{letter}|{digit})++|(?:\p{{WB=Katakana}}{_MARKS})++)"
    joint = rf"(?:\p{{WB=ExtendNumLet}}{_MARKS})"
    word = rf"(?:{joint}*+{plain}(?:{joint}++{plain})*+{joint}*+|{joint}++)(?:{after_hebrew}'{_MARKS})?+"
    flag = rf"\p{{WB=Regional_Indicator}}{_MARKS}"
    piece = rf"(?:{word}|{flag}{flag}|.{_MARKS})"
    return rf"{piece}(?:(?<=\u200d)(?=\p{{Extended_Pictographic}}){piece})*+"


@cache
def _installed(language: str) -> Segmenter | None:
    from importlib.metadata import PackageNotFoundError, version

    for row in SEGMENTERS[language]:
        try:
            for name in row.packages:
                version(name)
        except PackageNotFoundError:
            continue
        return row
    return None


@cache
def _cutter(language: str) -> Cut:
    row = _installed(language)
    if row is None:
        return lambda run: [cluster.group() for cluster in _pattern(_CLUSTER).finditer(run)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return row.load()


def _cut(run: str, start: int, language: str) -> Iterator[Span]:
    """Spans of the words of a run; a boundary inside a grapheme cluster is not taken."""
    clusters = [cluster.end() for cluster in _pattern(_CLUSTER).finditer(run)]
    ends: set[int] = set()
    position = 0
    for piece in _cutter(language)(run):
        position += len(piece)
        ends.add(position)
    if position != len(run):
        raise AssertionError(f"{segmenter(language)} changed the run {run!r}: {position} of {len(run)} characters")
    left = start
    for end in clusters:
        if end in ends:
            yield left, start + end
            left = start + end


def _spelled(text: str, start: int, stop: int, words: Any, language: str) -> Iterator[Span]:
    """Spans of the UAX #29 words between two positions, elisions cut off."""
    elision = _pattern(rf"(?i){ELISIONS[language]}(?=\p{{L}})") if language in ELISIONS else None
    for word in words.finditer(text, start, stop):
        left, right = word.span()
        if elision and (head := elision.match(text, left, right)):
            yield left, head.end()
            left = head.end()
        yield left, right


def _seen(text: str, spans: Sequence[Span]) -> list[Span]:
    """Adjacent spans, with those of invisible characters only joined to the one before, at the beginning to the next."""
    seen: list[Span] = []
    invisible = _pattern(_INVISIBLE)
    for left, right in spans:
        if seen and (invisible.fullmatch(text, left, right) or invisible.fullmatch(text, *seen[-1])):
            seen[-1] = seen[-1][0], right
        else:
            seen.append((left, right))
    return seen
