"""Random numbers belong to the input: its id, its language and its token ids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.erased import ranked
from babelscope.metrics.measure import explained_target
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Example

FEW = {
    "lime": {"samples": 30},
    "kernel_shap": {"samples": 60},
    "permutation_shapley": {"permutations": 2},
    "partition_shapley": {"samples": 30},
    "smooth_gradient": {"samples": 4},
    "expected_gradients": {"baselines": 4},
}
"""Fewer samples than there are sets of tokens, so that the scores are sampled."""
TEXT = "the food was not good but the room was lovely"


def rows_of(model: Model, *examples: Example) -> list[Encoded]:
    return encode(model, examples)


def test_an_identity_is_id_language_and_token_ids(bert: Model) -> None:
    first, again, translated, other = rows_of(
        bert,
        Example("1", (TEXT,), "en"),
        Example("1", (TEXT,), "en"),
        Example("1", (TEXT,), "fr"),
        Example("1", ("no",), "en"),
    )
    assert identity(first) == identity(again)
    assert len({identity(row) for row in (first, translated, other)}) == 3


def test_texts_under_one_id_get_other_random_scores(bert: Model) -> None:
    """Single texts of a list have the ids 1, 2, ... in every call: the first of two calls, and two
    texts under one id, must not share their numbers."""
    texts = ("good food in the old town", "lovely food in the old town")
    scores = [explain(bert, text, "random")[0].scores for text in texts]
    assert len(scores[0]) == len(scores[1])
    assert not set(scores[0]) & set(scores[1])


def test_random_scores_of_translations_are_independent(bert: Model) -> None:
    """Over 400 ids the correlation of two independent normal numbers has the standard error 1/20:
    equal seeds would give 1."""
    pairs = [
        [explained.scores[0] for explained in METHODS["random"].function(bert, rows, [])]
        for at in range(400)
        for rows in [
            [
                replace(row, example=replace(row.example, id=str(at), lang=lang))
                for row, lang in zip(rows_of(bert, *[Example("1", (TEXT,))] * 2), ("en", "fr"))
            ]
        ]
    ]
    assert abs(float(np.corrcoef(np.array(pairs).T)[0, 1])) < 0.2


@pytest.mark.parametrize("method", [row.name for row in METHODS.values() if row.seeded])
def test_translations_under_one_id_get_other_samples(bert: Model, method: str) -> None:
    examples = [Example("1", (TEXT,), lang) for lang in ("en", "fr", "en")]
    english, french, again = (
        np.array(attribution.scores)
        for attribution in explain(bert, examples, method, options=FEW.get(method))
    )
    assert (english == again).all()
    assert not (english == french).all()


@pytest.mark.parametrize(
    "metric", ["soft_sufficiency", "soft_comprehensiveness", "infidelity", "chance_corrected"]
)
def test_metrics_sample_anew_for_a_translation(bert: Model, metric: str) -> None:
    examples = [Example("1", (TEXT,), lang) for lang in ("en", "fr", "en")]
    attributions = explain(bert, examples, "occlusion")
    rows = encode(bert, examples)
    targets = [explained_target(attribution) for attribution in attributions]
    scores = [np.array(attribution.word_scores) for attribution in attributions]
    english, french, again = (
        measured.value for measured in METRICS[metric].function(bert, rows, scores, targets)
    )
    assert english == again != french


def test_ties_are_broken_anew_for_a_translation(bert: Model) -> None:
    """A constant attribution of 40 languages: the first unit is another one in most of them."""
    examples = [Example("1", (TEXT,), f"x{at}") for at in range(40)]
    firsts = {
        int(ranked(row, np.zeros(len(row.words)), "word")[0][0]) for row in encode(bert, examples)
    }
    assert len(firsts) > 4


def test_parts_determine_the_generator() -> None:
    assert keyed(0, "a").random() == keyed(0, "a").random() != keyed(1, "a").random()
