"""The four real models, what they classify, and the real texts that they are explained on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from transformers import AutoTokenizer, BertForSequenceClassification

from babelscope.data import corpora
from babelscope.errors import InputError
from babelscope.files import writing_folder
from babelscope.model.load import Model, load
from babelscope.model.scopes import quiet
from babelscope.training.cache import cache_folder, making
from babelscope.types import Example
from real.weights import weights

SHARED = Path(os.environ.get("BABELSCOPE_SHARED") or Path(__file__).resolve().parents[3] / "shared")
FITTED = 600
"""Texts that a head is fitted to."""


@dataclass(frozen=True, slots=True)
class RealModel:
    """A row of MODELS."""

    name: str
    summary: str
    licence: str
    sources: tuple[tuple[str, str], ...]
    """Corpus and language of the texts; they take turns."""
    characters: tuple[int, int]
    """The shortest and the longest text that is explained."""
    head: bool = False
    """Whether the weights have no head: a linear one is fitted to the frozen states."""
    prompt: str = "{}"
    """What a language model reads, around the text."""
    verbalizer: dict[str, str] = field(default_factory=dict, hash=False)


SENTIMENT = {"positive": "good", "negative": "bad"}
MODELS = {
    row.name: row
    for row in (
        RealModel(
            "chinese-bert", "BERT 12 x 768, fine-tuned: harmful or harmless Chinese text", "MIT",
            (("chnsenticorp", "zh"),), (16, 32),
        ),
        RealModel(
            "gte-small", "BERT 12 x 384, English; a linear head for sentiment", "MIT",
            (("sst2", "en"),), (40, 90), head=True,
        ),
        RealModel(
            "smollm2-135m", "Llama decoder 30 x 576, English", "Apache-2.0",
            (("sst2", "en"),), (40, 80), prompt="Review: {}\nThis film is", verbalizer=SENTIMENT,
        ),
        RealModel(
            "gemma3-270m", "Gemma 3 decoder 18 x 640, more than 140 languages", "Gemma terms",
            (("sst2", "en"), ("chnsenticorp", "zh"), ("hindi-reviews", "hi")), (16, 50),
            prompt="{}\nThis is", verbalizer=SENTIMENT,
        ),
    )
}  # fmt: skip
"""The real models. Their licences apply to their weights, which are never redistributed here."""


def load_model(row: RealModel) -> Model:
    """The model as a user loads it, downloaded first where the cache lacks it."""
    folder = with_head(row) if row.head else weights(row.name)
    return load(folder, verbalizer=row.verbalizer or None, name=row.name)


def texts(row: RealModel, count: int) -> list[Example]:
    """The first test texts of suitable length, from each of the model's corpora in turn."""
    shortest, longest = row.characters
    columns = []
    for corpus, lang in row.sources:
        suited = (
            Example(example.id, (row.prompt.format(example.texts[0].strip()),), lang)
            for example in corpora.read(corpus, data_folder(), lang=lang, split="test")
            if shortest <= len(example.texts[0].strip()) <= longest
        )
        columns.append(list(islice(suited, count)))
    return list(islice(chain.from_iterable(zip(*columns)), count))


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
