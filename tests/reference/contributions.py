"""Slow reference implementations of the methods that take layers apart: four architectures written
out, one token at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.optimize import linprog
from torch import Tensor
from torch.nn.functional import gelu

from babelscope.model.load import Model
from babelscope.types import Encoded

SIZE = 32
"""Dimensions of a head."""

Affine = tuple[Tensor, Tensor]


class Block(NamedTuple):
    """One layer's weights; `before`: its norms stand before the blocks, and it looks back only."""

    query: Affine
    key: Affine
    value: Affine
    out: Affine
    norm: Any
    inner: Affine
    outer: Affine
    second: Any
    activation: Any
    before: bool


def affine(layer: Any) -> Affine:
    return layer.weight.detach(), layer.bias.detach()


def turned(layer: Any, part: slice = slice(None)) -> Affine:
    """GPT-2 keeps its matrices the other way round."""
    return layer.weight.detach().T[part], layer.bias.detach()[part]


def blocks(model: Model) -> list[Block]:
    base, kind = model.hf.base_model, model.hf.config.model_type
    if kind == "gpt2":
        width = base.wte.weight.shape[1]
        thirds = [slice(at * width, (at + 1) * width) for at in range(3)]
        return [
            Block(
                *(turned(one.attn.c_attn, third) for third in thirds), turned(one.attn.c_proj),
                one.ln_1, turned(one.mlp.c_fc), turned(one.mlp.c_proj), one.ln_2, one.mlp.act, True,
            )
            for one in base.h
        ]  # fmt: skip
    if kind == "distilbert":
        return [
            Block(
                *(affine(getattr(one.attention, f"{name}_lin")) for name in ("q", "k", "v",
                "out")), one.sa_layer_norm, affine(one.ffn.lin1), affine(one.ffn.lin2),
                one.output_layer_norm, gelu, False,
            )
            for one in base.transformer.layer
        ]  # fmt: skip
    return [
        Block(
            *(affine(getattr(one.attention.self, name)) for name in ("query", "key", "value")),
            affine(one.attention.output.dense), one.attention.output.LayerNorm,
            affine(one.intermediate.dense), affine(one.output.dense), one.output.LayerNorm, gelu,
            False,
        )
        for one in base.encoder.layer
    ]  # fmt: skip


def times(weights: Affine, x: Tensor) -> Tensor:
    return x @ weights[0].T + weights[1]


def deviation(norm: Any, x: Tensor) -> Tensor:
    return (x.var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()


def normed(norm: Any, x: Tensor) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / deviation(
        norm, x
    ) * norm.weight.detach() + norm.bias.detach()


def bent(norm: Any, part: Tensor, whole: Tensor) -> Tensor:
    """A norm's linear part, with the deviation of the whole."""
    return (part - part.mean(-1, keepdim=True)) / deviation(norm, whole) * norm.weight.detach()


def attended(block: Block, x: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """Attention weights and values, head by head."""
    read = normed(block.norm, x) if block.before else x
    weights, values = [], []
    for start in range(0, x.shape[1], SIZE):
        q, k, v = (
            times(side, read)[:, start : start + SIZE]
            for side in (block.query, block.key, block.value)
        )
        scores = q @ k.T / SIZE**0.5
        if block.before:
            scores = scores.masked_fill(
                torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf
            )
        weights.append(torch.softmax(scores, -1))
        values.append(v)
    return weights, values


class Passed(NamedTuple):
    """The states of one layer: input plus attention, the attention block's output, before the
    second norm, output.
    """

    total: Tensor
    middle: Tensor
    inner: Tensor
    second: Tensor
    output: Tensor


def passed(block: Block, x: Tensor, without: int | None = None) -> Passed:
    """The layer, perhaps with the values of one token zero."""
    weights, values = attended(block, x)
    if without is not None:
        for v in values:
            v[without] = 0
    total = x + times(block.out, torch.cat([a @ v for a, v in zip(weights, values)], -1))
    middle = total if block.before else normed(block.norm, total)
    inner = times(block.inner, normed(block.second, middle) if block.before else middle)
    second = middle + times(block.outer, block.activation(inner))
    return Passed(
        total, middle, inner, second, second if block.before else normed(block.second, second)
    )


def states(model: Model, row: Encoded) -> Any:
    types = {"token_type_ids": torch.from_numpy(row.types)[None]} if row.types is not None else {}
    with torch.no_grad():
        return model.hf(torch.from_numpy(row.ids)[None], output_hidden_states=True, **types)


def through(model: Model, row: Encoded) -> list[tuple[Block, Tensor]]:
    """Every layer with its input; the written-out layers are the model's own."""
    x, found = states(model, row).hidden_states[0][0], []
    for at, block in enumerate(blocks(model)):
        found.append((block, x))
        x = passed(block, x).output
        if at == 0:
            torch.testing.assert_close(x, states(model, row).hidden_states[1][0], rtol=0, atol=1e-9)
    return found


def rolled(model: Model, row: Encoded, matrices: list[np.ndarray]) -> np.ndarray:
    total = np.eye(len(row.ids))
    for matrix in matrices:
        total = np.array([line / line.sum() for line in matrix]) @ total
    return total[len(row.ids) - 1 if model.reads_last_token else 0][row.content]


def reference_value_zeroing(model: Model, row: Encoded, target: int) -> np.ndarray:
    matrices = []
    for block, x in through(model, row):
        whole, columns = passed(block, x).output, []
        for j in range(len(x)):
            other = passed(block, x, without=j).output
            columns.append([1 - float(a @ b / (a.norm() * b.norm())) for a, b in zip(whole, other)])
        matrices.append(np.array(columns).T)
    return rolled(model, row, matrices)


def part(block: Block, x: Tensor, i: int, j: int, total: Tensor) -> Tensor:
    """What of the attention block's output at i comes from j, its value's bias included."""
    weights, values = attended(block, x)
    found = x[i].clone() if i == j else torch.zeros_like(x[i])
    for head, (a, v) in enumerate(zip(weights, values)):
        found += block.out[0][:, head * SIZE : (head + 1) * SIZE] @ (a[i, j] * v[j])
    return found if block.before else bent(block.norm, found, total[i])


def reference_alti(model: Model, row: Encoded, target: int) -> np.ndarray:
    matrices = []
    for block, x in through(model, row):
        states_, n = passed(block, x), len(x)
        near = np.zeros((n, n))
        for i in range(n):
            y = states_.middle[i]
            for j in range(n):
                near[i, j] = max(
                    0.0,
                    float(y.abs().sum() - (y - part(block, x, i, j, states_.total)).abs().sum()),
                )
        matrices.append(near)
    return rolled(model, row, matrices)


def reference_globenc(model: Model, row: Encoded, target: int) -> np.ndarray:
    matrices = []
    for block, x in through(model, row):
        states_, n = passed(block, x), len(x)
        long = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                found = part(block, x, i, j, states_.total)
                found = found if block.before else bent(block.second, found, states_.second[i])
                long[i, j] = float((found * found).sum().sqrt())
        matrices.append(long)
    return rolled(model, row, matrices)


def shared(parts: list[Tensor], bias: Tensor) -> list[Tensor]:
    """The bias given to every part, in every position, by |bias . part|."""
    if not bias.abs().max():
        return parts
    alike = [(one @ bias).abs() for one in parts]
    total = torch.stack(alike).sum(0)
    return [one + (mine / total)[..., None] * bias for one, mine in zip(parts, alike)]


def decomposed(block: Block, x: Tensor, parts: list[Tensor]) -> list[Tensor]:
    """The parts behind a layer from those before it."""
    states_, (weights, _) = passed(block, x), attended(block, x)
    found, constant = [], block.norm.bias.detach() if block.before else torch.zeros_like(x[0])
    for one in parts:
        values = (bent(block.norm, one, x) if block.before else one) @ block.value[0].T
        heads = [a @ values[:, at * SIZE : (at + 1) * SIZE] for at, a in enumerate(weights)]
        found.append(one + torch.cat(heads, -1) @ block.out[0].T)
    found = shared(found, times(block.out, times(block.value, constant)))
    if not block.before:
        found = shared(
            [bent(block.norm, one, states_.total) for one in found], block.norm.bias.detach()
        )
    inner = found
    if block.before:
        inner = shared(
            [bent(block.second, one, states_.middle) for one in inner], block.second.bias.detach()
        )
    inner = shared([one @ block.inner[0].T for one in inner], block.inner[1])
    slope = block.activation(states_.inner) / states_.inner
    outer = shared([(one * slope) @ block.outer[0].T for one in inner], block.outer[1])
    found = [one + two for one, two in zip(found, outer)]
    if not block.before:
        found = shared(
            [bent(block.second, one, states_.second) for one in found], block.second.bias.detach()
        )
    return found


def reference_parts(model: Model, row: Encoded) -> Tensor:
    """Each token's part of each logit."""
    x = states(model, row).hidden_states[0][0]
    parts = [torch.zeros_like(x) for _ in x]
    for at, one in enumerate(parts):
        one[at] = x[at]
    for block, x in through(model, row):
        parts = decomposed(block, x, parts)
    x = passed(block, x).output
    hf = model.hf
    if hf.config.model_type == "gpt2":
        norm = hf.transformer.ln_f
        parts = shared([bent(norm, one, x) for one in parts], norm.bias.detach())
        return torch.stack([hf.score.weight.detach() @ one[-1] for one in parts])
    dense, activation, last = {
        "bert": lambda: (hf.bert.pooler.dense, torch.tanh, hf.classifier),
        "xlm-roberta": lambda: (hf.classifier.dense, torch.tanh, hf.classifier.out_proj),
        "distilbert": lambda: (hf.pre_classifier, torch.relu, hf.classifier),
    }[hf.config.model_type]()
    inner = shared([dense.weight.detach() @ one[0] for one in parts], dense.bias.detach())
    whole = times(affine(dense), x[0])
    slope = activation(whole) / whole
    return torch.stack(
        shared([last.weight.detach() @ (one * slope) for one in inner], last.bias.detach())
    )


def reference_decompx(model: Model, row: Encoded, target: int) -> np.ndarray:
    return reference_parts(model, row)[:, target].numpy()[row.content]


def reference_attention_flow(model: Model, row: Encoded, target: int) -> np.ndarray:
    """The linear programme: flows within capacities, nothing lost on the way, as much as possible
    into the token.
    """
    layers = [
        torch.stack(attended(block, x)[0]).mean(0).numpy() / 2 + np.eye(len(x)) / 2
        for block, x in through(model, row)
    ]
    n, depth = len(row.ids), len(layers)
    start = n - 1 if model.reads_last_token else 0
    pipe = np.arange(depth * n * n).reshape(depth, n, n)  # [layer, from above, to below]
    kept = np.zeros(((depth - 1) * n, pipe.size))
    for layer in range(depth - 1):
        for i in range(n):
            kept[layer * n + i, pipe[layer + 1, :, i]] = 1
            kept[layer * n + i, pipe[layer, i, :]] = -1
    bounds = [(0.0, capacity) for layer in layers for capacity in layer.ravel()]
    for i in range(n):
        if i != start:
            for at in pipe[-1, i]:
                bounds[at] = (0.0, 0.0)
    found = []
    for token in range(n):
        gain, mine = np.zeros(pipe.size), list(bounds)
        gain[pipe[0, :, token]] = -1
        for at in np.delete(pipe[0], token, axis=1).ravel():
            mine[at] = (0.0, 0.0)
        found.append(
            -linprog(gain, A_eq=kept, b_eq=np.zeros(len(kept)), bounds=mine, method="highs").fun
        )
    return np.array(found)[row.content]
