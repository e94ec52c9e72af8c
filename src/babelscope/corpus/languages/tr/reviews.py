"""Turkish reviews: verb-final; person, past and often the negation are in the last word
(*beğenmedim*, *temizdi*).

A pronoun for the thing just named is left out, *ben* appears only in contrast with somebody else.
*Although* before the main clause is *-diği hâlde*: its subject stays in the nominative, where
*kardeşimin sesi berbat bulmasına rağmen* would start like *my brother's voice*. After the main
clause it is *gerçi*.
"""

from __future__ import annotations

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
    film: film / filmin / filmi / filme / filmden
    plot: hikâye / hikâyenin / hikâyeyi / hikâyeye / hikâyeden
    acting: oyunculuk / oyunculuğun / oyunculuğu / oyunculuğa / oyunculuktan
    soundtrack: müziği / müziğinin / müziğini / müziğine / müziğinden
    ending: final / finalin / finali / finale / finalden
    dialogues: diyaloglar / diyalogların / diyalogları / diyaloglara / diyaloglardan
    actors: oyuncular / oyuncuların / oyuncuları / oyunculara / oyunculardan
    hotel: otel / otelin / oteli / otele / otelden
    room: oda / odanın / odayı / odaya / odadan
    bed: yatak / yatağın / yatağı / yatağa / yataktan
    breakfast: kahvaltı / kahvaltının / kahvaltıyı / kahvaltıya / kahvaltıdan
    pool: havuz / havuzun / havuzu / havuza / havuzdan
    staff: personel / personelin / personeli / personele / personelden
    restaurant: restoran / restoranın / restoranı / restorana / restorandan
    food: yemekler / yemeklerin / yemekleri / yemeklere / yemeklerden
    dessert: tatlı / tatlının / tatlıyı / tatlıya / tatlıdan
    soup: çorba / çorbanın / çorbayı / çorbaya / çorbadan
    waiter: garson / garsonun / garsonu / garsona / garsondan
    service: servis / servisin / servisi / servise / servisten
    decoration: dekorasyon / dekorasyonun / dekorasyonu / dekorasyona / dekorasyondan
    novel: roman / romanın / romanı / romana / romandan
    characters: karakterler / karakterlerin / karakterleri / karakterlere / karakterlerden
    style: üslup / üslubun / üslubu / üsluba / üsluptan
    translation: çeviri / çevirinin / çeviriyi / çeviriye / çeviriden
    introduction: önsöz / önsözün / önsözü / önsöze / önsözden
    cover: kapak / kapağın / kapağı / kapağa / kapaktan
    phone: telefon / telefonun / telefonu / telefona / telefondan
    screen: ekran / ekranın / ekranı / ekrana / ekrandan
    battery: batarya / bataryanın / bataryayı / bataryaya / bataryadan
    camera: kamera / kameranın / kamerayı / kameraya / kameradan
    keyboard: klavye / klavyenin / klavyeyi / klavyeye / klavyeden
    app: uygulama / uygulamanın / uygulamayı / uygulamaya / uygulamadan
    concert: konser / konserin / konseri / konsere / konserden
    singer: şarkıcı / şarkıcının / şarkıcıyı / şarkıcıya / şarkıcıdan
    orchestra: orkestra / orkestranın / orkestrayı / orkestraya / orkestradan
    sound: ses / sesin / sesi / sese / sesten
    hall: salon / salonun / salonu / salona / salondan
    lighting: ışıklandırma / ışıklandırmanın / ışıklandırmayı / ışıklandırmaya / ışıklandırmadan
    trip: gezi / gezinin / geziyi / geziye / geziden
    guide: rehber / rehberin / rehberi / rehbere / rehberden
    beach: plaj / plajın / plajı / plaja / plajdan
    bus: otobüs / otobüsün / otobüsü / otobüse / otobüsten
    excursion: tur / turun / turu / tura / turdan
    museum: müze / müzenin / müzeyi / müzeye / müzeden
    course: kurs / kursun / kursu / kursa / kurstan
    teacher: öğretmen / öğretmenin / öğretmeni / öğretmene / öğretmenden
    exercises: alıştırmalar / alıştırmaların / alıştırmaları / alıştırmalara / alıştırmalardan
    lectures: dersler / derslerin / dersleri / derslere / derslerden
    textbook: kitabı / kitabının / kitabını / kitabına / kitabından
    classroom: sınıf / sınıfın / sınıfı / sınıfa / sınıftan
""")
"""In the order of CASES."""

CASES = ("nominative", "genitive", "accusative", "dative", "ablative")

HIM = {
    "actors": "onları#topic",
    "waiter": "onu#topic",
    "singer": "onu#topic",
    "guide": "onu#topic",
    "teacher": "onu#topic",
}
"""What has just been named is left out, but people leave a pronoun where they are the object."""

THEY = frozenset({"actors", "characters"})
"""Left out as the subject, these leave a plural: *harikaydılar*."""

BEFORE_NOUN = {"soundtrack": "nmod:poss:film#topic", "textbook": "nmod:poss:ders#topic"}

QUALITIES = lexicon("""
    good: iyi / iyiydi
    excellent: mükemmel / mükemmeldi
    fantastic: harika / harikaydı
    perfect: kusursuz / kusursuzdu
    impressive: etkileyici / etkileyiciydi
    magnificent: muhteşem / muhteşemdi
    wonderful: olağanüstü / olağanüstüydü
    interesting: ilginç / ilginçti
    exciting: verici / vericiydi / compound:heyecan#exciting
    moving: dokunaklı / dokunaklıydı
    original: özgün / özgündü
    convincing: inandırıcı / inandırıcıydı
    clean: temiz / temizdi
    comfortable: rahat / rahattı
    spacious: ferah / ferahtı
    quiet: sessiz / sessizdi
    delicious: nefis / nefisti
    tasty: lezzetli / lezzetliydi
    fresh: taze / tazeydi
    friendly: yüzlü / yüzlüydü / amod:güler#friendly
    helpful: yardımsever / yardımseverdi
    professional: profesyonel / profesyoneldi
    patient: sabırlı / sabırlıydı
    fast: hızlı / hızlıydı
    reliable: güvenilir / güvenilirdi
    practical: kullanışlı / kullanışlıydı
    modern: modern / moderndi
    useful: faydalı / faydalıydı
    clear: anlaşılır / anlaşılırdı
    organised: düzenli / düzenliydi
    beautiful: güzel / güzeldi
    elegant: zarif / zarifti
    bad: kötü / kötüydü
    terrible: berbat / berbattı
    horrible: korkunç / korkunçtu
    disappointing: kırıcı / kırıcıydı / compound:hayal#disappointing
    mediocre: vasat / vasattı
    unbearable: çekilmez / çekilmezdi
    absurd: saçma / saçmaydı
    boring: sıkıcı / sıkıcıydı
    predictable: öngörülebilir / öngörülebilirdi
    confusing: karıştırıcı / karıştırıcıydı / compound:kafa#confusing
    superficial: yüzeysel / yüzeyseldi
    dirty: kirli / kirliydi
    uncomfortable: konforsuz / konforsuzdu
    noisy: gürültülü / gürültülüydü
    cramped: dar / dardı
    disgusting: iğrenç / iğrençti
    tasteless: lezzetsiz / lezzetsizdi
    cold: soğuk / soğuktu
    rude: kaba / kabaydı
    arrogant: kibirli / kibirliydi
    careless: dikkatsiz / dikkatsizdi
    incompetent: beceriksiz / beceriksizdi
    slow: yavaş / yavaştı
    fragile: kırılgan / kırılgandı
    outdated: demode / demodeydi
    useless: yaramaz / yaramazdı / obl:işe#useless
    chaotic: kaotik / kaotikti
    ugly: çirkin / çirkindi
    monotonous: tekdüze / tekdüzeydi
""")
"""The adjective, its past, and a word before it if there is one."""

VERBS = lexicon("""
    find: buldum / buldu / bulduğu
    love: bayıldım / bayıldı / bayıldığı
    like: beğendim / beğendi / beğendiği
    hate: ettim / etti / ettiği
    praise: övdüm / övdü / övdüğü
    criticise: eleştirdim / eleştirdi / eleştirdiği
    impress: etkilendim / etkiledi / etkilediği
    disappoint: uğradım / uğrattı / uğrattığı
    worth: değdi / değdi / değdiği
""")
"""The narrator's past, the past of everybody and everything else, and what stands before *hâlde*.
"""

NEGATED = lexicon("""
    find: bulmadım / bulmadı / bulmadığı
    like: beğenmedim / beğenmedi / beğenmediği
    impress: etkilenmedim / etkilemedi / etkilemediği
    disappoint: uğramadım / uğratmadı / uğratmadığı
    worth: değmedi / değmedi / değmediği
""")
NARRATOR, OTHERS, ALTHOUGH = 0, 1, 2

BEFORE_VERB = {
    "hate": "compound:lvc:nefret#hate",
    "disappoint": "obl( nmod:poss:hayal#disappoint kırıklığına#disappoint )",
}

GOVERNED = {"love": "dative", "hate": "ablative"}
"""The case of what is judged; the accusative of all other verbs."""

HOLDERS = lexicon("""
    brother: kardeşim / ona
    sister: kardeşim / ona
    friends: arkadaşlarım / onlara
    colleagues: arkadaşlarım / onlara
    aunt: teyzem / ona
    neighbour: komşum / ona
    critics: eleştirmenler / onlara
""")
"""The holder, and the pronoun in *ona katılıyorum*."""

BEFORE_HOLDER = {
    "brother": "compound:erkek#brother",
    "sister": "compound:kız#sister",
    "colleagues": "nmod:poss:iş#colleagues",
}

DEGREES = {
    "": "",
    "very": "advmod:çok#very",
    "extremely": "advmod( amod:son#extremely derece#extremely )",
    "truly": "advmod:gerçekten#truly",
    "at_all": "advmod:hiç#at_all",
}

OPENERS = {
    "": "",
    "honestly": "advcl( csubj( dürüst#honestly cop:olmak#honestly ) gerekirse#honestly punct:, )",
    "truth": "advcl( csubj( obj:doğrusunu#truth söylemek#truth ) gerekirse#truth punct:, )",
    "frankly": "advmod:açıkçası#frankly punct:,",
    "opinion": "advmod:bence#opinion+my",
    "for_me": "obl( bana#i case:göre#for_me )",
}

SUMMARIES = {
    "": "",
    "overall": "obl( genel#summary case:olarak#summary )",
    "in_the_end": "advmod:sonuçta#summary",
    "all_in_all": "advmod:neticede#summary",
}

TIMES = {
    "last_week": "obl( amod:geçen#last hafta#week )",
    "last_saturday": "obl( amod:geçen#last cumartesi#saturday )",
    "last_month": "obl( amod:geçen#last ay#month )",
    "last_year": "obl( amod:geçen#last yıl#year )",
    "summer": "obl:yazın#summer+in",
    "spring": "obl:ilkbaharda#spring+in",
    "may": "obl:mayısta#may+in",
    "holidays": "obl:tatilde#holidays+in",
}

COMPANY = {
    "": "",
    "sister": "obl( compound:kız#company kardeşimle#company+my+with )",
    "parents": "obl( compound:anne#company babamla#company+my+with )",
    "friend": "obl( det:bir#one arkadaşımla#company+with )",
    "colleagues": "obl( nmod:poss:iş#company arkadaşlarımla#company+my+with )",
    "cousin": "obl:kuzenimle#company+my+with",
    "two_friends": "obl( nummod:iki#two arkadaşımla#company+with )",
    "neighbours": "obl:komşularımla#company+my+with",
    "uncle": "obl:amcamla#company+my+with",
}

CITIES = {
    "madrid": ("Madrid'de", "Madrid'e"),
    "cairo": ("Kahire'de", "Kahire'ye"),
    "delhi": ("Delhi'de", "Delhi'ye"),
    "beijing": ("Pekin'de", "Pekin'e"),
    "london": ("Londra'da", "Londra'ya"),
    "istanbul": ("İstanbul'da", "İstanbul'a"),
}
"""Locative, and the dative for trips."""

SCENES = {
    "film": "obj( det:bir#a film#item ) izledim#verb+i",
    "hotel": "obl( det:bir#a otelde#item+at ) obl( nummod:bir#one gece#night ) kaldım#verb+i",
    "restaurant": "obl( det:bir#a restoranda#item+at ) obj( nmod:poss:akşam#dinner yemeği#dinner ) "
    "yedim#verb+i",
    "novel": "obj( det:bir#a roman#item ) okudum#verb+i",
    "phone": "obj( det:bir#a telefon#item ) aldım#verb+i",
    "concert": "obl( det:bir#a konsere#item+at ) gittim#verb+i",
    "trip": "obj( det:bir#a gezi#item ) yaptım#verb+i",
    "course": "obl( det:bir#a kursa#item ) katıldım#verb+i",
}

NOTES = {
    "film": (
        "nsubj:film#film obl( nummod:iki#two saat#hours ) sürdü#last",
        "nsubj:koltuğum#seat+my amod:üçüncü#third sıradaydı#row+in",
        "nsubj:sinema#cinema nmod:poss:istasyonun#station yakınında#near",
    ),
    "hotel": (
        "nsubj( nmod:poss:otelin#hotel nummod:beş#five katı#floors ) var#has",
        "nsubj:otel#hotel nmod:poss:istasyonun#station yakınında#near",
        "nsubj:odam#room+my amod:ikinci#second kattaydı#floor+in",
    ),
    "restaurant": (
        "nsubj:restoran#restaurant obl( nmod:saat yedide#seven+at ) açılıyor#opens",
        "nsubj:masamız#table+our nmod:poss:pencerenin#window yanındaydı#near",
        "nsubj:restoran#restaurant nmod:poss:parkın#park karşısında#opposite",
    ),
    "novel": (
        "nsubj:roman#novel obl( nummod( compound:üç#three yüz#hundred ) sayfadan#pages ) "
        "oluşuyor#has",
        "nsubj( nmod:poss:romanın#novel yazarı#author ) obl:Kanada'da#canada+in yaşıyor#lives",
        "nsubj:hikâye#story obl( det:bir#one köyde#village+in ) geçiyor#happens",
    ),
    "phone": (
        "nsubj:telefon#phone obl( amod:küçük#small det:bir#one kutu#box case:içinde#in ) "
        "geldi#came",
        "nsubj( nmod:poss:telefonun#phone rengi ) siyah#black",
        "nsubj:telefon#phone nmod( nummod( compound:iki#two yüz#hundred ) gram#grams ) "
        "ağırlığında#weighs",
    ),
    "concert": (
        "nsubj:konser#concert obl( nmod:saat sekizde#eight+at ) başladı#began",
        "nsubj:koltuğum#seat+my amod:onuncu#tenth sıradaydı#row+in",
        "nsubj:konser#concert obl( nummod:iki#two saat#hours ) sürdü#last",
    ),
    "trip": (
        "obl:otobüsle#bus+by compound:lvc:seyahat#travelled ettik#travelled+we",
        "obl:grupta#group+in nsubj( nummod( compound:on#twelve iki#twelve ) kişi#people ) "
        "vardı#were",
        "nsubj:otobüs#bus obl( nmod:saat yedide#seven+at ) kalktı#left",
    ),
    "course": (
        "nsubj:kurs#course obl( nummod:on#ten dersten#lessons ) oluşuyordu#has",
        "obl:grupta#group+in nsubj( nummod( compound:on#fifteen beş#fifteen ) öğrenci#students ) "
        "vardı#were",
        "nsubj:kurs#course obl( nmod:sabah#morning+in dokuzda#nine+at ) başlıyordu#began",
    ),
}


def _item(topic: str, case: str, it: bool = False) -> str:
    """The thing judged; nothing if it has just been named."""
    return "" if it else f"{BEFORE_NOUN.get(topic, '')} {NOUNS[topic][CASES.index(case)]}#topic"


def _holder(opinion: Opinion, contrast: bool) -> str:
    """Whoever judges; the narrator only in contrast with somebody else."""
    if opinion.holder == "i":
        return "nsubj:ben#i" if contrast else ""
    name, my = opinion.holder, "" if opinion.holder == "critics" else "+my"
    return depends(
        "nsubj", scope("holder", f"{BEFORE_HOLDER.get(name, '')} {HOLDERS[name][0]}#{name}{my}")
    )


def _verb(name: str, opinion: Opinion, form: int, fused: str = "") -> str:
    forms = NEGATED if opinion.negated else VERBS
    return (
        f"{BEFORE_VERB.get(name, '')} "
        f"{forms[name][form]}#{name}{'+not' if opinion.negated else ''}{fused}"
    )


def _judged(name: str, opinion: Opinion, contrast: bool, although: bool) -> str:
    """A verb whose subject is whoever judges."""
    narrator = opinion.holder == "i"
    return _verb(
        name,
        opinion,
        ALTHOUGH if although else NARRATOR if narrator else OTHERS,
        "+i" if narrator and not contrast else "",
    )


def _quality(name: str) -> str:
    return f"{' '.join(QUALITIES[name][2:])} {QUALITIES[name][0]}#{name}"


def _was(opinion: Opinion, it: bool) -> str:
    """*Temizdi*, *temiz değildi*; *harikaydılar* where only the verb tells who."""
    name, fused, they = opinion.evaluation, "+topic" if it else "", it and opinion.topic in THEY
    if opinion.negated:
        return f"{_quality(name)} aux:{'değillerdi' if they else 'değildi'}#not{fused}"
    _, was, *before = QUALITIES[name]
    plural = "" if not they else "lar" if was[-1] in "ıu" else "ler"
    return f"{' '.join(before)} {was}{plural}#{name}{fused}"


def _attitude(opinion: Opinion, key: bool, it: bool, contrast: bool, although: bool) -> str:
    """*Filme bayıldım*, *film beni etkilemedi*, *ben etkilenmedim*, *teyzem filmi beğendiği
    (hâlde)*.
    """
    name = opinion.evaluation
    form, fused = ALTHOUGH if although else OTHERS, "+topic" if it else ""
    subject = "advmod:bence" if it else depends("nsubj", _item(opinion.topic, "nominative"))
    match name:
        case "worth":
            money = mark("obl( acl:verdiğim paraya#worth )", key)
            return f"{subject} {money} {mark(_verb(name, opinion, form, fused), key)}"
        case "waste":
            waste = f"israfı#waste{fused} cop:olduğu" if although else f"israfıydı#waste{fused}"
            return f"{subject} {mark(f'nmod:poss:para#waste {waste}', key)}"
        case "impress" | "disappoint":
            if it:
                return f"nsubj:ben#i {mark(_verb(name, opinion, NARRATOR), key)}"
            return f"{subject} obj:beni#i {mark(_verb(name, opinion, form), key)}"
    case = GOVERNED.get(name, "accusative")
    item = depends("obj" if case == "accusative" else "obl", _item(opinion.topic, case, it))
    return (
        f"{_holder(opinion, contrast)} {item} "
        f"{mark(_judged(name, opinion, contrast, although), key)}"
    )


def _clause(
    opinion: Opinion, key: bool, it: bool = False, contrast: bool = False, although: bool = False
) -> str:
    """An opinion as a clause. `it`: its topic has just been named; `contrast`: with somebody
    else's opinion.
    """
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it, contrast, although)
    name, degree = opinion.evaluation, DEGREES[opinion.degree]
    if opinion.holder:
        item = depends(
            "obj", HIM.get(opinion.topic, "") if it else _item(opinion.topic, "accusative")
        )
        finding = mark(_judged("find", opinion, contrast, although), key and opinion.negated)
        quality = depends("xcomp", f"{degree} {mark(_quality(name), key)}")
        return f"{_holder(opinion, contrast)} {item} {quality} {finding}"
    subject = depends("nsubj", _item(opinion.topic, "nominative", it))
    if although:
        return (
            f"{subject} {degree} {mark(_quality(name), key)} "
            f"{_being('olduğu', 'olmadığı', opinion, key)}"
        )
    return f"{subject} {degree} {mark(_was(opinion, it), key)}"


def _being(positive: str, negative: str, opinion: Opinion, key: bool) -> str:
    """The nominalised copula."""
    return mark(f"cop:{negative}#not", key) if opinion.negated else f"cop:{positive}"


def _expected(opinion: Opinion, key: bool) -> str:
    subject = depends("nsubj", _item(opinion.topic, "genitive"))
    quality = f"{DEGREES[opinion.degree]} {mark(_quality(opinion.evaluation), key)}"
    return (
        f"ccomp( {subject} {quality} {_being('olacağını', 'olmayacağını', opinion, key)} ) "
        "düşünmüştüm#thought+i"
    )


def _first(review: Review) -> str:
    """The left opinion."""
    left, key = review.left, FRAMES[review.frame].left
    if review.frame in ("surprised", "confirmed", "refuted"):
        return scope("left", _expected(left, key))
    contrast = review.right is not None and foreign(review.right)
    return scope("left", _clause(left, key, contrast=contrast, although=review.frame == "although"))


def _second(review: Review, right: Opinion) -> str:
    """The right opinion with its summary."""
    clause = _clause(
        right, FRAMES[review.frame].right, again(review), contrast=foreign(review.left)
    )
    return f"{SUMMARIES[review.summary]} {scope('right', clause)}"


def _opinion(review: Review) -> str:
    opener, first = OPENERS[review.opener], _first(review)
    head = f"{opener} {first}"
    second = _second(review, review.right) if review.right else ""
    them = HOLDERS[review.left.holder][1] if review.left.holder in HOLDERS else ""
    match review.frame:
        case "both":
            return f"{head} conj( cc:ve#and {second} )"
        case "because":
            return f"{head} conj( punct:, cc:çünkü#because {second} )"
        case "but" | "surprised":
            return f"{head} conj( punct:, cc:*ama#but {second} )"
        case "although":
            return f"{opener} advcl( {first} mark:*hâlde#although ) {second}"
        case "after":
            return f"{head} conj( punct:, cc:*gerçi#although {second} )"
        case "agree":
            return (
                f"{head} conj( cc:ve#link nsubj( ben#i advmod:emph:de ) obl:{them}#them "
                "*katılıyorum#agree )"
            )
        case "disagree":
            return (
                f"{head} conj( punct:, cc:ama#link nsubj:ben#i obl:{them}#them "
                "*katılmıyorum#agree+not )"
            )
        case "confirmed":
            return f"{head} conj( cc:ve#link xcomp:*haklı#right çıktım#i )"
        case "refuted":
            return f"{head} conj( punct:, cc:ama#link *yanılmışım#wrong+i )"
    return head


def _scene(domain: str, scene: Scene) -> str:
    city = f"obl:{CITIES[scene.city][domain == 'trip']}#city+at_city" if scene.city else ""
    return (
        f"{scope('time', TIMES[scene.time])} {scope('with', COMPANY[scene.company])} {city} "
        f"{SCENES[domain]}"
    )


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
