"""Who bought, sold, lost or found what: statements, comparisons and questions, in parallel.

Inference, paraphrase and reading comprehension are made of them. A new language is one file that exports LANGUAGE and one row
below.
"""

from __future__ import annotations

from babelscope.corpus.events import ar, en, es, fr, hi, sw, tr, zh
from babelscope.corpus.events.language import Language

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
