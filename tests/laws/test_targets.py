"""What is explained: the laws of targets and quantities, over every task, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError, UnsupportedModel, UntrainedHead
from babelscope.methods import METHODS
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics.measure import measure
from babelscope.model import activations, inference
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.targets import chosen, name, predicted, value
from babelscope.propagation.rules import rules
from babelscope.types import Aim, Example, Target
from conftest import PAIRS, TEXTS
from zoo import LABELS, ROUGH, build, shared

TEXT = "the food was good"
PAIR = ("was the food good", "no the food was not good but the room was good")
CASES: dict[str, tuple[str, str, Any]] = {
    "classes": ("bert", "text-classification", TEXT),
    "decoder": ("gpt2", "text-classification", TEXT),
    "answer": ("bert", "question-answering", PAIR),
    "tag": ("bert", "token-classification", TEXT),
    "next token": ("gpt2", "text-generation", TEXT),
    "state space": ("mamba", "text-generation", TEXT),
    "two sides": ("t5", "text-classification", TEXT),
    "answer of two sides": ("t5", "question-answering", PAIR),
    "going on": ("t5", "text2text-generation", ("was the food good", "no the food")),
}
"""Per kind of target the architecture, the task and an input."""
every = pytest.mark.parametrize("case", CASES)
is_encoder_decoder = pytest.mark.parametrize(
    "case", [case for case, row in CASES.items() if row[0] == "t5"]
)


def made(case: str) -> tuple[Model, Any]:
    architecture, task, data = CASES[case]
    return shared(architecture, task), data


def encoded(model: Model, data: Any) -> tuple[Any, torch.Tensor]:
    (row,) = encode(model, as_examples(data))
    (output,) = inference.outputs(model, [inference.query(row)])
    return row, output


def aims(model: Model) -> list[tuple[Aim, str]]:
    """What can be asked of a model."""
    if model.task == "question-answering":
        return [
            (Aim(edge=edge), quantity)
            for edge in ("both", "start", "end")
            for quantity in ("logit", "probability", "log_odds")
        ]
    return [(Aim(), quantity) for quantity in ("logit", "probability", "log_odds", "contrast")]


@every
def test_the_gradient_is_the_central_difference_of_every_quantity(case: str) -> None:
    """dF/de along a direction u equals (F(e + h u) - F(e - h u)) / 2h, the decoder's tokens among
    the positions.
    """
    model, data = made(case)
    row, output = encoded(model, data)
    torch.manual_seed(0)
    direction = torch.randn(len(row.ids), model.embeddings.weight.shape[1], dtype=torch.float64)
    rough = CASES[case][0] in ROUGH
    step = 1e-4 if rough else 1e-5
    sides = [
        inference.Query(
            row.ids,
            row.types,
            edit=lambda e, s=side: e + s * step * direction,
            key=f"{side}",
            decoder=row.decoder,
        )
        for side in (1, -1)
    ]
    up, down = inference.outputs(model, sides)
    for aim, quantity in aims(model):
        target = chosen(model, row, output, aim, quantity)
        ((_, slope),) = inference.gradients(
            model, [inference.query(row)], [target], lambda _, grad: (grad * direction).sum().item()
        )
        expected = float(value(model, up, target) - value(model, down, target)) / (2 * step)
        assert slope == pytest.approx(
            expected, rel=2e-2 if rough else 1e-5, abs=2e-4 if rough else 1e-8
        )
        assert abs(slope) > 1e-5, "a slope of 0 would prove nothing"


@every
@pytest.mark.parametrize("method", ["occlusion", "input_x_gradient", "attnlrp", "cp_lrp"])
def test_a_contrast_is_the_difference_of_two_logits_explanations(case: str, method: str) -> None:
    model, data = made(case)
    if model.task == "question-answering":
        pytest.skip("positions are not contrasted")
    row, output = encoded(model, data)
    both = chosen(model, row, output, Aim(), "contrast")
    one, two = Target(both.index, both.end), Target(both.contrast, both.end)
    assert both.contrast != both.index
    found = [
        np.array(METHODS[method].function(model, [row], [target])[0].scores)
        for target in (both, one, two)
    ]
    np.testing.assert_allclose(
        found[0], found[1] - found[2], atol=1e-6 if CASES[case][0] in ROUGH else 1e-10
    )
    assert np.abs(found[0]).max() > 1e-4


@every
def test_without_a_contrast_class_it_is_the_best_of_the_others(case: str) -> None:
    model, data = made(case)
    if model.task == "question-answering":
        with pytest.raises(InputError, match="a contrast needs two classes"):
            explain(model, data, "random", quantity="contrast")
        return
    row, output = encoded(model, data)
    target = chosen(model, row, output, Aim(), "contrast")
    logits = output[target.end] if model.task == "token-classification" else output
    assert [target.index, target.contrast] == logits.argsort(descending=True)[:2].tolist()
    asked = model.labels[target.contrast]
    (one,) = explain(model, data, "random", target=Aim(contrast=asked), quantity="contrast")
    assert one.value == pytest.approx(
        float(logits[target.index] - logits[target.contrast]), abs=1e-9
    )
    assert (one.quantity, one.contrast, one.contrast_index) == ("contrast", asked, target.contrast)


@every
@pytest.mark.parametrize("method", ["occlusion", "gradient_norm", "cp_lrp"])
def test_alone_is_in_a_batch_on_either_padding_side(case: str, method: str) -> None:
    model, data = made(case)
    others = [*PAIRS, data, PAIR] if isinstance(data, tuple) else [*TEXTS[:3], data, TEXTS[4]]
    place = others.index(data)
    alone = np.array(explain(model, data, method)[0].scores)
    before = model.tokenizer.padding_side
    try:
        for side in ("left", "right"):
            model.tokenizer.padding_side = side
            together = explain(
                model,
                [
                    Example(f"t{at}", t if isinstance(t, tuple) else (t,))
                    for at, t in enumerate(others)
                ],
                method,
            )
            np.testing.assert_allclose(
                together[place].scores, alone, atol=1e-6 if CASES[case][0] in ROUGH else 1e-9
            )
    finally:
        model.tokenizer.padding_side = before


@every
def test_predicted_named_and_gold_are_one_target_when_they_agree(case: str) -> None:
    model, data = made(case)
    row, output = encoded(model, data)
    best = predicted(model, row, output)
    called = name(model, row, best)
    label = " ".join([called] * len(row.words)) if model.task == "token-classification" else called
    answer = None
    if model.task == "question-answering":
        answer = (int(row.offsets[best.index][0]), int(row.offsets[best.end][1]))
    (example,) = as_examples(data)
    (gold_row,) = encode(model, [Example("1", example.texts, label=label, answer=answer)])
    assert chosen(model, gold_row, output, Aim("gold")) == best
    if model.task != "question-answering":  # an answer's text may stand twice; see below
        assert chosen(model, row, output, Aim(called)) == best


def test_the_gold_answer_is_where_it_stands_and_a_named_one_where_it_first_occurs() -> None:
    model = shared("bert", "question-answering")
    context = PAIR[1]
    second = context.rfind("good")
    (row,) = encode(model, [Example("1", PAIR, label="good", answer=(second, second + 4))])
    (output,) = inference.outputs(model, [inference.query(row)])
    gold, first = (chosen(model, row, output, Aim(asked)) for asked in ("gold", "good"))
    assert row.offsets[gold.index][0] == second
    assert row.offsets[first.index][0] == context.find("good") < second
    assert name(model, row, gold) == name(model, row, first) == "good"


def test_the_two_edges_of_an_answer_add_up() -> None:
    model = shared("bert", "question-answering")
    for method in ("occlusion", "input_x_gradient", "attnlrp"):
        both, start, end = (
            explain(model, PAIR, method, target=Aim(edge=edge))[0]
            for edge in ("both", "start", "end")
        )
        assert both.value == pytest.approx(start.value + end.value)
        assert both.probability == pytest.approx(start.probability * end.probability)
        np.testing.assert_allclose(
            both.scores, np.array(start.scores) + np.array(end.scores), atol=1e-10
        )
    assert (start.target_end, end.target_index) == (-1, -1)
    read = [
        explain(model, PAIR, "attention", target=Aim(edge=edge))[0].scores
        for edge in ("both", "start", "end")
    ]
    np.testing.assert_allclose(read[0], (np.array(read[1]) + np.array(read[2])) / 2, atol=1e-12)


def test_a_tag_is_explained_at_its_word() -> None:
    """By default at the first word whose tag is not O; gold tags are one per word; attention is
    read at its first token.
    """
    model = build("bert", "token-classification")
    row, output = encoded(model, TEXTS[0])
    firsts = [int(np.flatnonzero(row.word == word)[0]) for word in range(len(row.words))]
    with torch.no_grad():
        model.hf.classifier.bias -= output[firsts].mean(
            dim=0
        )  # now every tag is the best of some word
    row, output = encoded(model, TEXTS[0])
    (weights,) = activations.attentions(
        model, [inference.query(row)], lambda _, found: found[-1].mean(dim=0).numpy()
    )
    tags = [LABELS[int(output[token].argmax())] for token in firsts]
    assert len(set(tags)) > 1, "the words must differ for this to prove something"
    usual = chosen(model, row, output, Aim())
    assert usual.end == next(token for token, tag in zip(firsts, tags) if tag != "O")
    for word, (token, tag) in enumerate(zip(firsts, tags)):
        (one,) = explain(model, TEXTS[0], "attention", target=Aim(word=word))
        assert (one.label, one.target, one.target_end) == (tag, tag, token)
        assert one.flags == (f"the tag of word {word}, {row.words[word]!r}",)
        assert one.tagged_word == word
        np.testing.assert_allclose(one.scores, weights[token][row.content], atol=1e-12)
    gold = Example(
        "1", (TEXTS[0],), label=" ".join(LABELS[(word + 1) % 3] for word in range(len(row.words)))
    )
    assert [explain(model, gold, "random", target=Aim("gold", word=word))[0].target for word in (0,
    1, 2)] == [
        LABELS[1], LABELS[2], LABELS[0],
    ]  # fmt: skip


def test_a_deleted_token_moves_the_tag_along() -> None:
    """Deleting before the word leaves its tag defined; deleting the word itself leaves none."""
    model = shared("bert", "token-classification")
    (one,) = explain(model, TEXT, "occlusion", target=Aim(word=2), options={"operator": "delete"})
    row, output = encoded(model, TEXT)
    mine = [int(token) for token in np.flatnonzero(row.content)].index(one.target_end)
    assert np.isnan(one.scores[mine])
    assert np.isfinite(np.delete(one.scores, mine)).all()
    place, tag = one.target_end, one.target_index
    for at, there in (
        (0, place - 1),
        (-1, place),
    ):  # what is deleted behind the word does not move it
        kept = np.arange(len(row.ids)) != np.flatnonzero(row.content)[at]
        (shorter,) = inference.outputs(model, [inference.Query(row.ids[kept], row.types[kept])])
        assert one.scores[at] == pytest.approx(
            float(output[place, tag] - shorter[there, tag]), abs=1e-12
        )


@pytest.mark.parametrize("architecture", ["gpt2", "t5"])
def test_a_verbalizer_compares_the_words_of_its_labels(architecture: str) -> None:
    """p(label) is the share of its words in the probability of all the labels' words."""
    task = "text2text-generation" if architecture == "t5" else "text-generation"
    plain = shared(architecture, task)
    words = {"positive": ["good", "lovely"], "negative": ["no"]}
    model = load((plain.hf, plain.tokenizer), task=task, verbalizer=words)
    assert model.labels == ("positive", "negative")
    _, next_token = encoded(plain, TEXT)
    share = torch.softmax(next_token, dim=0)
    ids = {
        word: plain.tokenizer(f" {word}", add_special_tokens=False)["input_ids"]
        for word in ("good", "lovely", "no")
    }
    masses = {word: float(share[mine[0]]) for word, mine in ids.items()}
    (one,) = explain(model, TEXT, "input_x_gradient", target="positive")
    assert one.probability == pytest.approx(
        (masses["good"] + masses["lovely"]) / sum(masses.values()), rel=1e-9
    )
    single = load((plain.hf, plain.tokenizer), task=task, verbalizer={"a": "good", "b": "no"})
    by_label = explain(single, TEXT, "cp_lrp", target=Aim("a", contrast="b"), quantity="contrast")[
        0
    ]
    by_word = explain(
        plain, TEXT, "cp_lrp", target=Aim("good", contrast="no"), quantity="contrast"
    )[0]
    np.testing.assert_allclose(by_label.scores, by_word.scores, atol=1e-12)
    assert model.fingerprint != plain.fingerprint != single.fingerprint


@every
def test_every_target_can_be_measured(case: str) -> None:
    """The stored target is the explained one: the metric's probability of the whole input is the
    explanation's own.
    """
    model, data = made(case)
    found = explain(model, data, "occlusion")
    for one in measure(model, found, ["comprehensiveness", "sufficiency"]):
        assert np.isfinite(one.value)


@is_encoder_decoder
def test_relevance_is_conserved_only_with_both_inputs(case: str) -> None:
    """Without biases CP-LRP sums to the logit over all that either side reads; the encoder's share
    alone falls short.
    """
    architecture, task, data = CASES[case]
    model = build(architecture, task, biased=False)
    row, output = encoded(model, data)
    target = predicted(model, row, output)
    inputs = model.embeddings(torch.from_numpy(row.ids)).detach()
    with rules(model, "cp_lrp"):
        ((amount, shares),) = inference.gradients(
            model,
            [inference.query(row)],
            [target],
            lambda _, slope: (slope * inputs).sum(dim=-1).numpy(),
        )
    assert shares.sum() == pytest.approx(amount, abs=1e-6)
    assert abs(shares[: -row.decoder].sum() - amount) > 1e-3


def test_a_state_space_model_conserves_relevance_under_both_rule_sets() -> None:
    """It has no softmax, the only operation through which AttnLRP loses relevance."""
    model = build("mamba", "text-generation", biased=False)
    row, output = encoded(model, TEXT)
    inputs = model.embeddings(torch.from_numpy(row.ids)).detach()
    for rule in ("attnlrp", "cp_lrp"):
        with rules(model, rule):
            ((amount, total),) = inference.gradients(
                model,
                [inference.query(row)],
                [predicted(model, row, output)],
                lambda _, slope: float((slope * inputs).sum()),
            )
        assert total == pytest.approx(amount, abs=1e-5)
    ((_, plain),) = inference.gradients(
        model,
        [inference.query(row)],
        [predicted(model, row, output)],
        lambda _, slope: float((slope * inputs).sum()),
    )
    assert abs(plain - amount) > 1e-2


@is_encoder_decoder
def test_both_sides_get_the_slopes_of_a_plain_call(case: str) -> None:
    """Against autograd on the bare transformer with an embedding leaf of its own for each side."""
    model, data = made(case)
    row, output = encoded(model, data)
    target = predicted(model, row, output)
    ((_, found),) = inference.gradients(
        model, [inference.query(row)], [target], lambda _, slope: slope.clone()
    )
    own = len(row.ids) - row.decoder
    ids = torch.from_numpy(row.ids)
    left = model.embeddings(ids[:own])[None].detach().requires_grad_(True)
    reads = ids[own:] if model.generates else torch.cat([ids[own:], ids[: own - 1]])
    right = model.embeddings(reads)[None].detach().requires_grad_(True)
    bare = (
        model.hf
        if model.generates
        else model.hf.transformer
        if hasattr(model.hf, "transformer")
        else model.hf
    )
    given = {"inputs_embeds": left, "decoder_inputs_embeds": right}
    if case == "two sides":
        end = int(np.flatnonzero(row.ids[:own] == model.tokenizer.eos_token_id)[-1])
        amount = model.hf.classification_head(bare(**given).last_hidden_state[:, end])[
            0, target.index
        ]
    elif case == "going on":
        amount = bare(**given).logits[0, -1, target.index]
    else:
        made_of = bare(**given)
        amount = made_of.start_logits[0, target.index] + made_of.end_logits[0, target.end]
    one, two = torch.autograd.grad(amount, [left, right])
    expected = torch.zeros_like(found)
    expected[:own] = one[0]
    if model.generates:
        expected[own:] = two[0]
    else:
        expected[own] += two[0, 0]
        expected[: own - 1] += two[0, 1:]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("case", ["two sides", "going on", "state space", "decoder"])
@pytest.mark.parametrize("fails", [False, True])
def test_the_model_is_left_as_it_was_found(case: str, fails: bool) -> None:
    model, data = made(case)

    def hooks() -> int:
        return sum(
            len(module._forward_hooks) + len(module._forward_pre_hooks)
            for module in model.hf.modules()
        )

    before = hooks()
    if fails:
        with pytest.raises((RuntimeError, IndexError)):
            inference.outputs(
                model, [inference.Query(np.array([10**6, 5, 6]), edit=None, decoder=1)]
            )
    else:
        explain(model, data, "cp_lrp")
    assert hooks() == before
    assert all(
        parameter.requires_grad and parameter.grad is None for parameter in model.hf.parameters()
    )


def test_a_decoder_pads_as_its_own_library_does_on_the_left() -> None:
    """Our batches are padded on the right; the plain call on a batch padded on the left gives the
    same next token.
    """
    model = shared("gpt2", "text-generation")
    rows = [encode(model, as_examples(text))[0] for text in (TEXTS[1], TEXTS[2])]
    width = max(len(row.ids) for row in rows)
    ids = torch.full((2, width), model.tokenizer.pad_token_id)
    mask = torch.zeros(2, width, dtype=torch.long)
    for at, row in enumerate(rows):
        ids[at, width - len(row.ids) :] = torch.from_numpy(row.ids)
        mask[at, width - len(row.ids) :] = 1
    with torch.no_grad():
        plain = model.hf(
            input_ids=ids, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0)
        ).logits[:, -1]
    for own, other in zip(inference.outputs(model, [inference.query(row) for row in rows]), plain):
        torch.testing.assert_close(own, other, rtol=0, atol=1e-9)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (
        "classes",
        {"quantity": "odds"},
        "quantity 'odds' is not one of: logit, probability, log_probability, log_odds, contrast",
    ),
    ("classes", {"target": Aim(contrast="O")}, "the quantity is logit; ask for contrast"),
    (
        "classes",
        {"target": Aim("O", contrast="O"), "quantity": "contrast"},
        "must be another class",
    ),
    ("classes", {"target": Aim(edge="start")}, "gives no answer span"),
    ("answer", {"target": Aim(edge="middle")}, "edge 'middle' is not one of: both, start, end"),
    ("classes", {"target": Aim(word=1)}, "tags no words"),
    ("tag", {"target": Aim(word=4)}, "there is no word 4; words count from 0 to 3"),
    ("tag", {"target": "gold"}, "it has none"),
    ("next token", {"target": "unheard of"}, "is not a single token"),
    ("answer", {"target": "a fish"}, "does not occur in the context"),
]


@pytest.mark.parametrize(("case", "given", "message"), REFUSED)
def test_what_cannot_be_explained_is_refused_in_one_line(
    case: str, given: dict[str, Any], message: str
) -> None:
    model, data = made(case)
    with pytest.raises(InputError, match=message) as caught:
        explain(model, data, "random", **given)
    assert "\n" not in str(caught.value)


def test_tags_must_be_as_many_as_words() -> None:
    model = shared("bert", "token-classification")
    with pytest.raises(InputError, match="the label has 2 tags, separated by spaces, for 4 words"):
        explain(model, Example("1", (TEXT,), label="O name"), "random", target="gold")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"a": "good"}, "at least two labels"),
        ({"a": "good", "b": ["no", "good"]}, "words of its own"),
    ],
)
def test_a_verbalizer_that_compares_nothing_is_refused(words: dict[str, Any], message: str) -> None:
    plain = shared("gpt2", "text-generation")
    with pytest.raises(InputError, match=message):
        load((plain.hf, plain.tokenizer), verbalizer=words)
    tagger = shared("bert", "token-classification")
    with pytest.raises(InputError, match="has classes of its own"):
        load((tagger.hf, tagger.tokenizer), verbalizer={"a": "good", "b": "no"})


@pytest.mark.parametrize("task", ["token-classification", "question-answering", "text-generation"])
def test_an_untrained_head_is_refused(tmp_path: Any, task: str) -> None:
    """A classifier's checkpoint holds no tagger, no reader and no language model."""
    model = shared("bert", "text-classification")
    model.hf.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    assert load(tmp_path).task == "text-classification"
    with pytest.raises(UntrainedHead, match="holds no trained weights"):
        load(tmp_path, task=task)


@pytest.mark.parametrize("case", ["tag", "next token", "state space", "going on", "two sides"])
def test_the_task_is_read_from_the_checkpoint(tmp_path: Any, case: str) -> None:
    model, data = made(case)
    model.hf.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    again = load(tmp_path)
    again.hf.double()
    assert again.task == model.task
    np.testing.assert_allclose(
        explain(again, data, "input_x_gradient")[0].scores,
        explain(model, data, "input_x_gradient")[0].scores,
        atol=1e-6,
    )


def test_a_query_without_its_decoder_is_refused() -> None:
    model = shared("t5", "text-classification")
    with pytest.raises(UnsupportedModel, match="no input for the decoder"):
        inference.outputs(model, [inference.Query(np.array([5, 6, 2]))])
