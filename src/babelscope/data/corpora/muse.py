"""English words and translations in the format of MUSE (Lample et al., ICLR 2018; Qin et al.,
IJCAI 2020).
"""

from __future__ import annotations

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats.dictionaries import blank_separated

ROW = Corpus(
    name="muse",
    task="dictionary",
    summary="English words and translations",
    licence="CC BY-NC 4.0; the PanLex part not stated",
    source="https://github.com/kodenii/CoSDA-ML",
    languages=tags("ar bg ca de el es fr hi it ja ru sv th tr ur vi zh"),
    splits=("all",),
    folder="bilingual-dictionaries",
    files=("en-{lang}.txt",),
    read=blank_separated,
    yields="pairs",
)
