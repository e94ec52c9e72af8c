"""XNLI: inference between two sentences in fifteen languages (Conneau et al., EMNLP 2018)."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats.labelled import labelled

LABELS = ("entailment", "neutral", "contradiction")

ROW = Corpus(
    name="xnli",
    task="nli",
    summary="Inference between two sentences, translated by people",
    licence="CC BY-NC 4.0",
    source="https://github.com/facebookresearch/XNLI",
    languages=tags("ar de en es fr hi ru sw th tr vi zh"),
    splits=("dev", "test"),
    folder="xnli",
    files=("{split}-{lang}.tsv",),
    read=labelled(("premise", "hypothesis"), "label", {label: label for label in LABELS}),
    labels=LABELS,
    notes="Some Chinese texts hold the control character U+0008.",
)
