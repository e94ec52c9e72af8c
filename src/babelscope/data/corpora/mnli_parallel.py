"""MultiNLI training pairs in ten languages, machine translated."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.corpora.xnli import LABELS
from babelscope.data.formats.labelled import labelled

_NAMES = {label: label for label in LABELS} | {"contradictory": "contradiction"}

ROW = Corpus(
    name="mnli-parallel",
    task="nli",
    summary="MultiNLI training pairs, machine translated",
    licence="BSD-3-Clause; XNLI's part CC BY-NC 4.0",
    source="https://github.com/salesforce/xnli_extension",
    languages=tags("ar de en es fr sw tr ur vi zh"),
    splits=("train",),
    folder="mnli-train-parallel",
    files=("train5k-{lang}.tsv", "{split}-{lang}.tsv"),
    read=labelled(("premise", "hypo"), "label", _NAMES),
    labels=LABELS,
    notes="The texts are tokenized: a blank precedes punctuation.",
)
