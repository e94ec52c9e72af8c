"""Arabic reviews: verb first in main clauses, noun first after أن; predicates stand in the
accusative after كان and وجد.

Pronouns are suffixes or stay in the verb; after لكن, لأن, أن and فإن the subject follows as a noun
or as a suffix.
"""

from __future__ import annotations

from babelscope.corpus.languages.ar.events import PLACES, named, with_and
from babelscope.corpus.meaning.reviews import (
    ATTITUDES,
    FRAMES,
    Opinion,
    Review,
    Scene,
    again,
    foreign,
)
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import ReviewRealiser, lexicon

NOUNS = lexicon("""
    film: الفيلم / m
    plot: الحبكة / f
    acting: التمثيل / m
    soundtrack: الموسيقى amod:التصويرية / f
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
    keyboard: لوحة nmod:المفاتيح / f
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
    classroom: قاعة nmod:الدرس / f
""")
"""Noun; agreement (p: people in the plural; plurals of things agree as f); accusative where it
looks different.
"""

QUALITIES = lexicon("""
    good: جيدًا / جيدة / جيدين
    excellent: ممتازًا / ممتازة / ممتازين
    fantastic: رائعًا / رائعة / رائعين
    perfect: مثاليًا / مثالية
    impressive: مبهرًا / مبهرة
    magnificent: مذهلًا / مذهلة
    wonderful: بديعًا / بديعة
    interesting: مثيرًا obl:arg:للاهتمام / مثيرة obl:arg:للاهتمام
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
    disappointing: مخيبًا obl:arg:للآمال / مخيبة obl:arg:للآمال
    mediocre: case:دون المستوى / case:دون المستوى / case:دون المستوى
    unbearable: advmod:لا يطاق / advmod:لا تطاق
    absurd: سخيفًا / سخيفة
    boring: مملًا / مملة
    predictable: متوقعًا / متوقعة
    confusing: مربكًا / مربكة
    superficial: سطحيًا / سطحية
    dirty: قذرًا / قذرة
    uncomfortable: advmod:غير مريح / advmod:غير مريحة
    noisy: صاخبًا / صاخبة
    cramped: ضيقًا / ضيقة
    disgusting: مقززًا / مقززة
    tasteless: case:بلا طعم / case:بلا طعم
    cold: باردًا / باردة
    rude: وقحًا / وقحة / وقحين
    arrogant: مغرورًا / مغرورة / مغرورين
    careless: مهملًا / مهملة / مهملين
    incompetent: عديم nmod:الكفاءة / عديمة nmod:الكفاءة / عديمي nmod:الكفاءة
    slow: بطيئًا / بطيئة
    fragile: هشًا / هشة
    outdated: قديم nmod:الطراز / قديمة nmod:الطراز
    useless: عديم nmod:الفائدة / عديمة nmod:الفائدة
    chaotic: فوضويًا / فوضوية
    ugly: قبيحًا / قبيحة
    monotonous: رتيبًا / رتيبة
""")
"""Accusative masculine, feminine and, of people, masculine plural."""

WAS = {"m": "كان", "f": "كانت", "p": "كانوا"}
BE = {"m": "يكن", "f": "تكن", "p": "يكونوا"}
MAY_BE = {"m": "يكون", "f": "تكون", "p": "يكون"}
PRONOUN = {"m": "ه", "f": "ها", "p": "هم"}

HOLDERS = lexicon("""
    brother: أخي#brother+my / m
    sister: أختي#sister+my / f
    friends: أصدقائي#friends+my / p
    colleagues: زملائي#colleagues+my / p
    aunt: خالتي#aunt+my / f
    neighbour: جاري#neighbour+my / m
    critics: النقاد#critics / p
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

DEGREES = {
    "": "",
    "very": "advmod:جدًا#very",
    "extremely": "advmod:للغاية#extremely",
    "truly": "advmod:حقًا#truly",
    "at_all": "obl( case:على#at_all الإطلاق#at_all )",
}

OPENERS = {
    "honestly": "obl( case:بكل#honestly أمانة#honestly )",
    "truth": "obl( case:في#truth الحقيقة#truth )",
    "frankly": "obl( case:بكل#frankly صراحة#frankly )",
    "opinion": "obl( case:في#opinion رأيي#opinion+my )",
    "for_me": "obl( case:بالنسبة#for_me لي#i )",
}

SUMMARIES = {
    "": "",
    "overall": "obl( بشكل#summary amod:عام#summary )",
    "in_the_end": "obl( case:في#summary نهاية#summary nmod:المطاف#summary )",
    "all_in_all": "obl( case:في#summary المجمل#summary )",
}

TIMES = {
    "last_week": "obl( الأسبوع#week amod:الماضي#last )",
    "last_saturday": "obl( يوم#saturday nmod:السبت#saturday amod:الماضي#last )",
    "last_month": "obl( الشهر#month amod:الماضي#last )",
    "last_year": "obl( العام#year amod:الماضي#last )",
    "summer": "obl( case:في#in الصيف#summer )",
    "spring": "obl( case:في#in الربيع#spring )",
    "may": "obl( case:في#in شهر#may nmod:مايو#may )",
    "holidays": "obl( case:خلال#in العطلة#holidays )",
}

COMPANY = {
    "": "",
    "sister": "obl( case:مع#with أختي#company+my )",
    "parents": "obl( case:مع#with والديّ#company+my )",
    "friend": "obl( case:مع#with صديق#company+one )",
    "colleagues": "obl( case:مع#with زملائي#company+my )",
    "cousin": "obl( case:مع#with ابن#company nmod:عمي#company+my )",
    "two_friends": "obl( case:مع#with صديقين#company+two )",
    "neighbours": "obl( case:مع#with جيراني#company+my )",
    "uncle": "obl( case:مع#with عمي#company+my )",
}

SCENES = {
    "film": "شاهدت#verb+i obj:فيلمًا#item+a",
    "hotel": "أمضيت#verb+i obj:ليلة#night+one obl( case:في#at فندق#item+a )",
    "restaurant": "تناولت#verb+i obj:العشاء#dinner obl( case:في#at مطعم#item+a )",
    "novel": "قرأت#verb+i obj:رواية#item+a",
    "phone": "اشتريت#verb+i obj:هاتفًا#item+a",
    "concert": "ذهبت#verb+i obl( case:إلى#at حفلة#item+a amod:موسيقية#item )",
    "trip": "ذهبت#verb+i obl( case:في#at رحلة#item+a )",
    "course": "التحقت#verb+i obl:arg( بدورة#item+a amod:تدريبية#item )",
}

NOTES = {
    "film": (
        "استمر#last nsubj:الفيلم#film obl:ساعتين#two+hours",
        "cop:كان nsubj:مقعدي#my+seat case:في#in الصف#row amod:الثالث#third",
        "تقع nsubj:السينما#cinema obl( case:قرب#near المحطة#station )",
    ),
    "hotel": (
        "يتكون#has nsubj:الفندق#hotel obl:arg( case:من nummod:خمسة#five طوابق#floors )",
        "يقع nsubj:الفندق#hotel obl( case:قرب#near المحطة#station )",
        "cop:كانت nsubj:غرفتي#my+room case:في#in الطابق#floor amod:الثاني#second",
    ),
    "restaurant": (
        "يفتح#opens nsubj:المطعم#restaurant obj:أبوابه#opens obl( case:في#at الساعة "
        "amod:السابعة#seven )",
        "cop:كانت nsubj:طاولتنا#our+table case:بجانب#near النافذة#window",
        "يقع nsubj:المطعم#restaurant obl( case:مقابل#opposite الحديقة#park )",
    ),
    "novel": (
        "تقع#has nsubj:الرواية#novel obl( case:في nummod:ثلاثمئة#three+hundred صفحة#pages )",
        "يعيش#lives nsubj( مؤلف#author nmod:الرواية#novel ) obl( case:في#in كندا#canada )",
        "تدور#happens nsubj:الأحداث#story obl( case:في#in قرية#one+village )",
    ),
    "phone": (
        "جاء#came nsubj:الهاتف#phone obl( case:في#in علبة#one+box amod:صغيرة#small )",
        "nsubj( لون nmod:الهاتف#phone ) أسود#black",
        "يزن#weighs nsubj:الهاتف#phone obj( nummod:مئتي#two+hundred غرام#grams )",
    ),
    "concert": (
        "بدأت#began nsubj:الحفلة#concert obl( case:في#at الساعة amod:الثامنة#eight )",
        "cop:كان nsubj:مقعدي#my+seat case:في#in الصف#row amod:العاشر#tenth",
        "استمرت#last nsubj:الحفلة#concert obl:ساعتين#two+hours",
    ),
    "trip": (
        "سافرنا#we+travelled obl:بالحافلة#by+bus",
        "كان#were obl( case:في#in المجموعة#group ) nsubj( nummod( اثنا#twelve compound:عشر#twelve "
        ") شخصًا#people )",
        "انطلقت#left nsubj:الحافلة#bus obl( case:في#at الساعة amod:السابعة#seven )",
    ),
    "course": (
        "تألفت#has nsubj:الدورة#course obl:arg( case:من nummod:عشرة#ten دروس#lessons )",
        "كان#were obl( case:في#in المجموعة#group ) nsubj( nummod( خمسة#fifteen "
        "compound:عشر#fifteen ) طالبًا#students )",
        "aux:كانت nsubj:الدورة#course تبدأ#began obl( case:في#at الساعة amod:التاسعة#nine "
        "advmod:صباحًا#in+morning )",
    ),
}


def _item(topic: str, accusative: bool) -> str:
    return named(NOUNS[topic][-1 if accusative and NOUNS[topic][1] == "p" else 0], "topic")


def _quality(opinion: Opinion, key: bool) -> str:
    """Adjective and degree; the adjective is the head."""
    adjective = QUALITIES[opinion.evaluation]["mfp".index(NOUNS[opinion.topic][1])]
    return f"{mark(named(adjective, opinion.evaluation), key)} {DEGREES[opinion.degree]}"


def _with_object(verb: str, pronoun: str) -> str:
    """The verb with its object pronoun; the silent alif of the plural goes: كرهوا + ه = كرهوه."""
    return verb.removesuffix("ا") + pronoun if verb.endswith("وا") else verb + pronoun


def _felt(opinion: Opinion, key: bool) -> tuple[str, str]:
    """Verb and what follows it, the thing judged being the subject: *أعجبني*, *خيب ... أملي*,
    *أعجب ... أختي*.
    """
    name, kind, own = opinion.evaluation, NOUNS[opinion.topic][1], opinion.holder == "i"
    verb = THING_VERBS[name][f"not_{kind}" if opinion.negated else kind]
    if name == "disappoint":
        return mark(f"{verb}#disappoint", key), mark("obj:أملي#disappoint+i", key)
    if own:
        return mark(f"{verb}ني#{name}+i", key), ""
    return mark(f"{verb}#{name}", key), depends("obj", scope("holder", HOLDERS[opinion.holder][0]))


def _thing_clause(opinion: Opinion, key: bool, place: str) -> str:
    """A thing as the subject: *كانت الغرفة نظيفة*, *لم يعجبني الفيلم*.

    `place` of the thing: `after` the verb; `before` it, in the accusative after أن; `` if a suffix
    names it.
    """
    name, kind = opinion.evaluation, NOUNS[opinion.topic][1]
    agreement = "m" if place == "after" and kind == "p" else kind
    no = mark("advmod:لم#not", key) if opinion.negated else ""
    be = (BE if opinion.negated else WAS)[agreement]
    noun = depends("nsubj", _item(opinion.topic, place == "before")) if place else ""
    if name == "worth":
        worth = mark(f"{'تستحق' if kind == 'f' else 'يستحق'}#worth", key)
        verb, rest = f"aux:{be}", f"{worth} {mark(f'obj:ثمن{PRONOUN[kind]}#worth', key)}"
    elif name == "waste":
        verb, rest = f"cop:{be}", f"{mark('مضيعة#waste nmod:للمال#waste', key)}"
    elif name in THING_VERBS:
        verb, rest = _felt(opinion, key)
    else:
        verb, rest = f"cop:{be}", _quality(opinion, key)
    return f"{noun} {no} {verb} {rest}" if place == "before" else f"{no} {verb} {noun} {rest}"


def _holder_clause(opinion: Opinion, key: bool, it: bool, noun_first: bool) -> str:
    """A person as the subject: *أحببت الفيلم كثيرًا*, *لم تجد أختي الغرفة نظيفة*, *النقاد أشادوا
    به*.
    """
    name, kind, own = opinion.evaluation, NOUNS[opinion.topic][1], opinion.holder == "i"
    person = "i" if own else HOLDERS[opinion.holder][1]
    person = "m" if person == "p" and not noun_first else person
    holder = "" if own else depends("nsubj", scope("holder", HOLDERS[opinion.holder][0]))
    no = mark("advmod:لم#not", key) if opinion.negated else ""
    thing = depends("obj", _item(opinion.topic, accusative=True))
    if name in ATTITUDES:
        verb, concepts = VERBS[name][person], name
        rest = mark("advmod:كثيرًا#love", key) if name == "love" else ""
    else:
        verb, concepts = VERBS["not_find" if opinion.negated else "find"][person], "find"
        rest = depends("xcomp", _quality(opinion, key))
    if name == "praise":
        thing = (
            f"obl:arg:ب{PRONOUN[kind]}#topic"
            if it
            else f"obl:arg( ب{_item(opinion.topic, accusative=True)} )"
        )
    elif it:
        verb, concepts, thing = _with_object(verb, PRONOUN[kind]), f"{concepts}+topic", ""
    in_verb = "+i" if own and not noun_first else ""
    verb = mark(f"{verb}#{concepts}{in_verb}", key and name in ATTITUDES)
    return (
        f"{holder} {no} {verb} {thing} {rest}"
        if noun_first
        else f"{no} {verb} {holder} {thing} {rest}"
    )


def _has_thing_subject(opinion: Opinion) -> bool:
    if opinion.evaluation in ATTITUDES:
        return opinion.evaluation in THING_VERBS or opinion.evaluation in ("worth", "waste")
    return not opinion.holder


def _main(opinion: Opinion, key: bool) -> str:
    """A clause of its own, verb first."""
    if _has_thing_subject(opinion):
        return _thing_clause(opinion, key, "after")
    return _holder_clause(opinion, key, it=False, noun_first=False)


def _behind(particle: str, side: str, opinion: Opinion, key: bool, it: bool) -> str:
    """A clause, scoped as `side`, after أن, لأن, لكن or فإن, which take a noun or a pronoun
    suffix.
    """
    if _has_thing_subject(opinion):
        suffix, named_by_it = (
            (PRONOUN[NOUNS[opinion.topic][1]], f"{side}.topic") if it else ("", "")
        )
        clause = _thing_clause(opinion, key, "" if it else "before")
    else:
        suffix, named_by_it = ("ني", f"{side}.i") if opinion.holder == "i" else ("", "")
        clause = _holder_clause(opinion, key, it, noun_first=True)
    word, _, link = particle.partition("#")
    concepts = "+".join(filter(None, (link, named_by_it)))
    return f"{word}{suffix}{concepts and '#' + concepts} {scope(side, clause)}"


def _expected(opinion: Opinion, key: bool) -> str:
    that = mark("mark:ألا#not", key) if opinion.negated else "mark:أن"
    item = depends("nsubj", _item(opinion.topic, accusative=False))
    return (
        f"توقعت#thought+i ccomp( {that} cop:{MAY_BE[NOUNS[opinion.topic][1]]} {item} "
        f"{_quality(opinion, key)} )"
    )


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _main
    opener = f"{OPENERS[review.opener]} punct:، " if review.opener else ""
    head = f"{opener} {scope('left', first(left, frame.left))}"
    if right:
        return _linked(review, opener, head, right)
    with_them = f"obl:arg:مع{PRONOUN[HOLDERS[left.holder][1]]}#them" if foreign(left) else ""
    match review.frame:
        case "agree":
            return f"{head} conj( punct:، nsubj:وأنا#link+i *أتفق#agree {with_them} )"
        case "disagree":
            return f"{head} conj( punct:، cc:لكنني#link+i advmod:*لا#not *أتفق#agree {with_them} )"
        case "confirmed":
            return f"{head} conj( punct:، cop:وكنت#link+i case:*على#right *حق#right )"
        case "refuted":
            return f"{head} conj( punct:، cc:لكنني#link+i cop:كنت case:*على#wrong *خطأ#wrong )"
    return head


def _misleads(left: Opinion, right: Opinion) -> bool:
    """Whether a pronoun as subject would be taken for the person who has just judged: *جاري ...
    الهاتف، لكنه*.
    """
    if not foreign(left) or _has_thing_subject(left) or not _has_thing_subject(right):
        return False
    return HOLDERS[left.holder][1] == NOUNS[right.topic][1]


def _linked(review: Review, opener: str, head: str, right: Opinion) -> str:
    """Two opinions and what links them."""
    frame, left, summary = FRAMES[review.frame], review.left, SUMMARIES[review.summary]
    it = again(review) and not _misleads(left, right)
    match review.frame:
        case "both":
            return f"{head} conj( {with_and(scope('right', _main(right, frame.right)))} )"
        case "because":
            reason = _behind("mark:لأن#because", "right", right, frame.right, it)
            return f"{head} advcl( {'punct:،' if left.negated else ''} {reason} )"
        case "but" if summary:
            return (
                f"{head} conj( punct:، cc:*لكن#but {summary} "
                f"{scope('right', _main(right, frame.right))} )"
            )
        case "but" | "surprised":
            return (
                f"{head} conj( punct:، {_behind('cc:*لكن#but', 'right', right, frame.right, it)} )"
            )
        case "although":
            concession = _behind("mark:أن", "left", left, frame.left, it=False)
            main = _behind("advmod:emph:فإن", "right", right, frame.right, it)
            return f"{opener} advcl( mark:*رغم#although {concession} punct:، ) {main} {summary}"
        case "after":
            concession = _behind("mark:أن", "right", right, frame.right, it)
            return f"{head} advcl( punct:، mark:*رغم#although {concession} )"
    raise ValueError(review.frame)


def _scene(domain: str, scene: Scene) -> str:
    to = "إلى" if domain == "trip" else "في"
    city = f"obl( case:{to}#at_city {PLACES[scene.city]}#city )" if scene.city else ""
    return (
        f"{SCENES[domain]} {city} {scope('with', COMPANY[scene.company])} "
        f"{scope('time', TIMES[scene.time])}"
    )


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
