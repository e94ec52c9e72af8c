"""Pairs of a parallel set: compared by gold links, summed up by language, explained for the
source's class.
"""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
import torch

from babelscope import corpus
from babelscope.analyses.consistency.comparisons import Comparison, score_pairs
from babelscope.analyses.consistency.gold_links import in_links
from babelscope.analyses.consistency.links import link_similarity
from babelscope.analyses.consistency.model_spaces import (
    averaged_space,
    embedding_space,
    isolated_space,
    untrained_model,
)
from babelscope.analyses.consistency.pairs import Compared, Pair, Settings
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.sensitivity import steadiness
from babelscope.analyses.consistency.summary import overall, sign_flips, summarise
from babelscope.analyses.consistency.translations import (
    check_target,
    explain_translations,
    parallel_texts,
)
from babelscope.data.formats.alignments import alignment
from babelscope.errors import InputError, Undefined
from babelscope.types import Estimate, Example, UnitScores
from conftest import tiny, tiny_reader


def test_gold_links_of_pairs_lead_within_their_texts() -> None:
    one, two = (corpus.read("nli", lang, "test", 1)[0] for lang in ("en", "hi"))
    rows = [UnitScores(each.group, each.lang, tuple(f"{k}" for k in range(sum(map(len,
    each.concepts)))), (), ())
            for each in (one, two)]  # fmt: skip
    found = in_links([one, two])(*rows).similarity
    first = len(one.concepts[0]), len(two.concepts[0])
    assert found[: first[0], first[1] :].sum() == found[first[0] :, : first[1]].sum() == 0
    assert found[first[0] :, first[1] :].sum() == len(alignment(one, two)[1])
    assert found[: first[0], : first[1]].sum() == len(alignment(one, two)[0])
    with pytest.raises(Undefined, match="a text was truncated"):
        in_links([one, two])(rows[0], replace(rows[1], units=rows[1].units[1:]))
    with pytest.raises(Undefined, match="no gold alignment"):
        in_links([one])(*rows)


def test_steadiness() -> None:
    def one(lifts: dict[str, tuple[float, float, float]]) -> Comparison:
        lines = [summarise([Pair("a", lang, Consistency())])[0] for lang in lifts]
        lines = [
            replace(line, means={**line.means, "lift": Estimate(*lifts[line.lang], 9, 0)})
            for line in lines
        ]
        return Comparison("en", "s", Settings(), [], lines)

    found = steadiness(
        [
            one({"es": (0.2, 0.1, 0.3), "hi": (0.1, 0.05, 0.2)}),
            one({"es": (0.4, 0.3, 0.5), "hi": (0.1, -0.1, 0.2)}),
        ]
    )
    assert [(each.lang, each.lowest, each.highest, each.claim) for each in found] == [
        ("es", 0.2, 0.4, "above chance"), ("hi", 0.1, 0.1, "depends on the choice"),
    ]  # fmt: skip
    neither = steadiness([one({"hi": (0.1, -0.1, 0.3)}), one({"hi": (-0.1, -0.2, 0.1)})])
    assert [each.claim for each in neither] == ["not distinguished from chance"]


def test_translations_are_explained_for_the_class_of_the_source() -> None:
    model = tiny("xlm-roberta")
    texts = parallel_texts("sentiment", ["en", "es"], count=24)
    found = explain_translations(model, texts, "en", method="input_x_gradient")
    own = explain_translations(model, texts, "en", method="input_x_gradient", target=None)
    said = {one.id: one.prediction for one in found if one.lang == "en"}
    assert 0 < sum(said[one.id] != one.prediction for one in found) < 24, (
        "some predictions must differ, or nothing is tested"
    )
    for one, other in zip(
        sorted(found, key=lambda each: (each.lang, each.id)),
        sorted(own, key=lambda each: (each.lang, each.id)),
    ):
        if one.lang == "en" or said[one.id] == one.prediction:
            np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)
        else:
            assert not np.allclose(one.scores, other.scores)


def test_spaces_of_a_model() -> None:
    model = tiny("xlm-roberta")
    needed = {"en": {"food", "good"}, "es": {"comida"}}
    table = model.embeddings.weight.detach().numpy()
    ids = model.tokenizer("food", add_special_tokens=False)["input_ids"]
    made = embedding_space(model, needed)
    expected = table[ids].mean(0)
    np.testing.assert_allclose(
        made.vectors["en"][made.places["en"]["food"]],
        expected / np.linalg.norm(expected),
        atol=1e-9,
    )
    alone = isolated_space(model, needed)
    again = isolated_space(model, {"en": {"food"}})
    np.testing.assert_allclose(
        alone.vectors["en"][alone.places["en"]["food"]], again.vectors["en"][0], atol=1e-12
    )
    text = Example("1", ("good food Good",), "en")
    mean = averaged_space(model, {"en": [text]}, layer=0)
    assert set(mean.places["en"]) == {"good", "food"}
    random = untrained_model(model, 3)
    assert random.hf.config is model.hf.config
    assert not torch.equal(random.embeddings.weight, model.embeddings.weight)
    assert torch.equal(untrained_model(model, 3).embeddings.weight, random.embeddings.weight)


def scored(name: str, lang: str, scores: tuple[float, ...], said: str = "x") -> UnitScores:
    return UnitScores(
        name,
        lang,
        tuple(f"{lang}{k}" for k in range(len(scores))),
        scores,
        (0,) * len(scores),
        said,
        "x",
    )


def test_summaries_split_by_prediction_and_count() -> None:
    """Two languages of four words each, linked one to one: agreement where the predictions agree,
    else the opposite.
    """
    rows = [scored(str(k), "en", (4.0, 2.0, 1.0, 0.0)) for k in range(6)]
    rows += [
        scored(
            str(k),
            "es",
            (4.0, 2.0, 1.0, 0.0) if k < 4 else (0.0, 1.0, 2.0, 4.0),
            "x" if k < 4 else "y",
        )
        for k in range(6)
    ]

    def compare(one: UnitScores, two: UnitScores) -> Compared:
        return Compared(
            link_similarity({(k, k) for k in range(4)}, (4, 4)), np.ones(4, bool), np.ones(4, bool)
        )

    (line,) = summarise(score_pairs(rows, "en", compare))
    assert line.same_prediction == pytest.approx(4 / 6)
    assert line.lift_same > 0 > line.lift_different
    assert line.means["c"].mean == pytest.approx((4 * 1 + 2 * 2 / 7) / 6), (
        "2/7 of the weight meets itself when turned round"
    )
    assert overall([line]) == (line.means["c"].mean, (line.means["c"].mean + 1) / 2)
    joint = score_pairs(rows, "en", compare, settings=Settings(norm="square", permutations=0))
    assert all(isnan(pair.score.c_perm) for pair in joint)


def test_sign_flips() -> None:
    rng = np.random.default_rng(0)
    assert sign_flips(np.abs(rng.normal(size=30)), [str(k) for k in range(30)]) == 0.001
    assert isnan(sign_flips(np.array([nan]), ["a"]))
    found = [sign_flips(rng.normal(size=20), [str(k) for k in range(20)]) for _ in range(200)]
    assert 0.4 < np.mean(found) < 0.6
    assert sum(p <= 0.05 for p in found) < 25, (
        "200 draws without an effect: 10 are expected below 0.05, 3 sd are 9"
    )


def test_the_answer_of_another_text_cannot_be_explained() -> None:
    with pytest.raises(InputError, match="an answer is a span of its own text"):
        check_target(tiny_reader(), "source")
    check_target(tiny_reader(), None)
    with pytest.raises(InputError, match="not one of: source, gold, none"):
        check_target(tiny("bert"), "negative")


def test_the_flow_of_a_pair_is_its_plan_and_dropped_words_have_none() -> None:
    """Three words of which the space knows the first and the last: with "drop" the flow joins
    these alone.
    """
    rows = [scored("1", "en", (4.0, 2.0, 1.0)), scored("1", "es", (4.0, 2.0, 1.0))]
    known = np.array([True, False, True])
    compare = lambda one, two: Compared(np.eye(3), known, known)  # noqa: E731
    (kept,) = score_pairs(rows, "en", compare, settings=Settings(unknown="zero"))
    assert kept.flow is not None
    assert list(zip(kept.flow.unit_s.tolist(), kept.flow.unit_t.tolist())) == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]
    np.testing.assert_allclose(kept.flow.weight, [4 / 7, 2 / 7, 1 / 7], atol=1e-12)
    (dropped,) = score_pairs(rows, "en", compare, settings=Settings(unknown="drop"))
    assert dropped.flow is not None
    assert list(zip(dropped.flow.unit_s.tolist(), dropped.flow.unit_t.tolist())) == [(0, 0), (2, 2)]
    np.testing.assert_allclose(dropped.flow.weight, [4 / 5, 1 / 5], atol=1e-12)
    np.testing.assert_allclose(dropped.score.earned_s, [4 / 5, 0, 1 / 5], atol=1e-12)
    assert dropped.score.plan is None


def test_flow_between_the_texts_of_a_pair_earns_nothing() -> None:
    """All weight of the source is in its first text, all of the target's in its second: C is 0 if
    each flows within its own text, and 1 over both; the stored similarity says so."""
    one = UnitScores("1", "en", ("a", "b"), (1.0, 0.0), (0, 1))
    two = UnitScores("1", "es", ("x", "y"), (0.0, 1.0), (0, 1))
    compare = lambda left, right: Compared(np.ones((2, 2)), np.ones(2, bool), np.ones(2, bool))  # noqa: E731
    for segments, c in (("blocked", 0.0), ("joint", 1.0)):
        (pair,) = score_pairs([one, two], "en", compare, settings=Settings(segments=segments))
        assert pair.flow is not None
        assert pair.score.c == pytest.approx(c)
        assert float(pair.flow.weight @ pair.flow.similarity) == pytest.approx(c)
