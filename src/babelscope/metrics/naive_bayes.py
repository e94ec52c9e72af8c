"""Do the scores agree with how often a unit occurs in the texts of a class? The model is not
queried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from babelscope.data import sources
from babelscope.data.examples import usable_examples
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.files import canonical
from babelscope.metrics.erased import SIGNS, Scores, ranked, units
from babelscope.model.encode import encode_readable
from babelscope.model.load import Model
from babelscope.model.targets import name
from babelscope.types import Encoded, Example, Measured, Target

Unit = tuple[str, ...]
"""The tokens of a unit."""
Counts = Mapping[str, Mapping[Unit, int]]
"""By label, how often each unit occurs."""


def naive_bayes_agreement(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "token",
    texts: Any = None,
    smoothing: float = 20.0,
    against: str = "signed",
) -> list[Measured]:
    """Rank agreement of the scores with the evidence of naive Bayes for the explained class; higher
    is better.

        rho( a_u, b_u ) over the distinct units u of the text,
        b_u = log( (N_u+ + smoothing) / (N_u- + smoothing) )

    rho Spearman's correlation, N_u+ the occurrences of u in the labelled `texts` of the explained
    class, N_u- those in all others; of a unit that occurs twice the first score counts. `texts` is
    a name (a file, or CORPUS/LANG/SPLIT/COUNT), what the `data` of a task is in a study (a
    mapping), or in a study "train": what the task's models are trained on. `against` "abs" compares
    with |b_u|: for scores without a sign, such as SLALOM's importance.

    *Laws*: within [-1, 1]; 1 for b itself and -1 for the negated; unchanged by strictly increasing
    maps of the scores; exchanging the classes negates it; undefined (NaN) without texts, for a
    single distinct unit, and where all scores or all b are equal.
    *Left open by the paper*: ties get their mean rank; more than two classes are one against the
    others.
    Source: Leemann et al. 2024 (SLALOM), table 2a, with 5000 training texts and smoothing 20.
    """
    if against not in SIGNS:
        raise InputError(f"against {against!r} is not one of: {', '.join(SIGNS)}")
    if smoothing <= 0:
        raise InputError(f"smoothing must be above 0, not {smoothing}")
    if not texts:
        return [Measured(nan, "no labelled texts are named: give the option texts")] * len(inputs)
    counts = unit_counts(model, texts, unit)
    results = []
    for row, attributed, target in zip(inputs, scores, targets):
        _, reason = ranked(row, attributed, unit)
        label = name(model, row, target)
        if not reason and label not in counts:
            reason = f"no labelled text is of the class {label!r}; there are: {', '.join(counts)}"
        if reason:
            results.append(Measured(nan, reason))
            continue
        listed = unit_tokens(row, unit)
        firsts = [listed.index(each) for each in dict.fromkeys(listed)]
        evidence = np.array([bayes(counts, label, listed[at], smoothing) for at in firsts])
        chosen = np.asarray(attributed, dtype=np.float64)[firsts]
        results.append(_agreement(chosen, np.abs(evidence) if against == "abs" else evidence))
    return results


def bayes(counts: Counts, label: str, unit: Unit, smoothing: float) -> float:
    """log( (N+ + smoothing) / (N- + smoothing) ) of one unit."""
    inside = counts[label].get(unit, 0)
    outside = sum(each.get(unit, 0) for other, each in counts.items() if other != label)
    return log(inside + smoothing) - log(outside + smoothing)


def unit_tokens(row: Encoded, unit: str) -> list[Unit]:
    """The tokens of every unit of a text, in the order of its units."""
    owner, count = units(row, unit)
    listed: list[list[str]] = [[] for _ in range(count)]
    for token, at in zip(row.tokens, owner.tolist()):
        if at >= 0:
            listed[at].append(token)
    return [tuple(tokens) for tokens in listed]


def unit_counts(model: Model, texts: Any, unit: str) -> Counts:
    """How often each unit occurs in the labelled texts of each class; counted once per model."""
    known = model.inference.unit_counts
    key = canonical([texts, unit])
    if key not in known:
        counts: dict[str, Counter[Unit]] = {}
        encoded, _ = encode_readable(model, labelled_texts(texts))
        for row in encoded:
            counts.setdefault(str(row.example.label), Counter()).update(unit_tokens(row, unit))
        known[key] = counts
    return known[key]


def labelled_texts(texts: Any) -> list[Example]:
    """The labelled examples that the option names."""
    if isinstance(texts, str):
        rows = sources.rows(texts)
    elif isinstance(texts, Mapping):
        data = DataSpec.model_validate(dict(texts))
        lang = (data.languages or ["en"])[0]
        rows = usable_examples(data, lang, labelled=True).rows
    else:
        raise InputError(f"texts must be a name or a mapping, not {type(texts).__name__}")
    labelled = [row for row in rows if row.label is not None]
    if len({row.label for row in labelled}) < 2:
        raise InputError(f"{texts}: naive Bayes needs labelled texts of two classes or more")
    return labelled


def _agreement(scores: NDArray[np.float64], evidence: NDArray[np.float64]) -> Measured:
    if len(scores) < 2:
        return Measured(nan, "the text has one distinct unit")
    for what, values in (("scores", scores), ("counts of the classes", evidence)):
        if np.ptp(values) == 0:
            return Measured(nan, f"all {what} are equal")
    return Measured(float(spearmanr(scores, evidence).statistic))
