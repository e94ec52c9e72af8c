"""Laws of prompts, chat templates, labels of several tokens, calibration, reuse and answers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html import escape

import numpy as np
import pytest
import torch

import zoo
from babelscope.display.answers import answer_html, answer_lines, answer_page, visible
from babelscope.errors import BadRow, InputError
from babelscope.methods.answers import explain_answers
from babelscope.methods.explain import explain
from babelscope.methods.gradient import displacement, on_path
from babelscope.metrics.measure import measure
from babelscope.model import inference, prefixes
from babelscope.model.calibration import label_prior
from babelscope.model.encode import encode
from babelscope.model.erase import default_operator, erase
from babelscope.model.load import Model, load
from babelscope.model.prompts import render
from babelscope.model.scopes import quiet
from babelscope.model.targets import probability, value
from babelscope.types import Example, Prompt, Target

DECODERS = ("gpt2", "llama", "gemma3")
CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] | trim + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% endif %}"
)
"""The template of ChatML models, with the trimming of Gemma's."""
TEXT = "the food was not good"
LABELS = {"good": ["good", "not good"], "bad": "no"}
"""The second word of the first label has several tokens."""
CHAT = Prompt(
    "the film: {text} was", labels=LABELS, system="the place", chat=True,
    examples=({"text": "lovely food", "label": "good"}, {"text": "the rain", "label": "bad"}),
)  # fmt: skip
SINGLE = {"good": " good", "bad": " no"}


@cache
def plain(name: str) -> Model:
    """A model whose tokenizer knows the markers of a chat."""
    model = zoo.build(name, "text-generation")
    tokenizer = model.tokenizer
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    tokenizer.chat_template = CHATML
    tokenizer.model_max_length = 256
    with quiet():
        model.hf.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    with torch.no_grad():
        for weight in {model.hf.get_input_embeddings().weight, model.hf.lm_head.weight}:
            weight[-2:].normal_(0, 0.25, generator=torch.Generator().manual_seed(5))
    return load((model.hf, tokenizer), task="text-generation")


@cache
def prompted(name: str, kind: str = "chat") -> Model:
    prompt = {
        "chat": CHAT,
        "single": Prompt("the film: {text}\nit was", labels=SINGLE),
        "answer": Prompt("the film: {text}\nit was"),
    }[kind]
    base = plain(name)
    return load((base.hf, base.tokenizer), prompt=prompt)


def rough(name: str, exact: float) -> float:
    return max(zoo.ROUGH.get(name, 0.0), exact)


every = pytest.mark.parametrize("name", DECODERS)


@every
def test_the_ids_are_the_chat_templates_own_and_only_the_users_text_is_content(name: str) -> None:
    model = prompted(name)
    messages = [
        {"role": "system", "content": "the place"},
        {"role": "user", "content": "the film: lovely food was"},
        {"role": "assistant", "content": "good"},
        {"role": "user", "content": "the film: the rain was"},
        {"role": "assistant", "content": "no"},
        {"role": "user", "content": f"the film: {TEXT} was"},
    ]
    own = model.tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=True, return_dict=True
    )
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    assert row.ids.tolist() == own["input_ids"]
    assert row.words == tuple(TEXT.split())
    spans = row.offsets[row.content]
    assert spans[0, 0] == 0
    assert spans[-1, 1] == len(TEXT)
    whole = render(model, row.example)
    assert whole.text[slice(*whole.spans[0])] == TEXT


def test_spaces_that_a_chat_template_drops_shift_the_offsets() -> None:
    base = plain("gpt2")
    model = load((base.hf, base.tokenizer), prompt=Prompt(chat=True))
    (row,) = encode(model, [Example("1", (f"  {TEXT} ",), "en")])
    (bare,) = encode(model, [Example("1", (TEXT,), "en")])
    np.testing.assert_array_equal(row.ids, bare.ids)
    assert row.words == bare.words
    assert row.word_offsets[0] == (2, 5)


@every
@pytest.mark.parametrize("method", ["integrated_gradients", "occlusion", "slalom", "attnlrp"])
def test_fixed_tokens_have_no_score_and_free_ones_are_complete(name: str, method: str) -> None:
    model = prompted(name)
    options = {"slalom": {"samples": 24}}.get(method)
    (one,) = explain(model, [Example("1", (TEXT,), "en")], method, options=options)
    assert one.words == tuple(TEXT.split())
    assert len(one.scores) == sum(one.input.content)
    assert one.quantity == "log_odds"
    if method == "integrated_gradients":
        gap = sum(one.scores) - (one.value - one.reference_value)
        assert abs(gap) <= 1e-3


@every
def test_fixed_tokens_are_never_erased(name: str) -> None:
    """Of all queries that methods and metrics ask, those outside of the slot keep their ids; with
    everything erased, the prompt is left.
    """
    model = prompted(name)
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    asked: list[inference.Query] = []
    original = inference.outputs

    def recorded(model: Model, queries: list[inference.Query]) -> list[torch.Tensor]:
        asked.extend(queries)
        return original(model, queries)

    inference.outputs = recorded  # type: ignore[assignment]
    try:
        explanations = explain(model, [row.example], "occlusion")
        measure(model, explanations, ["comprehensiveness", "sufficiency"])
    finally:
        inference.outputs = original
    fixed = ~row.content
    assert len(asked) > 6
    for query in asked:
        np.testing.assert_array_equal(query.ids[fixed], row.ids[fixed])
        assert query.attended is None or query.attended[fixed].all()
    shorter = erase(model, row, row.content, "delete")
    assert shorter is not None
    np.testing.assert_array_equal(shorter.ids, row.ids[fixed])


@every
def test_log_odds_of_labels_with_several_tokens(name: str) -> None:
    """log p - log(1 - p) over the labels, p from a plain loop over the words' tokens."""
    model = prompted(name)
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    assert any(len(ids) > 1 for words in model.verbalizer.values() for ids in words)
    masses = []
    for words in model.verbalizer.values():
        mass = 0.0
        for word in words:
            ids, log = row.ids.tolist(), 0.0
            for token in word:
                with torch.no_grad():
                    logits = model.hf(input_ids=torch.tensor([ids])).logits[0, -1]
                log += float(torch.log_softmax(logits.double(), dim=-1)[token])
                ids.append(token)
            mass += np.exp(log)
        masses.append(mass)
    p = masses[0] / sum(masses)
    (output,) = inference.outputs(model, [inference.query(row)])
    target = Target(0, quantity="log_odds")
    tolerance = rough(name, 1e-9)
    assert probability(model, output, target) == pytest.approx(p, abs=tolerance)
    expected = np.log(p) - np.log(1 - p)
    assert float(value(model, output, target)) == pytest.approx(expected, abs=10 * tolerance)
    (one,) = explain(model, [row.example], "input_x_gradient", target="good")
    assert one.value == pytest.approx(expected, abs=10 * tolerance)


def test_log_odds_are_finite_where_the_probability_rounds_to_one() -> None:
    model = prompted("gpt2")
    # p = 1 / (1 + exp(-100)) is 1 in float64; the log-odds are 100
    output = torch.tensor([100.0, 0.0], dtype=torch.float64)
    assert float(value(model, output, Target(0, quantity="log_odds"))) == pytest.approx(100.0)


def test_calibration_divides_by_the_content_free_probabilities() -> None:
    """By hand: p = (.8, .2), c = (.9, .1): .8/.9 = .889, .2/.1 = 2, so that q = (.308, .692), and
    the label changes. A text with p = c gets one half each.
    """
    model = replace(prompted("gpt2", "single"), prior=(float(np.log(0.9)), float(np.log(0.1))))
    from babelscope.model.tasks.generation import calibrated

    logits = torch.tensor([0.8, 0.2], dtype=torch.float64).log()
    shares = torch.softmax(calibrated(model, logits), dim=0)
    np.testing.assert_allclose(shares, [0.8 / 0.9 / (0.8 / 0.9 + 2), 2 / (0.8 / 0.9 + 2)])
    free = torch.tensor([0.9, 0.1], dtype=torch.float64).log()
    np.testing.assert_allclose(torch.softmax(calibrated(model, free), dim=0), [0.5, 0.5])


def test_the_prior_is_the_mean_over_content_free_texts_and_moves_two_labels_by_a_constant() -> None:
    base = prompted("gpt2", "single")
    prior = label_prior(base)
    shares = []
    for text in ("N/A", "[MASK]", ""):
        ids = base.tokenizer(f"the film: {text}\nit was")["input_ids"]
        with torch.no_grad():
            logits = base.hf(input_ids=torch.tensor([ids])).logits[0, -1]
        tokens = [words[0][0] for words in base.verbalizer.values()]
        shares.append(torch.softmax(logits[tokens], dim=0).numpy())
    np.testing.assert_allclose(np.exp(prior), np.mean(shares, axis=0), atol=1e-9)
    prompt = replace(base.prompt, calibrate=True)
    model = load((base.hf, base.tokenizer), prompt=prompt)
    assert model.prior == pytest.approx(prior)
    assert model.signature != base.signature
    before, after = (explain(each, TEXT, "occlusion", target="good")[0] for each in (base, model))
    np.testing.assert_allclose(after.scores, before.scores, atol=1e-9)
    assert after.value == pytest.approx(before.value - prior[0] + prior[1], abs=1e-9)


@every
def test_left_padding_right_padding_and_alone(name: str) -> None:
    """The outputs are those of the model's own call on a batch padded on the left."""
    model = prompted(name, "single")
    rows = encode(model, [Example("1", (TEXT,), "en"), Example("2", ("the rain",), "en")])
    queries = [inference.query(row) for row in rows]
    together = inference.outputs(model, queries)
    width = max(len(row.ids) for row in rows)
    ids = torch.tensor([[0] * (width - len(row.ids)) + row.ids.tolist() for row in rows])
    mask = torch.tensor([[0] * (width - len(r.ids)) + [1] * len(r.ids) for r in rows])
    with torch.no_grad():
        left = model.hf(
            input_ids=ids, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0)
        ).logits[:, -1]
    tokens = [words[0][0] for words in model.verbalizer.values()]
    for query, output, own in zip(queries, together, left):
        (alone,) = inference.outputs(model, [query])
        np.testing.assert_allclose(output, alone, atol=rough(name, 1e-9))
        np.testing.assert_allclose(output, own[tokens], atol=rough(name, 1e-9))


@every
@pytest.mark.parametrize("operator", ["pad", "delete", "attention_zero"])
def test_reused_keys_and_values_change_no_number(name: str, operator: str) -> None:
    model = prompted(name)
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    places = np.flatnonzero(row.content)
    queries = [erase(model, row, np.arange(len(row.ids)) == at, operator) for at in places]
    queries = [inference.query(row), *(each for each in queries if each is not None)]
    state = model.inference
    tokens, reused = state.tokens, state.reused
    short = inference.outputs(model, queries)
    read, saved = state.tokens - tokens, state.reused - reused
    state.reuse = False
    try:
        full = inference.outputs(model, queries)
    finally:
        state.reuse = True
    assert saved > 0
    assert read + saved == state.tokens - tokens - read
    for each, other in zip(short, full):
        np.testing.assert_allclose(each, other, rtol=0, atol=rough(name, 1e-12))


@every
@pytest.mark.parametrize("kind", ["chat", "single"])
def test_gradients_behind_a_beginning_that_is_read_once(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two texts in one prompt, at five places of their paths: values and gradients of the texts'
    tokens are those of reading everything; the template before them has no gradient.
    """
    monkeypatch.setattr(prefixes, "OVERHEAD", 16)  # the prompt is shorter than those of real models
    model = prompted(name, kind)
    rows = encode(model, [Example("1", (TEXT,), "en"), Example("2", ("the rain",), "en")])
    moved = [displacement(model, row, "zero") for row in rows]
    pairs = [(at, share) for at in (0, 1) for share in (0.0, 0.01, 0.2, 0.6, 0.9)]
    queries = [on_path(rows[at], moved[at], share, "zero") for at, share in pairs]
    targets = [Target(1)] * len(queries)
    state = model.inference

    def passes() -> tuple[list[tuple[float, torch.Tensor]], int, int]:
        backward, reused = state.backward, state.reused
        results = inference.gradients(model, queries, targets, lambda _, part: part.double())
        return results, state.backward - backward, state.reused - reused

    short, fewer, reused = passes()
    state.reuse = False
    try:
        full, all_tokens, none = passes()
    finally:
        state.reuse = True
    beginning = queries[0].fixed
    assert beginning == queries[5].fixed == int(np.argmax(rows[0].content)) > 0
    assert all_tokens == sum(len(query.ids) for query in queries)
    assert all_tokens - fewer == beginning * len(queries)
    assert reused > 0 == none
    for (value_after, after), (value_of_all, whole) in zip(short, full):
        assert value_after == pytest.approx(value_of_all, abs=rough(name, 1e-10))
        assert not after[:beginning].any()
        size = float(whole[beginning:].abs().max())
        np.testing.assert_allclose(
            after[beginning:], whole[beginning:], rtol=0, atol=rough(name, 1e-10) * max(1.0, size)
        )


@every
@pytest.mark.parametrize("method", ["integrated_gradients", "input_x_gradient", "occlusion"])
def test_an_answer_is_the_sum_of_its_tokens(name: str, method: str) -> None:
    """log p(answer) = sum_t log p(token t), from the model's own call; so are the scores of methods
    that are linear in the value; complete rows sum to the tokens' values.
    """
    model = prompted(name, "answer")
    answer = " not good food"
    (one,) = explain_answers(model, TEXT, method, answers=[answer], lang="en")
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    (ids,) = one.whole.input.continuations
    with torch.no_grad():
        logits = model.hf(input_ids=torch.tensor([[*row.ids, *ids]])).logits[0].double()
    logs = torch.log_softmax(logits, dim=-1)
    own = [float(logs[len(row.ids) - 1 + at, token]) for at, token in enumerate(ids)]
    tolerance = rough(name, 1e-9)
    assert "".join(one.tokens) == answer == one.whole.target
    np.testing.assert_allclose([each.value for each in one.by_token], own, atol=tolerance)
    assert one.whole.value == pytest.approx(sum(own), abs=10 * tolerance)
    gap = 1e-3 * (len(ids) + 1) if method == "integrated_gradients" else 100 * tolerance
    np.testing.assert_allclose(np.sum(one.matrix, axis=0), one.whole.word_scores, atol=gap)
    if method == "integrated_gradients":
        for scores, each in zip(one.matrix, one.by_token):
            assert sum(scores) == pytest.approx(each.value - each.reference_value, abs=1e-3)


def test_the_models_own_answer_is_greedy_and_has_a_picture() -> None:
    model = prompted("gpt2", "answer")
    alone = explain_answers(model, TEXT, "occlusion", tokens=3, lang="en")[0]
    texts = [TEXT, "the rain"]
    (again, _) = explain_answers(model, texts, "occlusion", tokens=3, lang="en")
    assert again.whole.input.continuations == alone.whole.input.continuations
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    ids = row.ids.tolist()
    for token in alone.whole.input.continuations[0]:
        with torch.no_grad():
            assert int(model.hf(input_ids=torch.tensor([ids])).logits[0, -1].argmax()) == token
        ids.append(token)
    page = answer_page([alone])
    assert page.count("<tr>") == 1 + len(alone.tokens) + 1
    assert answer_html(alone) in page
    assert '<meta name="viewport"' in page, "as wide as the phone"
    assert "prefers-color-scheme:dark" in page
    for token in alone.tokens:
        assert f'<th scope="row"><bdi>{escape(visible(token))}</bdi>' in page
    assert [visible(token) for token in ("\n\n", " ", " Paris", "a\tb")] == [
        "↵↵",
        "␣",
        "Paris",
        "a⇥b",
    ]
    assert len(answer_lines(alone)) == len(alone.tokens) + 1
    measured = measure(model, [alone.whole, *alone.by_token], "comprehensiveness")
    assert all(np.isfinite(each.value) for each in measured)


def test_pairs_fill_their_slots_in_any_order() -> None:
    base = plain("gpt2")
    prompt = Prompt("the place: {context}\nthe film: {question} was", labels=SINGLE)
    model = load((base.hf, base.tokenizer), prompt=prompt)
    pair = ("was the food good", "the rain was lovely")
    for method in ("occlusion", "slalom"):
        options = {"samples": 24} if method == "slalom" else None
        (one,) = explain(model, [pair], method, options=options, lang="en")
        words = dict(zip(zip(one.word_segment, one.word_offsets), one.words))
        assert words[0, (0, 3)] == "was"
        assert words[1, (0, 3)] == "the"
        (fixed,) = explain(model, [pair], method, part="second", options=options, lang="en")
        assert set(fixed.word_segment) == {1}
    (row,) = encode(model, [Example("1", pair, "en")])
    assert (
        row.ids.tolist()
        == base.tokenizer("the place: the rain was lovely\nthe film: was the food good was")[
            "input_ids"
        ]
    )


def test_a_prompt_that_is_too_long_loses_the_end_of_its_text() -> None:
    model = prompted("gpt2", "single")
    long = " ".join([TEXT] * 60)
    (row,) = encode(model, [Example("1", (long,), "en")])
    (whole,) = encode(model, [Example("1", (TEXT,), "en")])
    tail = len(whole.ids) - 1 - int(np.flatnonzero(whole.content)[-1])
    assert len(row.ids) == model.limit < row.truncated_from
    np.testing.assert_array_equal(row.ids[-tail:], whole.ids[-tail:])


def test_a_padding_token_that_ends_texts_does_not_erase() -> None:
    model = prompted("gpt2", "single")
    same = model.tokenizer.pad_token_id in (
        model.tokenizer.bos_token_id, model.tokenizer.eos_token_id,
    )  # fmt: skip
    expected = "attention_zero" if same else default_operator(plain("gpt2"))
    assert default_operator(model) == expected


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (Prompt("no slot"), "has no slot for the text"),
        (Prompt("{txt}"), "slot {txt}; known are: {text}"),
        (Prompt("{text} {sentence}"), "two slots for one text"),
        (Prompt("{text"), "cannot be read"),
        (Prompt("{text} was ", labels={"a": "good", "b": "no"}), "shares a token with the end"),
        (Prompt(labels={"a": " good"}), "at least two labels"),
        (Prompt(calibrate=True), "give the prompt labels"),
        (Prompt(labels=SINGLE, examples=({"text": "a", "label": "c"},)), "needs a label"),
        ({"labels": SINGLE, "label": "x"}, "the prompt: label: .*; known are: template, labels,"),
        ({"labels": SINGLE, "chat": "maybe"}, "the prompt: chat: Input should be a valid boolean"),
    ],
)
def test_a_wrong_prompt_is_refused_in_one_line(
    prompt: Prompt | dict[str, object], message: str
) -> None:
    base = plain("gpt2")
    with pytest.raises(InputError, match=message.replace("{", r"\{")) as caught:
        load((base.hf, base.tokenizer), prompt=prompt)
    assert "\n" not in str(caught.value)


def test_a_prompt_can_be_a_mapping_with_its_fields() -> None:
    base = plain("gpt2")
    model = load((base.hf, base.tokenizer), prompt={"template": "{text}", "labels": SINGLE})
    assert model.prompt == Prompt("{text}", labels=SINGLE)


def test_what_a_prompt_cannot_do_is_refused() -> None:
    bare = zoo.build("gpt2", "text-generation")
    with pytest.raises(InputError, match="has no chat template"):
        load((bare.hf, bare.tokenizer), prompt=Prompt(labels=SINGLE, chat=True))
    bert = zoo.shared("bert", "text-classification")
    with pytest.raises(InputError, match="a prompt is for language models"):
        load((bert.hf, bert.tokenizer), prompt=Prompt())
    model = prompted("gpt2", "single")
    with pytest.raises(InputError, match="cannot read it in windows"):
        explain(model, TEXT, "occlusion", long="window")
    with pytest.raises(InputError, match="prompt without labels"):
        explain_answers(model, TEXT, "occlusion", answers=[" good"])
    with pytest.raises(BadRow, match="the answer is empty"):
        explain_answers(prompted("gpt2", "answer"), TEXT, "occlusion", answers=[""])
