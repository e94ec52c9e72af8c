"""Arabic reviews: verb first in main clauses, noun first after أن; predicates stand in the accusative after كان and وجد."""

from __future__ import annotations

from babelscope.data.builtin.marked import mark
from babelscope.data.builtin.reviews.language import Language, table
from babelscope.data.builtin.reviews.meaning import ATTITUDES, FRAMES, Opinion, Review, Scene, again, foreign

NOUNS = table("""
    film: الفيلم / m
    plot: الحبكة / f
    acting: التمثيل / m
    soundtrack: الموسيقى التصويرية / f
    ending: النهاية / f
    dialogues: الحوارات / f
    actors: الممثلون / p / الممثلين
    hotel: الفندق / m
    room: الغرفة / f
    bed: السرير / m
    breakfast: الفطور / m
    pool: المسبح / m
    staff: الموظفون / p / الموظفين
    restaurant: المطعم / m
    food: الطعام / m
    dessert: الحلوى / f
    soup: الحساء / m
    waiter: النادل / m
    service: الخدمة / f
    decoration: الديكور / m
    novel: الرواية / f
    characters: الشخصيات / f
    style: الأسلوب / m
    translation: الترجمة / f
    introduction: المقدمة / f
    cover: الغلاف / m
    phone: الهاتف / m
    screen: الشاشة / f
    battery: البطارية / f
    camera: الكاميرا / f
    keyboard: لوحة المفاتيح / f
    app: التطبيق / m
    concert: الحفلة / f
    singer: المغنية / f
    orchestra: الأوركسترا / f
    sound: الصوت / m
    hall: القاعة / f
    lighting: الإضاءة / f
    trip: الرحلة / f
    guide: المرشد / m
    beach: الشاطئ / m
    bus: الحافلة / f
    excursion: الجولة / f
    museum: المتحف / m
    course: الدورة / f
    teacher: الأستاذ / m
    exercises: التمارين / f
    lectures: المحاضرات / f
    textbook: الكتاب / m
    classroom: قاعة الدرس / f
""")
"""Noun; agreement (p: people in the plural; plurals of things agree as f); accusative where it looks different."""

QUALITIES = table("""
    good: جيدًا / جيدة / جيدين
    excellent: ممتازًا / ممتازة / ممتازين
    fantastic: رائعًا / رائعة / رائعين
    perfect: مثاليًا / مثالية
    impressive: مدهشًا / مدهشة
    magnificent: مذهلًا / مذهلة
    wonderful: بديعًا / بديعة
    interesting: مثيرًا للاهتمام / مثيرة للاهتمام
    exciting: مشوقًا / مشوقة
    moving: مؤثرًا / مؤثرة
    original: مبتكرًا / مبتكرة
    convincing: مقنعًا / مقنعة / مقنعين
    clean: نظيفًا / نظيفة
    comfortable: مريحًا / مريحة
    spacious: واسعًا / واسعة
    quiet: هادئًا / هادئة
    delicious: لذيذًا / لذيذة
    tasty: شهيًا / شهية
    fresh: طازجًا / طازجة
    friendly: ودودًا / ودودة / ودودين
    helpful: متعاونًا / متعاونة / متعاونين
    professional: محترفًا / محترفة / محترفين
    patient: صبورًا / صبورة / صبورين
    fast: سريعًا / سريعة
    reliable: موثوقًا / موثوقة
    practical: عمليًا / عملية
    modern: حديثًا / حديثة
    useful: مفيدًا / مفيدة
    clear: واضحًا / واضحة
    organised: منظمًا / منظمة
    beautiful: جميلًا / جميلة
    elegant: أنيقًا / أنيقة
    bad: سيئًا / سيئة / سيئين
    terrible: فظيعًا / فظيعة / فظيعين
    horrible: مريعًا / مريعة / مريعين
    disappointing: مخيبًا للآمال / مخيبة للآمال
    mediocre: دون المستوى / دون المستوى / دون المستوى
    unbearable: لا يطاق / لا تطاق
    absurd: سخيفًا / سخيفة
    boring: مملًا / مملة
    predictable: متوقعًا / متوقعة
    confusing: مربكًا / مربكة
    superficial: سطحيًا / سطحية
    dirty: قذرًا / قذرة
    uncomfortable: غير مريح / غير مريحة
    noisy: صاخبًا / صاخبة
    cramped: ضيقًا / ضيقة
    disgusting: مقززًا / مقززة
    tasteless: بلا طعم / بلا طعم
    cold: باردًا / باردة
    rude: وقحًا / وقحة / وقحين
    arrogant: مغرورًا / مغرورة / مغرورين
    careless: مهملًا / مهملة / مهملين
    incompetent: عديم الكفاءة / عديمة الكفاءة / عديمي الكفاءة
    slow: بطيئًا / بطيئة
    fragile: هشًا / هشة
    outdated: قديم الطراز / قديمة الطراز
    useless: عديم الفائدة / عديمة الفائدة
    chaotic: فوضويًا / فوضوية
    ugly: قبيحًا / قبيحة
    monotonous: رتيبًا / رتيبة
""")
"""Accusative masculine, feminine and, of people, masculine plural."""

WAS = {"m": "كان", "f": "كانت", "p": "كانوا"}
BE = {"m": "يكن", "f": "تكن", "p": "يكونوا"}
MAY_BE = {"m": "يكون", "f": "تكون", "p": "يكون"}
PRONOUN = {"m": "ه", "f": "ها", "p": "هم"}

HOLDERS = table("""
    brother: أخي / m
    sister: أختي / f
    friends: أصدقائي / p
    colleagues: زملائي / p
    aunt: خالتي / f
    neighbour: جاري / m
    critics: النقاد / p
""")

VERBS = {
    "love": {"i": "أحببت", "m": "أحب", "f": "أحبت", "p": "أحبوا"},
    "hate": {"i": "كرهت", "m": "كره", "f": "كرهت", "p": "كرهوا"},
    "praise": {"m": "أشاد", "f": "أشادت", "p": "أشادوا"},
    "criticise": {"m": "انتقد", "f": "انتقدت", "p": "انتقدوا"},
    "find": {"i": "وجدت", "m": "وجد", "f": "وجدت", "p": "وجدوا"},
    "not_find": {"i": "أجد", "m": "يجد", "f": "تجد", "p": "يجدوا"},
}

THING_VERBS = {
    "like": {"m": "أعجب", "f": "أعجبت", "not_m": "يعجب", "not_f": "تعجب"},
    "impress": {"m": "أبهر", "f": "أبهرت", "not_m": "يبهر", "not_f": "تبهر"},
    "disappoint": {"m": "خيب", "f": "خيبت", "not_m": "يخيب", "not_f": "تخيب"},
}
"""Verbs whose subject is the thing judged; `not_`: the jussive after لم."""

DEGREES = {"": "", "very": "جدًا", "extremely": "للغاية", "truly": "حقًا", "at_all": "على الإطلاق"}

OPENERS = {
    "honestly": "بكل صراحة",
    "truth": "في الحقيقة",
    "frankly": "بكل صدق",
    "opinion": "في رأيي",
    "for_me": "بالنسبة لي",
}

SUMMARIES = {"": "", "overall": "بشكل عام", "in_the_end": "في النهاية", "all_in_all": "في المجمل"}

TIMES = {
    "last_week": "الأسبوع الماضي",
    "last_saturday": "يوم السبت الماضي",
    "last_month": "الشهر الماضي",
    "last_year": "العام الماضي",
    "summer": "في الصيف",
    "spring": "في الربيع",
    "may": "في شهر مايو",
    "holidays": "خلال العطلة",
}

COMPANY = {
    "": "",
    "sister": "مع أختي",
    "parents": "مع والديّ",
    "friend": "مع صديق",
    "colleagues": "مع زملائي",
    "cousin": "مع ابن عمي",
    "two_friends": "مع صديقين",
    "neighbours": "مع جيراني",
    "uncle": "مع عمي",
}

CITIES = {
    "madrid": "مدريد",
    "cairo": "القاهرة",
    "delhi": "دلهي",
    "beijing": "بكين",
    "london": "لندن",
    "istanbul": "إسطنبول",
}

SCENES = {
    "film": "شاهدت فيلمًا",
    "hotel": "أمضيت ليلة في فندق",
    "restaurant": "تناولت العشاء في مطعم",
    "novel": "قرأت رواية",
    "phone": "اشتريت هاتفًا",
    "concert": "حضرت حفلة موسيقية",
    "trip": "ذهبت في رحلة",
    "course": "التحقت بدورة تدريبية",
}

NOTES = {
    "film": ("استمر الفيلم ساعتين", "كان مقعدي في الصف الثالث", "تقع السينما قرب المحطة"),
    "hotel": ("يتكون الفندق من خمسة طوابق", "يقع الفندق قرب المحطة", "كانت غرفتي في الطابق الثاني"),
    "restaurant": ("يفتح المطعم في الساعة السابعة", "كانت طاولتنا بجانب النافذة", "يقع المطعم مقابل الحديقة"),
    "novel": ("تقع الرواية في ثلاثمئة صفحة", "يعيش مؤلف الرواية في كندا", "تدور الأحداث في قرية"),
    "phone": ("جاء الهاتف في علبة صغيرة", "لون الهاتف أسود", "يزن الهاتف مئتي غرام"),
    "concert": ("بدأت الحفلة في الساعة الثامنة", "كان مقعدي في الصف العاشر", "استمرت الحفلة ساعتين"),
    "trip": ("سافرنا بالحافلة", "كان في المجموعة اثنا عشر شخصًا", "انطلقت الحافلة في الساعة السابعة"),
    "course": (
        "تألفت الدورة من عشرة دروس",
        "كان في المجموعة خمسة عشر طالبًا",
        "كانت الدورة تبدأ في التاسعة صباحًا",
    ),
}


def _accusative(topic: str) -> str:
    return NOUNS[topic][-1] if NOUNS[topic][1] == "p" else NOUNS[topic][0]


def _quality(opinion: Opinion, key: bool) -> str:
    agreement = NOUNS[opinion.topic][1]
    return f"{mark(QUALITIES[opinion.evaluation]['mfp'.index(agreement)], key)} {DEGREES[opinion.degree]}"


def _joined(verb: str, pronoun: str) -> str:
    """The verb with its object pronoun; the silent alif of the plural goes: كرهوا + ه = كرهوه."""
    return verb.removesuffix("ا") + pronoun if verb.endswith("وا") else verb + pronoun


def _subject_clause(opinion: Opinion, key: bool, order: str) -> str:
    """A thing as the subject: *كانت الغرفة نظيفة*, *لم يعجبني الفيلم*.

    `order`: `verb` first; `noun` first, in the accusative after أن; `none`, the thing is understood.
    """
    name, kind = opinion.evaluation, NOUNS[opinion.topic][1]
    agreement = "m" if order == "verb" and kind == "p" else kind
    no, rest = mark("لم", key) if opinion.negated else "", ""
    verb = f"{no} {mark(BE[agreement], key)}" if opinion.negated else WAS[agreement]
    if name in QUALITIES:
        rest = _quality(opinion, key)
    elif name == "worth":
        rest = f"{mark('تستحق' if kind == 'f' else 'يستحق', key)} المال الذي دفعته"
    elif name == "waste":
        rest = f"{mark('مضيعة', key)} للمال"
    else:
        bare = THING_VERBS[name][f"not_{kind}" if opinion.negated else kind]
        own = opinion.holder == "i"
        verb = f"{no} {mark(bare + ('ني' if own and name != 'disappoint' else ''), key)}"
        rest = "" if own else HOLDERS[opinion.holder][0]
        rest = mark("أملي", key) if name == "disappoint" else rest
    if order == "verb":
        return f"{verb} {NOUNS[opinion.topic][0]} {rest}"
    return f"{_accusative(opinion.topic) if order == 'noun' else ''} {verb} {rest}"


def _holder_clause(opinion: Opinion, key: bool, it: bool, noun_first: bool) -> str:
    """A person as the subject: *أحببت الفيلم كثيرًا*, *لم تجد أختي الغرفة نظيفة*, *النقاد أشادوا به*."""
    name, kind = opinion.evaluation, NOUNS[opinion.topic][1]
    holder, person = ("", "i") if opinion.holder == "i" else HOLDERS[opinion.holder]
    person = "m" if person == "p" and not noun_first else person
    thing, rest, no = _accusative(opinion.topic), "", ""
    if name in QUALITIES:
        verb = VERBS["not_find" if opinion.negated else "find"][person]
        no, rest = mark("لم", key) if opinion.negated else "", _quality(opinion, key)
    else:
        verb, rest = VERBS[name][person], "كثيرًا" if name == "love" else ""
        thing = f"ب{thing}" if name == "praise" else thing
    if it and name == "praise":
        thing = f"ب{PRONOUN[kind]}"
    elif it:
        verb, thing = _joined(verb, PRONOUN[kind]), ""
    verb = verb if name in QUALITIES else mark(verb, key)
    return f"{holder} {no} {verb} {thing} {rest}" if noun_first else f"{no} {verb} {holder} {thing} {rest}"


def _with_and(clause: str) -> str:
    """The clause behind و, which is written together with its first word."""
    clause = clause.lstrip()
    return f"*و{clause[1:]}" if clause.startswith("*") else f"و{clause}"


def _has_thing_subject(opinion: Opinion) -> bool:
    if opinion.evaluation in ATTITUDES:
        return opinion.evaluation in THING_VERBS or opinion.evaluation in ("worth", "waste")
    return not opinion.holder


def _main(opinion: Opinion, key: bool) -> str:
    """A clause of its own, verb first."""
    if _has_thing_subject(opinion):
        return _subject_clause(opinion, key, "verb")
    return _holder_clause(opinion, key, it=False, noun_first=False)


def _after_that(opinion: Opinion, key: bool, that: str, it: bool) -> str:
    """A clause after أن or لكن (`that`), which take a noun or a pronoun suffix."""
    if _has_thing_subject(opinion):
        suffix = PRONOUN[NOUNS[opinion.topic][1]] if it else ""
        return f"{that}{suffix} {_subject_clause(opinion, key, 'none' if it else 'noun')}"
    suffix = "ني" if opinion.holder == "i" else ""
    return f"{that}{suffix} {_holder_clause(opinion, key, it, noun_first=True)}"


def _reply(opinion: Opinion, key: bool, it: bool) -> str:
    """The main clause after a concession; فقد introduces it if it goes on about the same thing."""
    if not it:
        return _main(opinion, key)
    so = "" if opinion.negated else "فقد"
    if _has_thing_subject(opinion):
        return f"{so} {_subject_clause(opinion, key, 'none')}"
    return f"{so} {_holder_clause(opinion, key, it=True, noun_first=False)}"


def _expected(opinion: Opinion, key: bool) -> str:
    noun, agreement = NOUNS[opinion.topic][:2]
    that = mark("ألا", key) if opinion.negated else "أن"
    return f"توقعت {that} {MAY_BE[agreement]} {noun} {_quality(opinion, key)}"


def _opinion(review: Review) -> str:
    frame, left, right, it = FRAMES[review.frame], review.left, review.right, again(review)
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _main
    opener = f"{OPENERS[review.opener]} ، " if review.opener else ""
    head = opener + first(left, frame.left)
    summary = SUMMARIES[review.summary]
    with_them = f"مع{PRONOUN[HOLDERS[left.holder][1]]}" if foreign(left) else ""
    match review.frame, right:
        case "both", Opinion():
            return f"{head} {_with_and(_main(right, frame.right))}"
        case "because", Opinion():
            return f"{head} {'،' if left.negated else ''} {_after_that(right, frame.right, 'لأن', it)}"
        case "but", Opinion() if summary:
            return f"{head} ، *لكن {summary} {_main(right, frame.right)}"
        case (("but" | "surprised"), Opinion()):
            return f"{head} ، {_after_that(right, frame.right, '*لكن', it)}"
        case "although", Opinion():
            concession = _after_that(left, frame.left, "أن", it=False)
            return f"{opener}*رغم {concession} ، {_reply(right, frame.right, it)} {summary}"
        case "after", Opinion():
            return f"{head} ، *رغم {_after_that(right, frame.right, 'أن', it)}"
        case "agree", _:
            return f"{head} ، وأنا *أتفق {with_them}"
        case "disagree", _:
            return f"{head} ، لكنني *لا *أتفق {with_them}"
        case "confirmed", _:
            return f"{head} ، وكنت *على *حق"
        case "refuted", _:
            return f"{head} ، لكنني *أخطأت"
    return head


def _scene(domain: str, scene: Scene) -> str:
    to = "إلى" if domain == "trip" else "في"
    city = f"{to} {CITIES[scene.city]}" if scene.city else ""
    return f"{SCENES[domain]} {city} {COMPANY[scene.company]} {TIMES[scene.time]}"


LANGUAGE = Language(_opinion, _scene, NOTES)
