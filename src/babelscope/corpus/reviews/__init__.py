"""Short reviews of films, hotels, phones and the like, in parallel: one meaning, one realiser per language.

`meaning` holds what can be said, `sample` draws it, a file per language says it. A new language is one file that
exports LANGUAGE and one row below.
"""

from __future__ import annotations

from babelscope.corpus.reviews import ar, en, es, fr, hi, sw, tr, zh
from babelscope.corpus.reviews.language import Language

REALISERS: dict[str, Language] = {
    "en": en.LANGUAGE,
    "zh": zh.LANGUAGE,
    "es": es.LANGUAGE,
    "fr": fr.LANGUAGE,
    "hi": hi.LANGUAGE,
    "tr": tr.LANGUAGE,
    "ar": ar.LANGUAGE,
    "sw": sw.LANGUAGE,
}
