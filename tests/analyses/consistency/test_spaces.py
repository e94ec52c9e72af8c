"""The laws of spaces, of the turn between them, of links and of correlations."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import ortho_group, pearsonr
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from babelscope.analyses.consistency.correlation import (
    correlation,
    interaction,
    mantel,
    off_diagonal,
    partial,
    variance_shares,
)
from babelscope.analyses.consistency.links import (
    carry_over,
    itermax,
    link_similarity,
    mutual_links,
    rank_agreement,
    shuffle_links,
)
from babelscope.analyses.consistency.procrustes import align, precision, procrustes
from babelscope.analyses.consistency.score import consistency
from babelscope.analyses.consistency.spaces import (
    centre,
    centre_if_needed,
    look_up,
    make_space,
    mean_cosine,
    similarity,
    spellings,
)
from babelscope.analyses.consistency.spec import Spec
from babelscope.analyses.consistency.subwords import subword_space
from babelscope.data.corpora import aligned, dictionary
from babelscope.data.formats.vectors import vec
from babelscope.errors import InputError, Undefined

SEEDS = st.integers(0, 10**6)
MANY = settings(max_examples=40, deadline=None)


def two_languages(
    seed: int = 0, words: int = 40, width: int = 6, shift: float = 0.0
) -> tuple[dict, np.ndarray]:
    rng = np.random.default_rng(seed)
    one = rng.normal(size=(words, width)) + shift
    turn = ortho_group.rvs(width, random_state=seed)
    return {
        "en": {f"w{k}": one[k] for k in range(words)},
        "es": {f"p{k}": one[k] @ turn for k in range(words)},
    }, turn


def test_unknown_words() -> None:
    space = make_space(
        "toy",
        {
            "en": {"cat": np.array([3.0, 0.0]), "nil": np.zeros(2)},
            "es": {"gato": np.array([1.0, 1.0])},
        },
    )
    one, two = ("en", ["cat", "NATO", "nil"]), ("es", ["gato", "Nato"])
    found, known_s, known_t = similarity(space, one, two)
    np.testing.assert_allclose(found, [[0.5**0.5, 0], [0, 1], [0, 0]], atol=1e-12)
    assert known_s.tolist() == [True, False, False]
    assert known_t.tolist() == [True, False]
    assert not similarity(space, one, two, policy="zero")[0][1:].any()
    with pytest.raises(Undefined, match="no vectors for sw"):
        similarity(space, one, ("sw", ["paka"]))
    with pytest.raises(InputError, match="'guess' for unknown words"):
        similarity(space, one, two, policy="guess")


def test_a_vector_that_is_not_finite_concerns_its_word_only() -> None:
    space = make_space("toy", {"en": {"cat": np.array([nan, 0.0]), "dog": np.array([1.0, 0.0])}})
    with pytest.raises(Undefined, match="'cat' \\(en\\) is not finite"):
        similarity(space, ("en", ["cat"]), ("en", ["dog"]))
    assert similarity(space, ("en", ["dog"]), ("en", ["dog"]))[0] == 1
    assert np.isfinite(similarity(centre(space), ("en", ["dog"]), ("en", ["dog"]))[0]).all()


def test_centring_lowers_the_floor_always_never_or_where_it_is_high() -> None:
    found, _ = two_languages(shift=2.0)
    space = make_space(
        "toy",
        {"en": found["en"], "es": {word: vector + 0.1 for word, vector in found["en"].items()}},
    )
    by_hand = np.mean([x @ y for x in space.vectors["en"] for y in space.vectors["es"]])
    assert mean_cosine(space, "en", "es") == pytest.approx(by_hand, abs=1e-12)
    assert by_hand > 0.5
    assert abs(mean_cosine(centre(space), "en", "es")) < 0.1
    plain = make_space("toy", two_languages()[0])
    assert centre_if_needed(space, "en", centring="auto").centred
    assert not centre_if_needed(plain, "en", centring="auto").centred
    assert centre_if_needed(space, "en").centred
    assert centre_if_needed(plain, "en").centred
    assert not centre_if_needed(space, "en", centring="never").centred
    assert Spec().centre == "always"
    with pytest.raises(ValidationError, match="'always', 'never' or 'auto'"):
        Spec(centre="sometimes")
    mine = centre(space)
    np.testing.assert_allclose(
        np.diag(
            similarity(mine, ("en", list(mine.places["en"])), ("en", list(mine.places["en"])))[0]
        ),
        1,
    )


def test_words_are_looked_up_in_their_spellings() -> None:
    assert spellings("«Años»,") == ["«Años»,", "«años»,", "años"]
    assert spellings("1984") == ["1984", "0000"]
    space = make_space("toy", {"es": {"años": np.array([1.0]), "0000": np.array([-1.0])}})
    places = look_up(space, {"es": ["«Años»", "1984", "gato"]}).places["es"]
    assert places == {"«Años»": 0, "1984": 1}


def test_vec_files_are_streamed(tmp_path: Path) -> None:
    file = tmp_path / "en.vec"
    file.write_bytes(
        b"4 3\nthe 1 2 3\ncat 0.5 -1 2e-1 \nthe 9 9 9\nbroken 1 2\nlate 1 1 1\n" + b"\xff 1 1 1\n"
    )
    found = vec(file, {"the", "cat"})
    assert {word: row.tolist() for word, row in found.items()} == {
        "the": [1, 2, 3],
        "cat": [0.5, -1, 0.2],
    }
    assert not vec(file, {"late"}, rows=4)
    with pytest.raises(InputError, match=r"line 5.*2 numbers after 'broken'; expected 3"):
        vec(file, {"broken"})
    file.write_text("the 1 2 3\n")
    with pytest.raises(InputError, match=r"line 1.*count of the vectors and their dimension"):
        vec(file, {"the"})


@given(SEEDS)
@MANY
def test_procrustes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(9, 4)), rng.normal(size=(9, 4))
    turn = ortho_group.rvs(4, random_state=seed)
    np.testing.assert_allclose(procrustes(one, one @ turn), turn, atol=1e-9)
    np.testing.assert_allclose(procrustes(one, one), np.eye(4), atol=1e-9)
    best = procrustes(one, other)
    np.testing.assert_allclose(best @ best.T, np.eye(4), atol=1e-9)
    assert np.linalg.norm(one @ best - other) <= np.linalg.norm(one @ turn - other) + 1e-9


def test_a_dictionary_aligns_two_languages() -> None:
    found, _ = two_languages()
    space = make_space("toy", found)
    entries = [(f"w{k}", f"p{k}") for k in range(40)]
    before = similarity(space, ("en", ["w1", "w2"]), ("es", ["p1", "p2"]))[0]
    made = align(space, "en", {"es": entries})
    after = similarity(made, ("en", ["w1", "w2"]), ("es", ["p1", "p2"]))[0]
    assert np.diag(after).min() > 0.98 > np.diag(before).max()
    assert made.precision == {"es": 1.0}
    with pytest.raises(
        InputError, match=r"3 dictionary entries for es are too few to align 6 dimensions"
    ):
        align(space, "en", {"es": entries[:3]})
    rng = np.random.default_rng(0)
    wrong = [(one, f"p{k}") for (one, _), k in zip(entries, rng.permutation(40))]
    with pytest.raises(InputError, match=r"at least 0\.2"):
        align(space, "en", {"es": wrong})
    assert precision(np.eye(3), np.eye(3), [{0}, {0}, {2}]) == pytest.approx(2 / 3)


@given(SEEDS)
@MANY
def test_links(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=tuple(rng.integers(1, 8, 2)))
    one = mutual_links(matrix)
    assert len({i for i, _ in one}) == len({j for _, j in one}) == len(one)
    assert mutual_links(matrix.T) == frozenset((j, i) for i, j in one)
    assert itermax(matrix, rounds=1) == one <= itermax(matrix) <= itermax(matrix, rounds=4)
    order = rng.permutation(6)
    assert mutual_links(np.eye(6)[order]) == frozenset(enumerate(order.tolist()))
    scores = rng.normal(size=matrix.shape[1])
    links = itermax(matrix)
    kept = carry_over(scores, links, matrix.shape[0], split=True)
    assert kept.sum() == pytest.approx(scores[sorted({j for _, j in links})].sum(), abs=1e-9)
    assert len(shuffle_links(links, matrix.shape, rng)) == len(links)


def test_c_of_one_to_one_links_is_the_overlap_of_weights() -> None:
    a, b = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.6, 0.3])
    found = consistency(a, b, link_similarity({(0, 1), (1, 0)}, (3, 3)), permutations=0)
    assert found.c == pytest.approx(min(0.5, 0.6) + min(0.3, 0.1))
    assert rank_agreement(a, np.array([0.2, 0.5, 0.1]), {(0, 1), (1, 0), (2, 2)}) == pytest.approx(
        1
    )
    assert isnan(rank_agreement(a, b, set()))
    with pytest.raises(InputError, match="3-0 leads out"):
        link_similarity({(3, 0)}, (3, 3))


def test_correlations() -> None:
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 12))
    found = correlation(x, y)
    assert found.pearson == pytest.approx(pearsonr(x, y).statistic)
    assert found.p == pytest.approx(pearsonr(x, y).pvalue, abs=0.03)
    assert correlation(np.arange(5.0), np.arange(5.0) * 3 - 1) == (
        pytest.approx(1),
        pytest.approx(1),
        pytest.approx(1),
        2 / 120,
        5,
    )
    assert isnan(correlation(np.ones(5), np.arange(5.0)).pearson)
    assert isnan(correlation(x[:2], y[:2]).p)
    r = np.corrcoef([x, y, z])
    by_formula = (r[0, 1] - r[0, 2] * r[1, 2]) / ((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)) ** 0.5
    assert partial(x, y, z) == pytest.approx(by_formula)
    assert partial(x + 5 * z, y, z) == pytest.approx(by_formula)
    assert isnan(partial(2 * z + 1, y, z))


def test_matrices_over_languages() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=(2, 5, 5))
    r, p = mantel(one, two)
    assert r == pytest.approx(pearsonr(off_diagonal(one), off_diagonal(two)).statistic)
    order = rng.permutation(5)
    assert mantel(one[np.ix_(order, order)], two[np.ix_(order, order)]) == (
        pytest.approx(r),
        pytest.approx(p),
    )
    assert mantel(one, one) == (pytest.approx(1), 1 / 120)
    rows, columns = rng.normal(size=(2, 5))
    rest = interaction(one)
    np.testing.assert_allclose(
        off_diagonal(interaction(one + rows[:, None] + columns)), off_diagonal(rest), atol=1e-9
    )
    np.testing.assert_allclose(np.nansum(rest, axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(
        off_diagonal(interaction(rows[:, None] + columns[None, :])), 0, atol=1e-9
    )
    assert variance_shares(np.repeat(rows[:, None], 4, axis=1)) == pytest.approx((1, 0, 0))
    assert sum(variance_shares(one)) == pytest.approx(1)


def test_the_real_subword_space_knows_translations(shared: Path) -> None:
    """Against the floor of chance: English words and their Spanish translations in the space that
    several languages share.
    """
    pairs = [pair for pair in dictionary("muse", shared / "data", lang="es") if pair[0] != pair[1]][
        :2000:10
    ]
    needed = {"en": [one for one, _ in pairs], "es": [two for _, two in pairs]}
    models = shared / "models"
    space = subword_space(models / "aligned-subwords", models / "mini-multilingual", needed)
    gold: dict[str, set[int]] = {}
    for one, two in pairs:
        gold.setdefault(one, set()).add(space.places["es"][two])
    rows = space.vectors["en"][[space.places["en"][word] for word in gold]]
    assert precision(rows, space.vectors["es"], list(gold.values())) > 0.5
    assert abs(mean_cosine(space, "en", "es")) < 0.1
    with pytest.raises(InputError, match="tokenizer that the vectors were made with"):
        subword_space(
            models / "aligned-subwords", shared / "data" / "tokenizers" / "xlm-roberta", needed
        )


def test_links_found_in_the_real_space_agree_with_gold(shared: Path) -> None:
    """Mutual links of French content words: most are links that people drew; links shuffled within
    the pair are not.
    """
    models, right, chance, all_ = shared / "models", 0, 0, 0
    rng = np.random.default_rng(0)
    pairs = [*islice(aligned("pud-alignments", shared / "data", lang="fr"), 60)]
    words = [
        [
            [one.texts[0][start:end] for start, end in one.words[0]]
            for one in (pair.source, pair.target)
        ]
        for pair in pairs
    ]
    needed = {
        lang: sorted({word for units in words for word in units[side]})
        for side, lang in enumerate(("en", "fr"))
    }
    space = subword_space(models / "aligned-subwords", models / "mini-multilingual", needed)
    for pair, units in zip(pairs, words, strict=True):
        found = mutual_links(similarity(space, ("en", units[0]), ("fr", units[1]))[0])
        content = {one for one, _ in pair.links}
        found = frozenset(link for link in found if link[0] in content)
        shape = (len(units[0]), len(units[1]))
        right, all_ = right + len(found & pair.links), all_ + len(found)
        chance += len(shuffle_links(found, shape, rng) & pair.links)
    assert right / all_ > 0.7
    assert chance / all_ < 0.2


SPACE_DIGEST = """
import hashlib, sys
from babelscope.analyses.consistency.load_spaces import SpaceNames, load_spaces
from babelscope.types import UnitScores

words = tuple(f"w{at}" for at in range(300))
ones, zeros = (1.0,) * len(words), (0,) * len(words)
rows = [UnitScores("t", lang, words, ones, zeros) for lang in ("en", "es")]
(space,) = load_spaces(SpaceNames(subwords=sys.argv[1]), rows, "en").values()
assert space.centred
vectors = [space.vectors[lang][space.places[lang][word]] for lang in ("en", "es") for word in words]
print(hashlib.sha256(b"".join(vector.tobytes() for vector in vectors)).hexdigest())
"""


def test_a_space_has_the_same_bits_under_every_hash_seed(tmp_path: Path) -> None:
    """Sums over words run in one order; the vectors share a direction, so that it is taken out."""
    words = [f"w{at}" for at in range(300)]
    Tokenizer(WordLevel({word: at for at, word in enumerate(words)}, "w0")).save(
        str(tmp_path / "tokenizer.json")
    )
    (tmp_path / "pieces.txt").write_text("\n".join(words), "utf-8")
    np.save(tmp_path / "vectors.npy", np.random.default_rng(0).normal(size=(300, 16)) + 1)
    digests = {
        subprocess.run(
            [sys.executable, "-c", SPACE_DIGEST, f"{tmp_path}={tmp_path / 'tokenizer.json'}"],
            env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(digests) == 1
