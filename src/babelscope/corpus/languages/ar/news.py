"""Arabic news: verb, subject, object; time and place come last. After رغم أن the noun comes first,
and فإن resumes.
"""

from __future__ import annotations

from babelscope.corpus.languages.ar.events import PLACES, TIMES, feminine, named
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import NewsRealiser

SUBJECTS = {
    "coach": ("المدرب", "m"),
    "goalkeeper": ("حارس nmod:المرمى", "m"),
    "runner": ("العداء", "m"),
    "swimmer": ("السباح", "m"),
    "doctor": ("الطبيب", "m"),
    "nurse": ("الممرضة", "f"),
    "surgeon": ("الجراح", "m"),
    "pharmacist": ("الصيدلي", "m"),
    "banker": ("المصرفي", "m"),
    "merchant": ("التاجر", "m"),
    "investor": ("المستثمر", "m"),
    "accountant": ("المحاسب", "m"),
    "astronomer": ("عالم nmod:الفلك", "m"),
    "chemist": ("الكيميائي", "m"),
    "biologist": ("عالم nmod:الأحياء", "m"),
    "physicist": ("الفيزيائي", "m"),
    "painter": ("الرسام", "m"),
    "singer": ("المغنية", "f"),
    "poet": ("الشاعر", "m"),
    "actress": ("الممثلة", "f"),
    "programmer": ("المبرمج", "m"),
    "engineer": ("المهندس", "m"),
    "designer": ("المصمم", "m"),
    "technician": ("التقني", "m"),
}

DEEDS = {
    "win_championship": ("فاز", "obl:arg:بالبطولة#championship"),
    "lose_match": ("خسر", "obj:المباراة#match"),
    "train_tournament": ("تدرب", "obl( استعدادًا nmod( للدورة#tournament amod:الرياضية ) )"),
    "celebrate_victory": (
        "احتفل",
        "obl:arg( بالفوز#victory nmod( case:في المباراة amod:النهائية ) )",
    ),
    "criticise_referee": ("انتقد", "obj( حكم#referee nmod:المباراة )"),
    "break_record": ("حطم", "obj( الرقم#record amod:القياسي#record amod:العالمي )"),
    "treat_patients": ("عالج", "obj:المرضى#patients"),
    "recommend_medicine": ("أوصى", "obl:arg( بدواء#medicine amod:جديد )"),
    "examine_wound": ("فحص", "obj:الجرح#wound"),
    "prepare_vaccine": ("أعد", "obj:اللقاح#vaccine"),
    "visit_hospital": ("زار", "obj:المستشفى#hospital"),
    "cure_disease": ("نجح", "obl:arg( case:في علاج#cure nmod( مرض#disease amod:نادر ) )"),
    "raise_prices": ("رفع", "obj:الأسعار#prices"),
    "pay_taxes": ("دفع", "obj:الضرائب#taxes"),
    "invest_money": ("استثمر", "obj:الأموال#money"),
    "sign_contract": ("وقّع", "obj( العقد#contract amod:التجاري )"),
    "count_profits": ("أحصى", "obj:الأرباح#profits"),
    "buy_shares": ("اشترى", "obj( أسهمًا#shares nmod( case:في شركة ) )"),
    "publish_experiment": ("نشر", "obj( نتائج nmod:التجربة#experiment )"),
    "repeat_measurement": ("كرر", "obj:القياس#measurement"),
    "analyse_sample": ("حلل", "obj:العينة#sample"),
    "prove_theory": ("أثبت", "obj:النظرية#theory"),
    "observe_planet": ("رصد", "obj( كوكبًا#planet amod:بعيدًا )"),
    "use_microscope": ("استخدم", "obj:المجهر#microscope"),
    "open_exhibition": ("افتتح", "obj:المعرض#exhibition"),
    "rehearse_play": ("تمرن", "obl:arg( case:على المسرحية#play )"),
    "record_song": ("سجل", "obj( أغنية#song amod:جديدة )"),
    "recite_poem": ("ألقى", "obj:قصيدة#poem"),
    "photograph_sculpture": ("صوّر", "obj:المنحوتة#sculpture"),
    "praise_orchestra": ("أشاد", "obl:arg:بالأوركسترا#orchestra"),
    "update_software": ("حدّث", "obj:البرمجيات#software"),
    "repair_computer": ("أصلح", "obj:الحاسوب#computer"),
    "test_app": ("اختبر", "obj:التطبيق#app"),
    "install_program": ("ثبّت", "obj:البرنامج#program"),
    "build_robot": ("صنع", "obj:روبوتًا#robot"),
    "lose_password": ("أضاع", "obj( كلمة#password nmod:المرور#password )"),
}
"""The verb, which expresses the first part of the deed's name, and what follows the subject."""

MATTERS = {
    "football": "كرة nmod:القدم",
    "tennis": "التنس",
    "athletics": "ألعاب nmod:القوى",
    "swimming": "السباحة",
    "olympics": "الألعاب amod:الأولمبية",
    "vaccines": "اللقاحات",
    "nutrition": "التغذية",
    "sleep": "النوم",
    "diabetes": "مرض nmod:السكري",
    "flu": "الإنفلونزا",
    "taxes": "الضرائب",
    "inflation": "التضخم",
    "wages": "الأجور",
    "trade": "التجارة",
    "banks": "البنوك",
    "planets": "الكواكب",
    "physics": "الفيزياء",
    "chemistry": "الكيمياء",
    "genetics": "علم nmod:الوراثة",
    "fossils": "الأحافير",
    "music": "الموسيقى",
    "theatre": "المسرح",
    "poetry": "الشعر",
    "painting": "الرسم",
    "cinema": "السينما",
    "robots": "الروبوتات",
    "computers": "الحواسيب",
    "internet": "الإنترنت",
    "software": "البرمجيات",
    "smartphones": "الهواتف amod:الذكية",
}

CARRIERS = {
    "lecture": ("المحاضرة", "f"),
    "article": ("المقال", "m"),
    "programme": ("البرنامج", "m"),
    "conference": ("المؤتمر", "m"),
    "conversation": ("الحوار", "m"),
}


def _matter(name: str, role: str) -> str:
    return scope(role, named(MATTERS[name], name))


def _past(masculine: str, gender: str) -> str:
    return feminine(masculine) if gender == "f" else masculine


def _deed(news: News) -> str:
    verb, rest = DEEDS[news.deed]
    who, gender = SUBJECTS[news.subject]
    done = mark(scope("deed", f"{_past(verb, gender)}#{news.deed.partition('_')[0]}"))
    subject = depends("nsubj", scope("subject", named(who, news.subject)))
    return f"{done} {subject} {mark(scope('deed', rest))}"


def _speech(news: News) -> str:
    who, gender = SUBJECTS[news.subject]
    subject = depends("nsubj", scope("subject", named(who, news.subject)))
    about = f"obl:arg( case:عن#about {mark(_matter(news.matter, 'matter'))} )"
    return f"{_past('تحدث', gender)}#speak {subject} {about}"


def _item(news: News) -> str:
    place = (
        scope("place", f"obl( case:في#in {PLACES[news.place]}#{news.place} )") if news.place else ""
    )
    around = f"{place} {scope('time', TIMES[news.time]) if news.time else ''}"
    if news.frame == "deed":
        return f"{_deed(news)} {around}"
    if news.frame == "speech":
        return f"{_speech(news)} {around}"
    distractor = _matter(news.distractor, "distractor")
    if news.frame == "instead":
        instead = (
            f"obl( case( *بدلًا#instead fixed:من ) الحديث nmod( case:عن {distractor} ) punct:، )"
        )
        return f"{instead} {_speech(news)} {around}"
    matter, (what, gender) = mark(_matter(news.matter, "matter")), CARRIERS[news.carrier]
    carrier = depends("nsubj", scope("carrier", f"{what}#{news.carrier}"))
    if news.frame == "not_but":
        but = f"conj( punct:، cc:*بل#but case:عن#about {matter} )"
        be = "تكن" if gender == "f" else "يكن"
        return f"advmod:*لم#not cop:{be} {carrier} {around} case:عن#about {distractor} {but}"
    began = f"{_past('بدأ', gender)}#begin obl:arg( بالحديث nmod( case:عن {distractor} ) )"
    it = f"advmod:emph:فإن{'ها' if gender == 'f' else 'ه'}#carrier.it cop:{_past('كان', gender)}"
    mainly = "obl( case:*في#mainly *الأساس#mainly )"
    return (
        f"advcl( mark:*رغم#although mark:أن {carrier} {began} punct:، ) {it} {mainly} "
        f"case:عن#about {matter}"
    )


REALISER = NewsRealiser(_item)
