"""XLing-eval: English words by frequency and one translation each (Glavas et al., ACL 2019)."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats.dictionaries import tab_separated

ROW = Corpus(
    name="xling",
    task="dictionary",
    summary="English words by frequency and one translation each",
    licence="not stated",
    source="https://github.com/codogogo/xling-eval",
    languages=tags("de fi fr hr it ru tr"),
    splits=("train", "test"),
    folder="bilingual-dictionaries",
    files=("xling/{split}.freq.2k.en-{lang}.tsv", "xling/{split}.freq.5k.en-{lang}.tsv"),
    read=tab_separated,
    yields="pairs",
)
