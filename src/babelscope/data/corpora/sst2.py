"""SST-2: phrases and sentences of film reviews (Socher et al., EMNLP 2013)."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus
from babelscope.data.formats.labelled import POLARITY, labelled

ROW = Corpus(
    name="sst2",
    task="sentiment",
    summary="Phrases and sentences of film reviews",
    licence="not stated",
    source="https://nlp.stanford.edu/sentiment",
    languages=("en",),
    splits=("train", "dev", "test"),
    folder="sst2",
    files=("{split}.tsv",),
    read=labelled(("sentence",), "label", POLARITY),
    labels=("negative", "positive"),
    notes="Train and dev are a division of GLUE's train split, test is GLUE's dev split.",
)
