"""Universal Dependencies treebanks in CoNLL-U: written words and the tree over them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import conllu

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem, sound
from babelscope.data.formats.records import tree_fault
from babelscope.data.morphemes import word_parts
from babelscope.types import Example, Span

Line = tuple[int, str]


class Sentence(NamedTuple):
    """A sentence over its written words; `place` leads from a syntactic word's id to its written
    word's index, from 0.
    """

    line: int
    id: str
    text: str
    words: tuple[Span, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    place: dict[int, int]
    morphemes: tuple[Span, ...] = ()
    """From the annotation MSeg in MISC; empty where no word has it."""


def read(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """The sentences with their words, heads and relations. Translations share the sentence id,
    which is the group.

    The words are the written ones. A multiword token (French *du*, which is *de le*) is one word:
    it gets the head of the first of its syntactic words that attaches outside of it; should the
    heads not form a tree then, of the one nearest to the root. Empty nodes are left out. Where
    MISC has morphemes (`MSeg=un-happy`), they are units of the example under the name `morpheme`.
    """
    return (example(sentence, lang, prefix) for sentence in sound(sentences(file)))


def example(sentence: Sentence, lang: str, prefix: str) -> Example:
    group = f"{prefix}-{sentence.id}"
    return Example(
        f"{group}-{lang}",
        (sentence.text,),
        lang,
        group,
        words=(sentence.words,),
        heads=(sentence.heads,),
        relations=(sentence.relations,),
        units=(("morpheme", (sentence.morphemes,)),) if sentence.morphemes else (),
    )


def sentences(file: Path) -> Iterator[Sentence | Problem]:
    """One by one; a sentence with a fault yields its problems only."""
    block: list[Line] = []
    number = 0
    for item in lines(file):
        if isinstance(item, Problem):
            yield item
        elif item[1].strip():
            block.append((item[0], item[1].rstrip("\r\n")))
        elif block:
            number += 1
            yield from _sentence(file, block, number)
            block = []
    if block:
        yield from _sentence(file, block, number + 1)


def _sentence(file: Path, block: list[Line], number: int) -> Iterator[Sentence | Problem]:
    faults = [Problem(str(file), *fault) for fault in _faults(block)]
    if faults:
        yield from faults
        return
    try:
        (tokens,) = conllu.parse("\n".join(text for _, text in block) + "\n\n")
    except (conllu.exceptions.ParseException, ValueError) as error:
        yield Problem(
            str(file), block[0][0], "", " ".join(str(error).split()), "a sentence in CoNLL-U"
        )
        return
    text = tokens.metadata.get("text")
    if not text:
        yield Problem(str(file), block[0][0], "# text", "nothing", "the sentence as it was written")
        return
    rows = [line for line, row in block if not row.startswith("#")]
    units = _units(tokens)
    words: list[Span] = []
    for token, _, place in units:
        start = _next(text, words[-1][1] if words else 0)
        if not text.startswith(token["form"], start):
            reason = f"{token['form']!r}, where the text continues {text[start : start + 20]!r}"
            yield Problem(str(file), rows[place], "FORM", reason, "the next word of # text")
            return
        words.append((start, start + len(token["form"])))
    sentence = _merged(
        block[0][0], tokens.metadata.get("sent_id", str(number)), text, tuple(words), tokens, units
    )
    parts = [((token.get("misc") or {}).get("MSeg"), span) for (token, _, _), span in
             zip(units, words)]  # fmt: skip
    morphemes = [part for segments, span in parts for part in word_parts(text, span, segments)]
    yield sentence._replace(morphemes=tuple(morphemes) if any(part for part, _ in parts) else ())


def _units(tokens: Any) -> list[tuple[Any, range, int]]:
    """The written words: the token with the form, the ids of its syntactic words, its place in the
    block.
    """
    units: list[tuple[Any, range, int]] = []
    done = 0
    for place, token in enumerate(tokens):
        name = token["id"]
        if isinstance(name, int):
            if name > done:
                units.append((token, range(name, name + 1), place))
        elif name[1] == "-":
            units.append((token, range(name[0], name[2] + 1), place))
            done = name[2]
    return units


def _merged(
    line: int,
    name: str,
    text: str,
    words: tuple[Span, ...],
    tokens: Any,
    units: list[tuple[Any, range, int]],
) -> Sentence:
    known = {token["id"]: token for token in tokens if isinstance(token["id"], int)}
    place = {each: at for at, (_, ids, _) in enumerate(units) for each in ids}

    def depth(word: int) -> int:
        steps = 0
        while word:
            word, steps = known[word]["head"], steps + 1
        return steps

    first = [next(each for each in ids if known[each]["head"] not in ids) for _, ids, _ in units]
    nearest = [min(ids, key=depth) for _, ids, _ in units]
    for chosen in (
        first,
        nearest,
    ):  # the second always forms a tree: a head is nearer to the root than its dependent
        heads = tuple(place[head] + 1 if (head := known[each]["head"]) else 0 for each in chosen)
        if heads.count(0) == 1 and not tree_fault(heads):
            break
    return Sentence(
        line, name, text, words, heads, tuple(known[each]["deprel"] for each in chosen), place
    )


def _faults(block: list[Line]) -> Iterator[tuple[int, str, str, str]]:
    """Line, field, found, expected of what is wrong with a sentence: columns, ids, heads, roots,
    cycles.
    """
    heads: list[tuple[int, int]] = []
    reach = (0, 0)  # the last range: its line, the id where it ends
    for line, text in block:
        if text.startswith("#"):
            continue
        cells = text.split("\t")
        if len(cells) != 10:
            yield line, "", f"{len(cells)} columns", "the 10 columns of CoNLL-U, tab separated"
            return
        name = cells[0]
        if not name.isdecimal():
            first, mark, last = name.replace(".", "-").partition("-")
            if not (mark and first.isdecimal() and last.isdecimal()):
                yield line, "ID", repr(name), "a number, a range like 3-4 or an empty node like 3.1"
                return
            if "-" in name:
                if not reach[1] < len(heads) + 1 == int(first) < int(last):
                    yield (
                        line,
                        "ID",
                        name,
                        f"a range that starts at {max(reach[1], len(heads)) + 1}",
                    )
                    return
                reach = line, int(last)
        elif int(name) != len(heads) + 1:
            yield line, "ID", name, f"{len(heads) + 1}: ids increase by one"
            return
        elif not cells[6].isdecimal():
            yield line, "HEAD", repr(cells[6]), "a number"
            return
        else:
            heads.append((line, int(cells[6])))
    if not heads:
        yield block[0][0], "", "no word", "at least one"
    if reach[1] > len(heads):
        yield (
            reach[0],
            "ID",
            f"a range to {reach[1]}",
            f"one that ends at {len(heads)}, the number of words, or before",
        )
    for line, head in heads:
        if head > len(heads):
            yield line, "HEAD", str(head), f"at most {len(heads)}, the number of words"
    roots = [line for line, head in heads if head == 0]
    if heads and len(roots) != 1:
        yield (
            (roots[1] if roots else heads[0][0]),
            "HEAD",
            f"{len(roots)} roots",
            "one word with the head 0",
        )
    elif all(head <= len(heads) for _, head in heads) and (
        wrong := tree_fault(tuple(head for _, head in heads))
    ):
        yield block[0][0], "HEAD", wrong, "a tree without a cycle"


def _next(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start
