"""Laws of layers taken apart: the tape, the parts, zeroed values, flow, and the memory that they
take.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from torch import Tensor

from architectures import ROUGH, SIZE
from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.attention import rolled
from babelscope.methods.contributions import multiplied
from babelscope.methods.flow import flows
from babelscope.model import activations, inference, memory
from babelscope.model.encode import encode
from babelscope.model.layers import watched
from babelscope.model.load import Model, load
from babelscope.model.targets import predicted, value
from babelscope.propagation import decomposition, zeroing
from babelscope.propagation.rules import rules
from babelscope.propagation.tape import taped
from babelscope.types import Target
from bare import COMMON, RULED, made
from conftest import PAIRS, TEXTS, tiny

LAYERED = [name for name in RULED if name != "xlm"]
every = pytest.mark.parametrize("name", LAYERED)
BACKWARD = ("gpt2", "bloom", "llama", "qwen2", "qwen3", "gemma", "gemma3")
"""These look back only."""
IDS = np.array([7, 21, 33, 8, 50, 12, 19])


def model_of(name: str, biased: bool = True) -> Model:
    return dataclasses.replace(made(name, biased)[0], tokenizer=SimpleNamespace(pad_token_id=0))


def logits(model: Model, count: int = 1) -> Tensor:
    ids = torch.from_numpy(IDS)[None].repeat(count, 1)
    given = {
        "inputs_embeds": model.embeddings(ids).detach(),
        "attention_mask": torch.ones_like(ids),
    }
    return model.hf(**given).logits


def carried(model: Model, distribute: bool) -> tuple[Tensor, Tensor]:
    """Logits, and the parts of every token in them."""
    with taped(model) as tape:
        out = logits(model)
    first = tape.layers[0].entered
    known = {id(first): decomposition.by_position(first, torch.arange(len(IDS)))}
    (found,) = decomposition.carried(tape.steps, known, [out], distribute=distribute)
    return out.detach(), found


@every
def test_parts_are_the_relevances_of_cp_lrp_at_the_first_layer(name: str) -> None:
    """With every bias left to nobody: one Jacobian product per operation is the gradient through
    all of them.
    """
    model, leaves = model_of(name), []

    def enter(state: Tensor) -> Tensor:
        if not leaves:
            with torch._C.DisableTorchFunction():
                leaves.append(state.detach().requires_grad_(True))
            return leaves[0]
        return state

    with rules(model, "cp_lrp"), watched(model, enter, lambda state: state):
        (slope,) = torch.autograd.grad(logits(model)[0, 1], leaves[0])
    expected = (slope * leaves[0].detach()).sum(-1)[0]
    _, found = carried(model, distribute=False)
    torch.testing.assert_close(found[:, 0, 1], expected, rtol=0, atol=ROUGH.get(name, 1e-10))
    assert expected.abs().max() > 1e-3


@every
def test_distributed_parts_sum_to_the_output_which_is_unchanged(name: str) -> None:
    model = model_of(name)
    before = logits(model).detach()
    out, found = carried(model, distribute=True)
    torch.testing.assert_close(out, before, rtol=0, atol=ROUGH.get(name, 1e-10))
    torch.testing.assert_close(found.sum(0), before, rtol=0, atol=ROUGH.get(name, 1e-10))
    assert torch.equal(logits(model).detach(), before)


@every
def test_without_biases_the_parts_of_the_attention_block_sum_to_it(name: str) -> None:
    model, gaps = model_of(name, biased=False), []

    def measure(part: Tensor, whole: Tensor) -> Tensor:
        gaps.append(float((part.sum(0) - whole).abs().max() / whole.abs().max()))
        return part.abs().sum(-1)

    (found,) = decomposition.layerwise(model, [inference.Query(IDS)], measure)
    assert found.shape == (2, len(IDS), len(IDS))
    assert max(gaps) < ROUGH.get(name, 1e-10)
    assert (found.triu(1).abs().max() == 0) == (name in BACKWARD)


@every
@pytest.mark.parametrize("fails", [False, True])
def test_a_tape_leaves_nothing_behind(name: str, fails: bool) -> None:
    model = model_of(name)

    def hooks() -> int:
        return sum(
            len(one._forward_hooks) + len(one._forward_pre_hooks) for one in model.hf.modules()
        )

    count, before = hooks(), logits(model).detach()
    if fails:
        with pytest.raises((RuntimeError, ValueError, IndexError, AttributeError)), taped(model):
            model.hf(
                inputs_embeds=torch.zeros(1, 3, 7, dtype=torch.float64),
                attention_mask=torch.ones(1, 3),
            )
    else:
        carried(model, distribute=True)
    assert hooks() == count
    assert all(weight.requires_grad for weight in model.hf.parameters())
    assert torch.equal(logits(model).detach(), before)
    assert not torch.overrides._get_current_function_mode_stack()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("llama", "model.layers.{}.self_attn.v_proj"),
        ("qwen2", "model.layers.{}.self_attn.v_proj"),
        ("deberta-v2", "deberta.encoder.layer.{}.attention.self.value_proj"),
        ("albert", "albert.encoder.albert_layer_groups.0.albert_layers.0.attention.value"),
        ("electra", "electra.encoder.layer.{}.attention.self.value"),
    ],
)
def test_zeroed_values_are_those_of_the_value_projection(name: str, path: str) -> None:
    """Grouped heads, heads within the batch, shared layers: zeroing a row behind the projection by
    hand gives the same.
    """
    model, token, layer = model_of(name), 3, 1
    states: list[Tensor] = []
    (found,) = zeroing.distances(model, [inference.Query(IDS)])

    def keep(state: Tensor) -> Tensor:
        states.append(state.detach())
        return state

    with torch.no_grad(), watched(model, lambda state: state, keep):
        logits(model)
    calls = []

    def zero(module: Any, given: Any, out: Tensor) -> Tensor:
        calls.append(module)
        return (
            out
            if "{}" not in path and len(calls) != layer + 1
            else out * (torch.arange(len(IDS)) != token)[:, None]
        )

    handle = model.hf.get_submodule(path.format(layer)).register_forward_hook(zero)
    with torch.no_grad(), watched(model, lambda state: state, keep):
        logits(model)
    handle.remove()
    one, two = states[layer][0], states[len(states) // 2 + layer][0]
    expected = 1 - torch.nn.functional.cosine_similarity(one, two, dim=-1)
    torch.testing.assert_close(
        found[layer, :, token], expected, rtol=0, atol=ROUGH.get(name, 1e-10)
    )
    assert expected.max() > 1e-4


@every
def test_zeroing_a_token_that_nobody_attends_to_changes_nothing(name: str) -> None:
    model = model_of(name)
    hidden = np.ones(len(IDS), dtype=bool)
    hidden[2] = False
    seen, unseen = zeroing.distances(
        model, [inference.Query(IDS), inference.Query(IDS, attended=hidden)]
    )
    rows = torch.arange(len(IDS)) != 2  # what a hidden token itself reads is the model's own affair
    assert unseen[:, rows, 2].max() < 1e-12
    assert seen[:, 3:, 2].min() > 1e-9
    if name in BACKWARD:
        assert seen.triu(1).max() < 1e-12


@every
def test_zeroing_does_not_depend_on_the_attention_back_end(name: str) -> None:
    model = model_of(name)
    if not getattr(model.hf, "_supports_sdpa", False):
        pytest.skip(f"{name} has no fused attention")
    found = []
    for back_end in ("eager", "sdpa"):
        model.hf.set_attn_implementation(back_end)
        found.append(zeroing.distances(model, [inference.Query(IDS)])[0])
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=max(1e-10, ROUGH.get(name, 0)))


@pytest.mark.parametrize("method", ["value_zeroing", "alti", "globenc", "attention_flow"])
def test_shares_of_all_tokens(model: Model, method: str) -> None:
    """Within [0, 1], also of special tokens; those of a product of row-stochastic matrices sum to
    1.
    """
    rows = [
        dataclasses.replace(row, content=np.ones(len(row.ids), dtype=bool))
        for row in encode(model, as_examples(TEXTS))
    ]
    found = METHODS[method].function(model, rows, [Target(0)] * len(rows))
    other = METHODS[method].function(model, rows, [Target(1)] * len(rows))
    for one, two in zip(found, other):
        assert one.scores.min() >= 0
        assert one.scores.max() <= 1 + 1e-12
        assert np.array_equal(one.scores, two.scores)
        if method != "attention_flow":
            assert one.scores.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("quantity", ["logit", "probability", "log_odds"])
def test_decompx_shares_out_the_whole_logit(model: Model, quantity: str) -> None:
    """All tokens together have the logit; of another quantity its expansion to first order, slope
    times logits.
    """
    for row in encode(model, as_examples([*TEXTS[:3], *PAIRS])):
        (output,) = inference.outputs(model, [inference.query(row)])
        target = predicted(model, row, output, quantity)
        whole = dataclasses.replace(row, content=np.ones(len(row.ids), dtype=bool))
        (found,) = METHODS["decompx"].function(model, [whole], [target])
        leaf = output.clone().requires_grad_(True)
        (slope,) = torch.autograd.grad(value(model, leaf, target), leaf)
        assert found.scores.sum() == pytest.approx(float((slope * output).sum()), abs=1e-9)
        if quantity == "logit":
            assert found.scores.sum() == pytest.approx(float(output[target.index]), abs=1e-9)


def reader() -> Model:
    """A BERT that marks answers."""
    torch.manual_seed(3)
    known = tiny("bert").tokenizer
    config = hf.BertConfig(vocab_size=len(known), **SIZE, pad_token_id=known.pad_token_id)
    built = hf.BertForQuestionAnswering(config).double().eval()
    with torch.no_grad():
        for weight in built.parameters():
            weight.normal_(0, 0.3)
    return load((built, known))


@pytest.mark.parametrize(
    "method", ["value_zeroing", "alti", "globenc", "attention_flow", "decompx"]
)
def test_reading_comprehension_reads_both_ends(method: str) -> None:
    model = reader()
    (row,) = encode(model, as_examples([PAIRS[0]]))
    row = dataclasses.replace(row, content=np.ones(len(row.ids), dtype=bool))
    ends = (5, 9)
    run = METHODS[method].function
    both, first, last = (
        run(model, [row], [Target(start, end)])[0].scores
        for start, end in (ends, (ends[0],) * 2, (ends[1],) * 2)
    )
    if method == "decompx":
        (output,) = inference.outputs(model, [inference.query(row)])
        assert both.sum() == pytest.approx(float(output[0, ends[0]] + output[1, ends[1]]), abs=1e-9)
    else:
        np.testing.assert_allclose(both, (first + last) / 2, atol=1e-12)
    assert np.abs(first - last).max() > 1e-6


def test_flow_is_never_less_than_rollout_and_equal_in_one_layer() -> None:
    torch.manual_seed(0)
    for tokens, depth in ((4, 1), (5, 2), (6, 4)):
        weights = torch.softmax(2 * torch.randn(depth, tokens, tokens, dtype=torch.float64), -1)
        layers = (weights + torch.eye(tokens, dtype=torch.float64)) / 2
        for start in range(tokens):
            flow, share = flows(layers.numpy(), start), rolled(weights)[start].numpy()
            assert (flow >= share - 1e-12).all()
            assert (flow <= np.minimum(1, layers[0].sum(0).numpy()) + 1e-12).all()
            if depth == 1:
                np.testing.assert_allclose(flow, share, atol=1e-15)
            else:
                assert flow.sum() > 1.01, "flows to two tokens may share a pipe"


def test_a_row_without_any_contribution_is_undefined() -> None:
    layers = torch.tensor([[[1.0, 1.0], [0.0, 2.0]], [[0.0, 0.0], [1.0, 3.0]]], dtype=torch.float64)
    product = multiplied(layers)
    assert product[0].isnan().all()
    torch.testing.assert_close(product[1], torch.tensor([0.125, 0.875], dtype=torch.float64))


def test_models_without_separate_layers_are_refused() -> None:
    """XLM has no list of layers; GPT-NeoX computes attention and feed-forward side by side, so the
    block is not there.
    """
    with pytest.raises(UnsupportedModel, match="layer by layer"):
        zeroing.distances(model_of("xlm"), [inference.Query(IDS)])
    with pytest.raises(UnsupportedModel, match="in place"):
        decomposition.layerwise(
            model_of("xlm"), [inference.Query(IDS)], lambda part, whole: part.sum(-1)
        )
    torch.manual_seed(0)
    side = (
        hf.GPTNeoXForSequenceClassification(
            hf.GPTNeoXConfig(**COMMON, **SIZE, use_parallel_residual=True)
        )
        .double()
        .eval()
    )
    model = Model(side, SimpleNamespace(pad_token_id=0), "side by side", "text-classification")
    with pytest.raises(UnsupportedModel, match="attention and then feed-forward"):
        decomposition.layerwise(model, [inference.Query(IDS)], lambda part, whole: part.sum(-1))
    out, found = carried(model, distribute=True)
    torch.testing.assert_close(found.sum(0), out, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "change", [lambda out: out.add_(1), lambda out: out.masked_fill_(out > 0, 0)]
)
def test_a_state_that_is_overwritten_and_read_again_is_refused(change: Any) -> None:
    model = model_of("bert")

    def overwrite(module: Any, given: Any, out: Tensor) -> None:
        change(out)

    model.hf.bert.encoder.layer[0].output.dense.register_forward_hook(overwrite)
    with pytest.raises(UnsupportedModel, match="in place"), taped(model):
        logits(model)


def test_attention_that_does_not_fit_is_refused_before(
    bert: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 40 kB free a long text is refused with both numbers, a short one is not, and nothing has
    run.
    """
    monkeypatch.setattr(memory, "MEMORY", tmp_path / "meminfo")
    (tmp_path / "meminfo").write_text("MemTotal: 99 kB\nMemFree: 1 kB\nMemAvailable:   40 kB\n")
    assert memory.available(bert.device) == 40 * 1024
    long, short = encode(bert, as_examples(TEXTS[:1] * 9 + TEXTS[2:3]))[-2:]
    long = dataclasses.replace(long, ids=np.resize(long.ids, 60), types=None)
    # two layers, two heads, eight bytes
    assert memory.weight_bytes(bert, 60) == 2 * 2 * 60 * 60 * 8
    before = bert.inference.tokens
    for method in ("attention", "cat", "decompx"):
        with pytest.raises(
            UnsupportedModel,
            match=r"of a text of 60 tokens need 0\.\d GiB of memory and 0\.0 GiB are free",
        ):
            METHODS[method].function(bert, [long], [Target(0)])
    assert bert.inference.tokens == before
    assert np.isfinite(METHODS["attention"].function(bert, [short], [Target(0)])[0].scores).all()


def test_batches_are_no_larger_than_memory(
    bert: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [inference.query(row) for row in encode(bert, as_examples(TEXTS[:2] * 6))]
    longest, sizes = max(len(row.ids) for row in rows), []
    each = 2 * memory.weight_bytes(bert, longest)
    hook = lambda module, given, named: sizes.append(tuple(named["input_ids"].shape))  # noqa: E731
    handle = bert.hf.register_forward_pre_hook(hook, with_kwargs=True)
    try:
        wide = activations.attentions(bert, rows, lambda row, weights: weights.clone())
        assert max(count for count, _ in sizes) > 5
        monkeypatch.setattr(memory, "MEMORY", tmp_path / "meminfo")
        (tmp_path / "meminfo").write_text("MemAvailable: 60 kB\n")
        count = memory.fitting(bert, longest, each, "the weights")
        assert count * each <= memory.SHARE * 60 * 1024 < (count + 1) * each
        sizes.clear()
        narrow = activations.attentions(bert, rows, lambda row, weights: weights.clone())
    finally:
        handle.remove()
    assert all(
        2 * rows_ * memory.weight_bytes(bert, width) <= memory.SHARE * 60 * 1024
        for rows_, width in sizes
    )
    for one, other in zip(wide, narrow):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


def test_memory_that_cannot_be_asked_for_is_no_limit(
    bert: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MEMORY", tmp_path / "nothing")
    assert memory.available(torch.device("cpu")) is None
    assert memory.available(torch.device("meta")) is None
    assert memory.fitting(bert, 5, 2**60, "the weights") == bert.inference.budget
