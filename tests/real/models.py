"""The four real models, what they classify, and the real texts that they are explained on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from transformers import AutoTokenizer, BertForSequenceClassification

from babelscope.data import corpora
from babelscope.errors import InputError
from babelscope.files import writing_folder
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.scopes import quiet
from babelscope.training.cache import cache_folder, making
from babelscope.types import Example, Prompt
from real.weights import weights

SHARED = Path(os.environ.get("BABELSCOPE_SHARED") or Path(__file__).resolve().parents[3] / "shared")
FITTED = 600
"""Texts that a head is fitted to."""
MOST_CHARACTERS = 200
"""Longer texts are not tokenized: none of them has as few tokens as are explained."""
CLAUSE = re.compile(r"[,.;:!?~，。；：！？]")
"""What ends a clause."""


@dataclass(frozen=True, slots=True)
class RealModel:
    """A row of MODELS."""

    name: str
    summary: str
    licence: str
    sources: tuple[tuple[str, str], ...]
    """Corpus and language of the texts; they take turns."""
    head: bool = False
    """Whether the weights have no head: a linear one is fitted to the frozen states."""
    prompt: Prompt | None = None
    """What a language model reads around the text, and what answers for its labels."""


SENTIMENT = {"positive": " good", "negative": " bad"}
USUAL, SHORT = (12, 24), (3, 6)
"""The fewest and the most tokens of the texts that are explained; short ones are for methods that
read hundreds of inputs for each explanation."""
MODELS = {
    row.name: row
    for row in (
        RealModel(
            "chinese-bert", "BERT 12 x 768, fine-tuned: harmful or harmless Chinese text", "MIT",
            (("chnsenticorp", "zh"),),
        ),
        RealModel(
            "gte-small", "BERT 12 x 384, English; a linear head for sentiment", "MIT",
            (("sst2", "en"),), head=True,
        ),
        RealModel(
            "smollm2-135m", "Llama decoder 30 x 576, English", "Apache-2.0",
            (("sst2", "en"),), prompt=Prompt("Review: {text}\nThis film is", SENTIMENT),
        ),
        RealModel(
            "gemma3-270m", "Gemma 3 decoder 18 x 640, more than 140 languages", "Gemma terms",
            (("sst2", "en"), ("chnsenticorp", "zh"), ("hindi-reviews", "hi")),
            prompt=Prompt("{text}\nThis is", SENTIMENT),
        ),
    )
}  # fmt: skip
"""The real models. Their licences apply to their weights, which are never redistributed here."""


def load_model(row: RealModel) -> Model:
    """The model as a user loads it, downloaded first where the cache lacks it."""
    folder = with_head(row) if row.head else weights(row.name)
    return load(folder, prompt=row.prompt, name=row.name)


def texts(row: RealModel, model: Model, count: int, span: tuple[int, int]) -> list[Example]:
    """The first test texts with so many tokens, from each of the model's corpora in turn.

    *Law*: no two are of the same length, so that a batch of them is padded.
    """
    columns = [_suited(model, corpus, lang, span) for corpus, lang in row.sources]
    chosen: list[Example] = []
    lengths: set[int] = set()
    for column in cycle(columns):
        length, example = next((each for each in column if each[0] not in lengths), (0, None))
        if example is None:
            raise InputError(f"{row.name}: fewer than {count} texts of {span[0]}-{span[1]} tokens")
        chosen.append(example)
        lengths.add(length)
        if len(chosen) == count:
            return chosen
    raise AssertionError("a model has a corpus")


def _suited(
    model: Model, corpus: str, lang: str, span: tuple[int, int]
) -> Iterator[tuple[int, Example]]:
    """The test texts of a corpus with so many tokens, each with its number; where they are
    to be short, also first clauses."""
    for example in corpora.read(corpus, data_folder(), lang=lang, split="test"):
        text = example.texts[0].strip()
        clause = CLAUSE.split(text)[0].strip()
        for part in (text, clause) if span == SHORT else (text,):
            stripped = Example(example.id, (part,), lang)
            if not part or len(part) > MOST_CHARACTERS:
                continue
            length = int(encode(model, [stripped])[0].content.sum())
            if span[0] <= length <= span[1]:
                yield length, stripped
                break


def data_folder() -> Path:
    """The folder of public data."""
    folder = SHARED / "data"
    if not folder.is_dir():
        raise InputError(
            f"there is no folder of public data {folder}; name one that contains `data` in "
            "$BABELSCOPE_SHARED"
        )
    return folder


def with_head(row: RealModel) -> Path:
    """The folder of an encoder with a linear head fitted to its frozen states, fitted once.

        logits = W tanh(h) + b

    h the last state of the first token; W and b by logistic regression. The pooler of BERT, which
    the weights lack, is the identity before its tanh.
    """
    folder = cache_folder() / "real" / f"{row.name}-classifier"
    source = weights(row.name)
    with making(folder):
        if not folder.is_dir():
            ((corpus, lang),) = row.sources
            rows = corpora.read(corpus, data_folder(), lang=lang, split="train")
            examples = list(islice(rows, FITTED))
            with quiet(), writing_folder(folder) as part:
                tokenizer = AutoTokenizer.from_pretrained(source)
                model = BertForSequenceClassification.from_pretrained(source).eval()
                fit_head(model, tokenizer, examples)
                model.save_pretrained(part)
                tokenizer.save_pretrained(part)
    return folder


def fit_head(
    model: BertForSequenceClassification, tokenizer: AutoTokenizer, examples: Sequence[Example]
) -> None:
    """Sets pooler and classifier of the model, and names its classes."""
    labels = sorted({str(example.label) for example in examples})
    with torch.no_grad():
        model.bert.pooler.dense.weight.copy_(torch.eye(model.config.hidden_size))
        model.bert.pooler.dense.bias.zero_()
        states = np.concatenate(
            [
                model.bert(**tokenizer(example.texts[0], return_tensors="pt")).pooler_output.numpy()
                for example in examples
            ]
        )
        gold = [labels.index(str(example.label)) for example in examples]
        fitted = LogisticRegression(C=1.0, max_iter=2000).fit(states, gold)
        half = torch.tensor(fitted.coef_[0] / 2), torch.tensor(fitted.intercept_[0] / 2)
        model.classifier.weight.copy_(torch.stack((-half[0], half[0])))
        model.classifier.bias.copy_(torch.stack((-half[1], half[1])))
    model.config.id2label = dict(enumerate(labels))
    model.config.label2id = {label: at for at, label in enumerate(labels)}
