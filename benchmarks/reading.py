"""Extractive question answering from SQuAD's JSON to an explanation, in the languages of XQuAD, in
its own contexts and in contexts of 1,500 tokens.

    python -m benchmarks.reading NAME BASE CORPORA OUTPUT [--write]

NAME is a row of MODELS, BASE the pretrained model, CORPORA the folder with xquad, OUTPUT where
models and results are written (and read, if they are there: the run can be interrupted). XQuAD has
48 articles of five paragraphs: the first 36 are for training, 4 for model selection, 8 for the
test. The model is first trained on clozes (`clozes.py`) of the training paragraphs, then on their
questions. With --write the figures become the table in docs/finetune.md, by docs/reading.json.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from babelscope.data import corpora
from babelscope.data.corpora import CORPORA
from babelscope.data.independence import clusters
from babelscope.data.segmentation import segment
from babelscope.methods.explain import explain
from babelscope.model.load import Model, load
from babelscope.model.tasks.spans import FUNCTIONS
from babelscope.random import keyed
from babelscope.stats import estimate, rate
from babelscope.stats.answers import normalised
from babelscope.training.evaluate import predictions
from babelscope.training.finetune import Recipe, finetune
from babelscope.types import Attribution, Example, Span
from benchmarks.clozes import clozes, sentences

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "reading.json"
TRAIN, DEV = 180, 200
"""The numbers of the paragraphs at which the parts end: at the end of an article."""
LONG = 1500
"""Tokens of a long context: paragraphs after and before the one with the answer."""
IN_LONG = 40
"""Questions by language that are also asked in long contexts."""
NEAR = 80
"""Characters around an answer that are near it."""
EXPLAINED = 10
"""Questions in long contexts whose answers are explained."""


@dataclass(frozen=True)
class Reader:
    """How a model is trained, and the languages that it is trained on and tested in."""

    languages: tuple[str, ...]
    tested: tuple[str, ...]
    learning_rate: float
    epochs: int
    clozes: int = 6
    """For each paragraph and language."""
    long: tuple[str, ...] = ("en",)
    freeze_embeddings: bool = True


MODELS = {
    "multilingual": Reader(
        ("en", "de", "es", "ar", "hi", "zh"), tuple(CORPORA["xquad"].languages), 7e-4, 2, 4,
        ("en", "hi", "zh"),
    ),
    # Its vocabulary has no Thai: whole texts are unknown to it
    "english": Reader(
        ("en",), tuple(lang for lang in CORPORA["xquad"].languages if lang != "th"), 2e-4, 4
    ),
}  # fmt: skip


def rows(folder: str, lang: str) -> tuple[list[Example], list[Example], list[Example]]:
    """Rows for training, model selection and test: no article is in two of them."""
    listed = list(corpora.read("xquad", folder, lang=lang, split="test"))
    numbers = {text: at for at, text in enumerate(dict.fromkeys(row.texts[1] for row in listed))}
    place = [numbers[row.texts[1]] for row in listed]
    parts = [(0, TRAIN), (TRAIN, DEV), (DEV, len(numbers))]
    train, dev, test = (
        [row for row, at in zip(listed, place) if first <= at < end] for first, end in parts
    )
    return train, dev, test


def contexts(examples: Sequence[Example]) -> list[str]:
    return list(dict.fromkeys(row.texts[1] for row in examples))


def train(reader: Reader, base: str, folder: str, output: Path) -> Path:
    """The fine-tuned model, after clozes and questions; each stage is made once."""
    parts = {lang: rows(folder, lang) for lang in reader.languages}
    asked = [
        [row for lang, part in parts.items() for row in clozes(contexts(part[at]), lang, count)]
        for at, count in ((0, reader.clozes), (1, 1))
    ]
    real = [[row for part in parts.values() for row in part[at]] for at in (0, 1)]
    place = base
    for name, (learnt, judged), epochs in (
        ("clozes", asked, 1),
        ("questions", real, reader.epochs),
    ):
        start = time.process_time()
        recipe = Recipe(
            learning_rate=reader.learning_rate, epochs=epochs, max_length=256, precision="bfloat16",
            freeze_embeddings=reader.freeze_embeddings,
        )  # fmt: skip
        place = str(finetune(place, learnt, judged, output / name, recipe))
        spent = time.process_time() - start
        print(f"{name}: {len(learnt)} rows, {spent:.0f} s of processor time", flush=True)
    return Path(place)


def random_span(row: Example, generator: np.random.Generator) -> Span:
    """A span with the gold answer's number of words."""
    words, size = segment(row.texts[1], row.lang), _size(row)
    start = int(generator.integers(0, max(1, len(words) - size + 1)))
    return words[start][0], words[min(start + size, len(words)) - 1][1]


def overlapping_span(row: Example, generator: np.random.Generator) -> Span:
    """A span with the gold answer's number of words, in the sentence that shares most words with the
    question: the first such span with none of the question's words; a random one if there is none.
    """
    question, context = row.texts
    asked = set(_words(question, segment(question, row.lang), row.lang))
    listed = [words for words in sentences(context, row.lang) if words]
    best = max(listed, key=lambda words: len(asked & set(_words(context, words, row.lang))))
    size = min(_size(row), len(best))
    spans = [best[at : at + size] for at in range(len(best) - size + 1)]
    free = [span for span in spans if not asked & set(_words(context, span, row.lang))]
    span = free[int(generator.integers(len(free)))] if free else spans[0]
    return span[0][0], span[-1][1]


def _words(text: str, spans: Sequence[Span], lang: str) -> list[str]:
    return [word for span in spans for word in normalised(text[slice(*span)], lang)]


def _size(row: Example) -> int:
    assert row.answer is not None
    return len(segment(row.texts[1][slice(*row.answer)], row.lang))


def control(
    model: Model, test: Sequence[Example], span: Callable[..., Span], draws: int = 20
) -> list[float]:
    """The F1 of a control's spans, of each question the mean over some draws."""
    values = []
    for row in test:
        generator = keyed("reading control", row.id)
        answered = [(row, row.texts[1][slice(*span(row, generator))]) for _ in range(draws)]
        values.append(float(np.mean(FUNCTIONS.evaluate(model, answered)["f1"])))
    return values


def lengthened(model: Model, test: Sequence[Example]) -> list[Example]:
    """The same questions, each in a context of at least LONG tokens: other paragraphs of the test
    precede and follow the one with the answer.
    """
    listed = contexts(test)
    size = {text: len(model.tokenizer(text, verbose=False)["input_ids"]) for text in listed}
    longer = []
    for row in test:
        at, before, after = listed.index(row.texts[1]), [], []
        total, step = size[row.texts[1]], 0
        while total < LONG:
            step += 1
            text = listed[(at + step) % len(listed)]
            (before if step % 2 else after).append(text)
            total += size[text]
        start = sum(len(text) + 1 for text in before)
        assert row.answer is not None
        answer = row.answer[0] + start, row.answer[1] + start
        context = "\n".join([*before, row.texts[1], *after])
        longer.append(replace(row, texts=(row.texts[0], context), answer=answer))
    return longer


def scored(model: Model, test: Sequence[Example], groups: Sequence[str]) -> dict[str, Any]:
    """F1 and exact match with intervals by cluster, and how far F1 is above each control."""
    values = FUNCTIONS.evaluate(model, list(zip(test, predictions(model, test))))
    f1, exact = values["f1"], values["exact_match"]
    result: dict[str, Any] = {"n": len(test), "clusters": len(set(groups))}
    for name, each in (("f1", rate(f1, groups)), ("exact_match", rate(exact, groups))):
        result[name] = [each.mean, each.low, each.high]
    for name, span in (("random", random_span), ("overlap", overlapping_span)):
        theirs = control(model, test, span)
        gain = estimate([ours - other for ours, other in zip(f1, theirs)], groups)
        result[name] = float(np.mean(theirs))
        result[f"above_{name}"] = [gain.mean, gain.low, gain.high]
    return result


def explained(model: Model, longer: Sequence[Example]) -> dict[str, Any]:
    """Of answers in long contexts: does the model answer from a window with the gold answer, and
    how many of the five highest words are in the question or within NEAR characters of the answer;
    beside it the share of all words of the window.
    """
    gold = {row.id: row for row in longer}
    right, near, all_near, shown = [], [], [], []
    for attribution in explain(model, longer, "attnlrp", long="best"):
        assert attribution.input is not None
        assert attribution.input.window is not None
        row = gold[attribution.input.window.of]
        assert row.answer is not None
        read = [span for span, part in zip(attribution.offsets, attribution.segment) if part]
        right.append(read[0][0] <= row.answer[0] and row.answer[1] <= read[-1][1])
        close = _close(attribution)
        order = np.argsort(attribution.word_scores)[::-1][:5]
        near.append(float(np.mean([close[at] for at in order])))
        all_near.append(float(np.mean(close)))
        shown.append({"question": row.texts[0], "answer": attribution.target,
                      "gold": row.texts[1][slice(*row.answer)], "flags": list(attribution.flags),
                      "words": [attribution.words[at] for at in order]})  # fmt: skip
    return {"n": len(right), "window_with_gold": sum(right), "highest_near": float(np.mean(near)),
            "all_near": float(np.mean(all_near)), "examples": shown}  # fmt: skip


def _close(attribution: Attribution) -> list[bool]:
    """Which words are in the question, or near the explained answer."""
    assert attribution.input is not None
    start = attribution.input.offsets[attribution.target_index][0] - NEAR
    end = attribution.input.offsets[attribution.target_end][1] + NEAR
    places = zip(attribution.word_offsets, attribution.word_segment)
    return [part == 0 or start <= span[0] <= end for span, part in places]


def once(file: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the file holds; made and written if it is not there."""
    if not file.exists():
        file.write_text(json.dumps(make(), ensure_ascii=False), "utf-8")
    value: dict[str, Any] = json.loads(file.read_text("utf-8"))
    print(file.stem, value, flush=True)
    return value


def results(reader: Reader, folder: str, output: Path) -> dict[str, Any]:
    model = load(output / "questions", name="reading")
    values: dict[str, Any] = {"short": {}, "long": {}}
    for lang in reader.tested:
        test = rows(folder, lang)[2]
        named = clusters(test)
        groups = [named[row.group] for row in test]
        file = output / f"short-{lang}.json"
        values["short"][lang] = once(file, partial(scored, model, test, groups))
        if lang in reader.long:
            longer = lengthened(model, test[:IN_LONG])
            values["long"][lang] = once(
                output / f"long-{lang}.json", partial(scored, model, longer, groups[:IN_LONG])
            )
    longer = lengthened(model, rows(folder, "en")[2][:EXPLAINED])
    values["explained"] = once(output / "explained.json", partial(explained, model, longer))
    return values


def main(name: str, base: str, folder: str, output: str, *options: str) -> None:
    reader = MODELS[name]
    train(reader, base, folder, Path(output))
    values = results(reader, folder, Path(output)) | {"trained": list(reader.languages)}
    del values["explained"]["examples"]  # texts of the corpus stay outside of the repository
    if "--write" in options:
        known = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
        text = json.dumps(known | {name: values}, indent=1, ensure_ascii=False)
        FIGURES.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
