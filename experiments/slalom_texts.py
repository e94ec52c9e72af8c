"""SLALOM on reviews: naive Bayes, human attention, insertion and deletion, removals, budgets and
time, on four models.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from benchmarks.timing import table

from babelscope.display.results import Attributions
from babelscope.methods.explain import explain
from babelscope.methods.slalom.methods import TextUnits, text_units
from babelscope.methods.slalom.surrogate import Mixture
from babelscope.model.encode import encode
from babelscope.model.erase import default_operator
from babelscope.model.load import Model, load
from babelscope.training.cache import cache_folder
from babelscope.training.finetune import Recipe, finetune
from babelscope.types import Example
from experiments import masks
from experiments.slalom_measures import (
    Judged,
    answers,
    bayes_agreement,
    erased,
    human_attention,
    removals,
)
from experiments.slalom_readers import EPOCHS, TRAINED_ON, reader, reviews

OTHERS = ("lime", "kernel_shap", "occlusion", "integrated_gradients", "random")
READ_OFF = ("value", "importance", "lin", "shapley")
"""What one fitted SLALOM gives."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run: texts, samples of LIME and Kernel SHAP, random removals per text, budgets
    of SLALOM, models.
    """

    texts: int
    samples: int
    removals: int
    budgets: tuple[int, ...]
    made: tuple[str, ...]
    checkpoints: tuple[str, ...] = ()


SIZES = {
    "small": Size(24, 300, 20, (100, 300, 1000), ("bert", "gpt2", "mamba")),
    "full": Size(
        100,
        5000,
        100,
        (500, 1000, 2000, 5000, 10000),
        ("mamba",),
        ("bert-base-uncased", "distilbert-base-uncased", "gpt2"),
    ),
}


def models(size: Size) -> list[Model]:
    train = [row for part in TRAINED_ON for row in reviews(part)]
    found = [reader(name, train, 2) for name in size.made]
    for base in size.checkpoints:
        recipe = Recipe(learning_rate=1e-5, epochs=5, batch=16)
        found.append(
            load(
                finetune(
                    base,
                    train[200:],
                    train[:200],
                    cache_folder() / "experiments" / f"reviews-{base}",
                    recipe,
                )
            )
        )
    setting = masks.SETTINGS[3]
    base_folder = masks.base_of(setting)
    if base_folder is not None:
        found.append(
            replace(masks.tuned(setting, base_folder), name="MiniLM 6 x 384, tuned on SST-2")
        )
    return found


def explained(
    model: Model, texts: Sequence[Example], size: Size, *, slow: bool
) -> tuple[list[Judged], dict[str, float]]:
    """Every text under every method, and the seconds each method took; LIME and Kernel SHAP only
    if `slow`.
    """
    made: dict[str, Attributions] = {}
    took: dict[str, float] = {}

    def run(name: str, method: str, options: Mapping[str, object]) -> None:
        begin = time.perf_counter()
        made[name] = explain(
            model, texts, method, target="positive", quantity="log_odds", options=dict(options)
        )
        took[name] = time.perf_counter() - begin

    rows = encode(model, texts)
    # A model without marks around the text has nothing to read when all is deleted: there words are
    # replaced.
    how = default_operator(model) if rows[0].content.all() else "delete"
    run("slalom", "slalom", {})
    run("slalom, deletion", "slalom", {"design": "deletion"})
    for name in OTHERS:
        if slow or name not in OTHERS[:2]:
            run(name, name, {"samples": size.samples, "operator": how} if name in OTHERS[:2] else
                {"operator": how} if name == "occlusion" else {})  # fmt: skip
    return [_judged(text, text_units(row, "token"), {name: one[at] for name, one in made.items()})
            for at, (text, row) in enumerate(zip(texts, rows))], took  # fmt: skip


def _judged(text: Example, row: TextUnits, found: Mapping[str, object]) -> Judged:
    mixtures, scores = {}, {}
    for name, one in found.items():
        given = np.array(one.scores)  # type: ignore[attr-defined]
        if name.startswith("slalom"):
            numbers = [np.array(one.details[part], np.float64) for part in ("importance", "value")]  # type: ignore[attr-defined]
            mixtures[name] = Mixture(*numbers)
        if name == "slalom":
            s, v = numbers
            scores |= {
                "value": v,
                "importance": s,
                "lin": v * np.exp(s - s.max()),
                "shapley": given,
            }
        elif name != "slalom, deletion":
            scores[name] = given
    return Judged(text, row, scores, mixtures)


def by_budget(model: Model, texts: Sequence[Example], size: Size) -> list[str]:
    """The deletion score of SLALOM's Shapley values at every budget."""
    cells = []
    for samples in size.budgets:
        given = {"samples": samples}
        made = explain(
            model, texts, "slalom", target="positive", quantity="log_odds", options=given
        )
        rows = [text_units(row, "token") for row in encode(model, texts)]
        judged = [
            Judged(text, row, {"shapley": np.array(one.scores)}, {})
            for text, row, one in zip(texts, rows, made)
        ]
        cells.append(f"{np.mean(erased(model, judged, 'shapley', insertion=False)):.3f}")
    return cells


Measure = Callable[[Model, Sequence[Judged], str], list[float]]
MEASURES: dict[str, Measure] = {
    "naive Bayes": bayes_agreement,
    "human attention": human_attention,
    "deletion": lambda model, judged, name: erased(model, judged, name, insertion=False),
    "insertion": lambda model, judged, name: erased(model, judged, name, insertion=True),
}


def shown(values: Sequence[float]) -> str:
    """Mean and standard error of what is defined, and of how many texts, where that is not all."""
    kept = [value for value in values if np.isfinite(value)]
    if len(kept) < 2:
        return "undefined"
    some = "" if len(kept) == len(values) else f" ({len(kept)} of {len(values)} texts)"
    return f"{np.mean(kept):.3f} ± {np.std(kept, ddof=1) / len(kept) ** 0.5:.3f}{some}"


def of_model(model: Model, texts: Sequence[Example], size: Size) -> dict[str, list[list[object]]]:
    """The rows of each table for one model."""
    slow = "MiniLM" not in model.name or size.texts > SIZES["small"].texts
    judged, took = explained(model, texts, size, slow=slow)
    right = [(float(answers(model, one, [range(len(one.cut.units))])[0]) > 0) == (one.example.label == "positive")
             for one in judged]  # fmt: skip
    head = f"{model.name} (right: {sum(right)} of {len(right)})"
    names = [*READ_OFF, *(name for name in OTHERS if name in judged[0].scores)]
    quality = [
        [head, name, *(shown(measure(model, judged, name)) for measure in MEASURES.values())]
        for name in names
    ]
    said = [[model.name, name, f"{rank:.2f}" if np.isfinite(rank) else "", f"{share:.2f}"]
            for name, (rank, share) in removals(model, judged, size.removals).items()]  # fmt: skip
    times = [
        [
            model.name,
            *(f"{took[name] / took['slalom']:.1f}" if name in took else "" for name in OTHERS[:4]),
        ]
    ]
    print(*quality, *said, *times, sep="\n", flush=True)
    return {
        "quality": quality,
        "removals": said,
        "times": times,
        "budgets": [[model.name, *by_budget(model, texts, size)]],
    }


def page(which: str = "small") -> str:
    size = SIZES[which]
    texts = [one for one in reviews("part1_50words") if any(one.rationale[0])][: size.texts]  # type: ignore[index]
    tables: dict[str, list[list[object]]] = {}
    for model in models(size):
        for name, lines in of_model(model, texts, size).items():
            tables.setdefault(name, []).extend(lines)
    command = "slalom-texts" if which == "small" else "slalom-texts --full"
    return f"""# SLALOM on reviews

This page is written by `python -m experiments {command}`; `slalom-texts --full` is the same at the size of the paper, with BERT,
DistilBERT and GPT-2 from the hub, for a GPU. Here {len(texts)} reviews of Yelp-HAT (about 50 words) are explained; the models
from scratch have two layers and width 64 and read the other reviews of that corpus in training ({EPOCHS} epochs, 64 tokens),
far less than the paper's. A state-space model has no head for classes: it goes on with "good" or "bad". The explained quantity
is the log-odds of *positive*; units are tokens. LIME, Kernel SHAP and occlusion are babelscope's: {size.samples} samples;
they delete words, but replace them in the decoder and the state-space model, which have nothing to read when all is deleted.

## Quality of the explanation

* *naive Bayes*: Spearman with log((N+ + 20) / (N- + 20)), N the occurrences in the training reviews; higher is better
* *human attention*: AUROC for words that all three readers marked, by |score|; higher is better
* *deletion*, *insertion*: 1 - mean probability of the true class with only the lowest (highest) 5, 10, ... tokens left;
  deletion: higher is better, insertion: lower is better. Importances have no sign and are not meant for these

Mean and standard error over the texts. The paper's values are on other models: naive Bayes .70 to .77 (lin), human
attention .64 to .71, deletion .91 to .94. {masks.missing(masks.SETTINGS[3])}

{table(["model", "score", *MEASURES], tables["quality"])}

## Does it say what removing words does?

Leaving one out: Spearman of the predicted and the real change of the log-odds. Removing 1 to 10 random tokens
({size.removals} draws per text): the mean squared error of the predicted change, as a share of the mean square of the real
one; lower is better, and 1 is what predicting no change gives. A SLALOM predicts by renormalising its weights (`without`),
the others by summing scores. *slalom* asked short texts; *slalom, deletion* asked the text without up to five tokens.

{table(["model", "explanation", "leaving one out", "random removals, error"], tables["removals"])}

## By number of questions

Deletion score of SLALOM's Shapley values.

{table(["model", *(f"{samples} questions" for samples in size.budgets)], tables["budgets"])}

## Time

Time for all texts as a multiple of SLALOM's, default budgets, one run, one after the other; on a machine with other load.

{table(["model", *OTHERS[:4]], tables["times"])}
"""


def full_page() -> str:
    return page("full")
