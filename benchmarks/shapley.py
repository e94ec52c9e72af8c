"""Shapley values against shap's: the queries and the CPU time for an equal error against the exact
values.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shap

from babelscope.methods.coalitions import every, values
from babelscope.methods.explain import explain_encoded
from babelscope.methods.shapley import _halves, _shapley
from babelscope.model import inference
from babelscope.model.encode import encode_readable
from babelscope.model.erase import default_operator, erase
from babelscope.model.load import Model
from babelscope.model.targets import predicted, value
from babelscope.model.units import players
from babelscope.types import Encoded, Example, Target
from benchmarks import material
from benchmarks.timing import table

WORDS = range(9, 13)
"""Texts of so many words: all sets of them can be queried."""
TEXTS = {"mini-multilingual": 8, "gte-small": 3, "chineseharm-bert": 3}
SEEDS = 3
PAIRS = {
    "kernel_shap": "KernelExplainer",
    "permutation_shapley": "PermutationExplainer",
    "partition_shapley": "PartitionExplainer",
}
BUDGETS = {
    "kernel_shap": (40, 60, 90, 130, 190, 280), "KernelExplainer": (60, 100, 170, 280, 460, 760),
    "permutation_shapley": (3, 4, 6, 8, 12, 16), "PermutationExplainer": (2, 4, 8, 16, 32, 64),
    "partition_shapley": (24, 48, 96, 192, 512), "PartitionExplainer": (24, 48, 96, 192, 512),
}  # fmt: skip
"""Samples or evaluations, of permutation methods orders."""
OURS = {
    "kernel_shap": "samples",
    "permutation_shapley": "permutations",
    "partition_shapley": "samples",
}


@dataclass(frozen=True, slots=True)
class Text:
    """An input with words as units, its target, the values of all sets and the exact scores."""

    row: Encoded
    target: Target
    amounts: np.ndarray
    exact: np.ndarray


@dataclass(frozen=True, slots=True)
class Spent:
    """Mean over texts and seeds: distinct inputs, CPU seconds, and root mean squared error."""

    queries: float
    seconds: float
    error: float


def texts(model: Model, examples: Sequence[Example], count: int) -> list[Text]:
    found: list[Text] = []
    for row in encode_readable(model, examples, part="all", long="truncate", unit="word")[0]:
        n = len(row.words)
        if n not in WORDS or len(found) == count:
            continue
        (output,) = inference.outputs(model, [inference.query(row)])
        target = predicted(model, row, output)
        (amounts,) = values(model, [row], [target], [every(n)], None)
        found.append(Text(row, target, amounts, _shapley(every(n), amounts)))
    return found


def answers(model: Model, text: Text) -> Callable[[np.ndarray], np.ndarray]:
    """The value of sets of words as a user of shap writes it: the words of each row replaced by the
    mask token, in batches of 64 of one length, with torch and the model alone.
    """
    import torch

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


def run(
    model: Model, text: Text, name: str, budget: int, seed: int
) -> tuple[float, float, np.ndarray]:
    """Distinct inputs of one explanation, its CPU seconds, and the scores of the words."""
    n = len(text.exact)
    if name not in PAIRS:
        play, seen = answers(model, text), set()

        def watched(present: np.ndarray) -> np.ndarray:
            seen.update(row.tobytes() for row in np.asarray(present) > 0.5)
            return play(present)

        begin = time.process_time()
        scores = theirs(name, watched, n, budget, seed)
        return len(seen), time.process_time() - begin, scores
    before = model.inference.distinct
    begin = time.process_time()
    example = replace(
        text.row, example=replace(text.row.example, id=f"{text.row.example.id}/{seed}")
    )
    (attribution,) = explain_encoded(
        model, [example], name, options={OURS[name]: budget}, quantity=text.target.quantity
    )
    seconds = time.process_time() - begin
    by_word = np.zeros(n)
    np.add.at(by_word, players(text.row), attribution.scores)
    return model.inference.distinct - before, seconds, by_word


def curve(model: Model, some: Sequence[Text], name: str) -> list[Spent]:
    """What every budget costs and reaches."""
    found = []
    for budget in BUDGETS[name]:
        runs = [
            (run(model, text, name, budget, seed), text) for text in some for seed in range(SEEDS)
        ]
        errors = [
            np.mean((scores - text.exact) ** 2) / np.mean(text.exact**2)
            for (_, _, scores), text in runs
        ]
        queries, seconds = (float(np.mean([each[at] for each, _ in runs])) for at in (0, 1))
        found.append(Spent(queries, seconds, float(np.sqrt(np.mean(errors)))))
    return found


def needed(spent: Sequence[Spent], error: float) -> Spent | None:
    """What an error costs, between budgets on straight lines of logarithms; None beyond the ends."""
    reached = np.minimum.accumulate([each.error for each in spent])
    if not reached[-1] <= error <= reached[0]:
        return None
    at = max(1, int(np.argmax(reached <= error)))
    logs = np.log(np.maximum(reached[at - 1 : at + 1], 1e-12))
    share = 1.0 if logs[0] == logs[1] else float((logs[0] - np.log(error)) / (logs[0] - logs[1]))
    first, second = spent[at - 1], spent[at]
    costs = [
        float(np.exp((1 - share) * np.log(low) + share * np.log(high)))
        for low, high in ((first.queries, second.queries), (first.seconds, second.seconds))
    ]
    return Spent(costs[0], costs[1], error)


def lines(name: str, model: Model, some: Sequence[Text]) -> Iterator[list[object]]:
    for ours, their in PAIRS.items():
        mine, other = curve(model, some, ours), curve(model, some, their)
        print(name, ours, mine, other, file=sys.stderr, flush=True)
        for error in (0.1, 0.05, 0.02):
            left, right = needed(mine, error), needed(other, error)
            cells: list[object] = [name, f"`{ours}`", f"{error:.0%}"]
            cells += ["-" if each is None else f"{each.queries:.0f}" for each in (left, right)]
            if left is None or right is None:
                ends = [f"{min(each.error for each in spent):.1%}" for spent in (mine, other)]
                yield [*cells, "-", "-", " / ".join(ends)]
                continue
            yield [
                *cells, f"{right.queries / left.queries:.1f}", f"{right.seconds / left.seconds:.1f}",
                " / ".join(f"{min(each.error for each in spent):.1%}" for spent in (mine, other)),
            ]  # fmt: skip


def section() -> str:
    import torch

    torch.set_num_threads(1)
    rows: list[list[object]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model, examples in material.classifiers():
            some = texts(model, examples, TEXTS.get(name, 4))
            model.inference.distinct = 0
            rows += lines(name, model, some)
    head = [
        "model", "method", "error", "our inputs", "shap's", "inputs, shap's / ours",
        "CPU time, shap's / ours", "least error measured, ours / shap's",
    ]  # fmt: skip
    return f"""## Shapley values at an equal error

Texts of {WORDS.start} to {WORDS.stop - 1} words, whose exact Shapley values are known from all sets of words; both sides explain the logit of the predicted
class, erase words with the model's mask token, and query the same model on one thread: shap through a function that puts the mask token into prepared token ids and queries the model
in batches of 64, without padding and without anything of ours. Of shap: `KernelExplainer` (`l1_reg=False`), `PermutationExplainer`, and `PartitionExplainer` with the tree of
`partition_shapley`. The error is the root mean squared one over the words, relative to the exact scores, over {SEEDS} seeds and all texts. Every method ran with
five or six budgets; what an error costs lies between two of these, on straight lines of logarithms. Inputs are distinct ones; shap queries some several times. `partition_shapley` and
`PartitionExplainer` estimate Owen values, which differ from Shapley values for any budget.

{table(head, rows)}

A dash: the error was not reached with the largest budget ({", ".join(f"{name} {BUDGETS[name][-1]}" for name in BUDGETS)}; orders for the permutation methods), or already with the smallest.
{material.absent()}"""
