"""What small models reach on the built-in corpus: in each language, against a bag of words, and
zero-shot from English."""

from __future__ import annotations

from typing import Any

from babelscope import corpus
from babelscope.training.recipes import RECIPES
from babelscope.types import Example
from experiments import corpus_scores as scores
from experiments.corpus_models import bag_of_words, random_sentence


class Spec(scores.CorpusSpec):
    again: list[str]
    bag: int
    chance: dict[str, float]


def values(spec: Spec) -> dict[str, Any]:
    def test(task: str, lang: str) -> list[Example]:
        return corpus.read(task, lang, "test", spec.seen + spec.test)[spec.seen :]

    luck = {lang: random_sentence(test("reading", lang)) for lang in spec.languages}
    chance = {task: dict.fromkeys(spec.languages, each) for task, each in spec.chance.items()}
    zero_shot = scores.zero_shot_scores(spec)
    deep = {task: scores.deep_scores(spec, task) for task in spec.deep}
    lowest = {task: scores.lowest(each) for task, each in deep.items()}
    missed = {
        name: {task: scores.not_above(each, chance.get(task, luck)) for task, each in part.items()}
        for name, part in (("abroad", zero_shot), ("further", lowest))
    }
    return {
        "spec": spec,
        "recipes": RECIPES,
        "luck": luck,
        "within": scores.joint_scores(spec),
        "bags": {
            task: {
                lang: bag_of_words(task, lang, test(task, lang), spec.bag)
                for lang in spec.languages
            }
            for task in spec.chance
        },
        "abroad": zero_shot,
        "further": deep,
        "missed": missed,
        "seeds": {task: scores.dev_scores(spec, task) for task in spec.again},
    }
