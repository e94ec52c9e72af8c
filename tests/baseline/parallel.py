"""Consistency of explanations between translations: pairs, nulls, ceilings, tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from babelscope import corpus as builtin
from babelscope.analyses.consistency.comparisons import compare_all, score_pairs
from babelscope.analyses.consistency.gold_links import in_links
from babelscope.analyses.consistency.links import (
    carry_over,
    itermax,
    link_similarity,
    mutual_links,
    rank_agreement,
)
from babelscope.analyses.consistency.load_spaces import SpaceNames, load_spaces
from babelscope.analyses.consistency.model_spaces import untrained_model
from babelscope.analyses.consistency.nulls import permuted, uniform
from babelscope.analyses.consistency.pairs import Settings, in_space
from babelscope.analyses.consistency.score import consistency, kappa, sensitivity
from babelscope.analyses.consistency.sensitivity import accuracies, steadiness, with_accuracy
from babelscope.analyses.consistency.spec import Spec
from babelscope.analyses.consistency.stored_pairs import Origin, to_rows
from babelscope.analyses.consistency.summary import overall, sign_flips, summarise
from babelscope.analyses.consistency.translations import (
    confidences,
    explain_translations,
    unit_scores_of,
)
from babelscope.analyses.consistency.transport import transport, transport_value
from babelscope.analyses.consistency.units import compare
from babelscope.analyses.consistency.weights import NORMS, weights
from babelscope.data.independence import clusters
from babelscope.methods.explain import explain
from babelscope.types import Example, TranslationPair, UnitScores
from baseline.values import Values, put
from zoo import shared

LANGS = ("en", "es", "hi", "zh")
TARGETS = {"source": "source", "own": None}
"""What is explained in a translation; its own prediction was called "own"."""
PAIR = (
    "id", "lang", "c_mis", "c_rand", "coverage_s", "coverage_t", "same_prediction",
    "correct_s", "correct_t", "confidence_s", "confidence_t", "cluster",
)  # fmt: skip
"""What was recorded of a pair beside its score."""
MEASURED = {
    name: name.lower() for name in ["C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift"]
}
"""Columns of a stored pair by the names of the measures that they were when recorded."""
MISSING = {
    "C_rand": "no model with random weights was explained",
    "C_mis": "there is no other text",
}
"""Reasons of undefined measures that stored pairs leave to the reader."""


def values() -> Values:
    entries: Values = {}
    numbers(entries)
    pairs(entries)
    tables(entries)
    compared(entries)
    return entries


def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of six and eight units and their similarity."""
    rng = np.random.default_rng(21)
    return rng.normal(size=6), rng.normal(size=8), rng.uniform(-0.3, 1, (6, 8))


def numbers(entries: Values) -> None:
    """Weights under all norms, the transport, and one pair of texts with its nulls."""
    left, right, alike = drawn()
    for norm in NORMS:
        put(entries, f"consistency/weights/{norm}", weights(left, norm))
    share, other = np.abs(left) / np.abs(left).sum(), np.abs(right) / np.abs(right).sum()
    value, plan = transport(share, other, alike)
    put(entries, "consistency/transport", {"value": value, "plan": plan})
    put(entries, "consistency/worth", transport_value(share, other, np.clip(alike, 0, 1)))
    put(entries, "consistency/uniform", [uniform(alike), uniform(alike[:, :6])])
    null = permuted(share[:, None], other[:, None], np.clip(alike, 0, 1), None, 7, ("a", 1))
    put(entries, "consistency/permuted", null)
    segments = ([0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1])
    for label, sides in {"joint": None, "blocked": segments}.items():
        for norm, pair in sensitivity(left, right, alike, segments=sides, key=(3, "x")).items():
            put_pair(entries, f"consistency/pair/{label}/{norm}", pair)
    put_pair(entries, "consistency/pair/zero", consistency(np.zeros(6), right, alike))
    put_pair(entries, "consistency/pair/equal", consistency(left, left, np.eye(6), permutations=0))
    put(entries, "consistency/kappa", kappa(0.5, 0.2, 0.9))
    links = mutual_links(alike)
    more = itermax(alike)
    put(
        entries,
        "consistency/links",
        {"mutual": links, "itermax": more, "linked": link_similarity(links, alike.shape)},
    )
    put(
        entries,
        "consistency/carried",
        [carry_over(right, more, 6), carry_over(right, more, 6, split=True)],
    )
    put(entries, "consistency/rank_agreement", rank_agreement(left, right, more))


def put_pair(entries: Values, key: str, pair: Any) -> None:
    put(entries, key, pair)
    derived = {name: getattr(pair, name) for name in ("ceil", "lift", "kappa", "kappa_reason")}
    put(entries, key, derived)


@cache
def texts() -> Mapping[str, list[Example]]:
    return {lang: builtin.read("topic", lang, "test", 6) for lang in LANGS}


@cache
def rows(target: str = "source") -> list[UnitScores]:
    """A small parallel corpus, explained."""
    model = shared("xlm-roberta", "text-classification")
    return explain_translations(
        model, texts(), "en", target=TARGETS[target], method="input_x_gradient"
    )


def pairs(entries: Values) -> None:
    """The explained words, and what intervals resample."""
    for target in ("source", "own"):
        for row in rows(target):
            put(entries, f"consistency/rows/{target}/{row.id}/{row.lang}", row)
    every = [row for each in texts().values() for row in each]
    put(entries, "consistency/clusters", clusters([*every, *builtin.read("nli", "en", "test", 6)]))
    put(
        entries,
        "consistency/confidences",
        confidences(shared("xlm-roberta", "text-classification"), every[:4]),
    )


def tables(entries: Values) -> None:
    """Pairs, lines with intervals, sensitivity over norms and spaces, beside accuracy."""
    model = shared("xlm-roberta", "text-classification")
    random = explain_translations(untrained_model(model), texts(), "en", method="input_x_gradient")
    space = next(iter(load_spaces(SpaceNames(), rows(), "en", model=model).values()))
    gold = in_links([row for each in texts().values() for row in each])
    compares = {"own": in_space(space), "gold": gold}
    comparisons = compare_all(rows(), "en", compares, untrained=random)
    for comparison in comparisons:
        key = f"consistency/study/{comparison.space}/{comparison.settings.norm}"
        put(entries, f"{key}/lines", {line.lang: line for line in comparison.lines})
        put(entries, f"{key}/overall", overall(comparison.lines))
        put(
            entries,
            f"{key}/beside",
            {name: with_accuracy(comparison, name) for name in ("lift", "c")},
        )
        for pair in comparison.pairs if comparison.settings.norm in ("abs", "signed") else ():
            put_pair(entries, f"{key}/pairs/{pair.lang}/{pair.id}", pair.score)
            rest = {name: getattr(pair, name) for name in PAIR}
            put(entries, f"{key}/pairs/{pair.lang}/{pair.id}", rest)
    put(
        entries,
        "consistency/steadiness",
        {comparison.lang: comparison for comparison in steadiness(comparisons)},
    )
    put(entries, "consistency/accuracies", accuracies(comparisons[0].pairs))
    for policy in ("zero", "drop", "identity"):
        settings = Settings(segments="joint", unknown=policy, permutations=5, seed=2)
        scored = score_pairs(rows("own"), "es", in_space(space, policy), settings=settings)
        put(entries, f"consistency/policy/{policy}", summarise(scored))
    lift = np.random.default_rng(4).normal(0.2, 1, 12)
    put(entries, "consistency/sign_flips", sign_flips(lift, list("aabbccddeeff")))


def compared(entries: Values) -> None:
    """The pairs that a study keeps, as the measures that they once were."""
    model = shared("xlm-roberta", "text-classification")
    few = {lang: each[:4] for lang, each in texts().items() if lang in ("en", "hi")}
    every = [row for each in few.values() for row in each]
    attributions = [
        attribution for each in few.values() for attribution in explain(model, each, "occlusion")
    ]
    named = clusters(every)
    scored = [
        replace(row, cluster=named[row.id])
        for row in unit_scores_of(attributions, confidences(model, every))
    ]
    random = explain_translations(
        untrained_model(model), few, "en", target=None, method="occlusion"
    )
    specs = {
        "gold": (Spec(gold=True, norms=["abs", "signed"], permutations=5), ()),
        "own": (Spec(untrained=True, permutations=5), random),
    }
    for name, (spec, other) in specs.items():
        comparisons = compare(
            spec, scored, "en", targets=["hi"], untrained=other, texts=every, model=model
        )
        kept = [
            to_rows(each, Origin(model.name, "topic", "occlusion", {}, 0)) for each in comparisons
        ]
        lines = [measure(pair, metric) for pairs in kept for metric in MEASURED for pair in pairs]
        for at, line in enumerate(lines):
            put(entries, f"consistency/measures/{name}/{at}", line)


def measure(pair: TranslationPair, metric: str) -> list[Any]:
    """One number of a stored pair as a line of the table of measures."""
    value = float(getattr(pair, MEASURED[metric]))
    why = pair.reason or (MISSING.get(metric, "undefined") if value != value else "")
    return [pair.id, pair.cluster, pair.lang, metric, value, why]
