"""The same words in other pieces of the same vocabulary: what a change of the segmentation alone
does to a model.

Only ids and pieces are handled. Nothing is decoded and tokenized again: pieces of a word are joined
as they are spelt in the vocabulary, and split elsewhere into other entries of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import regex

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model.erase import default_operator
from babelscope.model.lattice import Lattice, characters, dropout, longest, same
from babelscope.model.load import Model
from babelscope.model.pieces import (
    SPACES,
    Pieces,
    Spelling,
    bare,
    lattice_of,
    pieces_of,
    spelling,
)
from babelscope.random import keyed
from babelscope.types import Encoded, Span

Segmenter = Callable[[Lattice, int, float, np.random.Generator], list[int]]
"""From the lattice of a run, its number of pieces, the dropout and a generator to where the new
pieces end.
"""

Token = tuple[int, str, Span]
"""Id, spelling in the vocabulary, characters in the text."""

WAYS: dict[str, tuple[str, Segmenter]] = {
    "characters": ("the shortest pieces that the vocabulary "
                   "has", lambda lattice, count, rate, rng: characters(lattice)),
    "dropout": ("the longest piece first, each dropped with the probability "
                "`dropout`", lambda lattice, count, rate, rng:
                dropout(lattice, rate, rng)),
    "truncate": ("the longest piece first, out of the pieces that are "
                 "kept", lambda lattice, count, rate, rng:
                 longest(lattice)),
    "same": ("control: as many pieces, split "
             "elsewhere", lambda lattice, count, rate, rng: same(lattice, count, rng)),
    "filler": ("control: itself, as long as `characters` by filler tokens after "
               "it", lambda lattice, count, rate, rng:
               characters(lattice)),
    "duplicate": ("control: itself, as long as `characters` by repeated "
                  "pieces", lambda lattice, count, rate, rng:
                  characters(lattice)),
}  # fmt: skip
"""How a word is re-segmented. The controls separate the effect of more pieces from that of other
pieces and of a longer input.
"""

LETTERS = regex.compile(r"[\p{L}\p{M}--\p{Han}]+", regex.V1)


@dataclass(frozen=True, slots=True)
class Resegmentation:
    """How words are re-segmented: the way, the share of the words, and for `truncate` the ids that
    are kept.
    """

    way: str
    rate: float = 1.0
    dropout: float = 0.5
    kept: frozenset[int] = frozenset()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise InputError(
                f"there is no way {self.way!r} to re-segment words; choose from: {', '.join(WAYS)}"
            )
        if not (0 <= self.rate <= 1 and 0 <= self.dropout <= 1):
            raise InputError(
                f"rate and dropout lie between 0 and 1; {self.rate} and {self.dropout} given"
            )
        if (self.way == "truncate") != bool(self.kept):
            raise InputError(
                "the way 'truncate' needs the ids that are kept, and no other way does"
            )


def resegment(model: Model, rows: Sequence[Encoded], how: Resegmentation) -> list[Encoded | None]:
    """Each input with a share of its words re-segmented; None where it would be longer than the
    model reads.

        word w is re-segmented  <=>  u_w < rate,    u_w ~ U(0, 1) keyed to the seed, the example
          and the word

    so a word that is re-segmented at one rate is so at every higher one, into the same pieces. With
    `truncate` exactly the words with a piece that is not kept are re-segmented, whatever the rate.
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
            f"{model.name} ({model.task}) reads several sequences for one input; words "
            "are re-segmented in single sequences only"
        )
    pieces = pieces_of(model.tokenizer)
    changed = [_resegmented(model, row, how, pieces) for row in rows]
    return [row if len(row.ids) - row.decoder <= model.limit else None for row in changed]


def frequent(model: Model, rows: Sequence[Encoded], size: int) -> frozenset[int]:
    """The `size` most frequent pieces of these inputs, and all that cannot be split further.

    *Laws*: never fewer pieces for a larger size; with `truncate` every word can be spelt.
    """
    counts = np.bincount(
        np.concatenate([row.ids[row.content] for row in rows]), minlength=len(model.tokenizer)
    )
    order = np.lexsort((np.arange(len(counts)), -counts))[:size]
    pieces = pieces_of(model.tokenizer)
    single = {at for name, at in pieces.ids.items() if len(bare(name, pieces)) <= 1}
    return frozenset({int(at) for at in order if counts[at] > 0} | single)


def fertility(row: Encoded) -> float:
    """Content tokens per word."""
    return float(row.content.sum()) / len(row.words)


def _runs(row: Encoded, pieces: Pieces, unknown: int | None) -> list[list[int]]:
    """The tokens that are joined before they are re-segmented: of one word, each continuing the one
    before it.
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
            and _continues(row, last, token, pieces)
        ):
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _continues(row: Encoded, last: int, token: int, pieces: Pieces) -> bool:
    """Whether the tokenizer saw both as one word: by prefix or suffix, else by adjacent letters."""
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


def _resegmented(model: Model, row: Encoded, how: Resegmentation, pieces: Pieces) -> Encoded:
    example = (row.example.id, row.example.lang, *row.example.texts)
    chosen = keyed("cut", how.seed, *example).random(len(row.words)) < how.rate
    replaced: dict[int, list[Token]] = {}
    skipped: set[int] = set()
    for run in _runs(row, pieces, model.tokenizer.unk_token_id):
        lost = how.way == "truncate" and any(int(row.ids[token]) not in how.kept for token in run)
        if lost or (how.way != "truncate" and chosen[row.word[run[0]]]):
            replaced[run[0]] = _new_tokens(row, run, how, pieces)
            skipped |= set(run[1:])
    parents: list[int] = []
    tokens: list[Token] = []
    for token in range(len(row.ids)):
        if token in skipped:
            continue
        new = replaced.get(token, [_token(row, token)])
        parents += [token] * len(new)
        tokens += new
    return _with(model, row, parents, tokens)


def _new_tokens(
    row: Encoded, run: Sequence[int], how: Resegmentation, pieces: Pieces
) -> list[Token]:
    """The run's new tokens; a filler has the id -1."""
    old = [_token(row, at) for at in run]
    spelt = spelling([name for _, name, _ in old], pieces)
    graph = lattice_of(spelt, pieces, how.kept)
    example = (row.example.id, row.example.lang, *row.example.texts)
    rng = keyed("pieces", how.seed, *example, int(run[0]))
    ends = WAYS[how.way][1](graph, len(old), how.dropout, rng) if graph.ends[0] else []
    extra = max(0, len(ends) - len(old))
    if not ends:
        return old
    if how.way == "filler":
        return old + [(-1, "", (old[-1][2][1], old[-1][2][1]))] * extra
    if how.way == "duplicate":
        return [old[place * len(old) // (len(old) + extra)] for place in range(len(old) + extra)]
    return _split(old, spelt, ends, pieces)


def _split(
    old: Sequence[Token], spelt: Spelling, ends: Sequence[int], pieces: Pieces
) -> list[Token]:
    """The letters as pieces that end there; their characters in the text where these are known."""
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
            f"{model.name} has no mask, padding or unknown token to fill with; use another control"
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
