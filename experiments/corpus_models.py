"""Small models fine-tuned on the built-in corpus, what they reach, and what simpler readers do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from babelscope import corpus, options
from babelscope.display.progress import bar
from babelscope.model.load import load
from babelscope.stats import estimate
from babelscope.store import key
from babelscope.training.cache import TRAINING, cache_folder
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import Recipe, finetune
from babelscope.types import Estimate, Example


class Setting(options.Spec):
    """How a task is fine-tuned."""

    examples: int
    """Training examples of each language."""
    epochs: int
    frozen: bool = True
    """Whether the word embeddings are kept as pretrained."""
    apart: bool = False
    """Whether each language has texts of its own instead of translations of the same ones."""
    dev: int = 400
    """Development examples, of all languages together, by whose loss the epoch is chosen."""
    onward: bool = False
    """Whether it starts from the model that was fine-tuned on English."""
    kept: int = 0
    """Number of lowest layers that are kept as pretrained."""


def tuned(base: Path, task: str, languages: Sequence[str], setting: Setting, seed: int = 0) -> Path:
    """A fine-tuned model, kept in the user's cache under what determined it."""
    identity = [TRAINING, str(base), task, list(languages), setting.model_dump(), seed]
    name = f"{base.name}-{task}-{key({'corpus': identity})[:16]}"
    folder = cache_folder() / "experiments" / name
    if (folder / "config.json").exists():
        return folder
    recipe = Recipe(
        learning_rate=5e-4,
        epochs=setting.epochs,
        batch=32,
        seed=seed,
        freeze_embeddings=setting.frozen,
        freeze_layers=setting.kept,
    )
    train: list[Example] = []
    for at, lang in enumerate(languages):
        first = at * setting.examples if setting.apart else 0
        train += corpus.read(task, lang, "train", first + setting.examples)[first:]
    each = setting.dev // len(languages)
    dev = [row for lang in languages for row in corpus.read(task, lang, "dev", each)]
    with bar(f"{task}, {'+'.join(languages)}, seed {seed}") as show:
        return finetune(base, train, dev, folder, recipe, progress=show)


def accuracies(folder: Path, rows: Sequence[Example]) -> dict[str, Estimate]:
    """Accuracy, or exact match, by language."""
    scores = evaluate(load(folder), rows)
    return {score.lang: score.estimate for score in scores if score.measure != "f1"}


def bag_of_words(task: str, lang: str, test: Sequence[Example], examples: int) -> Estimate:
    """Logistic regression on which words are in which text."""

    def bag(row: Example) -> list[str]:
        spans = [(at, span) for at in range(len(row.texts)) for span in (row.words or ())[at]]
        return [f"{at}:{row.texts[at][start:stop]}" for at, (start, stop) in spans]

    train = corpus.read(task, lang, "train", examples)
    words = CountVectorizer(analyzer=bag, binary=True)
    model = LogisticRegression(max_iter=3000, C=0.3)
    model.fit(words.fit_transform(train), [row.label for row in train])
    right = model.predict(words.transform(test)) == [row.label for row in test]
    return estimate([float(each) for each in right], [row.group for row in test])


def random_sentence(test: Sequence[Example]) -> float:
    """Exact match of the best guess without reading: the right part of a random sentence."""
    shares = []
    for row in test:
        words = (row.concepts or ((), ()))[1]
        shares.append(1 / len({path.partition(".")[0] for word in words for path in word}))
    return sum(shares) / len(shares)
