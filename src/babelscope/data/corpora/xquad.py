"""XQuAD: questions about paragraphs in twelve languages (Artetxe et al., ACL 2020)."""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats import squad

ROW = Corpus(
    name="xquad",
    task="reading",
    summary="Questions whose answer is a span of a paragraph",
    licence="CC BY-SA 4.0",
    source="https://github.com/deepmind/xquad",
    languages=tags("ar de el en es hi ro ru th tr vi zh"),
    splits=("test",),
    folder="xquad",
    files=("xquad.{lang}.json",),
    read=squad.read,
)
