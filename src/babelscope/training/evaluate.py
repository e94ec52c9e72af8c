"""How often a model is right, language by language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from babelscope.errors import InputError
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.targets import name, predicted
from babelscope.stats import estimate
from babelscope.types import Estimate, Example


@dataclass(frozen=True, slots=True)
class Score:
    """`chance`: how often the most frequent gold label stands there; None for answers."""

    lang: str
    measure: str
    estimate: Estimate
    chance: float | None = None


def evaluate(model: Model, examples: Sequence[Example], *, progress: Progress | None = None) -> list[Score]:
    """Accuracy by language; for reading comprehension exact match and F1 over words.

        accuracy = 1/n sum_i [argmax_c F_c(x_i) = label_i]
        exact match = 1/n sum_i [answer_i given = answer_i gold];  F1 = 2 p r / (p + r), p = |given and gold| / |given|

    `given` and `gold` are the words of the two answers by white space, or their characters where the context has no spaces.
    Intervals are bootstrapped by group.

    *Laws*: 0 <= exact match <= F1 <= 1; the order of the examples does not matter.
    """
    if model.task == "token-classification":
        raise InputError(f"{model.name} tags words; evaluation knows classes and answers only")
    rows = encode(model, examples)
    with model.inference.reporting_progress(progress):
        outputs = inference.outputs(model, [inference.query(row) for row in rows])
    targets = [predicted(model, row, output) for row, output in zip(rows, outputs)]
    given = [name(model, row, target) for row, target in zip(rows, targets)]
    scores = []
    for lang in dict.fromkeys(example.lang for example in examples):
        mine = [(example, answer) for example, answer in zip(examples, given) if example.lang == lang]
        groups = [example.group for example, _ in mine]
        for measure, values in _values(model, mine).items():
            labels = Counter(example.label for example, _ in mine)
            chance = labels.most_common(1)[0][1] / len(mine) if measure == "accuracy" else None
            scores.append(Score(lang, measure, estimate(values, groups), chance))
    return scores


def _values(model: Model, answered: Sequence[tuple[Example, str]]) -> dict[str, list[float]]:
    if model.task != "question-answering":
        missing = next((example.id for example, _ in answered if example.label is None), None)
        if missing is not None:
            raise InputError(f"{missing}: no label to compare with")
        for example, _ in answered:
            model.label_index(str(example.label))  # refuses a label that the model lacks
        return {"accuracy": [float(example.label == answer) for example, answer in answered]}
    exact, overlap = [], []
    for example, answer in answered:
        if example.answer is None:
            raise InputError(f"{example.id}: no answer to compare with")
        gold = example.texts[-1][slice(*example.answer)]
        exact.append(float(answer.strip() == gold.strip()))
        overlap.append(_f1(_words(example, answer), _words(example, gold)))
    return {"exact_match": exact, "f1": overlap}


def _words(example: Example, answer: str) -> Counter[str]:
    """The words of an answer; its characters where the context has no spaces."""
    if " " in example.texts[-1].strip():
        return Counter(answer.split())
    return Counter(character for character in answer if not character.isspace())


def _f1(given: Counter[str], gold: Counter[str]) -> float:
    shared = sum((given & gold).values())
    return 2 * shared / (sum(given.values()) + sum(gold.values())) if shared else 0.0
