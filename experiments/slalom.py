"""Surrogates of transformers: which describes them, how few questions a SLALOM needs, and what it
recovers.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
from benchmarks.timing import table

from babelscope.data.synthetic import linear_words, sample, slalom_words
from babelscope.methods.slalom.baselines import additive, linear
from babelscope.methods.slalom.exact import recover
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.model.load import Model
from babelscope.random import keyed
from experiments.slalom_models import answers, published_fit, trained

CELLS = [("bert", 1), ("bert", 2), ("gpt2", 1), ("gpt2", 2)]
"""Any architecture of `model/small.py` can be added; each takes a minute or two per seed."""
SEEDS = (0, 1, 2)
STEPS, FITTED, TESTED = 400, 3000, 500
RECOVERED = 600
"""Steps of the models that learn a SLALOM."""
TRIED = (50, 75, 100, 150, 200, 300, 400, 500, 700, 1000, 2000, 3000, 4000, 5000)
"""Numbers of questions, to find the least that gives no larger error than the published fit."""
COPIES = (1, 2, 5, 10, 20)
PUBLISHED = {
    ("bert", 1): "26.3 / 43.3 / 7.3", ("bert", 2): "28.4 / 48.3 / 9.9", ("distilbert", 1): "28.3 / 44.4 / 10.8",
    ("distilbert", 2): "32.6 / 53.9 / 16.8", ("gpt2", 1): "20.3 / 48.8 / 16.9", ("gpt2", 2): "24.8 / 54.3 / 22.2",
}  # fmt: skip
"""Leemann et al. 2024, table 6: linear / GAM / SLALOM."""


def errors(model: Model, seed: int) -> dict[str, float]:
    """Mean squared error times 100 of each surrogate on fresh texts."""
    language = linear_words()
    _, rows = sample(language, FITTED + TESTED, seed=seed + 500)
    train, test, size = rows[:FITTED], rows[FITTED:], len(language.words)
    answer = answers(model, rows)
    known, wanted = answer[:FITTED], answer[FITTED:]
    found = fit(counted(train), known, size=size)
    made = {
        "linear": linear(train, known, test, size),
        "GAM": additive(train, known, test, size),
        "SLALOM": predict(counted(test), found.importance, found.value),
    }
    return {name: 100 * float(((one - wanted) ** 2).mean()) for name, one in made.items()} | {
        "variance": float(wanted.var())
    }


def surrogates() -> tuple[str, str, str, Model]:
    """Table 6 and the curve of "perfect"; and a trained model for what follows."""
    lines, curves, kept, right = [], [], None, 0
    for architecture, layers in CELLS:
        found, curve = [], []
        for seed in SEEDS:
            model = trained(linear_words(), architecture, layers, seed, STEPS)
            found.append(errors(model, seed))
            perfect = linear_words().words.index("perfect")
            curve.append(answers(model, [[perfect] * copies for copies in COPIES]))
            kept = model if (architecture, layers) == ("bert", 2) and kept is None else kept
            print(architecture, layers, seed, found[-1], flush=True)
        cells = [shown([one[name] for one in found]) for name in ("linear", "GAM", "SLALOM")]
        holds = sum(one["GAM"] > one["linear"] > one["SLALOM"] for one in found)
        right += holds
        variance = statistics.mean(one["variance"] for one in found)
        name = f"{architecture} {layers}"
        lines.append(
            [
                name,
                *cells,
                f"{holds} of {len(SEEDS)}",
                f"{variance:.2f}",
                PUBLISHED[architecture, layers],
            ]
        )
        curves.append(
            [name, *(f"{value:.2f}" for value in np.mean(curve, axis=0)), f"{_spread(curve):.0%}"]
        )
    head = [
        "model, layers",
        "linear",
        "GAM",
        "SLALOM",
        "seeds in the paper's order",
        "variance of the log-odds",
        "published",
    ]
    truth = ["words that add up", *(f"{1.5 * copies:.1f}" for copies in COPIES), "1900%"]
    drawn = table(
        ["model, layers", *(f"{copies} x" for copies in COPIES), "range / first"], [truth, *curves]
    )
    assert kept is not None
    return table(head, lines), drawn, f"{right} of {len(CELLS) * len(SEEDS)}", kept


def _spread(curves: Sequence[np.ndarray]) -> float:
    mean = np.mean(curves, axis=0)
    return float(np.ptp(mean) / abs(mean[0]))


def shown(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.1f} ± {statistics.stdev(values) / len(values) ** 0.5:.1f}"


def against_the_published_fit() -> tuple[str, str]:
    """At equal questions the errors, and at equal error the questions: exact SLALOMs with noise,
    texts of three words.
    """
    lines, saved = [], []
    for size in (30, 100, 200):
        generator = keyed(size, "published")
        importance, value = generator.normal(size=size), generator.normal(size=size)
        fresh = counted(generator.integers(0, size, (3000, 3)).tolist())
        wanted = predict(fresh, importance, value)
        ours: dict[int, float] = {}
        for count in TRIED:
            rows = keyed(size, count, "rows").integers(0, size, (count, 3)).tolist()
            answer = predict(counted(rows), importance, value) + 0.1 * keyed(
                size, count, "noise"
            ).normal(size=count)
            one = fit(counted(rows), answer, size=size)
            ours[count] = float(((predict(fresh, one.importance, one.value) - wanted) ** 2).mean())
            if count not in (500, 1000, 5000):
                continue
            theirs = float(
                ((predict(fresh, *published_fit(rows, answer, size)) - wanted) ** 2).mean()
            )
            lines.append(
                [
                    f"{size} words",
                    count,
                    f"{theirs:.1e}",
                    f"{ours[count]:.1e}",
                    f"{theirs / ours[count]:.1f}",
                ]
            )
            enough = min((asked for asked, error in ours.items() if error <= theirs), default=count)
            saved.append([f"{size} words", count, enough, f"{count / enough:.1f}"])
    head = ["text of", "questions", "error as published", "error here", "ratio"]
    less = ["text of", "questions as published", "questions here for no larger error", "ratio"]
    return table(head, lines), table(less, saved)


def by_length(model: Model) -> str:
    """The exact design against the fit, on a trained transformer, by the length of the text that
    is predicted.
    """
    size, generator = len(linear_words().words), keyed(0, "lengths")
    exact = recover(lambda asked: answers(model, asked), size)
    rows = [generator.integers(0, size, generator.integers(1, 5)).tolist() for _ in range(500)]
    fitted = fit(counted(rows), answers(model, rows), size=size)
    lines = []
    for length in (1, 2, 4, 8, 16, 30):
        fresh = generator.integers(0, size, (200, length)).tolist()
        wanted = answers(model, fresh)
        gaps = [
            predict(counted(fresh), one.importance, one.value) - wanted for one in (exact, fitted)
        ]
        lines.append(
            [
                length,
                *(f"{float((gap**2).mean()):.3f}" for gap in gaps),
                f"{float(wanted.var()):.2f}",
            ]
        )
    return table(
        ["words", f"exact, {2 * size - 1} questions", "fitted, 500 questions", "variance"], lines
    )


def recovery() -> str:
    """A transformer trained on a SLALOM language: the fitted numbers against the
    generating ones.
    """
    language = slalom_words(40)
    lines = []
    for architecture in ("bert", "gpt2"):
        model = trained(language, architecture, 2, 0, RECOVERED, scale=3.0)
        generator = keyed(1, "recovery")
        rows = [generator.integers(0, 40, generator.integers(1, 9)).tolist() for _ in range(3000)]
        answer = answers(model, rows)
        one = fit(counted(rows[:2500]), answer[:2500], size=40)
        gap = predict(counted(rows[2500:]), one.importance, one.value) - answer[2500:]
        r2 = 1 - float((gap**2).mean() / answer[2500:].var())
        assert language.importance is not None
        value, importance = (float(np.corrcoef(a, b)[0, 1]) for a, b in
                             ((one.value, language.value), (one.importance, language.importance)))  # fmt: skip
        lines.append([f"{architecture} 2", f"{r2:.3f}", f"{value:.2f}", f"{importance:.2f}"])
    return table(
        [
            "model, layers",
            "R2 of the surrogate",
            "correlation of values",
            "correlation of importances",
        ],
        lines,
    )


def page() -> str:
    compared, curve, right, model = surrogates()
    fits, questions = against_the_published_fit()
    return f"""# Surrogates of transformers

This page is written by `python -m experiments slalom`. Models have width 64 and are trained from scratch for {STEPS} steps of 64
fresh texts (AdamW, 1e-3), which is far less than the paper's models of width 768; compare the order and the ratios, not the
numbers.

## Transformers do not add words up

Ten words with weights that add up to the log-odds of the label (appendix A of the paper); {FITTED} texts fit each surrogate of
the trained model, {TESTED} fresh ones test it. Mean squared error of the log-odds times 100, mean and standard error over
{len(SEEDS)} seeds. The paper's order, GAM > linear > SLALOM, holds in {right} runs.

{compared}

The log-odds for "perfect", repeated: where words added up, twenty of them would be worth 30. "range / first" is how far the
curve moves as a share of its first value.

{curve}

## The fit against the published one

Exact SLALOMs with standard normal importances and values and noise of 0.1, texts of three words; Adam as published (60
epochs, rate 5e-3) and the fit here on the same answers; error on 3000 fresh texts without noise. One draw each.

{fits}

Numbers of questions tried: {", ".join(str(count) for count in TRIED)}.

{questions}

## The exact design on a real model

BERT of two layers from above, 10 words. The exact design needs one question less than two per word and is right about the
texts it asked; the error on longer ones shows what it never saw.

{by_length(model)}

## Numbers recovered from a trained transformer

Trained on texts of 40 words whose labels follow a SLALOM (appendix E.2; log-odds times 3, so that a small model learns them),
then fitted to 2500 texts of 1 to 8 words.

{recovery()}
"""
