"""A fully connected network that reads words at fixed places."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from babelscope.data.synthetic import linear_words, sample

Answers = Callable[[Sequence[Sequence[int]]], np.ndarray]


def connected(steps: int, places: int, units: int, *, width: int = 16, seed: int = 0) -> Answers:
    """Word embeddings of all places side by side, rectified units, two logits; trained on fresh
    texts.
    """
    language = linear_words()
    examples, sequences = sample(language, 32 * steps, seed=7 + seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    padding = len(language.words)
    net = torch.nn.Sequential(
        torch.nn.Embedding(padding + 1, width, padding_idx=padding),
        torch.nn.Flatten(),
        torch.nn.Linear(width * places, units),
        torch.nn.ReLU(),
        torch.nn.Linear(units, 2),
    )
    ids = torch.full((len(sequences), places), padding)
    for row, text in zip(ids, sequences):
        row[: len(text)] = torch.tensor(text)
    labels = torch.tensor([example.label == "positive" for example in examples]).long()
    optimiser = torch.optim.Adam(net.parameters(), lr=5e-4)
    for start in range(0, len(ids), 32):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(
            net(ids[start : start + 32]), labels[start : start + 32]
        ).backward()
        optimiser.step()

    def answers(texts: Sequence[Sequence[int]]) -> np.ndarray:
        padded = torch.tensor([[*text, *[padding] * (places - len(text))] for text in texts])
        with torch.no_grad():
            logits = net(padded).double().numpy()
        return np.asarray(logits[:, 1] - logits[:, 0])

    return answers
