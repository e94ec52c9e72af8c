"""PUD: parallel treebanks of Universal Dependencies (Zeman et al., CoNLL 2017)."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats import conllu

ROW = Corpus(
    name="ud-pud",
    task="syntax",
    summary="Parallel treebanks with gold trees",
    licence="CC BY-SA 3.0; Swedish 4.0",
    source="https://universaldependencies.org",
    languages=tags("ar de en es fr hi id it ko pt ru sv th tr zh"),
    splits=("test",),
    folder="ud-pud",
    files=("{lang}_pud-ud-{split}.conllu",),
    read=conllu.read,
)
