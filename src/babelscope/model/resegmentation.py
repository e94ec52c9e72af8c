"""The same words in other pieces of the same vocabulary: what a change of the segmentation alone
does to a model.

Only ids and pieces are handled. Nothing is decoded and tokenized again: pieces of a word are joined
as they are spelt in the vocabulary, and cut elsewhere into other entries of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import regex

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model.erase import default_operator
from babelscope.model.lattice import Lattice, characters, dropout, lattice, longest, same
from babelscope.model.load import Model
from babelscope.random import keyed
from babelscope.types import Encoded, Span

Cutter = Callable[[Lattice, int, float, np.random.Generator], list[int]]
"""From the lattice of a run, its number of pieces, the dropout and a generator to where the new
pieces end.
"""

Token = tuple[int, str, Span]
"""Id, spelling in the vocabulary, characters in the text."""

WAYS: dict[str, tuple[str, Cutter]] = {
    "characters": ("the shortest pieces that the vocabulary "
                   "has", lambda lattice, count, rate, draw: characters(lattice)),
    "dropout": ("the longest piece first, each lost with the probability "
                "`dropout`", lambda lattice, count, rate, draw:
                dropout(lattice, rate, draw)),
    "truncate": ("the longest piece first, out of the pieces that are "
                 "kept", lambda lattice, count, rate, draw:
                 longest(lattice)),
    "same": ("control: as many pieces, cut "
             "elsewhere", lambda lattice, count, rate, draw: same(lattice, count, draw)),
    "filler": ("control: whole, but as long as `characters` by filler tokens behind "
               "it", lambda lattice, count, rate, draw:
               characters(lattice)),
    "duplicate": ("control: whole, but as long as `characters` by repeated "
                  "pieces", lambda lattice, count, rate, draw:
                  characters(lattice)),
}  # fmt: skip
"""How a word is cut anew. The controls separate more pieces from other pieces and from a longer
input.
"""

SPACES = "▁Ġ"
"""How vocabularies spell the space before a word."""
LETTERS = regex.compile(r"[\p{L}\p{M}--\p{Han}]+", regex.V1)


@dataclass(frozen=True, slots=True)
class Cut:
    """How words are cut anew: the way, the share of the words, and for `truncate` the ids that are
    kept.
    """

    way: str
    rate: float = 1.0
    dropout: float = 0.5
    kept: frozenset[int] = frozenset()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise InputError(
                f"there is no way {self.way!r} to cut words; there are: {', '.join(WAYS)}"
            )
        if not (0 <= self.rate <= 1 and 0 <= self.dropout <= 1):
            raise InputError(
                f"rate and dropout lie between 0 and 1; {self.rate} and {self.dropout} given"
            )
        if (self.way == "truncate") != bool(self.kept):
            raise InputError(
                "the way 'truncate' needs the ids that are kept, and no other way does"
            )


@dataclass(frozen=True, slots=True)
class _Pieces:
    """A vocabulary as spellings: what stands before a piece inside of a word, and behind the last
    one.
    """

    ids: dict[str, int]
    prefix: str
    suffix: str
    widest: int


def resegment(model: Model, rows: Sequence[Encoded], how: Cut) -> list[Encoded | None]:
    """Each input with a share of its words in other pieces; None where it would be longer than the
    model reads.

        word w is cut anew  <=>  u_w < rate,    u_w ~ U(0, 1) keyed to the seed, the example and
          the word

    so a word that is cut anew at one rate is so at every higher one, in the same way. With
    `truncate` exactly the words with a piece that is not kept are cut anew, whatever the rate.
    Words with unknown pieces stay as they are.

    *Laws*: the pieces of a word spell the same as before, so decoding gives the same text; words,
    their order and what is content stay; rate 0 changes nothing; no piece crosses the border of a
    word and none is unknown or special; `same` keeps the number of tokens; `filler` and `duplicate`
    have that of `characters`.
    *Left open by the paper*: dropout by the longest match for every kind of vocabulary, as not all
    have merges. Source: spec of the study, arms A1, A3 and A6; Hiraoka 2022 (MaxMatch-Dropout).
    """
    if model.row.several:
        raise UnsupportedModel(
            f"{model.name} ({model.task}) reads several sequences for one input; words are cut "
            "anew in one"
        )
    pieces = _pieces(model.tokenizer)
    made = [_recut(model, row, how, pieces) for row in rows]
    return [one if len(one.ids) - one.decoder <= model.limit else None for one in made]


def frequent(model: Model, rows: Sequence[Encoded], size: int) -> frozenset[int]:
    """The `size` most frequent pieces of these inputs, and every piece that cannot be cut further.

    *Laws*: never fewer pieces for a larger size; with `truncate` every word can be spelt.
    """
    counts = np.bincount(
        np.concatenate([row.ids[row.content] for row in rows]), minlength=len(model.tokenizer)
    )
    order = np.lexsort((np.arange(len(counts)), -counts))[:size]
    pieces = _pieces(model.tokenizer)
    single = {at for name, at in pieces.ids.items() if len(_bare(name, pieces)) <= 1}
    return frozenset({int(at) for at in order if counts[at] > 0} | single)


def fertility(row: Encoded) -> float:
    """Content tokens per word."""
    return float(row.content.sum()) / len(row.words)


def _bare(name: str, pieces: _Pieces) -> str:
    return name.removeprefix(pieces.prefix).removesuffix(pieces.suffix).lstrip(SPACES)


def _pieces(tokenizer: Any) -> _Pieces:
    """The vocabulary without special and added tokens."""
    told = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    if told.get("type") not in ("WordPiece", "BPE", "Unigram"):
        raise UnsupportedModel(
            f"a vocabulary of kind {told.get('type')} has no other pieces; WordPiece, BPE and "
            "Unigram have"
        )
    outside = {*tokenizer.all_special_ids, *tokenizer.added_tokens_decoder}
    ids = {name: at for name, at in tokenizer.get_vocab().items() if at not in outside}
    return _Pieces(
        ids,
        told.get("continuing_subword_prefix") or "",
        told.get("end_of_word_suffix") or "",
        max(map(len, ids)),
    )


def _runs(row: Encoded, pieces: _Pieces, unknown: int | None) -> list[list[int]]:
    """The tokens that are joined before they are cut: of one word, each going on where the one
    before ends.
    """
    runs: list[list[int]] = []
    for token in range(len(row.ids) - row.decoder):
        if (
            not row.content[token]
            or row.ids[token] == unknown
            or row.tokens[token] not in pieces.ids
        ):
            continue
        last = runs[-1][-1] if runs else -2
        if (
            last == token - 1
            and row.word[last] == row.word[token]
            and _goes_on(row, last, token, pieces)
        ):
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _goes_on(row: Encoded, last: int, token: int, pieces: _Pieces) -> bool:
    """Whether the tokenizer saw both as one word. Prefixes and suffixes say so; without them,
    letters that touch.
    """
    if pieces.prefix:
        return row.tokens[token].startswith(pieces.prefix)
    if pieces.suffix:
        return not row.tokens[last].endswith(pieces.suffix)
    text = row.example.texts[int(row.segment[token])]
    touch = row.offsets[token][0] <= row.offsets[last][1]
    both = (text[slice(*row.offsets[at])].strip() for at in (last, token))
    return (
        bool(touch)
        and row.tokens[token][:1] not in SPACES
        and all(LETTERS.fullmatch(part) for part in both)
    )


def _recut(model: Model, row: Encoded, how: Cut, pieces: _Pieces) -> Encoded:
    chosen = keyed("cut", how.seed, row.example.id).random(len(row.words)) < how.rate
    made: dict[int, list[Token]] = {}
    skipped: set[int] = set()
    for run in _runs(row, pieces, model.tokenizer.unk_token_id):
        lost = how.way == "truncate" and any(int(row.ids[token]) not in how.kept for token in run)
        if lost or (how.way != "truncate" and chosen[row.word[run[0]]]):
            made[run[0]] = _anew(row, run, how, pieces)
            skipped |= set(run[1:])
    parents: list[int] = []
    tokens: list[Token] = []
    for token in range(len(row.ids)):
        if token in skipped:
            continue
        mine = made.get(token, [_token(row, token)])
        parents += [token] * len(mine)
        tokens += mine
    return _with(model, row, parents, tokens)


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A run's letters, and how a stretch of them is written in the vocabulary."""

    letters: str
    inside: bool
    """Whether the run begins inside of what the tokenizer takes for a word."""
    closed: bool
    """Whether it ends with the mark of a word's end."""

    def form(self, start: int, stop: int, pieces: _Pieces) -> str:
        begin = pieces.prefix if start or self.inside else ""
        return (
            begin
            + self.letters[start:stop]
            + (pieces.suffix if self.closed and stop == len(self.letters) else "")
        )


def _spelling(names: Sequence[str], pieces: _Pieces) -> _Spelling:
    letters = "".join(
        name.removeprefix(pieces.prefix).removesuffix(pieces.suffix) for name in names
    )
    inside = bool(pieces.prefix) and names[0].startswith(pieces.prefix)
    return _Spelling(letters, inside, bool(pieces.suffix) and names[-1].endswith(pieces.suffix))


def _lattice(spelt: _Spelling, pieces: _Pieces, kept: frozenset[int]) -> Lattice:
    """Where the letters can be cut."""

    def known(start: int, stop: int) -> bool:
        at = pieces.ids.get(spelt.form(start, stop, pieces))
        return at is not None and (not kept or at in kept)

    return lattice(len(spelt.letters), known, pieces.widest)


def _anew(row: Encoded, run: Sequence[int], how: Cut, pieces: _Pieces) -> list[Token]:
    """The run's new tokens; a filler has the id -1."""
    old = [_token(row, at) for at in run]
    spelt = _spelling([name for _, name, _ in old], pieces)
    found = _lattice(spelt, pieces, how.kept)
    draw = keyed("pieces", how.seed, row.example.id, int(run[0]))
    ends = WAYS[how.way][1](found, len(old), how.dropout, draw) if found.ends[0] else []
    extra = max(0, len(ends) - len(old))
    if not ends:
        return old
    if how.way == "filler":
        return old + [(-1, "", (old[-1][2][1], old[-1][2][1]))] * extra
    if how.way == "duplicate":
        return [old[place * len(old) // (len(old) + extra)] for place in range(len(old) + extra)]
    start, stop = old[0][2][0], old[-1][2][1]
    lead = len(spelt.letters) - (stop - start)
    new = []
    for first, last in zip([0, *ends[:-1]], ends):
        exact = (
            (start + max(0, first - lead), start + max(0, last - lead))
            if lead in (0, 1)
            else (start, stop)
        )
        name = spelt.form(first, last, pieces)
        new.append((pieces.ids[name], name, exact))
    return new


def _token(row: Encoded, at: int) -> Token:
    return int(row.ids[at]), row.tokens[at], (int(row.offsets[at][0]), int(row.offsets[at][1]))


def _with(model: Model, row: Encoded, parents: Sequence[int], tokens: Sequence[Token]) -> Encoded:
    """The input with these tokens, each of which inherits what its parent was; fillers are never
    content.
    """
    at = np.array(parents, dtype=np.int64)
    filler = np.array([ident < 0 for ident, _, _ in tokens])
    mask = getattr(model.tokenizer, f"{default_operator(model)}_token_id", None)
    if filler.any() and mask is None:
        raise UnsupportedModel(
            f"{model.name} has no mask, padding or unknown token that could fill; use another "
            "control"
        )
    shown = "" if mask is None else str(model.tokenizer.convert_ids_to_tokens(mask))
    return replace(
        row,
        ids=np.array([mask if ident < 0 else ident for ident, _, _ in tokens], dtype=np.int64),
        types=None if row.types is None else row.types[at],
        content=row.content[at] & ~filler,
        word=np.where(filler, -1, row.word[at]),
        segment=np.where(filler, -1, row.segment[at]),
        offsets=np.array([span for _, _, span in tokens], dtype=np.int64).reshape(-1, 2),
        tokens=tuple(shown if ident < 0 else name for ident, name, _ in tokens),
    )
