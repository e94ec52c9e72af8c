"""The defects of the released code of the study of multilingual and monolingual faithfulness: none
of them is here.

Numbered as in the description of the study.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.analyses.tokenization.counts import (
    counts,
)
from babelscope.analyses.tokenization.tokenize import tokenization
from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.data.segmentation import segment
from babelscope.errors import InputError
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics import METRICS
from babelscope.metrics.bounds import bounds
from babelscope.metrics.erased import units
from babelscope.metrics.hard import lengths
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.erase import erase
from babelscope.model.load import Model
from babelscope.model.stored_input import encoded_input
from babelscope.options import defaults
from babelscope.types import (
    Segmentation,
    Target,
)
from conftest import PAIRS, TEXTS, tiny
from planted import WEIGHTS, planted_model

HARD = [
    "comprehensiveness",
    "sufficiency",
    "normalised_comprehensiveness",
    "normalised_sufficiency",
]
LONG = TEXTS[:2]


def test_9_1_scaled_attention_is_not_attention_squared(model: Model) -> None:
    """The square has attention's own order; the slope changes order and signs."""
    plain, scaled = (explain(model, LONG, name) for name in ("attention", "scaled_attention"))
    for one, other in zip(plain, scaled):
        assert np.argsort(one.scores).tolist() != np.argsort(other.scores).tolist()
    assert min(min(one.scores) for one in scaled) < 0 <= min(min(one.scores) for one in plain)


def test_9_2_no_value_depends_on_what_was_measured_before(bert: Model) -> None:
    """The same explanations measured once, again, in another order, beside others and by other
    metrics first.
    """
    found = explain(bert, LONG, ["occlusion", "random", "attention"])
    first = {(one.id, one.method, one.metric): one.value for one in measure(bert, found, HARD)}
    for items, metrics in ((found, HARD), (found[::-1], HARD[::-1]), (found[2:4], HARD[2:])):
        for one in measure(bert, items, metrics):
            assert one.value == pytest.approx(
                first[one.id, one.method, one.metric], abs=1e-12, nan_ok=True
            )


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "gpt2"])
def test_9_3_the_fixed_text_of_a_pair_is_never_erased(architecture: str) -> None:
    """Whatever is erased or kept, softly or not: the fixed text and the separators stay as they
    are.
    """
    model = tiny(architecture)
    rows = encode(model, as_examples(PAIRS), part="first")
    rng = np.random.default_rng(0)
    for row in rows:
        fixed = ~row.content
        assert (row.segment[fixed] == 1).any()
        for gone in (row.content, row.content & (rng.random(len(row.ids)) < 0.5)):
            made = erase(model, row, gone, "pad")
            assert made is not None
            assert (made.ids[fixed] == row.ids[fixed]).all()
    both = [
        encode(model, as_examples([pair]), part=part)[0]
        for pair in PAIRS
        for part in ("first", "second")
    ]
    scores = [rng.normal(size=len(row.words)) for row in both]
    found = METRICS["comprehensiveness"].function(model, both, scores, [Target(1)] * 4, grid=(1.0,))
    assert len({round(one.value, 9) for one in found}) == 4


@pytest.mark.parametrize("operator", ["mask", "pad", "unk"])
@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
def test_9_4_a_token_is_erased_by_name_and_not_by_id_0(architecture: str, operator: str) -> None:
    model = tiny(architecture)
    for row in encode(model, as_examples(list(TEXTS))):
        made = erase(model, row, row.content, operator)
        assert made is not None
        filler = model.tokenizer.convert_tokens_to_ids(
            getattr(model.tokenizer, f"{operator}_token")
        )
        assert (made.ids[row.content] == filler).all()
        first = model.tokenizer.cls_token_id
        assert (made.ids == first).sum() == (row.ids == first).sum()


def test_9_5_the_null_is_the_empty_rationale(model: Model) -> None:
    """Special tokens stand in the null too, and erasing the whole rationale gives it exactly: the
    curve ends there.
    """
    rows = [row for row in encode(model, as_examples(list(TEXTS))) if len(row.words) > 2]
    for row in rows:
        null = erase(model, row, row.content, "pad")
        assert null is not None
        assert (null.ids[~row.content] == row.ids[~row.content]).all()
        full, gone = inference.outputs(model, [inference.query(row), null])
        drop = float(torch.softmax(full, -1)[1] - torch.softmax(gone, -1)[1])
        scores = [np.arange(len(row.words), dtype=float)]
        (whole,) = METRICS["comprehensiveness"].function(
            model, [row], scores, [Target(1)], grid=(1.0,), operator="pad"
        )
        assert whole.value == pytest.approx(drop, abs=1e-12)


@pytest.mark.parametrize("method", ["input_x_gradient", "integrated_gradients"])
def test_9_6_gradients_are_of_places_and_not_of_vocabulary_rows(bert: Model, method: str) -> None:
    """A word that stands twice has two scores; other texts in the batch with the same words change
    nothing.
    """
    alone = explain(bert, TEXTS[0], method)[0]
    twice = [at for at, word in enumerate(alone.words) if word == "the"]
    assert len(twice) == 2
    assert alone.word_scores[twice[0]] != pytest.approx(alone.word_scores[twice[1]], abs=1e-6)
    for one in explain(bert, [TEXTS[0]] * 3 + LONG, method)[:3]:
        np.testing.assert_allclose(one.scores, alone.scores, atol=1e-9)


@pytest.mark.parametrize(("method", "gap"), [("integrated_gradients", 1e-2), ("deeplift", 1e-8)])
def test_9_7_scores_sum_to_what_the_model_itself_says(bert: Model, method: str, gap: float) -> None:
    """Complete, and of the model's own function with its positions, norms and mask: the value is
    its plain call's logit.
    """
    for one, row in zip(explain(bert, LONG, method), encode(bert, as_examples(LONG))):
        given = {
            "input_ids": torch.from_numpy(row.ids)[None],
            "attention_mask": torch.ones(1, len(row.ids), dtype=torch.long),
        }
        own = float(bert.hf(**given).logits[0, one.target_index].detach())
        assert one.value == pytest.approx(own, abs=1e-9)
        assert one.reference_value is not None
        assert abs(sum(one.scores) - (one.value - one.reference_value)) <= gap * max(
            1.0, abs(one.value - one.reference_value)
        )


def test_9_8_soft_metrics_have_the_right_polarity() -> None:
    """The one word that decides, scored highest: softly erased by comprehensiveness and softly
    kept by sufficiency.
    """
    model = planted_model()
    (row,) = encode(model, as_examples("the great film"))
    score = [np.array([0.0, 1.0, 0.0])]
    texts = {"all": ("the", "great", "film"), "without": ("the", "film"), "only": ("great",)}
    p = {
        name: 1 / (1 + np.exp(-sum(WEIGHTS[word] for word in words) - 0.3))
        for name, words in texts.items()
    }
    for metric, left in (("soft_comprehensiveness", "without"), ("soft_sufficiency", "only")):
        (one,) = METRICS[metric].function(model, [row], score, [Target(1)])
        assert one.value == pytest.approx(p["all"] - p[left], abs=1e-6)


def test_9_9_separators_have_no_score_and_no_place_in_a_rationale(model: Model) -> None:
    for one, row in zip(
        explain(model, [*LONG, PAIRS[0]], "attention"),
        encode(model, as_examples([*LONG, PAIRS[0]])),
    ):
        special = set(model.tokenizer.all_special_tokens) - {model.tokenizer.unk_token}
        assert not special & set(one.tokens)
        assert len(one.scores) == int(row.content.sum())
        assert not np.isin(
            row.ids[row.content], [model.tokenizer.cls_token_id, model.tokenizer.sep_token_id]
        ).any()


def test_9_10_budgets_count_content_units_alone(bert: Model) -> None:
    """Ten words: 50 % are five, not ceil(0.5 x 11)."""
    (row,) = encode(bert, as_examples(TEXTS[0]))
    assert len(TEXTS[0].split()) == units(row, "word")[1] == 10
    assert units(row, "token")[1] == int(row.content.sum()) < len(row.ids)
    assert lengths(units(row, "word")[1], (0.5,)) == [5]


def test_9_11_predictions_are_the_measured_models_own(bert: Model) -> None:
    """p(x) is asked anew of the model that is measured; explanations of another input or class are
    refused.
    """
    found = explain(bert, LONG, "random")
    other = tiny("xlm-roberta")
    with pytest.raises(InputError, match="another model"):
        measure(other, found, "comprehensiveness")
    for one, row in zip(found, encode(bert, as_examples(LONG))):
        (output,) = inference.outputs(bert, [inference.query(row)])
        assert one.probability == pytest.approx(float(torch.softmax(output, -1).max()), abs=1e-12)


def test_9_12_chance_is_many_draws() -> None:
    """The floor's mean over 20 orders varies less between texts of the same words than one draw
    does.
    """
    model = planted_model()
    rows = encode(model, as_examples(["good the great film bad fine dull"] * 30))
    scores = [np.arange(7.0)] * 30
    found = bounds(model, rows, scores, [Target(1)] * 30, "comprehensiveness", "word", None, 20)
    means, firsts = [one.floor.mean() for one in found], [one.floor[0] for one in found]
    assert np.std(means) < np.std(firsts) / 2
    assert defaults(METRICS["chance_corrected"])["draws"] >= 20


def test_9_13_a_pair_stays_a_pair_when_it_is_measured(bert: Model) -> None:
    """What is measured has the ids and token types that were explained; two texts are never pasted
    into one.
    """
    found = explain(bert, PAIRS, "random")
    pasted = explain(bert, [" ".join(pair) for pair in PAIRS], "random")
    before = [row.ids.tolist() for row in encode(bert, as_examples(PAIRS))]
    for one, ids, row in zip(found, before, encode(bert, as_examples(PAIRS))):
        again = encoded_input(one)
        assert again.ids.tolist() == ids
        assert again.types is not None
        assert row.types is not None
        assert again.types.tolist() == row.types.tolist()
    assert [one.probability for one in found] != pytest.approx(
        [one.probability for one in pasted], abs=1e-6
    )


@pytest.mark.parametrize(
    "text", ["我用iPhone15拍照，很好！", "这个 hotel 的 Wi-Fi 很快。", "价格是 200 元，not bad。"]
)
def test_9_14_chinese_fertility_counts_the_same_text_above_and_below(text: str) -> None:
    """Latin letters, digits and punctuation are words as well as tokens: a tokenizer whose tokens
    are the words has fertility 1 in mixed text too. Divided by Han characters alone, tokens of
    deleted words would still be counted."""
    words = segment(text, "zh")
    han = sum("\u4e00" <= letter <= "\u9fff" for letter in text)
    one = counts(Segmentation(text, tuple(range(len(words))), words), words)
    assert one.tokens / one.words == 1.0
    assert one.words != han
    letters = [(at, at + 1) for at, letter in enumerate(text) if not letter.isspace()]
    spelt = counts(Segmentation(text, tuple(range(len(letters))), tuple(letters)), words)
    assert spelt.tokens / spelt.words == pytest.approx(
        sum(stop - start for start, stop in words) / len(words)
    )
    found = tokenization({"x": tiny("xlm-roberta").tokenizer}, as_examples(text, "zh"))
    fertility = next(each.estimate.mean for each in found.measured if each.measure == "fertility")
    ids = tiny("xlm-roberta").tokenizer(text, add_special_tokens=False)["input_ids"]
    assert fertility == pytest.approx(len(ids) / len(words))
