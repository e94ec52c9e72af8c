"""From one vocabulary to another: which vectors of the old one a new piece starts from.

Pieces are compared by the UTF-8 bytes that they stand for, so that WordPiece, SentencePiece and
byte-level vocabularies have one spelling. Nothing is decoded and tokenized again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from babelscope.model.pieces import SPACES, bare, pieces_of

Form = tuple[bytes, bool]
"""The bytes of a piece, and whether it begins a word."""

BYTE = regex.compile(r"<0x([0-9A-Fa-f]{2})>")
"""A piece that stands for one byte, in vocabularies of SentencePiece."""
ROLES = ("pad", "unk", "mask", "cls", "sep", "bos", "eos")
"""Of a token with several roles the last one counts."""
SUBSTITUTES = {"cls": "bos", "bos": "cls", "sep": "eos", "eos": "sep", "pad": "eos"}
"""The role that stands in where a tokenizer lacks one."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """For each id of the new vocabulary the ids of the old one whose vectors are averaged."""

    sources: tuple[tuple[int, ...], ...]
    copied: int
    """Pieces with one source: of the same spelling, or special tokens of the same role."""
    averaged: int
    """Pieces that are the mean of several."""
    unknown: int
    """Pieces of which the old vocabulary spells nothing: they start from its unknown token."""


def transfer(old: Any, new: Any) -> Transfer:
    """How the vectors of a new tokenizer's pieces follow from those of an old one.

        e_new(p) = e_old(p)                          if the old vocabulary has p
                 = 1/k (e_old(q_1) + ... + e_old(q_k))  else; q_1 ... q_k: p split into old pieces

    p is the same piece if its bytes are, preferably with the same place in a word (first or later);
    q is the longest match from the left. Where the old tokenizer changes spelling (lower case, say)
    the changed spelling is matched. Special tokens correspond by role.

    *Laws*: from a vocabulary to itself every piece is copied from itself; the pieces q spell p,
    without what the old vocabulary cannot spell; every new id has at least one source.
    *Left open by the paper*: the way to split; by the longest match it is the same for all kinds of
    vocabulary. Source: the spec's arm A4; Gee et al. 2022 (fast vocabulary transfer) average the
    old pieces' vectors.
    """
    unknown = _role(old, "unk")
    known = {form: at for form, at, _ in reversed(forms(old))}
    numbers = _Numbers(known, max(len(spelt) for spelt, _ in known), _normaliser(old))
    names = pieces_of(old).ids if _style(old) == _style(new) else {}
    sources: list[tuple[int, ...]] = [()] * (max(new.get_vocab().values()) + 1)
    for form, at, name in forms(new):
        sources[at] = (names[name],) if name in names else numbers.of(form)
    for at, source in _special(old, new).items():
        sources[at] = (source,)
    rest = (unknown if unknown is not None else 0,)
    return Transfer(
        tuple(each or rest for each in sources),
        sum(len(each) == 1 for each in sources),
        sum(len(each) > 1 for each in sources),
        sum(not each for each in sources),
    )


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The old vocabulary by form."""

    known: Mapping[Form, int]
    widest: int
    normalise: Any

    def of(self, form: Form) -> tuple[int, ...]:
        exact = self._one(*form)
        if exact is not None:
            return (exact,)
        spelt, first = self.normalise(form[0]), form[1]
        exact = self._one(spelt, first)
        return (exact,) if exact is not None else tuple(self._matches(spelt, first))

    def _one(self, spelt: bytes, first: bool) -> int | None:
        same = self.known.get((spelt, first))
        return same if same is not None or not spelt else self.known.get((spelt, not first))

    def _matches(self, spelt: bytes, first: bool) -> Iterator[int]:
        """The longest matches from the left; a byte that begins none is passed over."""
        start = 0
        while start < len(spelt):
            stops = range(min(len(spelt), start + self.widest), start, -1)
            matches = ((stop, self._one(spelt[start:stop], first and not start)) for stop in stops)
            stop, found = next((each for each in matches if each[1] is not None), (start + 1, None))
            if found is not None:
                yield found
            start = stop


def forms(tokenizer: Any) -> list[tuple[Form, int, str]]:
    """The vocabulary without special tokens, by id: form, id and name of every piece."""
    pieces = pieces_of(tokenizer)
    marked = any(name[:1] in SPACES for name in pieces.ids)
    bytelike = is_byte_level(tokenizer)
    listed = []
    for name, at in sorted(pieces.ids.items(), key=lambda item: item[1]):
        first = name[:1] in SPACES if marked else not _continues(name, pieces.prefix)
        listed.append(((_bytes(bare(name, pieces), bytelike), first), at, name))
    return listed


def _style(tokenizer: Any) -> tuple[str, str, bool, bool]:
    """How the vocabulary writes its pieces: where two agree, equal names are equal pieces."""
    pieces = pieces_of(tokenizer)
    marked = any(name[:1] in SPACES for name in pieces.ids)
    return pieces.prefix, pieces.suffix, marked, is_byte_level(tokenizer)


def _continues(name: str, prefix: str) -> bool:
    return bool(prefix) and name.startswith(prefix)


def _bytes(spelt: str, bytelike: bool) -> bytes:
    table = _byte_characters()
    if bytelike and all(character in table for character in spelt):
        return bytes(table[character] for character in spelt)
    single = BYTE.fullmatch(spelt)
    return bytes([int(single[1], 16)]) if single else spelt.encode("utf-8", "surrogatepass")


def is_byte_level(tokenizer: Any) -> bool:
    """Whether the characters of the vocabulary stand for bytes, as in GPT-2."""
    return "ByteLevel" in repr(tokenizer.backend_tokenizer.decoder) or "ByteLevel" in repr(
        tokenizer.backend_tokenizer.pre_tokenizer
    )


@cache
def _byte_characters() -> dict[str, int]:
    """GPT-2's characters for bytes: printable ones for themselves, the others from 256 on.
    Source: Radford et al. 2019, in their code `bytes_to_unicode`.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    return table | {chr(256 + number): byte for number, byte in enumerate(others)}


def _normaliser(tokenizer: Any) -> Any:
    """What the tokenizer makes of a spelling before it splits it."""
    normalizer = tokenizer.backend_tokenizer.normalizer

    def normalise(spelt: bytes) -> bytes:
        try:
            text = spelt.decode("utf-8")
        except UnicodeDecodeError:
            return spelt  # a part of a character
        changed = text if normalizer is None else normalizer.normalize_str(text)
        letters = "".join(str(changed).split()).strip(SPACES)  # BERT puts spaces around ideographs
        return letters.encode("utf-8", "surrogatepass")

    return normalise


def _special(old: Any, new: Any) -> dict[int, int]:
    """The special tokens of the new tokenizer, by those of the old one: of the same role, else of
    the same name.
    """
    names = old.get_vocab()
    same = {at: names[name] for name, at in _added(new) if name in names}
    roles = ((_role(new, role), _role(old, role)) for role in ROLES)
    return same | {at: source for at, source in roles if at is not None and source is not None}


def _added(tokenizer: Any) -> Sequence[tuple[str, int]]:
    return [(str(token), at) for at, token in tokenizer.added_tokens_decoder.items()]


def _role(tokenizer: Any, role: str) -> int | None:
    names = (role, SUBSTITUTES.get(role, role))
    known = (getattr(tokenizer, f"{name}_token_id") for name in names)
    return next((int(at) for at in known if at is not None), None)
