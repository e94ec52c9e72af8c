"""The same words in other pieces: they spell the same, stay in their words, and are as many as the
dose says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from babelscope.analyses.tokenization.spec import WAYS as LISTED
from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError
from babelscope.model.encode import encode
from babelscope.model.lattice import characters, dropout, lattice, longest, same
from babelscope.model.load import Model, load
from babelscope.model.resegmentation import WAYS, Resegmentation, fertility, frequent, resegment
from babelscope.training.small import make_model, make_tokenizer
from babelscope.types import Encoded
from conftest import PAIRS, TEXTS, tiny

KINDS = {"wordpiece": "bert", "bpe": "xlm-roberta", "unigram": "xlm-roberta", "bytes": "gpt2"}
SIZES = {"wordpiece": 330, "bpe": 200, "unigram": 260, "bytes": 420}
NEW = ("characters", "dropout", "truncate", "same")
"""The ways that cut anew; the others are controls that lengthen."""


@cache
def cutting(kind: str) -> Model:
    """A tiny model whose vocabulary is so small that many words are split already."""
    architecture = KINDS[kind]
    tokenizer = make_tokenizer(
        architecture, [*TEXTS, *(text for pair in PAIRS for text in pair)], SIZES[kind], kind=kind
    )
    return load(
        (
            make_model(architecture, tokenizer, ["a", "b"], layers=1, width=32).double().eval(),
            tokenizer,
        )
    )


def rows_of(model: Model, texts: list[object] | None = None) -> list[Encoded]:
    return encode(model, as_examples([*TEXTS, *PAIRS] if texts is None else texts))


def how(model: Model, way: str, rate: float = 1.0, seed: int = 0) -> Resegmentation:
    kept = frequent(model, rows_of(model), 60) if way == "truncate" else frozenset()
    return Resegmentation(way, rate, kept=kept, seed=seed)


def cut(model: Model, rows: list[Encoded], given: Resegmentation) -> list[Encoded]:
    made = resegment(model, rows, given)
    return [one for one in made if one is not None]


both = pytest.mark.parametrize("kind", KINDS)


@both
@pytest.mark.parametrize("way", NEW)
def test_the_text_is_the_same_and_only_pieces_of_the_vocabulary_stand_for_it(
    kind: str, way: str
) -> None:
    model = cutting(kind)
    rows = rows_of(model)
    special = {*model.tokenizer.all_special_ids} - {model.tokenizer.unk_token_id}
    changed = 0
    for row, new in zip(rows, cut(model, rows, how(model, way))):
        assert model.tokenizer.decode(new.ids) == model.tokenizer.decode(row.ids)
        assert model.tokenizer.convert_tokens_to_ids(list(new.tokens)) == new.ids.tolist()
        assert not set(new.ids[new.content].tolist()) & special
        unknown = model.tokenizer.unk_token_id
        assert (new.ids == unknown).sum() == (row.ids == unknown).sum()
        changed += new.ids.tolist() != row.ids.tolist()
    assert changed > 0 or (way == "same" and kind != "unigram"), "few pieces leave few other cuts"


def test_the_ways_of_a_study_are_those_of_the_model() -> None:
    assert set(LISTED) == set(WAYS)


@both
@pytest.mark.parametrize("way", WAYS)
def test_words_their_order_and_the_special_tokens_stay(kind: str, way: str) -> None:
    model = cutting(kind)
    rows = rows_of(model)
    for row, new in zip(rows, cut(model, rows, how(model, way))):
        assert (new.words, new.word_offsets, new.example) == (
            row.words,
            row.word_offsets,
            row.example,
        )
        owners = new.word[new.content]
        assert (np.diff(owners) >= 0).all()
        assert set(owners.tolist()) == set(row.word[row.content].tolist())
        outside = [token for token, inside in zip(row.tokens, row.content) if not inside]
        fillers = [] if way != "filler" else [new.tokens[at] for at in np.flatnonzero(~new.content)]
        kept = [token for token, inside in zip(new.tokens, new.content) if not inside]
        assert kept == outside if way != "filler" else not Counter(outside) - Counter(fillers)
        assert (
            len(new.ids)
            == len(new.content)
            == len(new.word)
            == len(new.offsets)
            == len(new.tokens)
            == len(new.segment)
        )
        assert (new.types is None) == (row.types is None)
        for at in np.flatnonzero(new.content):
            start, stop = new.offsets[at]
            assert 0 <= start <= stop <= len(row.example.texts[new.segment[at]])


@both
def test_characters_are_the_most_pieces(kind: str) -> None:
    """In WordPiece, whose vocabulary has every letter both ways, one piece per letter."""
    model = cutting(kind)
    rows = rows_of(model, [TEXTS[0], TEXTS[1]])
    for row, new, other in zip(
        rows,
        cut(model, rows, Resegmentation("characters")),
        cut(model, rows, Resegmentation("dropout")),
    ):
        assert fertility(new) == new.content.sum() / len(row.words)
        assert fertility(new) > fertility(row)
        assert fertility(new) >= fertility(other)
        if kind == "wordpiece":
            assert new.content.sum() == sum(map(len, row.words))


@both
@pytest.mark.parametrize("way", ["characters", "dropout", "same", "duplicate", "filler"])
def test_doses_are_nested_and_rate_0_is_the_text_itself(kind: str, way: str) -> None:
    model = cutting(kind)
    (row,) = rows_of(model, [TEXTS[1]])
    before: set[int] = set()
    for rate in (0.0, 0.2, 0.5, 0.8, 1.0):
        (new,) = cut(model, [row], Resegmentation(way, rate))
        mine = {
            word
            for word in range(len(row.words))
            if new.ids[new.word == word].tolist() != row.ids[row.word == word].tolist()
        }
        assert before <= mine
        before = mine
        if rate == 0:
            assert new.ids.tolist() == row.ids.tolist()
            assert new.offsets.tolist() == row.offsets.tolist()
    if way in ("characters", "duplicate"):
        whole = {
            at for at, word in enumerate(row.words) if len(word) > 1 and (row.word == at).sum() == 1
        }
        assert whole
        assert whole <= before


@both
def test_controls_are_as_long_as_what_they_control(kind: str) -> None:
    model = cutting(kind)
    rows = rows_of(model)
    made = {
        way: cut(model, rows, Resegmentation(way))
        for way in ("characters", "filler", "duplicate", "same")
    }
    for row, *new in zip(rows, *made.values()):
        long, filled, doubled, other = new
        assert len(long.ids) == len(filled.ids) == len(doubled.ids) >= len(row.ids)
        assert len(other.ids) == len(row.ids)
        assert filled.ids[filled.content].tolist() == row.ids[row.content].tolist()
        assert list(dict.fromkeys(zip(doubled.word.tolist(), doubled.ids.tolist()))) == list(
            dict.fromkeys(zip(row.word.tolist(), row.ids.tolist()))
        )


@both
def test_truncation_uses_kept_pieces_alone_and_cuts_nothing_else(kind: str) -> None:
    model = cutting(kind)
    rows = rows_of(model)
    last = 0.0
    for size in (200, 60, 20, 0):
        kept = frequent(model, rows, size) if size else frequent(model, rows, 0)
        made = cut(model, rows, Resegmentation("truncate", kept=kept))
        for row, new in zip(rows, made):
            unknown = model.tokenizer.unk_token_id
            assert set(new.ids[new.content].tolist()) <= kept | {unknown}
            for word in range(len(row.words)):
                if set(row.ids[row.word == word].tolist()) <= kept:
                    assert new.ids[new.word == word].tolist() == row.ids[row.word == word].tolist()
        mean = float(np.mean([fertility(one) for one in made]))
        assert mean >= last
        last = mean


def test_one_cut_per_seed_and_example_in_any_batch() -> None:
    model = cutting("bpe")
    rows = rows_of(model)
    given = Resegmentation("dropout", 0.7)
    together = cut(model, rows, given)
    for row, new in zip(rows[::-1], cut(model, rows[::-1], given)):
        (alone,) = cut(model, [row], given)
        assert alone.ids.tolist() == new.ids.tolist()
    assert [one.ids.tolist() for one in together] != [
        one.ids.tolist() for one in cut(model, rows, Resegmentation("dropout", 0.7, seed=1))
    ]


def test_what_would_be_too_long_is_left_out() -> None:
    model = tiny("bert")
    (row,) = rows_of(model, [" ".join([TEXTS[1]] * 5)])
    assert len(row.ids) <= model.limit
    assert resegment(model, [row], Resegmentation("characters")) == [None]


def paths(found: object, at: int = 0) -> list[list[int]]:
    if at == found.length:
        return [[]]
    return [[stop, *rest] for stop in found.ends[at] for rest in paths(found, stop)]


def test_the_lattice_holds_every_spelling_and_no_other() -> None:
    """Against all ways to cut six letters."""
    pieces = {"a", "b", "ab", "ba", "aba", "bab", "bb"}
    for word in ("ababab", "abbaba", "bbbbbb", "aabcab"):
        found = lattice(len(word), lambda start, stop, word=word: word[start:stop] in pieces, 3)
        expected = []
        for count in range(len(word)):
            for places in combinations(range(1, len(word)), count):
                ends = [*places, len(word)]
                if all(word[a:b] in pieces for a, b in zip([0, *ends], ends)):
                    expected.append(ends)
        assert sorted(paths(found)) == sorted(expected)


def test_ways_to_choose_a_path() -> None:
    word, pieces = "ababab", {"a", "b", "ab", "ba", "aba", "bab"}
    found = lattice(6, lambda start, stop: word[start:stop] in pieces, 3)
    draw = np.random.default_rng(0)
    assert characters(found) == [1, 2, 3, 4, 5, 6]
    assert longest(found) == [3, 6]
    assert dropout(found, 0.0, draw) == longest(found)
    assert dropout(found, 1.0, draw) == characters(found)
    three = [path for path in paths(found) if len(path) == 3]
    drawn = Counter(tuple(same(found, 3, draw)) for _ in range(9000))
    assert set(drawn) == {tuple(path) for path in three}
    expected = 9000 / len(three)
    assert all(abs(count - expected) < 5 * np.sqrt(expected) for count in drawn.values()), (
        "all equally likely"
    )
    assert same(found, 1, draw) == []


def test_bad_cuts_are_refused() -> None:
    for given in ({"way": "syllables"}, {"way": "characters", "rate": 1.5}, {"way": "truncate"},
                  {"way": "characters", "kept": frozenset({1})}):  # fmt: skip
        with pytest.raises(InputError):
            Resegmentation(**given)


@pytest.mark.parametrize("name", ["bert-base-multilingual-cased", "xlm-roberta", "gpt2"])
def test_real_vocabularies_spell_the_same(shared: Path, name: str) -> None:
    from babelscope.model.tokenizers import load_tokenizer

    folder = next(
        (path.parent for path in sorted(shared.glob(f"data/tokenizers/{name}*/tokenizer.json"))),
        None,
    )
    if folder is None:
        pytest.skip(f"the vocabulary of {name} is not there")
    model = replace(cutting("bpe"), tokenizer=load_tokenizer(str(folder)))
    rows = rows_of(model, TEXTS)
    for way in ("characters", "dropout"):
        for row, new in zip(rows, cut(model, rows, Resegmentation(way))):
            assert model.tokenizer.decode(new.ids) == model.tokenizer.decode(row.ids)
            assert len(new.ids) >= len(row.ids)
