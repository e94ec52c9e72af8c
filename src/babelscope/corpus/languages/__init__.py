"""The languages of the corpus. A new one is one folder that exports LANGUAGE, and one row below."""

from __future__ import annotations

from babelscope.corpus.languages import ar, en, es, fr, hi, sw, tr, zh
from babelscope.corpus.realisers import Language

LANGUAGES: dict[str, Language] = {
    "en": en.LANGUAGE,
    "zh": zh.LANGUAGE,
    "es": es.LANGUAGE,
    "fr": fr.LANGUAGE,
    "hi": hi.LANGUAGE,
    "tr": tr.LANGUAGE,
    "ar": ar.LANGUAGE,
    "sw": sw.LANGUAGE,
}
"""In the order in which they are listed."""
