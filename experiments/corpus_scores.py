"""What models of the built-in corpus reach, by task and language."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

from babelscope import corpus, options
from babelscope.training.recipes import pretrained
from babelscope.types import Estimate, Example
from experiments.corpus_models import Setting, accuracies, tuned

SEEDS = (0, 1)
Scores = dict[str, dict[str, Estimate]]
"""By task, then by language."""


class CorpusSpec(options.Spec):
    """Which models are fine-tuned, and on which examples they are tested."""

    base: str
    deep_base: str
    joint: dict[str, Setting]
    """By task: fine-tuning on all languages."""
    english: dict[str, Setting]
    """By task: fine-tuning on English alone."""
    deep: dict[str, Setting]
    """By task: fine-tuning of the deeper model on English alone."""
    dev: int
    seen: int
    """First test examples, which are left out."""
    test: int
    languages: list[str]


def base_folder(name: str) -> Path:
    """A folder, or that of a pretraining recipe."""
    recipe = name.removeprefix("pretrained:")
    return Path(name) if recipe == name else pretrained(recipe)


def examples(
    spec: CorpusSpec, task: str, first: int, count: int, split: str = "test"
) -> list[Example]:
    """In every language `count` examples from the `first` on."""
    return [
        row
        for lang in spec.languages
        for row in corpus.read(task, lang, split, first + count)[first:]
    ]


def english_model(spec: CorpusSpec, task: str, seed: int = 0) -> Path:
    return tuned(base_folder(spec.base), task, ["en"], spec.english[task], seed)


def joint_scores(spec: CorpusSpec) -> Scores:
    """Of models that were fine-tuned on all languages."""
    scores = {}
    for task, setting in spec.joint.items():
        base = english_model(spec, task) if setting.onward else base_folder(spec.base)
        model = tuned(base, task, spec.languages, setting)
        scores[task] = accuracies(model, examples(spec, task, spec.seen, spec.test))
    return scores


def zero_shot_scores(spec: CorpusSpec) -> Scores:
    """Of models that were fine-tuned on English."""
    return {
        task: accuracies(english_model(spec, task), examples(spec, task, spec.seen, spec.test))
        for task in spec.english
    }


def dev_scores(spec: CorpusSpec, task: str) -> list[dict[str, Estimate]]:
    """By seed, of the models that were fine-tuned on English."""
    rows = examples(spec, task, 0, spec.dev, "dev")
    return [accuracies(english_model(spec, task, seed), rows) for seed in SEEDS]


def deep_scores(spec: CorpusSpec, task: str) -> list[dict[str, Estimate]]:
    """By seed, of the deeper model; on examples after those of the others."""
    base, rows = base_folder(spec.deep_base), examples(spec, task, spec.seen + spec.test, spec.test)
    return [accuracies(tuned(base, task, ["en"], spec.deep[task], seed), rows) for seed in SEEDS]


def lowest(scores: list[dict[str, Estimate]]) -> dict[str, Estimate]:
    """By language the estimate with the lowest interval."""
    return {lang: min((each[lang] for each in scores), key=attrgetter("low")) for lang in scores[0]}


def not_above(scores: dict[str, Estimate], chance: dict[str, float]) -> list[str]:
    """Languages other than English whose interval is not above chance."""
    return [lang for lang in scores if lang != "en" and scores[lang].low <= chance[lang]]
