"""SIB-200: topics of FLORES-200 sentences, one file per language or one with a column for each of
the 205.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from babelscope.data.corpora.row import Corpus
from babelscope.data.formats.csv import tab_separated
from babelscope.data.formats.problems import Problem
from babelscope.types import Example

LABELS = (
    "entertainment",
    "geography",
    "health",
    "politics",
    "science/technology",
    "sports",
    "travel",
)

FLORES = (
    "ace_Arab ace_Latn acm_Arab acq_Arab aeb_Arab afr_Latn ajp_Arab aka_Latn als_Latn amh_Ethi "
    "apc_Arab arb_Arab arb_Latn "
    "ars_Arab ary_Arab arz_Arab asm_Beng ast_Latn awa_Deva ayr_Latn azb_Arab azj_Latn bak_Cyrl "
    "bam_Latn ban_Latn bel_Cyrl "
    "bem_Latn ben_Beng bho_Deva bjn_Arab bjn_Latn bod_Tibt bos_Latn bug_Latn bul_Cyrl cat_Latn "
    "ceb_Latn ces_Latn cjk_Latn "
    "ckb_Arab crh_Latn cym_Latn dan_Latn deu_Latn dik_Latn dyu_Latn dzo_Tibt ell_Grek eng_Latn "
    "epo_Latn est_Latn eus_Latn "
    "ewe_Latn fao_Latn fij_Latn fin_Latn fon_Latn fra_Latn fur_Latn fuv_Latn gaz_Latn gla_Latn "
    "gle_Latn glg_Latn grn_Latn "
    "guj_Gujr hat_Latn hau_Latn heb_Hebr hin_Deva hne_Deva hrv_Latn hun_Latn hye_Armn ibo_Latn "
    "ilo_Latn ind_Latn isl_Latn "
    "ita_Latn jav_Latn jpn_Jpan kab_Latn kac_Latn kam_Latn kan_Knda kas_Arab kas_Deva kat_Geor "
    "kaz_Cyrl kbp_Latn kea_Latn "
    "khk_Cyrl khm_Khmr kik_Latn kin_Latn kir_Cyrl kmb_Latn kmr_Latn knc_Arab knc_Latn kon_Latn "
    "kor_Hang lao_Laoo lij_Latn "
    "lim_Latn lin_Latn lit_Latn lmo_Latn ltg_Latn ltz_Latn lua_Latn lug_Latn luo_Latn lus_Latn "
    "lvs_Latn mag_Deva mai_Deva "
    "mal_Mlym mar_Deva min_Arab min_Latn mkd_Cyrl mlt_Latn mni_Beng mos_Latn mri_Latn mya_Mymr "
    "nld_Latn nno_Latn nob_Latn "
    "npi_Deva nqo_Nkoo nso_Latn nus_Latn nya_Latn oci_Latn ory_Orya pag_Latn pan_Guru pap_Latn "
    "pbt_Arab pes_Arab plt_Latn "
    "pol_Latn por_Latn prs_Arab quy_Latn ron_Latn run_Latn rus_Cyrl sag_Latn san_Deva sat_Olck "
    "scn_Latn shn_Mymr sin_Sinh "
    "slk_Latn slv_Latn smo_Latn sna_Latn snd_Arab som_Latn sot_Latn spa_Latn srd_Latn srp_Cyrl "
    "ssw_Latn sun_Latn swe_Latn "
    "swh_Latn szl_Latn tam_Taml taq_Latn taq_Tfng tat_Cyrl tel_Telu tgk_Cyrl tgl_Latn tha_Thai "
    "tir_Ethi tpi_Latn tsn_Latn "
    "tso_Latn tuk_Latn tum_Latn tur_Latn twi_Latn tzm_Tfng uig_Arab ukr_Cyrl umb_Latn urd_Arab "
    "uzn_Latn vec_Latn vie_Latn "
    "war_Latn wol_Latn xho_Latn ydd_Hebr yor_Latn yue_Hant zho_Hans zho_Hant zsm_Latn zul_Latn"
)

SHORT = (
    "af=afr ak=aka am=amh ar=arb_Arab as=asm ay=ayr az=azj ba=bak be=bel bg=bul bm=bam bn=ben "
    "bo=bod bs=bos ca=cat cs=ces "
    "cy=cym da=dan de=deu dz=dzo ee=ewe el=ell en=eng eo=epo es=spa et=est eu=eus fa=pes ff=fuv "
    "fi=fin fj=fij fo=fao fr=fra "
    "ga=gle gd=gla gl=glg gn=grn gu=guj ha=hau he=heb hi=hin hr=hrv ht=hat hu=hun hy=hye id=ind "
    "ig=ibo is=isl it=ita ja=jpn "
    "jv=jav ka=kat kg=kon ki=kik kk=kaz km=khm kn=kan ko=kor ku=kmr ky=kir lb=ltz lg=lug li=lim "
    "ln=lin lo=lao lt=lit lv=lvs "
    "mg=plt mi=mri mk=mkd ml=mal mn=khk mr=mar ms=zsm mt=mlt my=mya nb=nob ne=npi nl=nld nn=nno "
    "ny=nya oc=oci om=gaz or=ory "
    "pa=pan pl=pol ps=pbt pt=por qu=quy rn=run ro=ron ru=rus rw=kin sa=san sc=srd sd=snd sg=sag "
    "si=sin sk=slk sl=slv sm=smo "
    "sn=sna so=som sq=als sr=srp ss=ssw st=sot su=sun sv=swe sw=swh ta=tam te=tel tg=tgk th=tha "
    "ti=tir tk=tuk tl=tgl tn=tsn "
    "tr=tur ts=tso tt=tat tw=twi ug=uig uk=ukr ur=urd uz=uzn vi=vie wo=wol xh=xho yi=ydd yo=yor "
    "zh=zho_Hans zh-Hant=zho_Hant "
    "zu=zul"
)
"""The two letters of ISO 639-1 and the variety of FLORES that they stand for."""


def codes() -> dict[str, str]:
    """The FLORES code of every language tag.

    A tag has two letters where ISO 639-1 has them, otherwise three, and the script where it
    decides.
    """
    known = FLORES.split()
    short = {}
    for pair in SHORT.split():
        tag, _, start = pair.partition("=")
        short[next(code for code in known if code.startswith(start))] = tag
    by_tag: dict[str, str] = {}
    for code in known:
        language, script = code.split("_")
        alone = sum(other.startswith(f"{language}_") for other in known) == 1
        by_tag[short.get(code) or (language if alone else f"{language}-{script}")] = code
    return by_tag


CODES = codes()


def read(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    """A language's own file, or its column of the wide one; sentences are numbered as in FLORES."""
    return _rows(file, lang, prefix, CODES[lang])


def _rows(file: Path, lang: str, prefix: str, code: str) -> Iterator[Example | Problem]:
    for item in tab_separated(file):
        if isinstance(item, Problem):
            yield item
            continue
        line, row = item
        column = "text" if "text" in row else code
        missing = next((name for name in ("index_id", "category", column) if name not in row), None)
        if missing is not None:
            reason = f"{len(row)} columns, from {next(iter(row))}"
            yield Problem(str(file), line, missing, reason, f"a column {missing}")
            return
        group = f"{prefix}-{row['index_id']}"
        example = Example(f"{group}-{lang}", (row[column],), lang, group, row["category"])
        if row["category"] not in LABELS:
            expected = f"one of {', '.join(LABELS)}"
            yield Problem(str(file), line, "category", repr(row["category"]), expected, example)
        elif not row[column].strip():
            yield Problem(str(file), line, column, "nothing", "a text", example)
        else:
            yield example


ROW = Corpus(
    name="sib200",
    task="topic",
    summary="Topics of FLORES sentences in 205 languages",
    licence="Apache-2.0; the sentences CC BY-SA 4.0",
    source="https://github.com/dadelani/sib-200",
    languages=tuple(CODES),
    splits=("train", "dev", "test"),
    folder="sib200",
    files=("{code}/{split}.tsv", "parallel-{split}.tsv"),
    read=read,
    labels=LABELS,
    codes=CODES,
)
