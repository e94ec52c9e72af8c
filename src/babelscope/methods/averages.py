"""Attributions from gradients averaged over samples: of noise around the input, or of baselines and
path points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from babelscope.errors import InputError
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Explained, Target


def smooth_gradient(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    samples: int = 32,
    noise: float = 0.1,
    seed: int = 0,
) -> list[Explained]:
    """The gradient averaged over noisy copies of the text, times the embedding.

        a_t = e_t . (1/K) sum_k dF(e + u_k) / de_t
        u_k ~ N(0, (noise * sigma)^2) at content positions, else 0

    K the samples, e the word embeddings of the text, sigma the standard deviation of all entries of
    the embedding matrix. The noise is sampled in pairs u, -u, so that its first-order effect
    cancels. It is keyed to the seed and the input.

    *Laws*: without noise it is input x gradient; for F linear in the embeddings it is input x
    gradient at any noise; the difference from input x gradient falls with the square of the noise.
    *Left open by the paper*: it scales the noise by the range of the image's values; a text's range
    would depend on its words, and the noise would differ between translations, so it is scaled by
    the model's whole embedding matrix. Multiplied by the embedding, so that scores are signed and
    in units of F.
    Source: Smilkov et al. 2017 (SmoothGrad).
    """
    if samples < 2 or samples % 2 or not noise >= 0:
        raise InputError(f"samples must be even and noise not negative, not {samples} and {noise}")
    width = noise * float(model.embeddings.weight.detach().double().std(correction=0))
    draws = [
        (row, draw, sign)
        for row in range(len(inputs))
        for draw in range(samples // 2)
        for sign in (1.0, -1.0)
    ]

    def noisy(row: int, draw: int, sign: float) -> inference.Query:
        encoded = inputs[row]
        name = f"{encoded.content.tobytes().hex()} {encoded.example.lang} {encoded.example.id}"
        key = f"smooth {seed} {draw} {sign * width!r} {name}"
        return replace(
            inference.query(encoded),
            edit=lambda embedded: embedded + sign * width * _noise(encoded, embedded, seed, draw),
            key=key,
        )

    def reduce(at: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        return (
            (gradient.double() * _embedded(model, inputs[draws[at][0]].ids).double())
            .sum(dim=-1)
            .cpu()
        )

    repeated = [targets[row] for row, *_ in draws]
    parts = [
        part
        for _, part in inference.gradients(
            model, [noisy(*each) for each in draws], repeated, reduce
        )
    ]
    means = [
        torch.stack(parts[samples * row : samples * (row + 1)]).mean(dim=0)
        for row in range(len(inputs))
    ]
    return [Explained(mean.numpy()[row.content]) for row, mean in zip(inputs, means)]


def expected_gradients(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    baselines: int = 32,
    seed: int = 0,
) -> list[Explained]:
    """Integrated gradients in expectation over random baseline texts.

        a_t = (1/K) sum_k (e_t - b_kt) . g_kt
        g_kt = (1/2) sum_{s in {s_k, 1 - s_k}} dF(b_k + s (e - b_k)) / de_t

    K the baselines. In b_k every content position holds the embedding of a token sampled uniformly
    and independently from the vocabulary without its special tokens; special tokens and fixed parts
    stay as they are. s_k is uniform on the k-th of K equal parts of [0, 1/2]. The samples are keyed
    to the seed and the input. The reference value is the mean of F(b_k).

    *Laws*: unbiased for E_b of integrated gradients; complete in expectation, E[sum_t a_t] = F(x) -
    E[F(b)]; exactly complete, sum_t a_t = F(x) - reference value, where F is linear or quadratic on
    the paths (hence the pairs s, 1 - s).
    *Left open by the paper*: the distribution of baselines, there the training set. The training
    texts of a model are not available when it is explained, and texts have different lengths; the
    vocabulary comes with the model.
    Source: Erion et al. 2021 (expected gradients); Sundararajan, Taly and Yan 2017, eq. 1 for the
    integral.
    """
    if baselines < 1:
        raise InputError(f"baselines must be at least 1, not {baselines}")
    samples = [(row, draw) for row in range(len(inputs)) for draw in range(baselines)]
    plain = _plain(model)
    texts = [_baseline(plain, inputs[row], seed, draw) for row, draw in samples]
    shares = [(draw + place) / (2 * baselines) for (_, draw), (_, place) in zip(samples, texts)]
    points = [(at, point) for at, share in enumerate(shares) for point in (share, 1.0 - share)]

    def on_path(at: int, share: float) -> inference.Query:
        encoded, ids = inputs[samples[at][0]], texts[at][0]
        key = f"between {share!r} {ids.tobytes().hex()}"
        return replace(
            inference.query(encoded),
            edit=lambda embedded: torch.lerp(_embedded(model, ids), embedded, share),
            key=key,
        )

    def reduce(place: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        at = points[place][0]
        displacement = _embedded(model, inputs[samples[at][0]].ids) - _embedded(model, texts[at][0])
        return (gradient.double() * displacement.double()).sum(dim=-1).cpu()

    repeated = [targets[samples[at][0]] for at, _ in points]
    parts = [
        part
        for _, part in inference.gradients(
            model, [on_path(*each) for each in points], repeated, reduce
        )
    ]
    starts = [
        replace(inference.query(inputs[row]), ids=ids) for (row, _), (ids, _) in zip(samples, texts)
    ]
    outputs = inference.outputs(model, starts)
    results = []
    for row, (encoded, target) in enumerate(zip(inputs, targets)):
        mean = torch.stack(parts[2 * baselines * row : 2 * baselines * (row + 1)]).mean(dim=0)
        begun = outputs[baselines * row : baselines * (row + 1)]
        reference = float(np.mean([float(value(model, output, target)) for output in begun]))
        results.append(Explained(mean.numpy()[encoded.content], reference))
    return results


def _embedded(model: Model, ids: Int[np.ndarray, " token"]) -> Float[Tensor, "token dim"]:
    embedded: Tensor = model.embeddings(torch.from_numpy(ids).to(model.device)).detach()
    return embedded


def _noise(
    row: Encoded, embedded: Float[Tensor, "token dim"], seed: int, draw: int
) -> Float[Tensor, "token dim"]:
    """Standard normal at content positions, 0 elsewhere."""
    noise = np.zeros(tuple(embedded.shape))
    noise[row.content] = keyed(seed, "smooth_gradient", *identity(row), draw).standard_normal(
        noise[row.content].shape
    )
    return torch.from_numpy(noise).to(embedded)


def _plain(model: Model) -> Int[np.ndarray, " id"]:
    """The vocabulary without its special tokens."""
    known = np.arange(min(len(model.tokenizer), len(model.embeddings.weight)))
    return np.setdiff1d(known, model.tokenizer.all_special_ids)


def _baseline(
    plain: Int[np.ndarray, " id"], row: Encoded, seed: int, draw: int
) -> tuple[Int[np.ndarray, " token"], float]:
    """The token ids of a sampled baseline text, and a place between 0 and 1 in its part of the
    path."""
    generator = keyed(seed, "expected_gradients", *identity(row), draw)
    ids = row.ids.copy()
    ids[row.content] = generator.choice(plain, int(row.content.sum()))
    return ids, float(generator.uniform())
