"""How few questions a SLALOM needs: the published fit, the fit here on the same answers, and the
whole way here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.material import SHARED
from benchmarks.timing import table
from numpy.typing import NDArray

from babelscope.data.formats.lists import (
    as_examples,
)
from babelscope.data.sources import rows
from babelscope.data.synthetic import slalom_words
from babelscope.methods.slalom.design import parse_design, sample_texts
from babelscope.methods.slalom.fit import Problem, fit
from babelscope.methods.slalom.methods import text_units
from babelscope.methods.slalom.surrogate import CountedTexts, Numbers, counted, predict
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import predicted, value
from babelscope.random import keyed
from babelscope.store import key
from babelscope.training.cache import cache_folder
from experiments import consistency_runs, masks
from experiments.slalom_models import answers, published_fit, trained

ASKED = (500, 1000, 5000)
TRIED = (50, 75, 100, 150, 200, 300, 400, 500, 700, 1000, 2000, 3000, 4000, 5000)
"""Numbers of questions, to find the least that gives no larger error than the published way."""
FRESH, NOISE, DRAWS = 2000, 0.1, 3
NEARLY = 1.1
"""An error counts as nearly equal up to this factor."""
EQUAL = [
    "model",
    "units",
    "questions",
    "published",
    "same texts",
    "here",
    "published / same texts",
    "published / here",
]
SAVED = [
    "model",
    "units",
    "questions, published",
    "same texts",
    "same texts, nearly",
    "here",
    "here, texts of 1 to 8",
    "bound",
]
Ask = Callable[[Sequence[Sequence[int]], str], Numbers]
"""From sequences of units, and a name for the draw of their noise, to answers."""


@dataclass(frozen=True, slots=True)
class Box:
    """Something that answers texts of `size` units; the truth where it is known."""

    name: str
    size: int
    ask: Ask
    truth: tuple[Numbers, Numbers] | None = None
    most: int = 5000
    """The most samples that are tried: a real model is slow."""

    @property
    def noise(self) -> float:
        return NOISE if self.truth else 0.0


def noisy(size: int, spread: float) -> Box:
    """An exact SLALOM with standard normal importances and values of that spread, and noise."""
    generator = keyed(size, "published")
    importance, values = generator.normal(size=size), spread * generator.normal(size=size)

    def ask(asked: Sequence[Sequence[int]], draw: str) -> Numbers:
        return predict(counted(asked), importance, values) + NOISE * keyed(
            size, draw, "noise"
        ).normal(size=len(asked))

    return Box(f"SLALOM with noise, values of sd {spread:g}", size, ask, (importance, values))


def of_words(size: int) -> Box:
    """A BERT of two layers and width 64 that was trained on texts of 200 words."""
    model = trained(slalom_words(200), "bert", 2, 0, 1200, scale=3.0)
    return Box(
        "BERT, 2 layers, trained on 200 words", size, lambda asked, draw: answers(model, asked)
    )


def of_text(name: str, model: Model, source: str, size: int) -> Box:
    """A tuned model and a real text with at least that many distinct tokens; the first ones are
    the units.
    """
    text = ""
    for one in rows(source, folder=SHARED / "data"):
        text = f"{text} {one.texts[0]}".strip()
        (row,) = encode(model, as_examples(text, "en"))
        if len(text_units(row, "token").ids) >= size:
            break
    cut = text_units(row, "token")
    (whole,) = inference.outputs(model, [inference.query(row)])
    target = predicted(model, row, whole, "log_odds")

    def ask(asked: Sequence[Sequence[int]], draw: str) -> Numbers:
        outputs = inference.outputs(model, [cut.query((tuple(one),)) for one in asked])
        return np.array([float(value(model, output, target)) for output in outputs])

    return Box(name, size, ask, most=1000)


def boxes() -> Iterator[Box]:
    for spread in (1.0, 2.0):
        yield from (noisy(size, spread) for size in (30, 100, 200))
    yield from (of_words(size) for size in (30, 100, 200))
    sizes = (30, 60)
    base = masks.base_of(masks.SETTINGS[3])
    if base is not None:
        model = masks.tuned(masks.SETTINGS[3], base)
        yield from (
            of_text("MiniLM, 6 layers, tuned on SST-2", model, "sst2/en/test", size)
            for size in sizes
        )
    topics = consistency_runs.tuned(consistency_runs.SIB)
    yield from (
        of_text("mini-multilingual, 4 layers, tuned on SIB-200", topics, "sib200/en/test", size)
        for size in sizes
    )


def triples(box: Box, count: int, at: int) -> list[list[int]]:
    """As published: three units each, drawn one by one."""
    return keyed(box.size, count, at, "rows").integers(0, box.size, (count, 3)).tolist()


def mixed(box: Box, count: int, at: int) -> dict[tuple[int, ...], int]:
    """The design that `slalom` has by default: each text with the times it was drawn; equal texts
    are one question.
    """
    drawn = sample_texts(
        [list(range(box.size))], parse_design("mix"), count, keyed(box.size, count, at, "mix")
    )
    return {text[0]: times for text, times in drawn.items()}


Tests = dict[str, tuple[CountedTexts, Numbers]]
"""Fresh texts and the answers to them, by name."""


def fresh_texts(box: Box) -> Tests:
    """Texts that no fit has seen, with the answers (without noise where the truth is known): of 3
    units, and of 1 to 8.
    """
    generator = keyed(box.size, "fresh")
    made = {
        "3": generator.integers(0, box.size, (FRESH, 3)).tolist(),
        "1 to 8": [
            generator.integers(0, box.size, generator.integers(1, 9)).tolist() for _ in range(FRESH)
        ],
    }
    truth = box.truth
    return {
        name: (counted(one), predict(counted(one), *truth) if truth else box.ask(one, "fresh"))
        for name, one in made.items()
    }


@dataclass(frozen=True, slots=True)
class Reached:
    """What a way of fitting reached: the questions asked, and the mean squared error on each set
    of fresh texts.
    """

    questions: int
    error: dict[str, float]


def reach(box: Box, tests: Tests, way: str, count: int) -> Reached:
    """A way of fitting at that number of samples, in the mean over DRAWS."""
    found = [_once(box, tests, way, count, at) for at in range(DRAWS)]
    error = {name: float(np.mean([one.error[name] for one in found])) for name in tests}
    return Reached(round(float(np.mean([one.questions for one in found]))), error)


def _once(box: Box, tests: Tests, way: str, count: int, at: int) -> Reached:
    drawn = mixed(box, count, at) if way == "mix" else None
    asked = triples(box, count, at) if drawn is None else list(drawn)
    answer = box.ask(asked, f"{way == 'mix'} {count} {at}")
    if way == "published":
        numbers = published_fit(asked, answer, box.size)
    else:
        times = None if drawn is None else np.array(list(drawn.values()), np.float64)
        one = fit(counted(asked), answer, size=box.size, weight=times)
        numbers = one.importance, one.value
    distinct = len(asked) if way == "published" else len({tuple(one) for one in asked})
    gaps = {name: predict(given, *numbers) - wanted for name, (given, wanted) in tests.items()}
    return Reached(distinct, {name: float((gap**2).mean()) for name, gap in gaps.items()})


def slopes(box: Box, given: CountedTexts) -> NDArray[np.float64]:
    """By each number, the slope of the answer to each text, at the truth."""
    assert box.truth is not None
    problem = Problem(given, np.zeros(len(given)), np.ones(len(given)), box.size)
    by_importance, by_value, _ = problem.jacobian(np.concatenate(box.truth))
    found = np.zeros((len(given), 2 * box.size))
    row = np.repeat(np.arange(len(given)), given.unit.shape[1])
    for start, part in ((0, by_importance), (box.size, by_value)):
        np.add.at(found, (row, start + given.unit.reshape(-1)), part.reshape(-1))
    return found


def least(box: Box, error: float, reached: Reached) -> int:
    """The questions that an unbiased fit to triples needs for that error on triples, by the
    Cramer-Rao bound.

    error - misfit >= spread^2 / n tr(M M^-1) = spread^2 (2T - 1) / n,  M the mean of J J^T over
      triples

    With a known truth the misfit is 0 and the spread that of the noise. A trained model is no
    SLALOM: its misfit is what the fit to the most questions left, less what their number explains,
    and is to be found out like noise (spread^2 = misfit).
    """
    free = 2 * box.size - 1
    misfit = 0.0 if box.truth else reached.error["3"] / (1 + free / reached.questions)
    return max(
        free, int(np.ceil((box.noise**2 if box.truth else misfit) * free / (error - misfit)))
    )


def best_design(box: Box, *, steps: int = 150) -> float:
    """At best, by what factor a design of single units and pairs needs fewer questions than triples
    for the same error.

    The criterion tr(M_test M_w^-1) is convex in the weights w of the questions; `steps` of the
    multiplicative algorithm, and its gap (Kiefer-Wolfowitz: the optimum is at least twice the value
    less the largest slope) make a bound of it.
    """
    size = box.size
    test = slopes(box, fresh_texts(box)["3"][0])
    wanted = test.T @ test / len(test)
    asked = [[one] for one in range(size)] + [
        [one, other] for one in range(size) for other in range(one)
    ]
    known = slopes(box, counted(asked))
    weight, gauge = np.full(len(asked), 1 / len(asked)), 1e-9 * np.eye(2 * size)
    for _ in range(steps):
        inverse = np.linalg.inv(known.T @ (known * weight[:, None]) + gauge)
        slope = ((known @ (inverse @ wanted @ inverse)) * known).sum(axis=1)
        reached = float(np.trace(wanted @ inverse))
        weight = weight * np.sqrt(slope / reached)
        weight /= weight.sum()
    return (2 * size - 1) / (2 * reached - float(slope.max()))


def enough(
    box: Box, tests: Tests, way: str, known: dict[int, Reached], goal: Reached
) -> dict[tuple[str, float], int | None]:
    """Per set of fresh texts, and for equal or nearly equal errors, the least number of questions
    tried that suffices.
    """
    found: dict[tuple[str, float], int | None] = {
        (name, slack): None for name in tests for slack in (1.0, NEARLY)
    }
    for count in (one for one in TRIED if one <= box.most):
        if count not in known:
            known[count] = reach(box, tests, way, count)
        for (name, slack), at in found.items():
            if at is None and known[count].error[name] <= slack * goal.error[name]:
                found[name, slack] = known[count].questions
        if all(found.values()):
            break
    return found


def kept(box: Box) -> tuple[list[list[object]], list[list[object]]]:
    """The rows of a box, measured once and kept in the user's cache: a run that was stopped goes
    on.
    """
    size = {
        "size": box.size,
        "tried": TRIED,
        "asked": ASKED,
        "most": box.most,
        "draws": DRAWS,
        "nearly": NEARLY,
        "scheme": 2,
    }
    made = {"box": box.name, **size}
    file = cache_folder() / "experiments" / f"slalom-questions-{key(made)[:16]}.json"
    if not file.is_file():
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(compared(box)), "utf-8")
        os.replace(part, file)
    errors, saved = json.loads(file.read_text("utf-8"))
    return errors, saved


def compared(box: Box) -> tuple[list[list[object]], list[list[object]]]:
    """Rows of both tables for one box: errors at equal questions, and questions at equal error."""
    tests = fresh_texts(box)
    same: dict[int, Reached] = {}
    ours: dict[int, Reached] = {}
    errors, saved = [], []
    same[max(ASKED)] = reach(box, tests, "triples", max(ASKED))
    for count in ASKED:
        theirs = reach(box, tests, "published", count)
        for way, known in (("triples", same), ("mix", ours)):
            if count not in known:
                known[count] = reach(box, tests, way, count)
        head, one, two = [box.name, box.size, count], same[count].error["3"], ours[count].error["3"]
        shown = [f"{error:.1e}" for error in (theirs.error["3"], one, two)]
        errors.append(
            [*head, *shown, f"{theirs.error['3'] / one:.2f}", f"{theirs.error['3'] / two:.2f}"]
        )
        reached = [
            enough(box, tests, way, known, theirs)
            for way, known in (("triples", same), ("mix", ours))
        ]
        cells = [
            reached[0]["3", 1.0],
            reached[0]["3", NEARLY],
            reached[1]["3", 1.0],
            reached[1]["1 to 8", 1.0],
        ]
        bound = least(box, theirs.error["3"], same[max(ASKED)])
        saved.append(
            [*head, *(f"{cell} ({count / cell:.1f})" if cell else "more" for cell in cells), bound]
        )
        print(saved[-1], flush=True)
    return errors, saved


def wins(cells: Sequence[Sequence[object]], column: int) -> str:
    return f"{sum(_ratio(row[column]) >= 5 for row in cells)} of {len(cells)}"


def _ratio(cell: object) -> float:
    return float(str(cell).split("(")[1].rstrip(")")) if "(" in str(cell) else 0.0


def page() -> str:
    found = [kept(box) for box in boxes()]
    errors = [row for one, _ in found for row in one]
    saved = [row for _, one in found for row in one]
    lower = [sum(float(str(row[column])) > 1 for row in errors) for column in (6, 7)]
    barred = [
        sum(
            5 * int(str(row[7])) > int(str(row[2]))
            for row in saved
            if ("noise" in str(row[0])) == noise
        )
        for noise in (1, 0)
    ]
    known = sum("noise" in str(row[0]) for row in saved)
    low = [row for row in saved if 5 * int(str(row[7])) <= int(str(row[2])) and _ratio(row[3]) < 5]
    missed = "; ".join(f"{row[0]}, {row[1]} units, {row[2]} questions" for row in low) or "none"
    cases = [(size, spread) for size in (30, 100) for spread in (1.0, 2.0)]
    designs = ", ".join(
        f"{best_design(noisy(*case)):.1f} ({case[0]} units, values of sd {case[1]:g})"
        for case in cases
    )
    return f"""# How few questions does a SLALOM need?

This page is written by `python -m experiments slalom-questions`. Three ways to a SLALOM are compared:

* *published*: texts of three units drawn one by one, Adam from zero (60 epochs, rate 5e-3, batches of 128);
* *same texts*: the very same texts and answers, and the fit here;
* *here*: the default design (every unit alone, then 2, 3 and 4 units dealt evenly, equal texts asked once) and the fit here.

Errors are mean squared errors on {FRESH} fresh texts of three units, as in the published sampling, which favours the two that
ask about such texts; in the mean over {DRAWS} draws of texts and noise. Exact SLALOMs have standard normal importances and
noise of {NOISE} on every answer, and are tested without noise; trained models are their own truth. The units of a real text
are its distinct tokens. {masks.missing(masks.SETTINGS[3])}

## At equal questions

The error is lower than the published way's in {lower[0]} of {len(errors)} rows on the same texts, and in {lower[1]} of
{len(errors)} with the design here.

{table(EQUAL, errors)}

## At equal error

The least number of questions tried whose error is no larger than that of the published way (*nearly*: no more than a tenth
larger); in brackets how many times fewer. Five times fewer or better: {wins(saved, 3)} rows on the same texts,
{wins(saved, 4)} nearly, {wins(saved, 5)} with the design here, {wins(saved, 6)} with it on texts of 1 to 8 units.
Samples tried were {", ".join(str(count) for count in TRIED)}; of these,
equal texts are asked once; on real texts at most 1000 samples were tried, and "more" says that they did not suffice.

{table(SAVED, saved)}

*bound* is the number that an unbiased fit to texts of three units cannot do without in the mean over draws: 2T - 1 for as
many free numbers, or noise^2 (2T - 1) / error, the Cramer-Rao bound. A trained model has no noise but is no SLALOM: what no
SLALOM can say of it takes the place of noise, and the published way's excess over it that of the error. Where the bound is more
than a fifth of the published number, no unbiased fit to such texts can be five times better: that is so in {barred[0]} of the
{known} rows with noise and in {barred[1]} of the {len(saved) - known} of trained models. Of the others, five times is missed on
the same texts by: {missed}. (So few draws can lie beyond the bound, and shrinkage is bias: both fits pass it at times.)

Other texts cannot change this much: the best design of single units and pairs, computed at the truth, which nobody knows
beforehand, needs fewer questions than texts of three by a factor of at most {designs}. On trained models a fit to the kind of
text that is tested has the least misfit: with the default design, whose texts have other lengths too, the error on texts of
three can stay above that of the published way.
"""
