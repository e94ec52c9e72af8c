"""The texts that a function reads: as they were given, without the erased words or with a string in
their place, or made of other words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from babelscope.types import Encoded, Span


def word_ids(words: Sequence[str]) -> list[int]:
    """Below 0, as no vocabulary has them: a hash of each word, equal for equal words and for those
    alone. They fit into 32 bits; of two words with one hash, the second gets the next number.
    """
    ids: dict[str, int] = {}
    taken: set[int] = set()
    for word in dict.fromkeys(words):
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest()
        number = -1 - (int.from_bytes(digest, "little") >> 1)
        while number in taken:
            number = number - 1 if number > -(2**31) else -1
        ids[word] = number
        taken.add(number)
    return [ids[word] for word in words]


def without(encoded: Encoded, gone: NDArray[np.bool_], mask: str) -> tuple[str, ...]:
    """The texts with each word in `gone` replaced by `mask`, or removed where that is empty.

    *Laws*: nothing gone gives the texts themselves; kept words keep their order; neighbours keep
    their spacing, and words that become neighbours get the first spacing that was between them.
    """
    texts = []
    for which, text in enumerate(encoded.example.texts):
        places = np.flatnonzero(encoded.segment == which)
        spans = [(int(start), int(end)) for start, end in encoded.offsets[places]]
        erased = gone[places].tolist()
        texts.append(
            _replaced(text, spans, erased, mask) if mask else _removed(text, spans, erased)
        )
    return tuple(texts)


def of_words(encoded: Encoded, words: Mapping[int, Sequence[str]]) -> tuple[str, ...]:
    """The texts with other words: for each named text these, separated by spaces if the words of
    the text itself are.
    """
    return tuple(
        (" " if any(map(str.isspace, text.strip())) else "").join(words[which])
        if which in words
        else text
        for which, text in enumerate(encoded.example.texts)
    )


def _replaced(text: str, spans: Sequence[Span], erased: Sequence[bool], mask: str) -> str:
    for (start, end), is_erased in reversed(list(zip(spans, erased))):
        if is_erased:
            text = text[:start] + mask + text[end:]
    return text


def _removed(text: str, spans: Sequence[Span], erased: Sequence[bool]) -> str:
    """Without the erased words. Characters that belong to no word are kept."""
    if not any(erased):
        return text
    parts: list[str] = []
    gaps: list[str] = []
    last = 0
    for (start, end), is_erased in zip(spans, erased):
        gaps.append(text[last:start])
        last = end
        if not is_erased:
            inside = bool(parts) or len(gaps) == 1
            parts += [_spacing(gaps, inside), text[start:end]]
            gaps = []
    inside = not gaps
    return "".join(parts) + _spacing([*gaps, text[last:]], inside)


def _spacing(gaps: Sequence[str], inside: bool) -> str:
    """What remains between two kept words of what was between the erased ones; at an end of the
    text, where nothing is `inside`, no white space remains.
    """
    if any(gap.strip() for gap in gaps):
        return "".join(gaps)
    return next(filter(None, gaps), "") if inside else ""
