"""SLALOM on fixed numbers: designs, fits, recovery, scores; and of a corpus and a function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from babelscope.methods.explain import explain
from babelscope.methods.slalom.baselines import additive, linear, naive_bayes
from babelscope.methods.slalom.corpus import explain_function, fit_corpus, without
from babelscope.methods.slalom.design import parse_design, sample_size, sample_texts
from babelscope.methods.slalom.exact import recover
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.joint import joint_fit
from babelscope.methods.slalom.scores import SCORES, score
from babelscope.methods.slalom.scores import without as text_without
from babelscope.methods.slalom.surrogate import Mixture, counted, predict, shares
from babelscope.methods.slalom.text import (
    details,
    fit_answers,
    plan_queries,
    position_scores,
    recover_surrogate,
)
from baseline.methods import SINGLE, keep
from baseline.values import Values, attempt, put
from slalom_transformer import slalom_transformer
from zoo import shared

DESIGNS = ("mix", "fixed(3)", "deletion", "mix+context", "deletion+context")
ONE, TWO = [[0, 1, 2, 3, 1, 4, 5, 6]], [[0, 1, 2, 1], [3, 4, 5, 6, 4]]
UNITS = 7
WORDS = ["the", "great", "film", "and", "the", "good", "idea", "are", "not", "dull", "but", "fine"]


def parameters(seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Importances and values of UNITS units."""
    drawn = np.random.default_rng(seed).normal(size=(2, UNITS))
    return drawn[0] - drawn[0].mean(), 2 * drawn[1]


def noisy(sequences: Sequence[Sequence[int]], seed: int, always: int | None = None) -> np.ndarray:
    """Answers of a SLALOM with these parameters, and a little noise."""
    importance, value = (np.append(part, 0.3) for part in parameters())
    exact = predict(counted(sequences, always), importance, value)
    return exact + 0.05 * np.random.default_rng(seed).normal(size=len(exact))


def values() -> Values:
    entries: Values = {}
    samples(entries)
    fits(entries)
    explained(entries)
    mixtures(entries)
    beyond(entries)
    return entries


def samples(entries: Values) -> None:
    """Which texts are asked about, and how often each was drawn."""
    for name in DESIGNS:
        for label, segments in {"one": ONE, "two": TWO}.items():
            drawn = sample_texts(segments, parse_design(name), 40, np.random.default_rng(1))
            put(
                entries,
                f"surrogates/draw/{name}/{label}/texts",
                [[list(part) for part in text] for text in drawn],
            )
            put(entries, f"surrogates/draw/{name}/{label}/times", list(drawn.values()))
    put(
        entries,
        "surrogates/budget",
        [sample_size(size, many) for size in (1, 30, 99, 900) for many in (0, 50)],
    )


def fits(entries: Values) -> None:
    """Fits by both solvers, of a constant, of several classes; rivals; exact recovery."""
    sequences = np.random.default_rng(2).integers(0, UNITS, (60, 3)).tolist()
    counts, answer = counted(sequences), noisy(sequences, 3)
    weight = np.random.default_rng(4).integers(1, 4, 60).astype(float)
    put(entries, "surrogates/fit/default", fit(counts, answer, size=UNITS))
    put(entries, "surrogates/fit/weighted", fit(counts, answer, size=UNITS, weight=weight))
    put(entries, "surrogates/fit/ridge", fit(counts, answer, size=UNITS, ridge=0.01))
    put(
        entries,
        "surrogates/fit/l-bfgs",
        fit(counts, answer, size=UNITS, ridge=0.01, solver="l-bfgs"),
    )
    put(entries, "surrogates/fit/constant", fit(counts, np.ones(60), size=UNITS))
    logits = np.stack([answer, -(answer**2) / 3, noisy(sequences, 9)], axis=1)
    put(entries, "surrogates/joint/default", joint_fit(counts, logits, size=UNITS))
    put(
        entries,
        "surrogates/joint/weighted",
        joint_fit(counts, logits, size=UNITS, weight=weight, ridge=0.1),
    )
    put(entries, "surrogates/rivals/linear", linear(sequences, answer, sequences[:9], UNITS))
    put(entries, "surrogates/rivals/additive", additive(sequences, answer, sequences[:9], UNITS))
    put(
        entries,
        "surrogates/rivals/naive_bayes",
        naive_bayes(sequences, (answer > 0).tolist(), UNITS),
    )
    put(
        entries,
        "surrogates/exact/slalom",
        recover(lambda queries: predict(counted(queries), *parameters()), UNITS),
    )
    put(entries, "surrogates/exact/noisy", recover(lambda queries: noisy(queries, 6), UNITS))


def explained(entries: Values) -> None:
    """From a text to its surrogate, by every design."""
    for name in DESIGNS:
        how = parse_design(name)
        for label, segments in {"one": ONE, "two": TWO}.items():
            queries = plan_queries(segments, how, 90, np.random.default_rng(7))
            flat = [[unit for part in text for unit in part] for text in queries.texts]
            answer = noisy(flat, 8, UNITS if how.context else None)
            surrogate = fit_answers(queries, answer, np.random.default_rng(9))
            key = f"surrogates/explained/{name}/{label}"
            put(entries, key, surrogate)
            units = np.array([unit for part in segments for unit in part])
            reported = dict(details(surrogate, units, np.arange(len(units))))
            reported |= {"position": reported.pop("unit_position")}
            del reported["gap"]  # stated since
            put(entries, f"{key}/details", reported)
            for kind in SCORES:
                put(entries, f"{key}/scores/{kind}", position_scores(surrogate, units, kind))
    put(
        entries,
        "surrogates/explained/exact",
        recover_surrogate(ONE, lambda queries: predict(counted(queries), *parameters())),
    )


def mixtures(entries: Values) -> None:
    """Scores of a text under a given SLALOM, with and without a context."""
    importance, value = parameters(11)
    put(entries, "surrogates/shares", shares(counted([[0, 1, 1], [2, 3, 4]]), importance))
    for name, context in {"plain": None, "context": (0.2, -0.5)}.items():
        mixture = Mixture(importance[[0, 1, 1, 2]], value[[0, 1, 1, 2]], context)
        for kind in SCORES:
            put(entries, f"surrogates/mixture/{name}/{kind}", score(kind, mixture))
        for gone in ([True, False, False, False], [False, True, True, False]):
            put(
                entries,
                f"surrogates/mixture/{name}/without {gone}",
                text_without(mixture, np.array(gone)),
            )


def beyond(entries: Values) -> None:
    """A transformer that is a SLALOM, a corpus, a function of texts; texts without some words."""
    model = slalom_transformer()
    for at, attribution in enumerate(
        explain(model, ["the great film", "the bad bad film fine"], "slalom")
    ):
        keep(entries, f"surrogates/planted/{at}", attribution)
        put(entries, f"surrogates/planted/{at}/without", without(attribution, ["the"]))
    for unit in ("token", "word"):
        bert = shared("bert", "text-classification")
        corpus = fit_corpus(bert, SINGLE[:4], "name", unit=unit)
        put(entries, f"surrogates/corpus/{unit}", corpus)
        put(entries, f"surrogates/corpus/{unit}/table", corpus.to_pandas())
    choices: tuple[dict[str, Any], ...] = (
        {}, {"score": "removal", "design": "mix+context"}, {"design": "exact"},
    )  # fmt: skip
    for choice in choices:
        label = " ".join(f"{name}={value}" for name, value in choice.items()) or "default"
        attempt(entries, f"surrogates/function/{label}", partial(_function, choice))


def _function(choice: dict[str, Any]) -> dict[str, Any]:
    (attribution,) = explain_function(
        _probability, " ".join(WORDS), labels=("no", "yes"), options=choice
    )
    kept: Values = {}
    keep(kept, "function", attribution)
    return {key.partition("/")[2]: value for key, value in kept.items()}


def _probability(queries: list[str]) -> list[float]:
    """A function of texts that counts letters."""
    return [
        1 / (1 + np.exp(2 - 0.3 * text.count("e") - 0.1 * text.count("d ") * len(text) ** 0.5))
        for text in queries
    ]
