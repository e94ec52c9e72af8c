"""Language tags: which there are, and what was meant by one that there is not."""

from __future__ import annotations

import difflib
import re
from functools import cache

from babelscope.errors import InputError

_LISTED = """
    aa Afar, ab Abkhazian, ae Avestan, af Afrikaans, ak Akan, am Amharic, an Aragonese, ar
    Arabic, as Assamese, av Avaric, ay Aymara, az Azerbaijani, ba Bashkir, be Belarusian, bg
    Bulgarian, bi Bislama, bm Bambara, bn Bangla, bo Tibetan, br Breton, bs Bosnian, ca Catalan,
    ce Chechen, ch Chamorro, co Corsican, cr Cree, cs Czech, cu Church Slavic, cv Chuvash, cy
    Welsh, da Danish, de German, dv Divehi, dz Dzongkha, ee Ewe, el Greek, en English, eo
    Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, ff Fula, fi Finnish, fj Fijian,
    fo Faroese, fr French, fy Western Frisian, ga Irish, gd Scottish Gaelic, gl Galician, gn
    Guarani, gu Gujarati, gv Manx, ha Hausa, he Hebrew, hi Hindi, ho Hiri Motu, hr Croatian, ht
    Haitian Creole, hu Hungarian, hy Armenian, hz Herero, ia Interlingua, id Indonesian, ie
    Interlingue, ig Igbo, ii Sichuan Yi, ik Inupiaq, io Ido, is Icelandic, it Italian, iu
    Inuktitut, ja Japanese, jv Javanese, ka Georgian, kg Kongo, ki Kikuyu, kj Kuanyama, kk
    Kazakh, kl Kalaallisut, km Khmer, kn Kannada, ko Korean, kr Kanuri, ks Kashmiri, ku Kurdish,
    kv Komi, kw Cornish, ky Kyrgyz, la Latin, lb Luxembourgish, lg Ganda, li Limburgish, ln
    Lingala, lo Lao, lt Lithuanian, lu Luba-Katanga, lv Latvian, mg Malagasy, mh Marshallese, mi
    Māori, mk Macedonian, ml Malayalam, mn Mongolian, mr Marathi, ms Malay, mt Maltese, my
    Burmese, na Nauru, nb Norwegian Bokmål, nd North Ndebele, ne Nepali, ng Ndonga, nl Dutch, nn
    Norwegian Nynorsk, no Norwegian, nr South Ndebele, nv Navajo, ny Nyanja, oc Occitan, oj
    Ojibwa, om Oromo, or Odia, os Ossetic, pa Punjabi, pi Pali, pl Polish, ps Pashto, pt
    Portuguese, qu Quechua, rm Romansh, rn Rundi, ro Romanian, ru Russian, rw Kinyarwanda, sa
    Sanskrit, sc Sardinian, sd Sindhi, se Northern Sami, sg Sango, sh Serbo-Croatian, si
    Sinhala, sk Slovak, sl Slovenian, sm Samoan, sn Shona, so Somali, sq Albanian, sr Serbian,
    ss Swati, st Southern Sotho, su Sundanese, sv Swedish, sw Swahili, ta Tamil, te Telugu, tg
    Tajik, th Thai, ti Tigrinya, tk Turkmen, tl Tagalog, tn Tswana, to Tongan, tr Turkish, ts
    Tsonga, tt Tatar, tw Twi, ty Tahitian, ug Uyghur, uk Ukrainian, ur Urdu, uz Uzbek, ve Venda,
    vi Vietnamese, vo Volapük, wa Walloon, wo Wolof, xh Xhosa, yi Yiddish, yo Yoruba, za Zhuang,
    zh Chinese, zu Zulu
"""
NAMES = dict(entry.strip().split(" ", 1) for entry in _LISTED.replace("\n", " ").split(","))
"""The two-letter codes of ISO 639-1 and their English names."""
UNKNOWN = "und"
"""The tag of texts whose language is not stated."""
TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?"
    r"(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-x(-[a-z0-9]{1,8})+)?"
)
"""A language, then perhaps its script, its region, its variants, and what users agreed upon."""
LONGEST = 35
"""Characters of the longest tag that BCP 47 asks programs to accept."""


def check_language(tag: str) -> str:
    """The tag, if it is one of BCP 47; anything else is refused with what was probably meant.

        check_language("zh-Hans")   # zh-Hans
        check_language("english")   # InputError: ... did you mean 'en'?

    *Laws*: a two-letter code is one of ISO 639-1; of three letters each is accepted, as ISO 639-3
    lists about 8,000; the spelling is the usual one (en, zh-Hans, pt-BR, hi-x-roman).
    """
    fault = language_fault(tag)
    if fault is not None:
        raise InputError(f"there is no language {tag[:LONGEST]!r}; {fault}")
    return tag


def language_name(tag: str) -> str:
    """The English name of a language; the tag where there is none, beside the name where it says
    more (a script, a region).

        language_name("ar")        # Arabic
        language_name("zh-Hant")   # Chinese (zh-Hant)
    """
    language = tag.partition("-")[0]
    if language not in NAMES:
        return tag
    return NAMES[language] if language == tag else f"{NAMES[language]} ({tag})"


@cache
def language_fault(tag: str) -> str | None:
    """What to write instead of a tag that is none; None if it is one."""
    match = TAG.fullmatch(tag) if len(tag) <= LONGEST else None
    if match is not None and (len(match["language"]) == 3 or match["language"] in NAMES):
        return None
    meant = _near(tag[:LONGEST])
    hint = f"did you mean {meant!r}? " if meant else ""
    return f"{hint}write a BCP 47 tag such as en, hin, zh-Hans or pt-BR"


def _near(tag: str) -> str | None:
    """The tag in its usual spelling, the code of a language's name, or a code like it."""
    first, *rest = tag.strip().replace("_", "-").split("-")
    sized = {2: str.upper, 4: str.capitalize}
    usual = "-".join([first.lower(), *(sized.get(len(part), str.lower)(part) for part in rest)])
    if usual != tag and TAG.fullmatch(usual) and language_fault(usual) is None:
        return usual
    codes = {name.lower(): code for code, name in NAMES.items()}
    names = difflib.get_close_matches(first.lower(), codes, n=1, cutoff=0.75)
    if names:
        return codes[names[0]]
    near = difflib.get_close_matches(first.lower(), NAMES, n=1, cutoff=0.5) if first else []
    return near[0] if near else None
