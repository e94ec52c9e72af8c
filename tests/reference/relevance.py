"""Relevance and DeepLIFT multipliers by hand: the tiny architectures written out operation by
operation in numpy.

A tape notes every operation with its inputs and output; `relevance` walks it back with Chefer's
rules in terms of R itself, `multipliers` with DeepLIFT's in terms of the differences to a second
tape. Nothing here is a gradient of anything.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import erf

from babelscope.model.load import Model
from babelscope.types import Encoded

Array = np.ndarray


@dataclass
class Tape:
    """Values by number, and the operations that made them."""

    values: list[Array] = field(default_factory=list)
    steps: list[tuple[str, tuple[int, ...], int, Any]] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    """The attention matrices, heads of a layer one after the other."""

    def put(self, value: Array) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def note(self, name: str, inputs: tuple[int, ...], value: Array, extra: Any = None) -> int:
        made = self.put(value)
        self.steps.append((name, inputs, made, extra))
        return made

    def linear(self, x: int, weight: Array, bias: Array) -> int:
        return self.note("linear", (x,), self.values[x] @ weight.T + bias, weight)

    def add(self, a: int, b: int) -> int:
        return self.note("add", (a, b), self.values[a] + self.values[b])

    def matmul(self, a: int, b: int) -> int:
        return self.note("matmul", (a, b), self.values[a] @ self.values[b])

    def turned(self, x: int) -> int:
        return self.note("turned", (x,), self.values[x].T)

    def times(self, x: int, factor: float) -> int:
        return self.note("times", (x,), self.values[x] * factor, factor)

    def hidden(self, x: int) -> int:
        """What lies ahead, out of sight of a decoder."""
        return self.note(
            "hidden",
            (x,),
            np.where(np.triu(np.ones_like(self.values[x]), 1) > 0, -np.inf, self.values[x]),
        )

    def softmax(self, x: int) -> int:
        raised = np.exp(self.values[x] - self.values[x].max(-1, keepdims=True))
        return self.note("softmax", (x,), raised / raised.sum(-1, keepdims=True))

    def apply(self, x: int, function: Any) -> int:
        return self.note("apply", (x,), function(self.values[x]))

    def norm(self, x: int, layer: Any) -> int:
        v = self.values[x]
        middle = v - v.mean(-1, keepdims=True)
        flat = middle / np.sqrt((middle**2).mean(-1, keepdims=True) + layer.eps)
        weight, bias = numbers(layer.weight), numbers(layer.bias)
        return self.note("norm", (x,), flat * weight + bias, (weight, layer.eps))

    def part(self, x: int, rows: slice, columns: slice) -> int:
        return self.note("part", (x,), self.values[x][rows, columns], (rows, columns))

    def joined(self, parts: list[int]) -> int:
        return self.note(
            "joined", tuple(parts), np.concatenate([self.values[part] for part in parts], -1)
        )

    def attend(self, q: int, k: int, v: int, causal: bool = False) -> int:
        outs = []
        for start in range(0, self.values[q].shape[1], 32):
            one, two, three = (
                self.part(x, slice(None), slice(start, start + 32)) for x in (q, k, v)
            )
            scores = self.times(self.matmul(one, self.turned(two)), 32**-0.5)
            weights = self.softmax(self.hidden(scores) if causal else scores)
            self.weights.append(weights)
            outs.append(self.matmul(weights, three))
        return self.joined(outs)


def numbers(tensor: Any) -> Array:
    return np.asarray(tensor.detach().numpy())


def gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + erf(x / np.sqrt(2))))


def tanh_gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def run(model: Model, row: Encoded, embedded: Array) -> tuple[Tape, int, int, int]:
    """The tape, and the numbers of the embeddings, of the first layer's input and of the logits."""
    tape = Tape()
    kind = model.hf.config.model_type
    walk = {"bert": _bert, "xlm-roberta": _bert, "distilbert": _distilbert, "gpt2": _gpt2}[kind]
    leaf = tape.put(embedded)
    first, logits = walk(tape, model, row, leaf)
    return tape, leaf, first, logits


def _linear(tape: Tape, x: int, layer: Any) -> int:
    return tape.linear(x, numbers(layer.weight), 0.0 if layer.bias is None else numbers(layer.bias))


def _places(model: Model, row: Encoded) -> slice:
    return slice(model.first_position, model.first_position + len(row.ids))


def _bert(tape: Tape, model: Model, row: Encoded, x: int) -> tuple[int, int]:
    base = model.hf.base_model
    types = row.types if model.hf.config.model_type == "bert" else np.zeros(len(row.ids), dtype=int)
    around = numbers(base.embeddings.position_embeddings.weight)[_places(model, row)]
    around = around + numbers(base.embeddings.token_type_embeddings.weight)[types]
    x = first = tape.norm(tape.add(x, tape.put(around)), base.embeddings.LayerNorm)
    for layer in base.encoder.layer:
        mine, out = layer.attention.self, layer.attention.output
        context = tape.attend(
            *(_linear(tape, x, one) for one in (mine.query, mine.key, mine.value))
        )
        x = tape.norm(tape.add(_linear(tape, context, out.dense), x), out.LayerNorm)
        inner = tape.apply(_linear(tape, x, layer.intermediate.dense), gelu)
        x = tape.norm(tape.add(_linear(tape, inner, layer.output.dense), x), layer.output.LayerNorm)
    x = tape.part(x, slice(0, 1), slice(None))
    if model.hf.config.model_type == "bert":
        return first, _linear(
            tape, tape.apply(_linear(tape, x, base.pooler.dense), np.tanh), model.hf.classifier
        )
    head = model.hf.classifier
    return first, _linear(tape, tape.apply(_linear(tape, x, head.dense), np.tanh), head.out_proj)


def _distilbert(tape: Tape, model: Model, row: Encoded, x: int) -> tuple[int, int]:
    base = model.hf.distilbert
    places = tape.put(numbers(base.embeddings.position_embeddings.weight)[_places(model, row)])
    x = first = tape.norm(tape.add(x, places), base.embeddings.LayerNorm)
    for layer in base.transformer.layer:
        mine = layer.attention
        context = tape.attend(
            *(_linear(tape, x, one) for one in (mine.q_lin, mine.k_lin, mine.v_lin))
        )
        x = tape.norm(tape.add(_linear(tape, context, mine.out_lin), x), layer.sa_layer_norm)
        inner = tape.apply(_linear(tape, x, layer.ffn.lin1), gelu)
        x = tape.norm(tape.add(_linear(tape, inner, layer.ffn.lin2), x), layer.output_layer_norm)
    x = tape.apply(
        _linear(tape, tape.part(x, slice(0, 1), slice(None)), model.hf.pre_classifier), relu
    )
    return first, _linear(tape, x, model.hf.classifier)


def _gpt2(tape: Tape, model: Model, row: Encoded, x: int) -> tuple[int, int]:
    base, width = model.hf.transformer, model.embeddings.weight.shape[1]

    def turned(at: int, layer: Any) -> int:
        return tape.linear(at, numbers(layer.weight).T, numbers(layer.bias))

    x = first = tape.add(x, tape.put(numbers(base.wpe.weight)[_places(model, row)]))
    for block in base.h:
        both = turned(tape.norm(x, block.ln_1), block.attn.c_attn)
        q, k, v = (
            tape.part(both, slice(None), slice(at, at + width)) for at in range(0, 3 * width, width)
        )
        x = tape.add(turned(tape.attend(q, k, v, causal=True), block.attn.c_proj), x)
        inner = tape.apply(turned(tape.norm(x, block.ln_2), block.mlp.c_fc), tanh_gelu)
        x = tape.add(x, turned(inner, block.mlp.c_proj))
    last = tape.part(tape.norm(x, base.ln_f), slice(-1, None), slice(None))
    return first, _linear(tape, last, model.hf.score)


def ratio(above: Array, below: Array) -> Array:
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def relevance(
    tape: Tape, logits: int, target: int, mask: Array | None = None
) -> tuple[dict[int, Array], list[Array]]:
    """R of every value, and the relevance of every attention matrix, whole and unmasked; 1 at the
    target.

    `mask` has one number per attention matrix, in the order of the tape."""
    v = tape.values
    found: dict[int, Array] = defaultdict(lambda: np.zeros(()))
    found[logits] = np.eye(v[logits].shape[1])[[target]]
    saved = {}
    for name, given, made, extra in reversed(tape.steps):
        r, x = found[made], v[given[0]]
        if name == "linear":
            up, down = np.maximum(extra, 0), np.minimum(extra, 0)
            high, low = np.maximum(x, 0), np.minimum(x, 0)
            share = ratio(r, high @ up.T + low @ down.T)
            parts = [high * (share @ up) + low * (share @ down)]
        elif name == "add":
            a, b = (v[at] * ratio(r, v[made]) for at in given)
            size, total = abs(a.sum()) + abs(b.sum()), a.sum() + b.sum()
            parts = [
                part * (abs(part.sum()) / size * total / part.sum() if part.sum() else 0)
                for part in (a, b)
            ]
        elif name == "matmul":
            a, b = v[given[0]], v[given[1]]
            share = ratio(r, v[made])
            if given[0] in tape.weights:
                at = tape.weights.index(given[0])
                saved[at] = a * (share @ b.T)
                share = share * (1 if mask is None else mask[at])
            parts = [a * (share @ b.T) / 2, b * (a.T @ share) / 2]
        elif name == "turned":
            parts = [r.T]
        elif name == "part":
            parts = [np.zeros_like(x)]
            parts[0][extra] = r
        elif name == "joined":
            parts = np.split(r, len(given), -1)
        else:  # softmax, functions, norms, factors: unchanged
            parts = [np.where(np.isfinite(x), r, 0)]
        for at, part in zip(given, parts):
            found[at] = found[at] + part
    return found, [saved[at] for at in range(len(tape.weights))]


def multipliers(tape: Tape, other: Tape, logits: int, target: int) -> dict[int, Array]:
    """m of every value, with m (x - x') summing to the target's difference at every cut."""
    v, w = tape.values, other.values
    found: dict[int, Array] = defaultdict(lambda: np.zeros(()))
    found[logits] = np.eye(v[logits].shape[1])[[target]]
    for name, given, made, extra in reversed(tape.steps):
        m, x, y = found[made], v[given[0]], w[given[0]]
        if name == "linear":
            parts = [m @ extra]
        elif name == "add":
            parts = [m, m]
        elif name == "matmul":
            a, b = ((v[at] + w[at]) / 2 for at in given)
            parts = [m @ b.T, a.T @ m]
        elif name == "turned":
            parts = [m.T]
        elif name == "times":
            parts = [m * extra]
        elif name == "hidden":
            parts = [np.where(np.isfinite(v[made]), m, 0)]
        elif name == "softmax":
            p, q = v[made], w[made]
            apart = ratio(p - q, np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(q, 1e-300)))
            mean = np.where(p == q, p, apart)
            parts = [mean * (m - (mean * m).sum(-1, keepdims=True) / mean.sum(-1, keepdims=True))]
        elif name == "apply":
            parts = [m * ratio(v[made] - w[made], x - y)]
        elif name == "norm":
            parts = [_norm_multiplier(m, x, y, *extra)]
        elif name == "part":
            parts = [np.zeros_like(x)]
            parts[0][extra] = m
        else:
            parts = np.split(m, len(given), -1)
        for at, part in zip(given, parts):
            found[at] = found[at] + part
    return found


def _norm_multiplier(m: Array, x: Array, y: Array, weight: Array, eps: float) -> Array:
    c, d = x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True)
    s, t = ((one**2).mean(-1, keepdims=True) + eps for one in (c, d))
    m = m * weight
    centred = m * (s**-0.5 + t**-0.5) / 2
    inverse = (m * (c + d) / 2).sum(-1, keepdims=True)
    spread = inverse * np.where(s == t, -0.5 * s**-1.5, ratio(s**-0.5 - t**-0.5, s - t))
    centred = centred + spread * (c + d) / c.shape[-1]
    return np.asarray(centred - centred.mean(-1, keepdims=True))
