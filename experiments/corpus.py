"""What small models reach on the built-in corpus: in-language, against a bag of words, and
zero-shot from English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.timing import table
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from babelscope import corpus
from babelscope.display.progress import bar
from babelscope.model.load import load
from babelscope.stats import estimate
from babelscope.training.cache import cache_folder
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.recipes import RECIPES, pretrained
from babelscope.types import Estimate, Example


class Setting(NamedTuple):
    """How a task is tuned: `examples` per language, `apart` where no two languages are given the
    same meanings.
    """

    examples: int
    epochs: int
    frozen: bool = True
    """Whether the word embeddings stay as pretrained."""
    apart: bool = False
    judges: int = 400
    """Development examples, of all languages together, by whose loss the epoch is chosen."""
    onward: bool = False
    """Whether it starts from the model that was tuned on English rather than from the pretrained
    one.
    """
    kept: int = 0
    """How many of the lowest layers stay as pretrained."""


JOINT = {
    "sentiment": Setting(4000, 6, frozen=False, apart=True, judges=800),
    "topic": Setting(1000, 3),
    "nli": Setting(2000, 6),
    "paraphrase": Setting(4000, 4, apart=True, judges=800, onward=True),
    "reading": Setting(2000, 6),
}
ENGLISH = {
    "sentiment": Setting(8000, 8),
    "topic": Setting(4000, 5),
    "nli": Setting(8000, 6),
    "paraphrase": Setting(20000, 6, judges=800),
    "reading": Setting(8000, 6),
}
DEEP = {
    "sentiment": Setting(8000, 8, judges=800, kept=1),
    "topic": Setting(4000, 5, judges=800, kept=1),
    "nli": Setting(8000, 6, judges=800, kept=1),
}
"""What the model of three layers is tuned on English with, two seeds each."""
AGAIN = ("paraphrase",)
"""Tuned on English with a second seed."""
DEV, SEEN, TEST = 1000, 1000, 2000
"""Examples per language; the first SEEN of the test split are left out, because settings were once
chosen by them.
"""
LATER = SEEN + TEST
"""The examples before it are left out for the model of three layers: what they showed of two
layers is why it was tuned.
"""
CHANCE = {"sentiment": 1 / 2, "topic": 1 / 6, "nli": 1 / 3, "paraphrase": 1 / 2}


TEXT = """# Small models on the built-in corpus

A transformer of 2 layers and width 128, pretrained here without labels by `babelscope pretrain multilingual` on texts of the
[built-in corpus](../corpus.md) in all eight languages, then tuned: learning rate 5e-4, batch 32, the epoch with the
lowest loss on some dev examples. {test:,} test examples per language; accuracy, or exact match of answers; in brackets 95 %
intervals. Seed 0. This page is written by `python -m experiments corpus`.

## Tuned in all languages

One model per task, tuned on all eight languages together. The languages are given translations of the same
texts, or each its own texts.

{joint}

{within}

For comparison a bag of words, a logistic regression on the words of each text (4,000 examples of the language), and for reading
the exact match of one who gives the right part of a sentence drawn at random:

{bags}

## Tuned in English only

The same pretrained model with frozen embeddings, tuned on English ({english}), tested in every language. Chance is 1/2
for sentiment and paraphrase, 1/6 for topic, 1/3 for inference; for reading see above.

{abroad}

{verdict}

## Three layers, tuned in English only, two seeds

`babelscope pretrain multilingual-deep`: three layers instead of two and {steps:,} steps instead of {shallow:,}, otherwise the
same. The embeddings and the lowest layer are kept as pretrained (`--set freeze_layers=1`) and the two above tuned ({deep}); two
seeds of the same. On {test:,} test examples per language that come after those above.

{further}

{further_verdict}

## Paraphrase with two layers, two seeds

Tuned on English, on {dev:,} examples per language of the dev split. Seed 0 is the model above; its setting was chosen by these
examples before seed 1 was tuned.

{seeds}

Two seeds that are alike in English differ in what they carry over: where an interval of either holds chance, transfer is
not shown for that language, whatever the test of seed 0 says. The other tasks have one seed with two layers.

## What to make of it

The pretraining has seen texts of this kind and all their words, also those that the test split holds out, but none of the test
texts themselves except by chance, and no label. Chinese is read character by character by this tokenizer.

How the settings were found: four pretrainings were looked at before this one (without and with aligned start vectors and
alignment loss, its weight 0.5 or 1, 1,500 to 4,000 steps, two or three layers; one was broken off), with a few tunings of
each, by their accuracy on the first 400 or 500 examples of the test split, and an earlier version of this page showed the first
{seen:,}. That chose the pretraining and all tunings but three. These three, sentiment and paraphrase in all languages and
paraphrase in English, were chosen later by the dev split alone, and so were those of the model of three layers
([what was tried](../design/decisions.md)). The
figures above leave the first {seen:,} test examples out, so no text that they count has been used to choose anything.
"""


def tuned(base: Path, task: str, languages: Sequence[str], setting: Setting, seed: int = 0) -> Path:
    if setting.onward:
        base = tuned(base, task, ["en"], ENGLISH[task], seed)
    recipe = Recipe(
        learning_rate=5e-4, epochs=setting.epochs, batch=32, seed=seed,
        freeze_embeddings=setting.frozen, freeze_layers=setting.kept,
    )  # fmt: skip
    chosen = setting if setting.kept else setting[:-1]
    described = "-".join(map(str, (*(int(value) for value in chosen), seed)))
    folder = (
        cache_folder() / "experiments" / f"{base.name}-{task}-{'-'.join(languages)}-{described}"
    )
    if (folder / "config.json").exists():
        return folder
    train, many = list[Example](), setting.examples
    for at, lang in enumerate(languages):
        first = at * many if setting.apart else 0
        train += corpus.read(task, lang, "train", first + many)[first:]
    dev = [
        row
        for lang in languages
        for row in corpus.read(task, lang, "dev", setting.judges // len(languages))
    ]
    with bar(f"{task}, {'+'.join(languages)}, seed {seed}") as tell:
        return finetune(base, train, dev, folder, recipe, progress=tell)


def fresh(task: str, lang: str, start: int = SEEN) -> list[Example]:
    """Test examples by which nothing was chosen."""
    return corpus.read(task, lang, "test", start + TEST)[start:]


def judged(folder: Path, rows: Sequence[Example]) -> dict[str, Estimate]:
    """Accuracy, or exact match, by language."""
    return {one.lang: one.estimate for one in evaluate(load(folder), rows) if one.measure != "f1"}


def bag_of_words(task: str, lang: str, test: Sequence[Example]) -> Estimate:
    """Logistic regression on which words stand in which text."""

    def bag(row: Example) -> list[str]:
        return [
            f"{at}:{text[a:b]}"
            for at, text in enumerate(row.texts)
            for a, b in (row.words or ())[at]
        ]

    train = corpus.read(task, lang, "train", 4000)
    words = CountVectorizer(analyzer=bag, binary=True)
    model = LogisticRegression(max_iter=3000, C=0.3).fit(
        words.fit_transform(train), [row.label for row in train]
    )
    right = model.predict(words.transform(test)) == [row.label for row in test]
    return estimate([float(one) for one in right], [row.group for row in test])


def random_sentence(test: Mapping[str, Sequence[Example]]) -> dict[str, float]:
    """Exact match of the best guess without reading: the right part of a sentence drawn
    at random.
    """
    found = {}
    for lang in corpus.LANGUAGES:
        hits = []
        for row in test[lang]:
            stories = {
                path.partition(".")[0] for word in (row.concepts or ((), ()))[1] for path in word
            }
            hits.append(1 / len(stories))
        found[lang] = sum(hits) / len(hits)
    return found


def show(one: Estimate) -> str:
    return f"{one.mean:.3f} ({one.low:.3f} to {one.high:.3f})"


def settings(chosen: Mapping[str, Setting]) -> str:
    """One row per task."""
    rows = [
        [
            task,
            "tuned on English" if one.onward else "pretrained",
            f"{one.examples:,}",
            "its own" if one.apart else "those of all",
            str(one.epochs),
            "frozen" if one.frozen else "tuned",
        ]
        for task, one in chosen.items()
    ]
    return table(
        [
            "task",
            "starts",
            "examples per language",
            "texts of a language",
            "epochs",
            "word embeddings",
        ],
        rows,
    )


def verdict(
    task: str, found: Mapping[str, Estimate], luck: Mapping[str, float], seeds: str = ""
) -> str:
    others = corpus.LANGUAGES[1:]
    missed = [
        lang
        for lang in others
        if found[lang].low <= (CHANCE[task] if task in CHANCE else luck[lang])
    ]
    line = (
        f"* {task}: above chance, by the interval{seeds}, in {len(others) - len(missed)} of "
        f"{len(others)} other languages"
    )
    return line + (f" (not in {', '.join(missed)})" if missed else "")


def seeds(base: Path) -> str:
    """Accuracy on dev of what was tuned on English, seed by seed."""
    rows = []
    for task in AGAIN:
        dev = [row for lang in corpus.LANGUAGES for row in corpus.read(task, lang, "dev", DEV)]
        for seed in (0, 1):
            found = judged(tuned(base, task, ["en"], ENGLISH[task], seed), dev)
            rows.append([task, str(seed), *(show(found[lang]) for lang in corpus.LANGUAGES)])
    return table(["task", "seed", *corpus.LANGUAGES], rows)


def amounts(chosen: Mapping[str, Setting]) -> str:
    return "; ".join(
        f"{task} {one.examples:,} examples, {one.epochs} epochs" for task, one in chosen.items()
    )


def further() -> tuple[str, str]:
    """Three layers, two seeds: the table, and where both seeds are above chance."""
    base, rows, lines = pretrained("multilingual-deep"), [], []
    for task, setting in DEEP.items():
        test = [row for lang in corpus.LANGUAGES for row in fresh(task, lang, LATER)]
        found = [judged(tuned(base, task, ["en"], setting, seed), test) for seed in (0, 1)]
        rows += [
            [task, str(seed), *(show(one[lang]) for lang in corpus.LANGUAGES)]
            for seed, one in enumerate(found)
        ]
        lower = {
            lang: min((one[lang] for one in found), key=lambda one: one.low)
            for lang in corpus.LANGUAGES
        }
        lines.append(verdict(task, lower, {}, " of either seed"))
    return table(["task", "seed", *corpus.LANGUAGES], rows), "\n".join(lines)


def page() -> str:
    base = pretrained("multilingual")
    test = {task: {lang: fresh(task, lang) for lang in corpus.LANGUAGES} for task in JOINT}
    every = {task: [row for rows in test[task].values() for row in rows] for task in JOINT}
    within = {
        task: judged(tuned(base, task, corpus.LANGUAGES, one), every[task])
        for task, one in JOINT.items()
    }
    abroad = {
        task: judged(tuned(base, task, ["en"], one), every[task]) for task, one in ENGLISH.items()
    }
    bags = {
        task: {lang: bag_of_words(task, lang, rows) for lang, rows in test[task].items()}
        for task in CHANCE
    }
    luck = random_sentence(test["reading"])
    first = [[lang, *(show(within[task][lang]) for task in JOINT)] for lang in corpus.LANGUAGES]
    second = [
        [lang, *(f"{bags[task][lang].mean:.3f}" for task in CHANCE), f"{luck[lang]:.3f}"]
        for lang in corpus.LANGUAGES
    ]
    third = [[lang, *(show(abroad[task][lang]) for task in ENGLISH)] for lang in corpus.LANGUAGES]
    head, deep = ["language", *JOINT], further()
    return TEXT.format(
        test=TEST, seen=SEEN, dev=DEV,
        joint=settings(JOINT), within=table(head, first), bags=table([*head[:-1], "reading, by luck"], second),
        english=amounts(ENGLISH), deep=amounts(DEEP),
        steps=RECIPES["multilingual-deep"][0].steps, shallow=RECIPES["multilingual"][0].steps,
        further=deep[0], further_verdict=deep[1],
        abroad=table(head, third),
        verdict="\n".join(verdict(task, abroad[task], luck) for task in ENGLISH), seeds=seeds(base),
    )  # fmt: skip
