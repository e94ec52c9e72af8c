"""SLALOM against LIME and Kernel SHAP: the time that each needs for an equally good ranking of the words."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import lime.lime_text
import numpy as np
import shap
import torch

from babelscope.data import builtin
from babelscope.model import forward
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import predicted, probability
from babelscope.study.explain import as_examples, explain
from benchmarks.material import six_layers
from benchmarks.timing import in_turn, table

WORDS, TEXTS = 60, 3
BUDGETS = (150, 300, 600)
SLACK = 0.005
"""Deletion scores this near to each other count as equal."""
REPETITIONS = 2
Scores = Callable[[str], np.ndarray]


def long_texts() -> list[str]:
    """Texts of 60 words, each several reviews in a row, words parted by blanks."""
    words = [word for row in builtin.sentiment("en", "test", 200) for word in row.texts[0].split()]
    return [" ".join(words[at * WORDS : (at + 1) * WORDS]) for at in range(TEXTS)]


def probabilities(model: Model, texts: Sequence[str]) -> np.ndarray:
    """What the peers ask for, in batches of 64 as the tokenizer pads them."""
    found = []
    with torch.no_grad(), model.still():
        for start in range(0, len(texts), 64):
            batch = model.tokenizer(list(texts[start : start + 64]), return_tensors="pt", padding=True)
            found.append(torch.softmax(model.hf(**batch).logits.double(), -1).numpy())
    return np.concatenate(found)


def slalom(model: Model, samples: int) -> Scores:
    def scores(text: str) -> np.ndarray:
        (one,) = explain(model, text, "slalom", quantity="log_odds", options={"samples": samples}, lang="en")
        spans, at = [], 0
        for word in text.split():  # the peers' words: what stands between blanks
            spans.append((at, at + len(word)))
            at += len(word) + 1
        tokens = list(zip(one.offsets, one.scores))
        return np.array([sum(score for (a, b), score in tokens if start <= a and b <= end) for start, end in spans])

    return scores


def lime_scores(model: Model, samples: int) -> Scores:
    def scores(text: str) -> np.ndarray:
        label = int(probabilities(model, [text])[0].argmax())
        explainer = lime.lime_text.LimeTextExplainer(split_expression=r"\s+", bow=False, random_state=0)
        made = explainer.explain_instance(
            text, lambda texts: probabilities(model, texts), labels=(label,), num_features=WORDS, num_samples=samples
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
            texts = [" ".join(word if here else mask for word, here in zip(words, row)) for row in present]
            p = np.clip(probabilities(model, texts)[:, label], 1e-7, 1 - 1e-7)
            return np.log(p) - np.log1p(-p)

        explainer = shap.KernelExplainer(answer, np.zeros((1, len(words))))
        np.random.seed(0)  # noqa: NPY002 (shap draws from the global generator)
        return np.asarray(explainer.shap_values(np.ones(len(words)), nsamples=samples, l1_reg=False, silent=True))

    return scores


PEERS = {"slalom": slalom, "LIME": lime_scores, "Kernel SHAP": shap_scores}


def deletion(model: Model, text: str, scores: np.ndarray) -> float:
    """1 - mean_k p_k, p_k the probability of the predicted class with only the k lowest words left, k = 5, 10, ..."""
    (row,) = encode(model, as_examples(text, "en"))
    (output,) = forward.scores(model, [forward.query(row)])
    target = predicted(model, row, output)
    words, order = text.split(), np.argsort(scores, kind="stable")
    left = [" ".join(words[word] for word in sorted(order[:k])) for k in range(5, len(words), 5)]
    outputs = forward.scores(model, [forward.query(one) for one in encode(model, as_examples(left, "en"))])
    return 1 - float(np.mean([probability(model, one, target) for one in outputs]))


def section() -> str:
    model, texts = six_layers(), long_texts()
    reached = {
        (name, samples): float(np.mean([deletion(model, text, make(model, samples)(text)) for text in texts]))
        for name, make in PEERS.items()
        for samples in BUDGETS
    }
    goal = min(max(reached[name, samples] for samples in BUDGETS) for name in PEERS) - SLACK
    enough = {name: next(samples for samples in BUDGETS if reached[name, samples] >= goal) for name in PEERS}
    rows = [[name, *(f"{reached[name, samples]:.3f}" for samples in BUDGETS), enough[name]] for name in PEERS]
    ours = slalom(model, enough["slalom"])
    lines = []
    for name in ("LIME", "Kernel SHAP"):
        for asked, why in ((enough[name], "equal deletion score"), (enough["slalom"], "equal samples")):
            theirs = PEERS[name](model, asked)
            ratio = in_turn(lambda theirs=theirs: theirs(texts[0]), lambda: ours(texts[0]), REPETITIONS)  # type: ignore[misc]
            lines.append([name, why, asked, enough["slalom"], ratio])
    head = ["method", *(f"{samples} samples" for samples in BUDGETS), f"samples for {goal:.3f}"]
    timed = ["against", "at", "its samples", "samples of slalom", "its time / slalom's time"]
    return f"""## SLALOM against LIME and Kernel SHAP

BERT of 6 layers and width 128, trained on 2000 built-in reviews; {TEXTS} texts of {WORDS} words (reviews in a row). All three
score the {WORDS} words and are judged alike: 1 - mean p of the predicted class while the words are deleted, the highest first,
five at a time. Higher is better. Kernel SHAP keeps all features (`l1_reg=False`); both peers ask the model in batches of
64. The load of the machine was {os.getloadavg()[0]:.1f}.

{table(head, rows)}

Time for one text, the whole call on both sides, in turn:

{table(timed, lines)}
"""
