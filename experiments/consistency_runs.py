"""One study of translations as its page shows it: a run of one model, or a matrix of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import factorial, nan
from typing import Any

from babelscope.analyses.consistency.flips import association
from babelscope.analyses.consistency.model_spaces import untrained_model
from babelscope.analyses.consistency.pairs import Pair
from babelscope.analyses.consistency.sensitivity import matrix_with_accuracy, with_accuracy
from babelscope.analyses.consistency.spec import Spec
from babelscope.analyses.consistency.summary import summarise
from babelscope.analyses.consistency.tables import Tables, tables
from babelscope.analyses.consistency.translations import explain_translations
from babelscope.analyses.consistency.units import compare
from babelscope.data.examples import examples
from babelscope.stats import estimate
from babelscope.study.config import Study
from babelscope.training.models import obtain
from babelscope.types import Estimate
from experiments.files import number, shown
from experiments.study_sets import Filled

COLUMNS = ("c", "lift", "c_unif")
"""What is correlated with accuracy over the languages."""
ASSOCIATIONS = (("flip", "confidence"), ("wrong", "confidence"), ("wrong", "agreement"))
"""Outcomes of a pair, and what is held fixed."""


def run(filled: Filled) -> dict[str, Any]:
    """One model and one method: a line per language, and what goes with the lift."""
    contents = stored_tables(filled)
    (result,), (sensitivity,) = contents.main, contents.sensitivity
    comparison = result.comparison
    untrained = untrained_pairs(filled.study)
    source = source_accuracy(comparison.pairs)
    return {
        "study": filled.description,
        "method": result.origin.method,
        "texts": len({pair.id for pair in comparison.pairs}),
        "clusters": len({pair.cluster for pair in comparison.pairs}),
        "lines": comparison.lines,
        "accuracy": result.accuracy,
        "floors": {
            line.lang: comparison.mean_cosine.get(line.lang, nan) for line in comparison.lines
        },
        "source": source,
        "above_chance": source["accuracy"].low > source["chance"],
        "lifts": [
            (before.means["lift"].mean, line.means["lift"].mean)
            for before, line in zip(summarise(untrained), comparison.lines)
        ],
        "gains": gains(comparison.pairs, untrained),
        "beside": [(name, *with_accuracy(comparison, name)) for name in COLUMNS],
        "associations": [association(comparison.pairs, *names) for names in ASSOCIATIONS],
        "steadiness": sensitivity.rows,
    }


def matrix(filled: Filled) -> dict[str, Any]:
    """Models of several source languages, each compared with the others."""
    (square,) = stored_tables(filled).matrices
    comparisons = [result.comparison for result in square.results]
    sources = [comparison.source for comparison in comparisons]
    shares = {
        (result.comparison.source, lang): number(value, ".3f")
        for result in square.results
        for lang, value in result.accuracy.items()
    }
    lines = {(each.source, line.lang): line for each in comparisons for line in each.lines}
    lifts = {place: shown(line.means["lift"]) for place, line in lines.items()}
    kappas = {place: shown(line.kappa) for place, line in lines.items()}
    return {
        "study": filled.description,
        "sources": sources,
        "tables": {
            name: [
                [source, *(cells.get((source, lang), "–") for lang in sources)]
                for source in sources
            ]
            for name, cells in (("lift", lifts), ("kappa", kappas), ("accuracy", shares))
        },
        "mantel": {"lift": square.mantel, "C": matrix_with_accuracy(comparisons, "c")},
        "least_p": 1 / factorial(len(comparisons)),
    }


def stored_tables(filled: Filled) -> Tables:
    contents = tables(filled.store, filled.description)
    assert contents is not None
    return contents


def source_accuracy(pairs: Sequence[Pair]) -> dict[str, Any]:
    """The accuracy on the source texts that were compared, and the share of their commonest
    class."""
    known = {pair.id: pair for pair in pairs if pair.correct_s is not None}.values()
    right = [float(bool(pair.correct_s)) for pair in known]
    (_, most), *_ = Counter(pair.gold_s for pair in known).most_common(1)
    accuracy = estimate(right, [pair.cluster for pair in known])
    return {"accuracy": accuracy, "chance": most / len(right)}


def untrained_pairs(study: Study) -> Sequence[Pair]:
    """The pairs of the same model with random weights: what agreement owes to the architecture and
    the texts alone."""
    (task,), (model,), (method,) = study.tasks, study.models, study.methods
    source = study.request.source_of(model)
    texts = {lang: examples(task.data, lang) for lang in study.languages}
    rows = explain_translations(
        untrained_model(obtain(model, task.data, study.seeds[0], source)),
        texts,
        source,
        target=task.target,
        method=method.name,
        options=method.options,
    )
    block = Spec.model_validate(study.analyses["consistency"].model_dump() | {"norms": ["abs"]})
    targets = [lang for lang in study.languages if lang != source]
    (comparison,) = compare(block, rows, source, targets=targets)
    return comparison.pairs


def gains(pairs: Sequence[Pair], untrained: Sequence[Pair]) -> dict[str, Estimate]:
    """Per language the lift of the fine-tuned model less that of the untrained one, pair by pair,
    with intervals by cluster; last over all languages."""
    before = {(pair.id, pair.lang): pair.score.lift for pair in untrained}
    known = [pair for pair in pairs if (pair.id, pair.lang) in before]
    by_language = {
        lang: [pair for pair in known if pair.lang == lang]
        for lang in dict.fromkeys(pair.lang for pair in known)
    }
    return {
        lang: estimate(
            [pair.score.lift - before[pair.id, pair.lang] for pair in part],
            [pair.cluster for pair in part],
        )
        for lang, part in (by_language | {"all": known}).items()
    }
