"""Sentences of Hindi product reviews in four classes."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus
from babelscope.data.formats.labelled import labelled

LABELS = ("positive", "neutral", "negative", "conflict")

ROW = Corpus(
    name="hindi-reviews",
    task="sentiment",
    summary="Sentences of Hindi product reviews, four classes",
    licence="MIT",
    source="https://github.com/midas-research/hindi-nli-data",
    languages=("hi",),
    splits=("train", "dev", "test"),
    folder="hindi-product-reviews",
    files=("{split}.tsv",),
    read=labelled(("Sentence",), "Sentiment_Label", {label: label for label in LABELS}),
    labels=LABELS,
    notes="The classes are skewed.",
)
