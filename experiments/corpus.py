"""What small models reach on the built-in corpus: in each language, against a bag of words, and
zero-shot from English."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Any

from babelscope import corpus, options
from babelscope.training.recipes import RECIPES, pretrained
from babelscope.types import Example
from experiments.corpus_models import Setting, accuracies, bag_of_words, random_sentence, tuned


class Spec(options.Spec):
    base: str
    deep_base: str
    joint: dict[str, Setting]
    english: dict[str, Setting]
    deep: dict[str, Setting]
    again: list[str]
    bag: int
    dev: int
    seen: int
    test: int
    languages: list[str]
    chance: dict[str, float]


def base(name: str) -> Path:
    recipe = name.removeprefix("pretrained:")
    return Path(name) if recipe == name else pretrained(recipe)


def values(spec: Spec) -> dict[str, Any]:
    start, langs, shallow, deep = base(spec.base), spec.languages, spec.seen, spec.seen + spec.test

    def rows(
        task: str, first: int = 0, split: str = "test", many: int = spec.test
    ) -> list[Example]:
        return [
            row for lang in langs for row in corpus.read(task, lang, split, first + many)[first:]
        ]

    def english(task: str, seed: int = 0) -> Path:
        return tuned(start, task, ["en"], spec.english[task], seed)

    test = {task: {lang: [row for row in rows(task, shallow) if row.lang == lang] for lang in langs} for task in spec.joint}  # fmt: skip
    abroad = {task: accuracies(english(task), rows(task, shallow)) for task in spec.english}
    luck = {lang: random_sentence(test["reading"][lang]) for lang in langs}
    further = {task: [accuracies(tuned(base(spec.deep_base), task, ["en"], each, seed), rows(task, deep)) for seed in (0, 1)] for task, each in spec.deep.items()}  # fmt: skip
    lowest = {task: {lang: min((each[lang] for each in both), key=attrgetter("low")) for lang in langs} for task, both in further.items()}  # fmt: skip
    missed = {at: {task: [lang for lang in langs[1:] if scores[lang].low <= spec.chance.get(task, luck[lang])] for task, scores in of.items()} for at, of in (("abroad", abroad), ("further", lowest))}  # fmt: skip
    return {
        "spec": spec, "luck": luck, "abroad": abroad, "further": further, "missed": missed, "recipes": RECIPES,
        "within": {task: accuracies(tuned(english(task) if each.onward else start, task, langs, each), rows(task, shallow)) for task, each in spec.joint.items()},
        "bags": {task: {lang: bag_of_words(task, lang, test[task][lang], spec.bag) for lang in langs} for task in spec.chance},
        "seeds": {task: [accuracies(english(task, seed), rows(task, 0, "dev", spec.dev)) for seed in (0, 1)] for task in spec.again},
    }  # fmt: skip
