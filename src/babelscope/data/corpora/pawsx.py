"""PAWS-X: paraphrases among sentences of nearly the same words (Yang et al., EMNLP 2019)."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats.labelled import labelled

ROW = Corpus(
    name="pawsx",
    task="paraphrase",
    summary="Do two sentences of much the same words say the same?",
    licence="free for any purpose",
    source="https://github.com/google-research-datasets/paws",
    languages=tags("de en es fr ja ko zh"),
    splits=("dev", "test"),
    folder="pawsx",
    files=("{split}-{lang}.tsv",),
    read=labelled(
        ("sentence1", "sentence2"), "label", {"0": "different", "1": "paraphrase"}, unlabelled=True
    ),
    labels=("different", "paraphrase"),
    notes="Untranslated sentences read NS: `texts.usable` is False for them. Where the labels of "
    "translations disagree, test rows have none. Dev labels differ between languages in up to 32 "
    "rows. "
    "Some Korean texts hold control characters.",
)
