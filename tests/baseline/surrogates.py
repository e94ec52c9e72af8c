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
    found: Values = {}
    samples(found)
    fits(found)
    explained(found)
    mixtures(found)
    beyond(found)
    return found


def samples(found: Values) -> None:
    """Which texts are asked about, and how often each was drawn."""
    for name in DESIGNS:
        for told, segments in {"one": ONE, "two": TWO}.items():
            drawn = sample_texts(segments, parse_design(name), 40, np.random.default_rng(1))
            put(
                found,
                f"surrogates/draw/{name}/{told}/texts",
                [[list(part) for part in text] for text in drawn],
            )
            put(found, f"surrogates/draw/{name}/{told}/times", list(drawn.values()))
    put(
        found,
        "surrogates/budget",
        [sample_size(size, many) for size in (1, 30, 99, 900) for many in (0, 50)],
    )


def fits(found: Values) -> None:
    """Fits by both solvers, of a constant, of several classes; rivals; exact recovery."""
    sequences = np.random.default_rng(2).integers(0, UNITS, (60, 3)).tolist()
    given, answer = counted(sequences), noisy(sequences, 3)
    weight = np.random.default_rng(4).integers(1, 4, 60).astype(float)
    put(found, "surrogates/fit/default", fit(given, answer, size=UNITS))
    put(found, "surrogates/fit/weighted", fit(given, answer, size=UNITS, weight=weight))
    put(found, "surrogates/fit/ridge", fit(given, answer, size=UNITS, ridge=0.01))
    put(found, "surrogates/fit/l-bfgs", fit(given, answer, size=UNITS, ridge=0.01, solver="l-bfgs"))
    put(found, "surrogates/fit/constant", fit(given, np.ones(60), size=UNITS))
    logits = np.stack([answer, -(answer**2) / 3, noisy(sequences, 9)], axis=1)
    put(found, "surrogates/joint/default", joint_fit(given, logits, size=UNITS))
    put(
        found,
        "surrogates/joint/weighted",
        joint_fit(given, logits, size=UNITS, weight=weight, ridge=0.1),
    )
    put(found, "surrogates/rivals/linear", linear(sequences, answer, sequences[:9], UNITS))
    put(found, "surrogates/rivals/additive", additive(sequences, answer, sequences[:9], UNITS))
    put(found, "surrogates/rivals/naive_bayes", naive_bayes(sequences, (answer > 0).tolist(), UNITS))
    put(
        found,
        "surrogates/exact/slalom",
        recover(lambda asked: predict(counted(asked), *parameters()), UNITS),
    )
    put(found, "surrogates/exact/noisy", recover(lambda asked: noisy(asked, 6), UNITS))


def explained(found: Values) -> None:
    """From a text to its surrogate, by every design."""
    for name in DESIGNS:
        how = parse_design(name)
        for told, segments in {"one": ONE, "two": TWO}.items():
            asked = plan_queries(segments, how, 90, np.random.default_rng(7))
            flat = [[unit for part in text for unit in part] for text in asked.texts]
            answer = noisy(flat, 8, UNITS if how.context else None)
            one = fit_answers(asked, answer, np.random.default_rng(9))
            key = f"surrogates/explained/{name}/{told}"
            put(found, key, one)
            units = np.array([unit for part in segments for unit in part])
            put(found, f"{key}/details", details(one, units, np.arange(len(units))))
            for kind in SCORES:
                put(found, f"{key}/scores/{kind}", position_scores(one, units, kind))
    put(
        found,
        "surrogates/explained/exact",
        recover_surrogate(ONE, lambda asked: predict(counted(asked), *parameters())),
    )


def mixtures(found: Values) -> None:
    """Scores of a text under a given SLALOM, with and without a context."""
    importance, value = parameters(11)
    put(found, "surrogates/shares", shares(counted([[0, 1, 1], [2, 3, 4]]), importance))
    for name, context in {"plain": None, "context": (0.2, -0.5)}.items():
        one = Mixture(importance[[0, 1, 1, 2]], value[[0, 1, 1, 2]], context)
        for kind in SCORES:
            put(found, f"surrogates/mixture/{name}/{kind}", score(kind, one))
        for gone in ([True, False, False, False], [False, True, True, False]):
            put(
                found,
                f"surrogates/mixture/{name}/without {gone}",
                text_without(one, np.array(gone)),
            )


def beyond(found: Values) -> None:
    """A transformer that is a SLALOM, a corpus, a function of texts; texts without some words."""
    model = slalom_transformer()
    for at, one in enumerate(explain(model, ["the great film", "the bad bad film fine"], "slalom")):
        keep(found, f"surrogates/planted/{at}", one)
        put(found, f"surrogates/planted/{at}/without", without(one, ["the"]))
    for unit in ("token", "word"):
        bert = shared("bert", "text-classification")
        made = fit_corpus(bert, SINGLE[:4], "name", unit=unit)
        put(found, f"surrogates/corpus/{unit}", made)
        put(found, f"surrogates/corpus/{unit}/table", made.to_pandas())
    choices: tuple[dict[str, Any], ...] = (
        {}, {"score": "removal", "design": "mix+context"}, {"design": "exact"},
    )  # fmt: skip
    for given in choices:
        told = " ".join(f"{name}={value}" for name, value in given.items()) or "default"
        attempt(found, f"surrogates/function/{told}", partial(_function, given))


def _function(given: dict[str, Any]) -> dict[str, Any]:
    (one,) = explain_function(_probability, " ".join(WORDS), labels=("no", "yes"), options=given)
    kept: Values = {}
    keep(kept, "function", one)
    return {key.partition("/")[2]: value for key, value in kept.items()}


def _probability(made: list[str]) -> list[float]:
    """A function of texts that counts letters."""
    return [1 / (1 + np.exp(2 - 0.3 * text.count("e") - 0.1 * text.count("d ") * len(text) ** 0.5)) for text in made]
