"""Kernel SHAP on words that add up: it finds their weights in a fully connected network, and not
in a transformer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from benchmarks.timing import table

from babelscope.data.synthetic import linear_words, sample
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted
from experiments.slalom_models import answers, trained

COPIES = (1, 2, 5, 10)
PLACES, SAMPLES = 32, 500
Answers = Callable[[Sequence[Sequence[int]]], np.ndarray]


def connected(steps: int) -> Answers:
    """Word embeddings of 32 places side by side, 400 rectified units, two logits; trained on fresh
    texts.
    """
    language = linear_words()
    examples, sequences = sample(language, 32 * steps, seed=7)
    torch.manual_seed(0)
    nothing = len(language.words)
    net = torch.nn.Sequential(
        torch.nn.Embedding(nothing + 1, 16, padding_idx=nothing), torch.nn.Flatten(), torch.nn.Linear(16 * PLACES, 400),
        torch.nn.ReLU(), torch.nn.Linear(400, 2),
    )  # fmt: skip
    ids = torch.full((len(sequences), PLACES), nothing)
    for row, one in zip(ids, sequences):
        row[: len(one)] = torch.tensor(one)
    labels = torch.tensor([one.label == "positive" for one in examples]).long()
    optimiser = torch.optim.Adam(net.parameters(), lr=5e-4)
    for start in range(0, len(ids), 32):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(
            net(ids[start : start + 32]), labels[start : start + 32]
        ).backward()
        optimiser.step()

    def found(asked: Sequence[Sequence[int]]) -> np.ndarray:
        padded = torch.tensor([[*one, *[nothing] * (PLACES - len(one))] for one in asked])
        with torch.no_grad():
            logits = net(padded).double().numpy()
        return np.asarray(logits[:, 1] - logits[:, 0])

    return found


def mean_weight(model: Answers, copies: int) -> float:
    """Kernel SHAP's mean weight of a place in that many copies of "perfect", against as many of
    "the".
    """
    import shap  # an extra, and slow to import: for this page alone

    words = linear_words().words
    perfect, the = words.index("perfect"), words.index("the")
    explainer = shap.KernelExplainer(
        lambda present: model([[perfect if here else the for here in row] for row in present]),
        np.zeros((1, copies)),
    )
    np.random.seed(0)  # noqa: NPY002 (shap draws from the global generator)
    return float(
        np.mean(explainer.shap_values(np.ones(copies), nsamples=SAMPLES, l1_reg=False, silent=True))
    )


def page() -> str:
    transformer = trained(linear_words(), "bert", 1, 0, 400)

    def bert(asked: Sequence[Sequence[int]]) -> np.ndarray:
        return answers(transformer, asked)

    torch.set_num_threads(1)
    models: dict[str, Answers] = {"fully connected": connected(3000), "BERT, 1 layer": bert}
    rows = [["truth", *["1.50"] * len(COPIES)]]
    for name, model in models.items():
        rows.append([name, *(f"{mean_weight(model, copies):.2f}" for copies in COPIES)])
    _, sequences = sample(linear_words(), 2000, seed=3)
    surrogate = fit(counted(sequences), bert(sequences), size=10)
    order = np.argsort(-surrogate.value)
    words = ", ".join(f"{linear_words().words[at]} {surrogate.value[at]:+.2f}" for at in order)
    return f"""# Kernel SHAP and words that add up

This page is written by `python -m experiments additive`. The language is that of [surrogates](slalom.md): the log-odds of a
text are the sum of its words' weights, 1.5 for "perfect". Texts are 1, 2, 5 and 10 copies of "perfect"; the background is
as many of "the". Given is the mean weight of a copy by Kernel SHAP ({SAMPLES} samples, all features kept). A surrogate that
adds words up should find 1.5 whatever the number.

{table(["model", *(f"{copies} x" for copies in COPIES)], rows)}

The fully connected network has 32 places and 400 units and was trained for 3000 steps of 32 texts. Where a model says nearly
the same about one "perfect" as about ten, each gets a smaller part the more there are. The transformer's SLALOM, fitted to 2000
texts of about 15 words, holds one
value per word, whatever the number: {words}.
"""
