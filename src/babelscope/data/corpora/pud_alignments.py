"""Manual word alignments over the parallel treebanks PUD, with the two trees (Nikolaev et al., ACL
2020).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats.alignments import Aligned, Links
from babelscope.data.formats.conllu import Sentence, example, sentences
from babelscope.data.formats.lines import beside, lines
from babelscope.data.formats.problems import Problem, sound

NONE = "X"
"""The mark of a word that has no counterpart."""


def read(file: Path, lang: str, prefix: str) -> Iterator[Aligned]:
    """English, the other language, and the links of their written words: syntactic words share
    their token's links.

    Only content words were aligned: a word without a link may be a function word. The groups are
    those of `ud-pud`.
    """
    return sound(_pairs(file, lang, prefix))


def _pairs(file: Path, lang: str, prefix: str) -> Iterator[Aligned | Problem]:
    expected = "a list with one object per sentence"
    try:
        links = json.loads("".join(text for _, text in sound(lines(file))))
    except json.JSONDecodeError as error:
        yield Problem(str(file), error.lineno, "", f"broken JSON: {error.msg}", expected)
        return
    if not isinstance(links, list) or not all(isinstance(row, dict) for row in links):
        yield Problem(str(file), 0, "", "other JSON", expected)
        return
    trees = [sound(sentences(beside(file, name))) for name in ("en.conllu", "target.conllu")]
    for number, (row, source, target) in enumerate(zip_longest(links, *trees), 1):
        if row is None or source is None or target is None or source.id != target.id:
            ids = [sentence.id if sentence else "none" for sentence in (source, target)]
            count = "no" if row is None else "one"
            reason = (
                f"sentence {number} is {ids[0]} in English, {ids[1]} in {lang}, {count} alignment"
            )
            yield Problem(
                str(file), 0, f"[{number - 1}]", reason, "the same sentence in all three files"
            )
            return
        links_or_fault = _links(row, source, target)
        if isinstance(links_or_fault, str):
            expected = "ids of words in the two trees"
            yield Problem(str(file), 0, f"[{number - 1}]", links_or_fault, expected)
        else:
            texts = example(source, "en", prefix), example(target, lang, prefix)
            yield Aligned(*texts, links_or_fault)


def _links(row: dict[str, list[str]], source: Sentence, target: Sentence) -> Links | str:
    """The links as places of written words; a text that names the first which is no link
    of words.
    """
    links = set()
    for start, ends in row.items():
        for end in ends:
            if NONE in (start, end):
                continue
            numbers = start.isdecimal() and end.isdecimal()
            if not numbers or int(start) not in source.place or int(end) not in target.place:
                return f"the link {start}-{end}"
            links.add((source.place[int(start)], target.place[int(end)]))
    return frozenset(links)


ROW = Corpus(
    name="pud-alignments",
    task="alignment",
    summary="Manual word alignments between the treebanks, English to others",
    licence="not stated",
    source="https://github.com/macleginn/exploring-clmd-divergences",
    languages=tags("ar fr ja ko ru zh"),
    splits=("test",),
    folder="pud-word-alignments",
    files=("en-{code}/alignment.json",),
    read=read,
    codes={"ja": "jp"},
    yields="alignments",
    notes="Only content words are aligned.",
    prefix="ud-pud",
)
