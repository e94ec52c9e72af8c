"""ChnSentiCorp: Chinese reviews of hotels, books and laptops."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus
from babelscope.data.formats.labelled import POLARITY, labelled

ROW = Corpus(
    name="chnsenticorp",
    task="sentiment",
    summary="Chinese reviews of hotels, books and laptops",
    licence="not stated",
    source="https://github.com/dbiir/UER-py",
    languages=("zh",),
    splits=("train", "dev", "test"),
    folder="chnsenticorp",
    files=("{split}.tsv",),
    read=labelled(("text_a",), "label", POLARITY),
    labels=("negative", "positive"),
)
