"""Multiple choice: a head's scores and a language model's likelihoods are those of plain calls,
and they are explained.
"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf

import zoo
from babelscope.errors import InputError, UnsupportedModel, UntrainedHead
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.erase import erase
from babelscope.model.load import Model, load
from babelscope.model.stored_input import encoded_input
from babelscope.store import Cell, open_store, put, read_attributions
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import Recipe, finetune
from babelscope.types import Aim, Candidate, Encoded, Example
from conftest import PAIRS, TEXTS

THREE = Example("three", (TEXTS[0], TEXTS[1], "the room was bad", TEXTS[2]), label="2")
TWO = Example("two", (PAIRS[0][0], PAIRS[0][1], "the food was good"), label="0")


def head() -> Model:
    return zoo.shared("bert", "multiple-choice")


def language_model() -> Model:
    plain = zoo.shared("gpt2", "text-generation")
    return load((plain.hf, plain.tokenizer), task="multiple-choice")


MODELS = {"head": head, "language model": language_model}
every = pytest.mark.parametrize("kind", MODELS)


def plain_scores(model: Model, texts: tuple[str, ...]) -> np.ndarray:
    """By transformers alone: the head's call on padded pairs; for a language model minus the loss
    of the candidate's tokens times their number, one candidate at a time."""
    context, *candidates = texts
    if type(model.hf).__name__.endswith("ForMultipleChoice"):
        batch = model.tokenizer(
            [context] * len(candidates), candidates, padding=True, return_tensors="pt"
        )
        with torch.no_grad():
            return (
                model.hf(**{name: table[None] for name, table in batch.items()}).logits[0].numpy()
            )
    scores = []
    for candidate in candidates:
        before = model.tokenizer(context)["input_ids"]
        after = model.tokenizer(f" {candidate}", add_special_tokens=False)["input_ids"]
        labels = torch.tensor([[-100] * len(before) + after])
        with torch.no_grad():
            loss = model.hf(input_ids=torch.tensor([before + after]), labels=labels).loss
        scores.append(-float(loss) * len(after))
    return np.array(scores)


def outputs(model: Model, rows: list[Encoded]) -> list[np.ndarray]:
    return [
        output.numpy()
        for output in inference.outputs(model, [inference.query(row) for row in rows])
    ]


@every
def test_outputs_are_those_of_plain_calls_in_any_batch(kind: str) -> None:
    """Two and three candidates in one batch; the loss of transformers is computed in float32:
    1e-5.
    """
    model = MODELS[kind]()
    rows = encode(model, [THREE, TWO])
    assert [len(row.candidates) for row in rows] == [3, 2]
    for row, output in zip(rows, outputs(model, rows)):
        np.testing.assert_allclose(
            output, plain_scores(model, row.example.texts), atol=1e-9 if kind == "head" else 1e-4
        )
        (alone,) = outputs(model, [row])
        np.testing.assert_allclose(output, alone, atol=1e-9)


@every
def test_a_candidate_does_not_see_the_others(kind: str) -> None:
    model = MODELS[kind]()
    turned = replace(THREE, texts=(THREE.texts[0], *THREE.texts[:0:-1]))
    one, two = outputs(model, encode(model, [THREE, turned]))
    np.testing.assert_allclose(one, two[::-1], atol=1e-9)
    assert np.ptp(one) > 1e-3


@every
@pytest.mark.parametrize(
    "method", ["input_x_gradient", "integrated_gradients", "occlusion", "lime", "kernel_shap"]
)
def test_what_is_explained_is_the_candidates_score(kind: str, method: str) -> None:
    model = MODELS[kind]()
    (attribution,) = explain(
        model,
        THREE,
        method,
        target="1",
        options={"nodes": 64} if method == "integrated_gradients" else None,
    )
    expected = plain_scores(model, THREE.texts)
    assert attribution.value == pytest.approx(expected[1], abs=1e-4)
    shares = np.exp(expected - expected.max())
    assert attribution.probability == pytest.approx(float(shares[1] / shares.sum()), abs=1e-4)
    assert attribution.label == str(expected.argmax())
    assert np.isfinite(attribution.scores).all()
    assert np.abs(attribution.scores).max() > 1e-6


@every
def test_integrated_gradients_are_complete(kind: str) -> None:
    for quantity in ("logit", "contrast"):
        (attribution,) = explain(MODELS[kind](), THREE, "integrated_gradients", quantity=quantity)
        assert attribution.reference_value is not None
        gap = attribution.value - attribution.reference_value
        assert sum(attribution.scores) == pytest.approx(gap, abs=1e-2 * max(1, abs(gap)))


@every
def test_gradients_are_central_differences(kind: str) -> None:
    """Along a random direction of all content embeddings: (F(e + h d) - F(e - h d)) / 2h =
    gradient . d.
    """
    model = MODELS[kind]()
    (row,) = encode(model, [THREE])
    direction = torch.randn(
        len(row.ids), model.embeddings.weight.shape[1], generator=torch.Generator().manual_seed(1)
    )
    direction = direction.double() * torch.from_numpy(row.content)[:, None]
    target = model.functions.named(model, row, "1", -1)
    ((_, slope),) = inference.gradients(
        model, [inference.query(row)], [target], lambda _, found: float((found * direction).sum())
    )
    sides = [
        replace(
            inference.query(row), edit=lambda e, s=side: e + s * 1e-5 * direction, key=str(side)
        )
        for side in (1, -1)
    ]
    up, down = inference.outputs(model, sides)
    assert slope == pytest.approx(float(up[1] - down[1]) / 2e-5, rel=1e-5, abs=1e-7)


@every
@pytest.mark.parametrize("operator", ["mask", "delete", "unk"])
def test_erased_inputs_are_those_of_plain_calls(kind: str, operator: str) -> None:
    """Erasing the first content token of the first sequence: the others' scores stay, its own is
    that of the changed ids.
    """
    model = MODELS[kind]()
    (row,) = encode(model, [THREE])
    if operator != "delete" and getattr(model.tokenizer, f"{operator}_token_id") is None:
        pytest.skip(f"the tokenizer has no {operator} token")
    gone = np.zeros(len(row.ids), dtype=bool)
    gone[int(row.content.argmax())] = True
    query = erase(model, row, gone, operator)
    assert query is not None
    assert sum(query.lengths) == len(query.ids) == len(row.ids) - int(operator == "delete")
    full, erased = inference.outputs(model, [inference.query(row), query])
    assert abs(float(full[0] - erased[0])) > 1e-6
    torch.testing.assert_close(full[1:], erased[1:], atol=1e-9, rtol=0)
    first = query.lengths[0]
    encoded = replace(
        row, ids=query.ids[:first], types=None if query.types is None else query.types[:first],
        candidates=query.candidates[:1],
    )  # fmt: skip
    with torch.no_grad():
        answer = model.hf(**model.functions.plain_call(model, encoded))
    own = model.functions.outputs(model, answer, [inference.query(encoded)], None)[0]
    assert float(own[0]) == pytest.approx(float(erased[0]), abs=1e-9)


@every
def test_comprehensiveness_is_what_erasing_every_copy_of_a_word_costs(kind: str) -> None:
    """With the grid (1.0,) all words are erased: p(input) - p(every content token erased)."""
    model = MODELS[kind]()
    found = explain(model, [THREE, TWO], "occlusion")
    values = measure(model, found, "comprehensiveness", options={"grid": (1.0,)})
    for attribution, value in zip(found, values):
        row = encoded_input(attribution)
        everything = erase(
            model, row, row.content, "mask" if model.tokenizer.mask_token_id is not None else "pad"
        )
        (output,) = inference.outputs(model, [everything])
        left = float(torch.softmax(output, -1)[attribution.target_index])
        assert value.value == pytest.approx(attribution.probability - left, abs=1e-9)
    assert all(
        np.isfinite(each.value)
        for each in measure(model, found, ["sufficiency", "soft_sufficiency"])
    )


@every
@pytest.mark.parametrize("role", ["pad_token", "mask_token"])
@pytest.mark.parametrize("place", [0, 1])
def test_a_text_that_spells_the_padding_or_mask_token_is_text(
    kind: str, role: str, place: int
) -> None:
    """In the context and in a candidate: no such token is in the input, and the characters belong
    to tokens that are read as text."""
    model = MODELS[kind]()
    spelt = getattr(model.tokenizer, role) or "<pad>"
    texts = ["the food was good", "the room was bad", "it was lovely"]
    texts[place] = f"the food was {spelt} good"
    (row,) = encode(model, [Example("1", tuple(texts))])
    special = getattr(model.tokenizer, f"{role}_id")
    assert special is None or special not in row.ids
    start = texts[place].index(spelt)
    inside = row.segment == place
    covered = {at for left, right in row.offsets[inside] for at in range(left, right)}
    assert set(range(start, start + len(spelt))) <= covered


@every
def test_a_word_of_the_context_has_tokens_in_every_sequence(kind: str) -> None:
    model = MODELS[kind]()
    (row,) = encode(model, [THREE])
    ends = np.cumsum([each.tokens for each in row.candidates])
    for word, text in enumerate(row.word_segment):
        sequences = set(
            np.searchsorted(ends, np.flatnonzero(row.word == word), side="right").tolist()
        )
        assert sequences == ({0, 1, 2} if text == 0 else {text - 1})
    assert set(row.word_segment) == ({0, 1, 2, 3} if kind == "head" else {0})
    assert [
        row.example.texts[text][slice(*span)]
        for text, span in zip(row.word_segment, row.word_offsets)
    ] == list(row.words)
    assert all(each.continuation == 0 for each in row.candidates) == (kind == "head")


@every
def test_parts_and_the_stored_input(kind: str, tmp_path: Path) -> None:
    model = MODELS[kind]()
    found = explain(model, THREE, "random", part="first")
    assert set(found[0].word_segment) == {0}
    put(open_store(tmp_path / "s"), [Cell({"kind": "attributions"}, "attributions", list(found))])
    (stored,) = read_attributions(open_store(tmp_path / "s"))
    (row,) = encode(model, [THREE], part="first")
    for field in fields(row):
        old, new = getattr(row, field.name), getattr(encoded_input(stored), field.name)
        assert (
            np.array_equal(old, new)
            if isinstance(old, np.ndarray)
            else old == new or field.name == "example"
        )
    if kind == "head":
        assert set(explain(model, THREE, "random", part="second")[0].word_segment) == {1, 2, 3}
    else:
        with pytest.raises(InputError, match="predicts the candidates"):
            explain(model, THREE, "random", part="second")


def test_targets_by_number_text_and_gold() -> None:
    model = head()
    for target in ("2", THREE.texts[3], "gold"):
        (attribution,) = explain(model, THREE, "random", target=target)
        assert (attribution.target, attribution.target_index) == ("2", 2)
    (both,) = explain(model, THREE, "random", target=Aim("1", contrast="0"), quantity="contrast")
    scores = plain_scores(model, THREE.texts)
    assert (both.quantity, both.contrast) == ("contrast", "0")
    assert both.value == pytest.approx(scores[1] - scores[0], abs=1e-9)


@pytest.mark.parametrize(
    ("example", "options", "message"),
    [
        (Example("a", tuple(TEXTS[:2])), {}, "reads at least 3 texts, 2 given"),
        (THREE, {"target": "3"}, "there is no candidate '3'; they count from 0 to 2"),
        (THREE, {"long": "window"}, "compared as wholes"),
        (THREE, {"target": Aim(word=1)}, "tags no words"),
        (replace(THREE, label=None), {"target": "gold"}, "has none"),
    ],
)
def test_what_does_not_fit_is_refused(
    example: Example, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        explain(head(), example, "random", **options)


@every
@pytest.mark.parametrize("method", ["attention", "rollout", "slalom"])
def test_methods_that_need_one_sequence_say_so(kind: str, method: str) -> None:
    with pytest.raises(UnsupportedModel):
        explain(MODELS[kind](), TWO, method)


def test_long_inputs_are_truncated_and_say_so() -> None:
    long = replace(TWO, texts=(" ".join(TEXTS * 40), *TWO.texts[1:]))
    for kind in MODELS:
        model = MODELS[kind]()
        (row,) = encode(model, [long])
        assert all(each.tokens <= model.limit for each in row.candidates)
        assert row.truncated_from is not None
        assert row.truncated_from > len(row.ids)
        assert row.flags[0].startswith("truncated to")


def test_checkpoints_are_loaded_with_their_head_or_as_language_models(tmp_path: Path) -> None:
    for name, model in (
        ("head", head()),
        ("lm", language_model()),
        ("classes", zoo.shared("bert", "text-classification")),
    ):
        model.hf.save_pretrained(tmp_path / name)
        model.tokenizer.save_pretrained(tmp_path / name)
    assert load(tmp_path / "head").task == "multiple-choice"
    assert load(tmp_path / "lm").task == "text-generation"
    borrowed = load(tmp_path / "lm", task="multiple-choice")
    assert isinstance(borrowed.hf, hf.GPT2LMHeadModel)
    (found,), (expected,) = (
        outputs(each, encode(each, [TWO])) for each in (borrowed, language_model())
    )
    np.testing.assert_allclose(found, expected, atol=1e-4)
    with pytest.raises(UntrainedHead, match="its head is for text-classification"):
        load(tmp_path / "classes", task="multiple-choice")


@pytest.mark.training
def test_a_model_learns_its_examples(tmp_path: Path) -> None:
    """The right candidate is the one that says good."""
    pairs = [("the food was good", "the food was bad"), ("a bad room", "a good room")] * 4
    rows = [
        Example(f"{at}", ("we liked the hotel", *pair), label=str(int("good" in pair[1])))
        for at, pair in enumerate(pairs)
    ]
    base = tmp_path / "base"
    fresh = zoo.build("bert", "multiple-choice")
    fresh.hf.float().save_pretrained(base)
    fresh.tokenizer.save_pretrained(base)
    folder = finetune(
        base,
        rows,
        rows,
        tmp_path / "tuned",
        Recipe(learning_rate=5e-3, epochs=12, batch=4, warmup=0.0),
    )
    model = load(folder)
    assert type(model.hf).__name__ == "BertForMultipleChoice"
    (score,) = evaluate(model, rows)
    assert (score.measure, score.estimate.mean, score.chance) == ("accuracy", 1.0, 0.5)
    with pytest.raises(InputError, match="the right one's number"):
        finetune(base, [replace(rows[0], label="2")], rows, tmp_path / "other")
    with pytest.raises(InputError, match="different numbers of candidates"):
        finetune(
            base, [*rows, replace(rows[0], texts=(*rows[0].texts, "x"))], rows, tmp_path / "other"
        )


def test_a_candidate_that_fills_the_model_leaves_no_context() -> None:
    with pytest.raises(InputError, match="leaves no room"):
        encode(language_model(), [replace(TWO, texts=(TWO.texts[0], " ".join(TEXTS * 60), "x"))])


def test_candidates_are_values() -> None:
    assert Candidate(3) == Candidate(3, 0)
