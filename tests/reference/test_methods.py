"""Slow reference implementations, from the formulas: nothing of ours but the encoding, one text at
a time, plain calls.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import relevance
import torch
from contributions import (
    reference_alti,
    reference_attention_flow,
    reference_decompx,
    reference_globenc,
    reference_value_zeroing,
)
from test_slalom_least_squares import reference_slalom

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.mask_options import mask_for
from babelscope.random import identity, keyed
from babelscope.types import Encoded
from conftest import PAIRS, TEXTS

DATA = [*TEXTS[:4], PAIRS[0]]


def plain(model: Model, row: Encoded, **replaced: torch.Tensor) -> torch.Tensor:
    """The model's logits with positions given outright; `replaced` overrides inputs."""
    n = len(row.ids)
    first = model.first_position
    given = {
        "attention_mask": torch.ones(1, n, dtype=torch.long),
        "position_ids": torch.arange(first, first + n)[None],
    }
    if "inputs_embeds" not in replaced:
        given["input_ids"] = torch.from_numpy(row.ids)[None]
    if row.types is not None and "token_type_ids" in model.accepts:
        given["token_type_ids"] = torch.from_numpy(row.types)[None]
    return model.hf(**{**given, **replaced}).logits[0]


def many(model: Model, row: Encoded, points: torch.Tensor) -> torch.Tensor:
    """The logits of one input with several embeddings."""
    n, first = len(row.ids), model.first_position
    given = {
        "attention_mask": torch.ones(points.shape[:2], dtype=torch.long),
        "inputs_embeds": points,
    }
    given["position_ids"] = torch.arange(first, first + n).expand(len(points), n)
    if row.types is not None and "token_type_ids" in model.accepts:
        given["token_type_ids"] = torch.from_numpy(row.types).expand(len(points), n)
    return model.hf(**given).logits


def embedded(model: Model, row: Encoded) -> torch.Tensor:
    return model.embeddings(torch.from_numpy(row.ids))[None].detach()


def slope(model: Model, row: Encoded, point: torch.Tensor, target: int) -> torch.Tensor:
    leaf = point.clone().requires_grad_(True)
    (found,) = torch.autograd.grad(plain(model, row, inputs_embeds=leaf)[target], leaf)
    return found[0]


def reference_random(model: Model, row: Encoded, target: int) -> np.ndarray:
    return keyed(0, "random", *identity(row)).standard_normal(int(row.content.sum()))


def reference_position(model: Model, row: Encoded, target: int) -> np.ndarray:
    n = int(row.content.sum())
    return np.array([1 - i / n for i in range(n)])


def reference_occlusion(model: Model, row: Encoded, target: int) -> np.ndarray:
    filler = (
        model.tokenizer.mask_token_id
        if model.tokenizer.mask_token_id is not None
        else model.tokenizer.pad_token_id
    )
    found = []
    for token in np.flatnonzero(row.content):
        ids = torch.from_numpy(row.ids.copy())[None]
        ids[0, token] = filler
        if (
            model.reads_last_token
        ):  # the plain call would look for the last token that is not padding
            without = plain(model, row, inputs_embeds=model.embeddings(ids).detach())
        else:
            without = plain(model, row, input_ids=ids)
        found.append(float((plain(model, row)[target] - without[target]).detach()))
    return np.array(found)


def reference_gradient_norm(model: Model, row: Encoded, target: int) -> np.ndarray:
    return np.array(
        [float((g * g).sum().sqrt()) for g in slope(model, row, embedded(model, row), target)]
    )[row.content]


def reference_input_x_gradient(model: Model, row: Encoded, target: int) -> np.ndarray:
    e = embedded(model, row)
    return (slope(model, row, e, target) * e[0]).sum(-1).numpy()[row.content]


def has_kinks(model: Model) -> bool:
    """Whether it has a ReLU: in the head of DistilBERT."""
    return bool(model.hf.config.model_type == "distilbert")


def reference_integrated_gradients(model: Model, row: Encoded, target: int) -> np.ndarray:
    """The midpoint rule: 1000 steps where the gradient is smooth; 8000 on a model with ReLU, whose
    kinks are met no better than a step allows.
    """
    e = embedded(model, row)
    b = e.clone()
    b[0, torch.from_numpy(row.content)] = model.embeddings.weight[
        model.tokenizer.pad_token_id
    ].detach()
    total = torch.zeros_like(e[0])
    steps, some = 8000 if has_kinks(model) else 1000, 200
    for start in range(0, steps, some):
        shares = (torch.arange(start, start + some) + 0.5).view(-1, 1, 1) / steps
        leaf = (b + shares * (e - b)).requires_grad_(True)
        (found,) = torch.autograd.grad(many(model, row, leaf)[:, target].sum(), leaf)
        total += found.sum(0)
    return (total / steps * (e - b)[0]).sum(-1).numpy()[row.content]


def reference_attention(model: Model, row: Encoded, target: int) -> np.ndarray:
    before = model.hf.config._attn_implementation
    model.hf.set_attn_implementation("eager")
    try:
        weights = model.hf(
            torch.from_numpy(row.ids)[None], output_attentions=True, **_types(model, row)
        ).attentions
    finally:
        model.hf.set_attn_implementation(before)
    query = len(row.ids) - 1 if model.reads_last_token else 0
    heads = weights[-1][0]
    return np.array(
        [
            float((sum(head[query, t] for head in heads) / len(heads)).detach())
            for t in np.flatnonzero(row.content)
        ]
    )


def inside(model: Model, row: Encoded, target: int) -> tuple[list[torch.Tensor], ...]:
    """Attention weights and states of every layer, and the slopes of the logit by them, by the
    plain call.
    """
    before = model.hf.config._attn_implementation
    model.hf.set_attn_implementation("eager")
    try:
        n, first = len(row.ids), model.first_position
        places = (
            {}
            if model.hf.config.model_type == "distilbert"
            else {"position_ids": torch.arange(first, first + n)[None]}
        )
        out = model.hf(
            inputs_embeds=embedded(model, row).requires_grad_(True), attention_mask=torch.ones(1,
            n), output_attentions=True, output_hidden_states=True, **places, **_types(model, row),
        )  # fmt: skip
        weights, states = list(out.attentions), list(out.hidden_states[: len(out.attentions)])
        slopes = [
            torch.autograd.grad(out.logits[0, target], one, retain_graph=True)[0]
            for one in weights + states
        ]
    finally:
        model.hf.set_attn_implementation(before)
    count = len(weights)
    return tuple(
        [one[0].detach() for one in part]
        for part in (weights, slopes[:count], states, slopes[count:])
    )  # type: ignore[return-value]


def at(model: Model, row: Encoded) -> int:
    return len(row.ids) - 1 if model.reads_last_token else 0


def reference_scaled_attention(model: Model, row: Encoded, target: int) -> np.ndarray:
    weights, slopes, _, _ = inside(model, row, target)
    q, heads = at(model, row), len(weights[-1])
    found = [
        sum(float(weights[-1][h, q, t] * slopes[-1][h, q, t]) for h in range(heads)) / heads
        for t in range(len(row.ids))
    ]
    return np.array(found)[row.content]


def reference_rollout(model: Model, row: Encoded, target: int) -> np.ndarray:
    total = np.eye(len(row.ids))
    for layer in inside(model, row, target)[0]:
        mixed = layer.mean(0).numpy() + np.eye(len(row.ids))
        total = np.array([line / line.sum() for line in mixed]) @ total
    return total[at(model, row)][row.content]


def reference_generic_attention(model: Model, row: Encoded, target: int) -> np.ndarray:
    """As in the paper's eq. 6, R <- R + C R, one layer after the other."""
    weights, slopes, _, _ = inside(model, row, target)
    relevance = np.eye(len(row.ids))
    for layer, slope_ in zip(weights, slopes):
        relevance += (
            np.mean([np.maximum(0, (a * g).numpy()) for a, g in zip(layer, slope_)], axis=0)
            @ relevance
        )
    return relevance[at(model, row)][row.content]


def reference_grads(model: Model, row: Encoded, target: int) -> np.ndarray:
    last = inside(model, row, target)[1][-1].numpy()
    heads, n, _ = last.shape
    return np.array(
        [
            max(0.0, sum(last[h, i, t] for h in range(heads) for i in range(n)) / (heads * n))
            for t in range(n)
        ]
    )[row.content]


def reference_attgrads(model: Model, row: Encoded, target: int) -> np.ndarray:
    weights, slopes, _, _ = inside(model, row, target)
    matrix = sum(
        slope_.numpy().mean() * one.numpy() for one, slope_ in zip(weights[-1], slopes[-1])
    ) / len(weights[-1])
    matrix = np.maximum(0, matrix)
    if matrix.max() == matrix.min():
        return np.zeros(int(row.content.sum()))
    return ((matrix - matrix.min()) / (matrix.max() - matrix.min()))[at(model, row)][row.content]


def reference_cat(model: Model, row: Encoded, target: int) -> np.ndarray:
    _, _, states, slopes = inside(model, row, target)
    return np.array(
        [sum(float(h[t] @ g[t]) for h, g in zip(states, slopes)) for t in range(len(row.ids))]
    )[row.content]


def reference_attcat(model: Model, row: Encoded, target: int) -> np.ndarray:
    weights, _, states, slopes = inside(model, row, target)
    layers = list(zip(weights, states, slopes))
    found = [
        sum(float(h[t] @ g[t]) * float(a[:, :, t].mean()) for a, h, g in layers)
        for t in range(len(row.ids))
    ]
    return np.array(found)[row.content]


class Frozen:
    """The four tiny architectures written out, with what the rules hold fixed detached by hand."""

    def __init__(
        self, model: Model, row: Encoded, conservative: bool, mask: list[list[float]] | None = None
    ) -> None:
        self.hf, self.row, self.conservative = model.hf, row, conservative
        self.mask = iter(mask or ())
        self.first, self.width = model.first_position, model.embeddings.weight.shape[1]

    def norm(self, layer: torch.nn.LayerNorm, x: torch.Tensor) -> torch.Tensor:
        middle = x - x.mean(-1, keepdim=True)
        deviation = (middle.pow(2).mean(-1, keepdim=True) + layer.eps).sqrt().detach()
        return middle / deviation * layer.weight + layer.bias

    def activated(
        self, function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        return x * (function(x) / x).detach()

    def attend(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
    ) -> torch.Tensor:
        """All heads of one layer, one by one; halves of a product by detaching either side."""
        size, parts = 32, []
        mask = next(self.mask, [1.0] * (self.width // size))
        for start in range(0, self.width, size):
            one, two, three = (x[:, start : start + size] for x in (q, k, v))
            scores = 0.5 * (one @ two.detach().T + one.detach() @ two.T) / size**0.5
            if causal:
                scores = scores.masked_fill(
                    torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf
                )
            weights = torch.softmax(scores, -1)
            if self.conservative:
                parts.append(weights.detach() @ three)
            else:
                parts.append(0.5 * (weights @ three.detach() + weights.detach() @ three))
        parts = [keep * part + (1 - keep) * part.detach() for keep, part in zip(mask, parts)]
        return torch.cat(parts, -1)

    def places(self) -> torch.Tensor:
        return torch.arange(self.first, self.first + len(self.row.ids))

    def logits(self, e: torch.Tensor) -> torch.Tensor:
        return {
            "bert": self.bert,
            "xlm-roberta": self.bert,
            "distilbert": self.distilbert,
            "gpt2": self.gpt2,
        }[self.hf.config.model_type](e)

    def bert(self, e: torch.Tensor) -> torch.Tensor:
        base = self.hf.base_model
        types = torch.zeros(len(e), dtype=torch.long)
        if self.hf.config.model_type == "bert":
            types = torch.from_numpy(self.row.types)
        around = base.embeddings.position_embeddings(
            self.places()
        ) + base.embeddings.token_type_embeddings(types)
        x = self.norm(base.embeddings.LayerNorm, e + around)
        for layer in base.encoder.layer:
            mine, out = layer.attention.self, layer.attention.output
            context = self.attend(mine.query(x), mine.key(x), mine.value(x))
            x = self.norm(out.LayerNorm, x + out.dense(context))
            inner = self.activated(torch.nn.functional.gelu, layer.intermediate.dense(x))
            x = self.norm(layer.output.LayerNorm, x + layer.output.dense(inner))
        if self.hf.config.model_type == "bert":
            return self.hf.classifier(self.activated(torch.tanh, base.pooler.dense(x[0])))
        return self.hf.classifier.out_proj(
            self.activated(torch.tanh, self.hf.classifier.dense(x[0]))
        )

    def distilbert(self, e: torch.Tensor) -> torch.Tensor:
        base = self.hf.distilbert
        x = self.norm(
            base.embeddings.LayerNorm, e + base.embeddings.position_embeddings(self.places())
        )
        for layer in base.transformer.layer:
            mine = layer.attention
            context = mine.out_lin(self.attend(mine.q_lin(x), mine.k_lin(x), mine.v_lin(x)))
            x = self.norm(layer.sa_layer_norm, x + context)
            inner = self.activated(torch.nn.functional.gelu, layer.ffn.lin1(x))
            x = self.norm(layer.output_layer_norm, x + layer.ffn.lin2(inner))
        return self.hf.classifier(self.activated(torch.relu, self.hf.pre_classifier(x[0])))

    def gpt2(self, e: torch.Tensor) -> torch.Tensor:
        base = self.hf.transformer
        x = e + base.wpe(self.places())
        for block in base.h:
            q, k, v = block.attn.c_attn(self.norm(block.ln_1, x)).split(self.width, -1)
            x = x + block.attn.c_proj(self.attend(q, k, v, causal=True))
            inner = self.activated(block.mlp.act.forward, block.mlp.c_fc(self.norm(block.ln_2, x)))
            x = x + block.mlp.c_proj(inner)
        return self.hf.score(self.norm(base.ln_f, x)[-1])


def reference_propagation(
    model: Model,
    row: Encoded,
    target: int,
    conservative: bool,
    mask: list[list[float]] | None = None,
) -> np.ndarray:
    e = embedded(model, row)[0]
    leaf = e.clone().requires_grad_(True)
    frozen = Frozen(model, row, conservative, mask).logits(leaf)
    torch.testing.assert_close(frozen, plain(model, row), rtol=0, atol=1e-9)
    (found,) = torch.autograd.grad(frozen[target], leaf)
    return (found * e).sum(-1).numpy()[row.content]


def reference_attnlrp(model: Model, row: Encoded, target: int) -> np.ndarray:
    return reference_propagation(model, row, target, conservative=False)


def reference_cp_lrp(model: Model, row: Encoded, target: int) -> np.ndarray:
    return reference_propagation(model, row, target, conservative=True)


def tape_of(model: Model, row: Encoded, target: int) -> tuple[relevance.Tape, int, int]:
    tape, _, first, logits = relevance.run(model, row, embedded(model, row)[0].numpy())
    np.testing.assert_allclose(
        tape.values[logits][0], plain(model, row).detach().numpy(), atol=1e-9
    )
    return tape, first, logits


def reference_lrp(model: Model, row: Encoded, target: int) -> np.ndarray:
    tape, first, logits = tape_of(model, row, target)
    return relevance.relevance(tape, logits, target)[0][first].sum(-1)[row.content]


def reference_partial_lrp(model: Model, row: Encoded, target: int) -> np.ndarray:
    tape, _, logits = tape_of(model, row, target)
    layers = len(inside(model, row, target)[0])
    last = relevance.relevance(tape, logits, target)[1][-(len(tape.weights) // layers) :]
    return np.mean([np.maximum(0, head) for head in last], axis=0)[at(model, row)][row.content]


def rolled_out(
    model: Model, row: Encoded, target: int, mask: np.ndarray | None, factor: float = 1.0
) -> np.ndarray:
    tape, _, logits = tape_of(model, row, target)
    _, saved = relevance.relevance(tape, logits, target, mask)
    slopes = [numbers for layer in inside(model, row, target)[1] for numbers in layer.numpy()]
    heads = len(slopes) // len(inside(model, row, target)[1])
    total = np.eye(len(row.ids))
    for layer in range(0, len(slopes), heads):
        pairs = zip(slopes[layer : layer + heads], saved[layer : layer + heads])
        mixed = np.mean([np.maximum(0, g * r * factor) for g, r in pairs], axis=0) + np.eye(
            len(row.ids)
        )
        total = np.array([line / line.sum() for line in mixed]) @ total
    return total[at(model, row)][row.content]


def reference_transatt(model: Model, row: Encoded, target: int) -> np.ndarray:
    return rolled_out(model, row, target, None)


def test_the_published_transatt_halves_the_relevance_in_every_layer(model: Model) -> None:
    """The normalisation of the product A V gives each side half: R_A / 2 in every layer."""
    (attribution,) = explain(model, TEXTS[0], "transatt", options={"normalised": True})
    (row,) = encode(model, as_examples(TEXTS[0]))
    halved = rolled_out(model, row, attribution.target_index, None, 0.5)
    np.testing.assert_allclose(attribution.scores, halved, atol=1e-8)


def mask_of(model: Model, row: Encoded) -> list[list[float]]:
    return list(mask_for(model, "builtin", row.example.lang).values())


def reference_masked_lrp(model: Model, row: Encoded, target: int) -> np.ndarray:
    return rolled_out(model, row, target, np.concatenate(mask_of(model, row)))


def reference_masked_attnlrp(model: Model, row: Encoded, target: int) -> np.ndarray:
    return reference_propagation(model, row, target, conservative=False, mask=mask_of(model, row))


def reference_deeplift(model: Model, row: Encoded, target: int) -> np.ndarray:
    e = embedded(model, row)[0].numpy()
    b = e.copy()
    b[row.content] = model.embeddings.weight[model.tokenizer.pad_token_id].detach().numpy()
    tape, leaf, _, logits = relevance.run(model, row, e)
    found = relevance.multipliers(tape, relevance.run(model, row, b)[0], logits, target)
    return ((e - b) * found[leaf]).sum(-1)[row.content]


def _types(model: Model, row: Encoded) -> dict[str, torch.Tensor]:
    has = row.types is not None and "token_type_ids" in model.accepts
    return {"token_type_ids": torch.from_numpy(row.types)[None]} if has else {}


REFERENCES = {
    "random": (reference_random, 0),
    "position": (reference_position, 0),
    "occlusion": (reference_occlusion, 1e-9),
    "gradient_norm": (reference_gradient_norm, 1e-9),
    "input_x_gradient": (reference_input_x_gradient, 1e-9),
    "integrated_gradients": (reference_integrated_gradients, 1e-5),
    "attention": (reference_attention, 1e-9),
    "scaled_attention": (reference_scaled_attention, 1e-9),
    "rollout": (reference_rollout, 1e-9),
    "generic_attention": (reference_generic_attention, 1e-9),
    "grads": (reference_grads, 1e-9),
    "attgrads": (reference_attgrads, 1e-9),
    "cat": (reference_cat, 1e-9),
    "attcat": (reference_attcat, 1e-9),
    "attention_flow": (reference_attention_flow, 1e-9),
    "value_zeroing": (reference_value_zeroing, 1e-9),
    "alti": (reference_alti, 1e-9),
    "globenc": (reference_globenc, 1e-9),
    "decompx": (reference_decompx, 1e-9),
    "lrp": (reference_lrp, 1e-8),
    "partial_lrp": (reference_partial_lrp, 1e-8),
    "transatt": (reference_transatt, 1e-8),
    "masked_lrp": (reference_masked_lrp, 1e-8),
    "released_masked_lrp": (reference_masked_lrp, 1e-8),  # each deviation: test_released_method.py
    "attnlrp": (reference_attnlrp, 1e-9),
    "cp_lrp": (reference_cp_lrp, 1e-9),
    "masked_attnlrp": (reference_masked_attnlrp, 1e-9),
    "deeplift": (reference_deeplift, 1e-8),
    "slalom": (reference_slalom, 1e-3),
}


def test_every_method_has_a_reference() -> None:
    from babelscope.methods import METHODS

    files = [
        file
        for file in Path(__file__).parent.glob("test_*.py")
        if "\nREFERENCES = {" in file.read_text("utf-8")
    ]
    assert {
        name for file in files for name in getattr(import_module(file.stem), "REFERENCES", ())
    } == set(METHODS)


@pytest.mark.parametrize("method", REFERENCES)
def test_method_equals_its_reference(model: Model, method: str) -> None:
    reference, tolerance = REFERENCES[method]
    data = DATA
    if method == "integrated_gradients" and has_kinks(model):  # many steps: two short texts
        data, tolerance = [DATA[0], DATA[2]], 1e-3
    with torch.enable_grad():
        options = {
            "integrated_gradients": {"tolerance": 1e-6},
            "slalom": {"score": "removal"},
            "released_masked_lrp": {"deviations": ()},
        }.get(method, {})
        for one, row in zip(
            explain(model, data, method, options=options), encode(model, as_examples(data))
        ):
            np.testing.assert_allclose(
                one.scores, reference(model, row, one.target_index), atol=tolerance
            )


def reference_metrics(
    model: Model, row: Encoded, score: np.ndarray, target: int
) -> dict[str, float]:
    """The four hard metrics from their formulas, word units, mask token, the grid spelled out."""

    def p(gone: set[int]) -> float:
        ids = torch.from_numpy(row.ids.copy())[None]
        for token in range(len(row.ids)):
            if row.content[token] and int(row.word[token]) in gone:
                ids[0, token] = model.tokenizer.mask_token_id
        return float(torch.softmax(plain(model, row, input_ids=ids), -1)[target].detach())

    words = set(range(len(row.words)))
    ranked = sorted(words, key=lambda word: -score[word])
    sizes = sorted(
        {max(1, int(np.ceil(ratio * len(words)))) for ratio in (0.01, 0.05, 0.1, 0.2, 0.5)}
    )
    full, null = p(set()), p(words)
    drop = max(0.0, full - null)
    comp = [full - p(set(ranked[:k])) for k in sizes]
    suff = [full - p(set(ranked[k:])) for k in sizes]
    nc = [min(1.0, max(0.0, c) / drop) if drop else np.nan for c in comp]
    ns = [
        min(1.0, max(0.0, (1 - max(0.0, s)) - (1 - drop)) / drop) if drop else np.nan for s in suff
    ]
    names = (
        "comprehensiveness",
        "sufficiency",
        "normalised_comprehensiveness",
        "normalised_sufficiency",
    )
    return {name: float(np.mean(part)) for name, part in zip(names, (comp, suff, nc, ns))}


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "distilbert"])
def test_metrics_equal_their_reference(architecture: str) -> None:
    from conftest import tiny

    model = tiny(architecture)
    found = explain(model, DATA, "occlusion")
    rows = encode(model, as_examples(DATA))
    measured = measure(
        model, found, list(reference_metrics(model, rows[0], np.array(found[0].word_scores), 0))
    )
    for at, (one, row) in enumerate(zip(found, rows)):
        expected = reference_metrics(model, row, np.array(one.word_scores), one.target_index)
        for metric, want in expected.items():
            got = next(m for m in measured[at :: len(found)] if m.metric == metric)
            if np.isfinite(got.value):
                assert got.value == pytest.approx(want, abs=1e-9)
            else:
                assert got.reason
