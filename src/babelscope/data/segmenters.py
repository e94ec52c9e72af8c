"""The segmenters of languages written without spaces: which there are, and which is in use here.

The name of the one in use, with versions, is part of the identity of stored explanations: another
segmenter gives other words.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import regex

Split = Callable[[str], Iterable[str]]
"""Splits a run of one script into words; joined again they are the run."""

MARK = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]"
CLUSTER = rf"\X{MARK}*+"
"""A letter with its marks."""


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A segmenter of a language: the PyPI distributions it needs, and the function that
    loads it.
    """

    packages: tuple[str, ...]
    load: Callable[[], Split]


def jieba() -> Split:
    """Jieba knows simplified words, so it reads a copy simplified character by character.

    The copy has the same length, so that offsets stay those of the text.
    """
    split = import_module("rjieba").Jieba().cut
    simplified = import_module("opencc").OpenCC("t2s").convert

    class Simplified(dict[int, str]):
        def __missing__(self, code: int) -> str:
            plain = simplified(chr(code))
            self[code] = plain if len(plain) == 1 else chr(code)
            return self[code]

    table = Simplified()

    def words(run: str) -> Iterator[str]:
        start = 0
        for word in split(run.translate(table)):
            yield run[start : start + len(word)]
            start += len(word)

    return words


def mecab() -> Split:
    """MeCab with the dictionary IPADIC."""
    tagger = import_module("fugashi").GenericTagger(import_module("ipadic").MECAB_ARGS)
    return lambda run: [node.surface for node in tagger(run)]


def icu() -> Split:
    """ICU's dictionaries. Its strings are taken, not its `segments()`: those count UTF-16 units."""
    breaker: Any = import_module("icu4py.breakers").WordBreaker
    return lambda run: list(breaker(run, "und"))


FALLBACK = "grapheme clusters"
"""Where none of a language's segmenters is installed: one cluster (a letter with its marks) is one
word.
"""

_ICU = Segmenter(("icu4py",), icu)
SEGMENTERS: dict[str, tuple[Segmenter, ...]] = {
    "zh": (Segmenter(("rjieba", "opencc"), jieba), _ICU),
    "ja": (Segmenter(("fugashi", "ipadic"), mecab), _ICU),
    "th": (_ICU,),
    "lo": (_ICU,),
    "km": (_ICU,),
    "my": (_ICU,),
}
"""Segmenters of the languages written without spaces. The first whose distributions are installed
is in use; where none is, FALLBACK. Chosen by measurement: docs/words.md, benchmarks/words.py."""


@cache
def installed(language: str) -> Segmenter | None:
    """The first segmenter of a language whose distributions are installed."""
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
def splitter(language: str) -> Split:
    """The function in use for a language, loaded once."""
    row = installed(language)
    if row is None:
        return lambda run: [cluster.group() for cluster in pattern(CLUSTER).finditer(run)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return row.load()


@cache
def pattern(source: str) -> Any:
    """A compiled expression with Unicode sets; compiled once."""
    return regex.compile(source, regex.V1 | regex.DOTALL)
