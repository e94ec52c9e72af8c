"""Manual word alignments over the parallel treebanks PUD, with the two trees (Nikolaev et al., ACL 2020)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from babelscope.data.formats.alignments import Aligned
from babelscope.data.formats.conllu import Sentence, example, sentences
from babelscope.data.formats.lines import beside, lines
from babelscope.data.formats.problems import Problem, sound

NONE = "X"
"""What stands for a word that has no counterpart."""


def read(file: Path, lang: str, prefix: str) -> Iterator[Aligned]:
    """English, the other language, and the links of their written words: syntactic words share their token's links.

    Only content words were aligned: a word without a link may be a function word. The groups are those of `ud-pud`.
    """
    return sound(_pairs(file, lang, prefix))


def _pairs(file: Path, lang: str, prefix: str) -> Iterator[Aligned | Problem]:
    try:
        links = json.loads("".join(text for _, text in sound(lines(file))))
    except json.JSONDecodeError as error:
        yield Problem(str(file), error.lineno, "", f"broken JSON: {error.msg}", "a list with one object per sentence")
        return
    if not isinstance(links, list) or not all(isinstance(row, dict) for row in links):
        yield Problem(str(file), 0, "", "other JSON", "a list with one object per sentence")
        return
    english, other = sound(sentences(beside(file, "en.conllu"))), sound(sentences(beside(file, "target.conllu")))
    for number, (row, one, two) in enumerate(zip_longest(links, english, other), 1):
        if row is None or one is None or two is None or one.id != two.id:
            ids = [each.id if each else "none" for each in (one, two)]
            found = f"sentence {number} is {ids[0]} in English, {ids[1]} in {lang}, {'no' if row is None else 'one'} alignment"
            yield Problem(str(file), 0, f"[{number - 1}]", found, "the same sentence in all three files")
            return
        yield from _pair(file, number, row, one, two, lang, prefix)


def _pair(
    file: Path, number: int, row: dict[str, list[str]], one: Sentence, two: Sentence, lang: str, prefix: str
) -> Iterator[Aligned | Problem]:
    found = set()
    for source, targets in row.items():
        for target in targets:
            if NONE in (source, target):
                continue
            if not (source.isdecimal() and target.isdecimal() and int(source) in one.place and int(target) in two.place):
                yield Problem(str(file), 0, f"[{number - 1}]", f"the link {source}-{target}", "ids of words in the two trees")
                return
            found.add((one.place[int(source)], two.place[int(target)]))
    yield Aligned(example(one, "en", prefix), example(two, lang, prefix), frozenset(found))
