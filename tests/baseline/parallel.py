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
MEASURED = {name: name.lower() for name in ["C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift"]}
"""Columns of a stored pair by the names of the measures that they were when recorded."""
MISSING = {
    "C_rand": "no model with random weights was explained",
    "C_mis": "there is no other text",
}
"""Reasons of undefined measures that stored pairs leave to the reader."""


def values() -> Values:
    found: Values = {}
    numbers(found)
    pairs(found)
    tables(found)
    compared(found)
    return found


def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of six and eight units and their similarity."""
    rng = np.random.default_rng(21)
    return rng.normal(size=6), rng.normal(size=8), rng.uniform(-0.3, 1, (6, 8))


def numbers(found: Values) -> None:
    """Weights under all norms, the transport, and one pair of texts with its nulls."""
    one, two, alike = drawn()
    for norm in NORMS:
        put(found, f"consistency/weights/{norm}", weights(one, norm))
    share, other = np.abs(one) / np.abs(one).sum(), np.abs(two) / np.abs(two).sum()
    value, plan = transport(share, other, alike)
    put(found, "consistency/transport", {"value": value, "plan": plan})
    put(found, "consistency/worth", transport_value(share, other, np.clip(alike, 0, 1)))
    put(found, "consistency/uniform", [uniform(alike), uniform(alike[:, :6])])
    null = permuted(share[:, None], other[:, None], np.clip(alike, 0, 1), None, 7, ("a", 1))
    put(found, "consistency/permuted", null)
    segments = ([0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1])
    for told, given in {"joint": None, "blocked": segments}.items():
        for norm, pair in sensitivity(one, two, alike, segments=given, key=(3, "x")).items():
            put_pair(found, f"consistency/pair/{told}/{norm}", pair)
    put_pair(found, "consistency/pair/zero", consistency(np.zeros(6), two, alike))
    put_pair(found, "consistency/pair/equal", consistency(one, one, np.eye(6), permutations=0))
    put(found, "consistency/kappa", kappa(0.5, 0.2, 0.9))
    links = mutual_links(alike)
    more = itermax(alike)
    put(
        found,
        "consistency/links",
        {"mutual": links, "itermax": more, "linked": link_similarity(links, alike.shape)},
    )
    put(
        found,
        "consistency/carried",
        [carry_over(two, more, 6), carry_over(two, more, 6, split=True)],
    )
    put(found, "consistency/rank_agreement", rank_agreement(one, two, more))


def put_pair(found: Values, key: str, pair: Any) -> None:
    put(found, key, pair)
    derived = {name: getattr(pair, name) for name in ("ceil", "lift", "kappa", "kappa_reason")}
    put(found, key, derived)


@cache
def texts() -> Mapping[str, list[Example]]:
    return {lang: builtin.read("topic", lang, "test", 6) for lang in LANGS}


@cache
def rows(target: str = "source") -> list[UnitScores]:
    """A small parallel corpus, explained."""
    model = shared("xlm-roberta", "text-classification")
    return explain_translations(model, texts(), "en", target=TARGETS[target], method="input_x_gradient")


def pairs(found: Values) -> None:
    """The explained words, and what intervals resample."""
    for target in ("source", "own"):
        for row in rows(target):
            put(found, f"consistency/rows/{target}/{row.id}/{row.lang}", row)
    every = [row for each in texts().values() for row in each]
    put(found, "consistency/clusters", clusters([*every, *builtin.read("nli", "en", "test", 6)]))
    put(
        found,
        "consistency/confidences",
        confidences(shared("xlm-roberta", "text-classification"), every[:4]),
    )


def tables(found: Values) -> None:
    """Pairs, lines with intervals, sensitivity over norms and spaces, beside accuracy."""
    model = shared("xlm-roberta", "text-classification")
    random = explain_translations(untrained_model(model), texts(), "en", method="input_x_gradient")
    own = next(iter(load_spaces(SpaceNames(), rows(), "en", model=model).values()))
    gold = in_links([row for each in texts().values() for row in each])
    compares = {"own": in_space(own), "gold": gold}
    made = compare_all(rows(), "en", compares, untrained=random)
    for one in made:
        key = f"consistency/study/{one.space}/{one.settings.norm}"
        put(found, f"{key}/lines", {line.lang: line for line in one.lines})
        put(found, f"{key}/overall", overall(one.lines))
        put(found, f"{key}/beside", {name: with_accuracy(one, name) for name in ("lift", "c")})
        for pair in one.pairs if one.settings.norm in ("abs", "signed") else ():
            put_pair(found, f"{key}/pairs/{pair.lang}/{pair.id}", pair.score)
            rest = {name: getattr(pair, name) for name in PAIR}
            put(found, f"{key}/pairs/{pair.lang}/{pair.id}", rest)
    put(found, "consistency/steadiness", {one.lang: one for one in steadiness(made)})
    put(found, "consistency/accuracies", accuracies(made[0].pairs))
    for policy in ("zero", "drop", "identity"):
        settings = Settings(segments="joint", unknown=policy, permutations=5, seed=2)
        made_so = score_pairs(rows("own"), "es", in_space(own, policy), settings=settings)
        put(found, f"consistency/policy/{policy}", summarise(made_so))
    lift = np.random.default_rng(4).normal(0.2, 1, 12)
    put(found, "consistency/sign_flips", sign_flips(lift, list("aabbccddeeff")))


def compared(found: Values) -> None:
    """The pairs that a study keeps, as the measures that they once were."""
    model = shared("xlm-roberta", "text-classification")
    few = {lang: each[:4] for lang, each in texts().items() if lang in ("en", "hi")}
    every = [row for each in few.values() for row in each]
    made = [one for each in few.values() for one in explain(model, each, "occlusion")]
    named = clusters(every)
    scored = [replace(row, cluster=named[row.id]) for row in unit_scores_of(made, confidences(model, every))]
    random = explain_translations(untrained_model(model), few, "en", target=None, method="occlusion")
    specs = {
        "gold": (Spec(gold=True, norms=["abs", "signed"], permutations=5), ()),
        "own": (Spec(untrained=True, permutations=5), random),
    }
    for name, (spec, other) in specs.items():
        comparisons = compare(spec, scored, "en", targets=["hi"], untrained=other, texts=every, model=model)
        kept = [to_rows(each, Origin(model.name, "topic", "occlusion", {}, 0)) for each in comparisons]
        lines = [measure(pair, metric) for pairs in kept for metric in MEASURED for pair in pairs]
        for at, line in enumerate(lines):
            put(found, f"consistency/measures/{name}/{at}", line)


def measure(pair: TranslationPair, metric: str) -> list[Any]:
    """One number of a stored pair as a line of the table of measures."""
    value = float(getattr(pair, MEASURED[metric]))
    why = pair.reason or (MISSING.get(metric, "undefined") if value != value else "")
    return [pair.id, pair.cluster, pair.lang, metric, value, why]
