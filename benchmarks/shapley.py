"""Shapley values against shap's: the queries and the CPU time for an equal error against the exact
values.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from unittest.mock import patch

import numpy as np
import shap
import torch

from babelscope.methods import shapley, surrogates
from babelscope.methods.coalitions import every, values
from babelscope.methods.explain import explain_encoded
from babelscope.methods.shapley import (
    _allowed,
    _beside,
    _halves,
    _owen,
    _set_count,
    _shapley,
    _tree,
)
from babelscope.model import inference
from babelscope.model.encode import encode_readable
from babelscope.model.erase import default_operator, erase
from babelscope.model.load import Model
from babelscope.model.targets import predicted, value
from babelscope.model.units import players
from babelscope.types import Encoded, Example, Explained, Target
from benchmarks import material
from benchmarks.timing import table

WORDS, LONGER = range(9, 12), range(18, 27)
"""Texts of so many words: all sets of them can be queried; and all sets that a tree allows."""
TEXTS = {"mini-multilingual": 4, "gte-small": 2, "chineseharm-bert": 2}
SEEDS = 8
FEWER_SEEDS = {"partition_shapley": 2, "PartitionExplainer": 1}
"""Where a seed changes little, or nothing."""
PAIRS = {
    "kernel_shap": "KernelExplainer",
    "permutation_shapley": "PermutationExplainer",
    "partition_shapley": "PartitionExplainer",
}
BUDGETS = {
    "kernel_shap": (40, 60, 90, 130, 190, 280, 400, 560), "KernelExplainer": (60, 100, 170, 280, 460, 760, 1200),
    "permutation_shapley": (3, 4, 6, 8, 12, 16, 24, 32), "PermutationExplainer": (2, 4, 8, 16, 32, 64, 128),
    "partition_shapley": (24, 84, 130, 176, 220, 270, 512), "PartitionExplainer": (48, 80, 120, 180, 230, 270, 330, 512),
}  # fmt: skip
"""Samples or evaluations, of permutation methods orders."""
FUNCTIONS = {
    "kernel_shap": surrogates.kernel_shap,
    "permutation_shapley": shapley.permutation_shapley,
    "partition_shapley": shapley.partition_shapley,
}
OPTIONS = {
    "kernel_shap": "samples",
    "permutation_shapley": "permutations",
    "partition_shapley": "samples",
}
TIMED = {"mini-multilingual": 2, "gte-small": 1}
"""Texts on which CPU time is measured; on the largest model it would take minutes."""
EXACT = 1e-6
"""Errors below are of rounding."""
ERRORS = (0.2, 0.1, 0.05, 0.01)
GOAL = 0.1
"""The error of the sentence that comes first."""


@dataclass(frozen=True, slots=True)
class Text:
    """An input with words as units, its target, the values of its sets and the exact scores."""

    row: Encoded
    target: Target
    values: dict[bytes, float]
    exact: np.ndarray

    def look_up(self, kept: np.ndarray) -> np.ndarray:
        return np.array([self.values[row.tobytes()] for row in np.asarray(kept) > 0.5])


@dataclass(frozen=True, slots=True)
class Spent:
    """Mean over texts and seeds: distinct inputs, CPU seconds, and root mean squared error."""

    queries: float
    seconds: float
    error: float


def texts(model: Model, examples: Sequence[Example], count: int, *, owen: bool) -> list[Text]:
    """Those whose Shapley values are exact, or whose Owen values are."""
    chosen: list[Text] = []
    for row in encode_readable(model, examples, part="all", long="truncate", unit="word")[0]:
        n = len(row.words)
        if n not in (LONGER if owen else WORDS) or len(chosen) == count:
            continue
        (output,) = inference.outputs(model, [inference.query(row)])
        target = predicted(model, row, output)
        beside = dict(_beside(_tree(row)))
        sets = _allowed(beside) if owen else every(n)
        (amounts,) = values(model, [row], [target], [sets], None)
        exact = _owen(beside, amounts) if owen else _shapley(sets, amounts)
        known = dict(zip((each.tobytes() for each in sets), amounts.tolist()))
        chosen.append(Text(row, target, known, exact))
    return chosen


def answers(model: Model, text: Text) -> Callable[[np.ndarray], np.ndarray]:
    """The value of sets of words as a user of shap writes it: the words of each row replaced by the
    mask token, in batches of 64 of one length, with torch and the model alone.
    """
    operator = default_operator(model)
    ids = torch.from_numpy(text.row.ids)
    places = torch.from_numpy(players(text.row).copy())
    content = torch.from_numpy(text.row.content)
    (masked,) = [erase(model, text.row, text.row.content, operator)]
    filler = int(masked.ids[text.row.content][0])

    def call(present: np.ndarray) -> np.ndarray:
        found = []
        with torch.no_grad():
            for part in torch.from_numpy(np.asarray(present) > 0.5).split(64):
                batch = ids.repeat(len(part), 1)
                batch[:, content] = torch.where(part[:, places], batch[:, content], filler)
                logits = model.hf(input_ids=batch, attention_mask=torch.ones_like(batch)).logits
                found += [float(value(model, row.double(), text.target)) for row in logits]
        return np.array(found)

    return call


def linkage(n: int) -> np.ndarray:
    """The tree of partition_shapley, halves of the words, as scipy writes hierarchies."""
    rows: list[list[float]] = []

    def place(part: object) -> tuple[int, int, int]:
        if isinstance(part, int):
            return part, 0, 1
        left, right = (place(each) for each in part)  # type: ignore[attr-defined]
        rows.append([left[0], right[0], max(left[1], right[1]) + 1, left[2] + right[2]])
        return n + len(rows) - 1, max(left[1], right[1]) + 1, left[2] + right[2]

    place(_halves(list(range(n))))
    return np.array(rows, dtype=float)


def theirs(
    name: str, play: Callable[[np.ndarray], np.ndarray], n: int, budget: int, seed: int
) -> np.ndarray:
    nothing, everything = np.zeros((1, n)), np.ones((1, n))
    np.random.seed(seed)  # noqa: NPY002 (shap samples from the global generator)
    if name == "KernelExplainer":
        explainer = shap.KernelExplainer(play, nothing)
        return np.asarray(
            explainer.shap_values(everything[0], nsamples=budget, l1_reg=False, silent=True)
        )
    if name == "PermutationExplainer":
        most = budget * 2 * n + 1
        return np.asarray(
            shap.PermutationExplainer(play, nothing, seed=seed)(
                everything, max_evals=most, silent=True
            ).values[0]
        )
    masker = shap.maskers.Partition(nothing, clustering=linkage(n))
    explainer = shap.PartitionExplainer(play, masker)
    return np.asarray(explainer(everything, max_evals=budget, silent=True).values[0])


def looked_up(text: Text, name: str, budget: int, seed: int) -> tuple[int, np.ndarray]:
    """Distinct inputs of one explanation and the scores of the words, with the values that are
    known."""
    seen: set[bytes] = set()

    def watched(kept: np.ndarray) -> np.ndarray:
        seen.update(row.tobytes() for row in np.asarray(kept) > 0.5)
        return text.look_up(kept)

    n = len(text.exact)
    if name not in PAIRS:
        scores = theirs(name, watched, n, budget, seed)
        return len(seen), scores

    def known(_: object, __: object, ___: object, kept: list[np.ndarray], ____: object) -> object:
        return [watched(kept[0])]

    def plain(_: object, __: object, ___: object, scores: np.ndarray, *____: object) -> Explained:
        return Explained(scores)

    module = sys.modules[FUNCTIONS[name].__module__]
    with patch.object(module, "values", known), patch.object(module, "explained", plain):
        options = {OPTIONS[name]: budget, "seed": seed}
        (result,) = FUNCTIONS[name](None, [text.row], [text.target], **options)
    return len(seen), np.asarray(result.scores)


def seconds(model: Model, text: Text, name: str, budget: int) -> float:
    """CPU seconds of one explanation by the model itself."""
    begin = time.process_time()
    if name in PAIRS:
        options = {OPTIONS[name]: budget}
        explain_encoded(model, [text.row], name, options=options, quantity=text.target.quantity)
    else:
        theirs(name, answers(model, text), len(text.exact), budget, 0)
    return time.process_time() - begin


def curve(model: Model, some: Sequence[Text], name: str) -> list[Spent]:
    """What every budget costs and reaches."""
    spent = []
    if model.name in TIMED:
        seconds(model, some[0], name, BUDGETS[name][0])  # for warming up
    for budget in BUDGETS[name]:
        runs = [
            (looked_up(text, name, budget, seed), text)
            for text in some
            for seed in range(FEWER_SEEDS.get(name, SEEDS))
        ]
        errors = [
            np.mean((scores - text.exact) ** 2) / np.mean(text.exact**2)
            for (_, scores), text in runs
        ]
        timed = some[: TIMED.get(model.name, 0)]
        taken = sum(seconds(model, text, name, budget) for text in timed)
        queries = float(np.mean([each for (each, _), _ in runs]))
        spent.append(
            Spent(queries, taken / len(timed) if timed else nan, float(np.sqrt(np.mean(errors))))
        )
    return spent


def needed(spent: Sequence[Spent], error: float) -> Spent | None:
    """What an error costs, between budgets on straight lines of logarithms; None beyond the ends.

    No line leads to exact scores: there an error costs what they cost.
    """
    reached = np.minimum.accumulate([each.error for each in spent])
    if not reached[-1] <= error <= reached[0]:
        return None
    at = max(1, int(np.argmax(reached <= error)))
    if reached[at] < EXACT:
        return spent[at]
    logs = np.log(reached[at - 1 : at + 1])
    share = 1.0 if logs[0] == logs[1] else float((logs[0] - np.log(error)) / (logs[0] - logs[1]))
    first, second = spent[at - 1], spent[at]
    costs = [
        float(np.exp((1 - share) * np.log(low) + share * np.log(high)))
        for low, high in ((first.queries, second.queries), (first.seconds, second.seconds))
    ]
    return Spent(costs[0], costs[1], error)


def lines(name: str, model: Model, examples: Sequence[Example]) -> Iterator[list[object]]:
    count = TEXTS.get(name, 3)
    shapley_texts, owen_texts = (texts(model, examples, count, owen=owen) for owen in (False, True))
    for ours, their in PAIRS.items():
        some = owen_texts if ours == "partition_shapley" else shapley_texts
        left, right = curve(model, some, ours), curve(model, some, their)
        print(name, ours, left, right, file=sys.stderr, flush=True)
        for error in ERRORS:
            yield [name, f"`{ours}`", f"{error:.0%}", *_cells(left, right, error)]


def _cells(left: Sequence[Spent], right: Sequence[Spent], error: float) -> list[str]:
    """Inputs of both sides and their ratios; a dash where a side does not reach the error."""
    ours, theirs_ = needed(left, error), needed(right, error)
    cells = ["-" if each is None else f"{each.queries:.0f}" for each in (ours, theirs_)]
    bound = "" if theirs_ is not None else "above "
    reached = theirs_ if theirs_ is not None else right[-1]
    if ours is None or (theirs_ is None and reached.error <= error):
        return [*cells, "-", "-"]
    ratios = reached.queries / ours.queries, reached.seconds / ours.seconds
    return cells + ["-" if isnan(each) else f"{bound}{each:.1f}" for each in ratios]


def factors(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """At that error, of every method the ratios of inputs on the models where both reach it."""
    for name in PAIRS:
        ratios = [
            f"{row[5]} ({row[0]})"
            for row in rows
            if row[1] == f"`{name}`" and row[2] == f"{GOAL:.0%}" and row[5] != "-"
        ]
        yield f"{name} {', '.join(ratios) or '-'}"


def section() -> str:
    torch.set_num_threads(1)
    rows: list[list[object]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model, examples in material.classifiers():
            rows += lines(name, model, examples)
    head = [
        "model", "method", "error", "our inputs", "shap's", "inputs, shap's / ours",
        "CPU time, shap's / ours",
    ]  # fmt: skip
    return f"""## Shapley values at an equal error

**At an error of {GOAL:.0%}, shap takes so many times the inputs of ours: {"; ".join(factors(rows))}.**

Both sides explain the logit of the predicted class, erase words with the model's mask token, and query the same model on one thread: shap through a function that puts the mask token into
prepared token ids and queries the model in batches of 64, without padding and without anything of ours. Of shap: `KernelExplainer` (`l1_reg=False`) and `PermutationExplainer` on texts of
{WORDS.start} to {WORDS.stop - 1} words, against the Shapley values of all sets of words; and `PartitionExplainer` with the tree of `partition_shapley` on texts of {LONGER.start} to {LONGER.stop - 1} words,
against the Owen values of that tree from all sets that it allows. The error is the root mean squared one over the words, relative to the exact scores, over {SEEDS} seeds ({", ".join(f"{name}: {count}" for name, count in FEWER_SEEDS.items())}) and all texts
({", ".join(f"{name}: {count}" for name, count in TEXTS.items())}, where there are as many of the length). Every method ran with seven or eight budgets; what an error costs lies between two of these, on straight lines of logarithms, or is what exact scores cost, where the larger
budget has these. Inputs are distinct ones. CPU time is of whole calls, of one or two texts ({", ".join(TIMED)}).

{table(head, rows)}

A dash: the error was not reached with the largest budget ({", ".join(f"{name} {BUDGETS[name][-1]}" for name in BUDGETS)}; orders for the permutation methods), or already with the smallest; *above*: shap's
largest budget does not reach it.

For exact Owen values both query the same sets, {_set_count(_halves(list(range(26))))} for 26 words, which is below the default of 512 samples; with fewer samples `partition_shapley` infers the values of the
other sets, and shap splits the largest effects first.
{material.absent()}"""
