"""Extractive question answering from SQuAD's JSON to an explanation: fine-tuned on English, evaluated
in the languages of XQuAD, in its own contexts and in contexts of 1,500 tokens.

    python -m benchmarks.reading BASE CORPORA OUTPUT

BASE is a pretrained multilingual model, CORPORA the folder with xquad, OUTPUT where the fine-tuned
model is written (and read, if it is there). The 240 paragraphs are split by number: the first 180
for training, 20 for model selection, 40 for the test. The control answers with a random span of the
context that has as many words as the gold answer, on average over 20 spans.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from babelscope.data import corpora
from babelscope.data.corpora import CORPORA
from babelscope.data.segmentation import segment
from babelscope.methods.explain import explain
from babelscope.model.load import Model, load
from babelscope.model.tasks.spans import FUNCTIONS
from babelscope.random import keyed
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import Recipe, finetune
from babelscope.types import Example

RECIPE = Recipe(
    learning_rate=5e-4, epochs=10, patience=2, freeze_embeddings=True, max_length=256, batch=16
)
TRAIN, DEV = 180, 200
"""The numbers of the paragraphs at which the parts end."""
IN_LONG = {"en": 40, "hi": 40, "zh": 40}
"""Questions, by language, that are also asked in long contexts."""
LONG = 1500
"""Tokens of a long context: paragraphs after and before the one with the answer."""


def rows(folder: str, lang: str) -> tuple[list[Example], list[Example], list[Example]]:
    """Rows for training, model selection and test: no paragraph is in two of them."""
    listed = list(corpora.read("xquad", folder, lang=lang, split="test"))
    numbers = {text: at for at, text in enumerate(dict.fromkeys(row.texts[1] for row in listed))}
    place = [numbers[row.texts[1]] for row in listed]
    parts = [(0, TRAIN), (TRAIN, DEV), (DEV, len(numbers))]
    train, dev, test = (
        [row for row, at in zip(listed, place) if first <= at < end] for first, end in parts
    )
    return train, dev, test


def control(model: Model, test: Sequence[Example], draws: int = 20) -> float:
    """The F1 of random spans with the gold answer's number of words."""
    values = []
    for row in test:
        words = segment(row.texts[1], row.lang)
        assert row.answer is not None
        size = len(segment(row.texts[1][slice(*row.answer)], row.lang))
        generator = keyed("reading control", row.id)
        for start in generator.integers(0, max(1, len(words) - size + 1), draws):
            span = words[start][0], words[min(start + size, len(words)) - 1][1]
            values += FUNCTIONS.evaluate(model, [(row, row.texts[1][slice(*span)])])["f1"]
    return float(np.mean(values))


def lengthened(model: Model, test: Sequence[Example]) -> list[Example]:
    """The same questions, each in a context of at least LONG tokens: other paragraphs of the test
    precede and follow the one with the answer.
    """
    contexts = list(dict.fromkeys(row.texts[1] for row in test))
    size = {text: len(model.tokenizer(text, verbose=False)["input_ids"]) for text in contexts}
    longer = []
    for row in test:
        at, before, after = contexts.index(row.texts[1]), [], []
        total, step = size[row.texts[1]], 0
        while total < LONG:
            step += 1
            text = contexts[(at + step) % len(contexts)]
            (before if step % 2 else after).append(text)
            total += size[text]
        start = sum(len(text) + 1 for text in before)
        assert row.answer is not None
        answer = row.answer[0] + start, row.answer[1] + start
        context = "\n".join([*before, row.texts[1], *after])
        longer.append(replace(row, texts=(row.texts[0], context), answer=answer))
    return longer


def scores(model: Model, test: Sequence[Example]) -> dict[str, float]:
    return {score.measure: score.estimate.mean for score in evaluate(model, test)}


def main(base: str, folder: str, output: str) -> None:
    train, dev, test = rows(folder, "en")
    start = time.process_time()
    finetune(base, train, dev, output, RECIPE)
    print(f"{len(train)} rows, {time.process_time() - start:.0f} s of processor time", flush=True)
    model = load(output, name="reading")
    print("| language | questions | F1 | exact match | F1 of random spans |")
    print("|---|--:|--:|--:|--:|")
    for lang in CORPORA["xquad"].languages:
        test = rows(folder, lang)[2]
        short = scores(model, test)
        numbers = [short["f1"], short["exact_match"], control(model, test)]
        cells = [lang, str(len(test)), *(f"{each:.3f}" for each in numbers)]
        print("| " + " | ".join(cells) + " |", flush=True)
    print("| language | questions | F1 | F1, 1,500 tokens | F1 of random spans, 1,500 tokens |")
    print("|---|--:|--:|--:|--:|")
    for lang, count in IN_LONG.items():
        test = rows(folder, lang)[2][:count]
        longer = lengthened(model, test)
        numbers = [scores(model, test)["f1"], scores(model, longer)["f1"], control(model, longer)]
        cells = [lang, str(len(test)), *(f"{each:.3f}" for each in numbers)]
        print("| " + " | ".join(cells) + " |", flush=True)
    row = lengthened(model, rows(folder, "en")[2][:1])
    for attribution in explain(model, row, "attnlrp", long="best"):
        ranked = sorted(zip(attribution.word_scores, attribution.words), reverse=True)[:6]
        print(attribution.id, attribution.flags, repr(attribution.target), f"{attribution.value:.2f}",
              [word for _, word in ranked])  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
