"""SLALOM against LIME and Kernel SHAP: the time that each needs for an equally good ranking of the
words.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import lime.lime_text
import numpy as np
import shap
import torch

from babelscope import corpus
from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import predicted, probability
from benchmarks.material import six_layers
from benchmarks.timing import Ratio, table

WORDS, TEXTS = 60, 12
BUDGETS = {"slalom": (75, 150, 300), "LIME": (150, 300, 600), "Kernel SHAP": (150, 300, 600)}
SLACK = 0.005
"""Deletion scores this near to each other count as equal."""
Scores = Callable[[str], np.ndarray]


def long_texts() -> list[str]:
    """Texts of 60 words, each several reviews in a row, words parted by blanks."""
    words = [word for row in corpus.sentiment("en", "test", 200) for word in row.texts[0].split()]
    return [" ".join(words[at * WORDS : (at + 1) * WORDS]) for at in range(TEXTS)]


def probabilities(model: Model, texts: Sequence[str]) -> np.ndarray:
    """What the peers ask for, in batches of 64 as the tokenizer pads them."""
    found = []
    with torch.no_grad(), model.inference_mode():
        for start in range(0, len(texts), 64):
            batch = model.tokenizer(
                list(texts[start : start + 64]), return_tensors="pt", padding=True
            )
            found.append(torch.softmax(model.hf(**batch).logits.double(), -1).numpy())
    return np.concatenate(found)


def slalom(model: Model, samples: int) -> Scores:
    def scores(text: str) -> np.ndarray:
        (one,) = explain(
            model, text, "slalom", quantity="log_odds", options={"samples": samples}, lang="en"
        )
        spans, at = [], 0
        for word in text.split():  # the peers' words: what stands between blanks
            spans.append((at, at + len(word)))
            at += len(word) + 1
        tokens = list(zip(one.offsets, one.scores))
        return np.array(
            [
                sum(score for (a, b), score in tokens if start <= a and b <= end)
                for start, end in spans
            ]
        )

    return scores


def lime_scores(model: Model, samples: int) -> Scores:
    def scores(text: str) -> np.ndarray:
        label = int(probabilities(model, [text])[0].argmax())
        explainer = lime.lime_text.LimeTextExplainer(
            split_expression=r"\s+", bow=False, random_state=0
        )
        made = explainer.explain_instance(
            text,
            lambda texts: probabilities(model, texts),
            labels=(label,),
            num_features=WORDS,
            num_samples=samples,
        )
        found = np.zeros(WORDS)
        for word, weight in made.as_map()[label]:
            found[word] = weight
        return found

    return scores


def shap_scores(model: Model, samples: int) -> Scores:
    """Kernel SHAP over words, an absent word replaced by the mask token; all features kept."""

    def scores(text: str) -> np.ndarray:
        words = text.split()
        label = int(probabilities(model, [text])[0].argmax())

        def answer(present: np.ndarray) -> np.ndarray:
            mask = model.tokenizer.mask_token
            texts = [
                " ".join(word if here else mask for word, here in zip(words, row))
                for row in present
            ]
            p = np.clip(probabilities(model, texts)[:, label], 1e-7, 1 - 1e-7)
            return np.log(p) - np.log1p(-p)

        explainer = shap.KernelExplainer(answer, np.zeros((1, len(words))))
        np.random.seed(0)  # noqa: NPY002 (shap draws from the global generator)
        return np.asarray(
            explainer.shap_values(np.ones(len(words)), nsamples=samples, l1_reg=False, silent=True)
        )

    return scores


PEERS = {"slalom": slalom, "LIME": lime_scores, "Kernel SHAP": shap_scores}


def deletion(model: Model, text: str, scores: np.ndarray) -> float:
    """1 - mean_k p_k, p_k the probability of the predicted class with only the k lowest words
    left, k = 5, 10, ...
    """
    (row,) = encode(model, as_examples(text, "en"))
    (output,) = inference.outputs(model, [inference.query(row)])
    target = predicted(model, row, output)
    words, order = text.split(), np.argsort(scores, kind="stable")
    left = [" ".join(words[word] for word in sorted(order[:k])) for k in range(5, len(words), 5)]
    outputs = inference.outputs(
        model, [inference.query(one) for one in encode(model, as_examples(left, "en"))]
    )
    return 1 - float(np.mean([probability(model, one, target) for one in outputs]))


@dataclass(frozen=True, slots=True)
class Run:
    """One explanation: its deletion score and the CPU seconds of the whole call."""

    score: float
    seconds: float


def runs(model: Model, texts: Sequence[str]) -> dict[tuple[str, int], list[Run]]:
    """Every method at every budget on every text; on every second text in the opposite order."""
    cells = [(name, samples) for name in PEERS for samples in BUDGETS[name]]
    for name, samples in cells[:: len(BUDGETS["slalom"])]:
        PEERS[name](model, samples)(texts[0])  # for warming up
    found: dict[tuple[str, int], list[Run]] = {cell: [] for cell in cells}
    for turn, text in enumerate(texts):
        for name, samples in cells if turn % 2 == 0 else reversed(cells):
            begin = time.process_time()
            scores = PEERS[name](model, samples)(text)
            seconds = time.process_time() - begin
            found[name, samples].append(Run(deletion(model, text, scores), seconds))
        print(f"text {turn + 1} of {len(texts)}", file=sys.stderr, flush=True)
    return found


def section() -> str:
    torch.set_num_threads(1)
    model, texts = six_layers(), long_texts()
    found = runs(model, texts)
    reached = {cell: float(np.mean([one.score for one in many])) for cell, many in found.items()}
    goal = min(max(reached[name, samples] for samples in BUDGETS[name]) for name in PEERS) - SLACK
    enough = {
        name: next(samples for samples in BUDGETS[name] if reached[name, samples] >= goal)
        for name in PEERS
    }
    rows = [
        [
            name,
            *(f"{samples}: {reached[name, samples]:.3f}" for samples in BUDGETS[name]),
            enough[name],
        ]
        for name in PEERS
    ]
    lines = []
    for name in ("LIME", "Kernel SHAP"):
        for asked, own, why in (
            (enough[name], enough["slalom"], "equal deletion score"),
            (BUDGETS[name][0], BUDGETS[name][0], "equal samples"),
        ):
            pairs = zip(found[name, asked], found["slalom", own])
            ratio = Ratio(tuple(theirs.seconds / ours.seconds for theirs, ours in pairs))
            low, high = np.quantile(ratio.each, (0.1, 0.9))
            lines.append([name, why, asked, own, ratio, f"{low:.1f} to {high:.1f}"])
    head = ["method", "samples: score", "", "", f"samples for {goal:.3f}"]
    timed = [
        "against",
        "at",
        "its samples",
        "samples of slalom",
        "its time / slalom's time",
        "the middle 80 % of the texts",
    ]
    return f"""## SLALOM against LIME and Kernel SHAP

BERT of 6 layers and width 128, trained on 2000 built-in reviews; {len(texts)} texts of {WORDS} words (concatenated reviews). All
three score the {WORDS} words and are evaluated in the same way: 1 - mean p of the predicted class while the words are deleted, the highest
first, five at a time, averaged over the texts. Higher is better. *Equal deletion score* means: each method with the fewest samples that reach
the best score of the weakest method minus {SLACK}. Kernel SHAP keeps all features (`l1_reg=False`); both others query the model in
batches of 64.

{table(head, rows)}

Samples double from column to column, so a method that just misses the score takes twice the time: the ratios at equal score
are accurate within a factor of two.

CPU time per text of the whole call, each text once per method, one thread: median, and range over the
texts.

{table(timed, lines)}
"""
