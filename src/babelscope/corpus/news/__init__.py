"""Short news items on six topics, in parallel. A new language is one file that exports LANGUAGE and one row below."""

from __future__ import annotations

from babelscope.corpus.news import ar, en, es, fr, hi, sw, tr, zh
from babelscope.corpus.news.language import Language

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
