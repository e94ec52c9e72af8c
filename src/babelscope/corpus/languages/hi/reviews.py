"""Hindi reviews: verb-final; adjectives and verbs agree with the thing judged, never with the
narrator.

Every first person stands in the ergative (मैंने) or the dative (मुझे), so no sentence betrays the
narrator's gender. Trees follow UD_Hindi-PUD: the dative experiencer is the subject, the thing that
it likes is the object.
"""

from __future__ import annotations

from babelscope.corpus.meaning.reviews import ATTITUDES, FRAMES, Opinion, Review, Scene, again
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import ReviewRealiser, lexicon

NOUNS = lexicon("""
    film: फ़िल्म / f
    plot: कहानी / f
    acting: अभिनय / m
    soundtrack: संगीत / m
    ending: अंत / m
    dialogues: संवाद / mp
    actors: कलाकार / mp
    hotel: होटल / m
    room: कमरा / m
    bed: बिस्तर / m
    breakfast: नाश्ता / m
    pool: compound:स्विमिंग पूल / m
    staff: कर्मचारी / mp
    restaurant: रेस्तराँ / m
    food: खाना / m
    dessert: मिठाई / f
    soup: सूप / m
    waiter: वेटर / m
    service: सर्विस / f
    decoration: सजावट / f
    novel: उपन्यास / m
    characters: पात्र / mp
    style: compound:लेखन शैली / f
    translation: अनुवाद / m
    introduction: प्रस्तावना / f
    cover: कवर / m
    phone: फ़ोन / m
    screen: स्क्रीन / f
    battery: बैटरी / f
    camera: कैमरा / m
    keyboard: कीबोर्ड / m
    app: ऐप / m
    concert: कॉन्सर्ट / m
    singer: गायिका / f
    orchestra: ऑर्केस्ट्रा / m
    sound: आवाज़ / f
    hall: हॉल / m
    lighting: रोशनी / f
    trip: यात्रा / f
    guide: गाइड / m
    beach: compound:समुद्र तट / m
    bus: बस / f
    excursion: सैर / f
    museum: संग्रहालय / m
    course: कोर्स / m
    teacher: शिक्षक / mp
    exercises: अभ्यास / mp
    lectures: कक्षाएँ / fp
    textbook: पाठ्यपुस्तक / f
    classroom: क्लासरूम / m
""")
"""Noun; gender and number. The teacher takes the plural of respect."""

PEOPLE = frozenset({"actors", "staff", "waiter", "characters", "singer", "guide", "teacher"})
"""They are spoken of as वह, वे; things, lest they be mistaken for the person who judges them, as
यह, ये.
"""

QUALITIES = {
    "good": "अच्छा",
    "excellent": "बेहतरीन",
    "fantastic": "शानदार",
    "perfect": "लाजवाब",
    "impressive": "प्रभावशाली",
    "magnificent": "ज़बरदस्त",
    "wonderful": "अद्भुत",
    "interesting": "दिलचस्प",
    "exciting": "रोमांचक",
    "moving": "मार्मिक",
    "original": "मौलिक",
    "convincing": "विश्वसनीय",
    "clean": "साफ़",
    "comfortable": "आरामदायक",
    "spacious": "खुला-खुला",
    "quiet": "शांत",
    "delicious": "लज़ीज़",
    "tasty": "स्वादिष्ट",
    "fresh": "ताज़ा",
    "friendly": "मिलनसार",
    "helpful": "मददगार",
    "professional": "पेशेवर",
    "patient": "धैर्यवान",
    "fast": "तेज़",
    "reliable": "भरोसेमंद",
    "practical": "सुविधाजनक",
    "modern": "आधुनिक",
    "useful": "उपयोगी",
    "clear": "स्पष्ट",
    "organised": "सुव्यवस्थित",
    "beautiful": "सुंदर",
    "elegant": "आकर्षक",
    "bad": "ख़राब",
    "terrible": "घटिया",
    "horrible": "वाहियात",
    "disappointing": "निराशाजनक",
    "mediocre": "amod:औसत दर्जे case:का",
    "unbearable": "असहनीय",
    "absurd": "बेतुका",
    "boring": "उबाऊ",
    "predictable": "घिसा-पिटा",
    "confusing": "उलझाऊ",
    "superficial": "सतही",
    "dirty": "गंदा",
    "uncomfortable": "असुविधाजनक",
    "noisy": "शोरगुल case:वाला",
    "cramped": "तंग",
    "disgusting": "घिनौना",
    "tasteless": "बेस्वाद",
    "cold": "ठंडा",
    "rude": "बदतमीज़",
    "arrogant": "घमंडी",
    "careless": "लापरवाह",
    "incompetent": "नाकाबिल",
    "slow": "धीमा",
    "fragile": "नाज़ुक",
    "outdated": "amod:पुराने ज़माने case:का",
    "useless": "बेकार",
    "chaotic": "अव्यवस्थित",
    "ugly": "भद्दा",
    "monotonous": "नीरस",
}

REPEATED = {
    "घिसा-पिटा": {"m": "घिसा-पिटा", "f": "घिसी-पिटी", "mp": "घिसे-पिटे", "fp": "घिसी-पिटी"},
    "खुला-खुला": {"m": "खुला-खुला", "f": "खुली-खुली", "mp": "खुले-खुले", "fp": "खुली-खुली"},
}
"""Adjectives in which more than the last vowel changes."""

UNCHANGING = frozenset({"घटिया"})

WAS = {"m": "था", "f": "थी", "mp": "थे", "fp": "थीं"}
WILL_BE = {"m": "होगा", "f": "होगी", "mp": "होंगे", "fp": "होंगी"}
SEEMED = {"m": "लगा", "f": "लगी", "mp": "लगे", "fp": "लगीं"}
CAME = {"m": "आया", "f": "आई", "mp": "आए", "fp": "आईं"}
TURNED_OUT = {"m": "निकला", "f": "निकली", "mp": "निकले", "fp": "निकलीं"}

HOLDERS = lexicon("""
    brother: nmod:poss:मेरे#my भाई#brother / उससे
    sister: nmod:poss:मेरी#my बहन#sister / उससे
    friends: nmod:poss:मेरे#my दोस्तों#friends / उनसे
    colleagues: nmod:poss:मेरे#my सहकर्मियों#colleagues / उनसे
    aunt: nmod:poss:मेरी#my मौसी#aunt / उनसे
    neighbour: nmod:poss:मेरे#my पड़ोसी#neighbour / उनसे
    critics: समीक्षकों#critics / उनसे
""")
"""The oblique form, and *with them*."""

DEGREES = {
    "": "",
    "very": "advmod:बहुत#very",
    "extremely": "advmod:बेहद#extremely",
    "truly": "advmod:सचमुच#truly",
    "at_all": "advmod( बिल्कुल#at_all discourse:भी#at_all )",
}

OPENERS = {
    "": "",
    "honestly": "advcl( obl( ईमानदारी#honestly case:से#honestly ) कहूँ#honestly mark:तो punct:, )",
    "truth": "advcl( obj:सच#truth कहूँ#truth mark:तो punct:, )",
    "frankly": "advcl( advmod:खुलकर#frankly कहूँ#frankly mark:तो punct:, )",
    "opinion": "obl( nmod:poss:मेरी#my राय#opinion case:में#opinion )",
    "for_me": "obl( nmod:poss:मेरे#i हिसाब#for_me case:से#for_me )",
}

SUMMARIES = {
    "": "",
    "overall": "advcl( advmod:कुल#summary मिलाकर#summary )",
    "in_the_end": "advmod:अंततः#summary",
    "all_in_all": "advcl( obj:सब#summary मिलाकर#summary )",
}

TIMES = {
    "last_week": "obl:tmod( amod:पिछले#last हफ़्ते#week )",
    "last_saturday": "obl:tmod( amod:पिछले#last शनिवार#saturday )",
    "last_month": "obl:tmod( amod:पिछले#last महीने#month )",
    "last_year": "obl:tmod( amod:पिछले#last साल#year )",
    "summer": "obl:tmod( गर्मियों#summer case:में#in )",
    "spring": "obl:tmod( वसंत#spring case:में#in )",
    "may": "obl:tmod( मई#may case:में#in )",
    "holidays": "obl:tmod( छुट्टियों#holidays case:में#in )",
}

COMPANY = {
    "": "",
    "sister": "nmod:poss:अपनी#my बहन#company",
    "parents": "nmod:poss:अपने#my माता-पिता#company",
    "friend": "det:एक#one दोस्त#company",
    "colleagues": "nmod:poss:अपने#my सहकर्मियों#company",
    "cousin": "nmod:poss:अपने#my amod:चचेरे#company भाई#company",
    "two_friends": "nummod:दो#two दोस्तों#company",
    "neighbours": "nmod:poss:अपने#my पड़ोसियों#company",
    "uncle": "nmod:poss:अपने#my चाचा#company",
}

CITIES = {
    "madrid": "मैड्रिड",
    "cairo": "काहिरा",
    "delhi": "दिल्ली",
    "beijing": "बीजिंग",
    "london": "लंदन",
    "istanbul": "इस्तांबुल",
}

SCENES = {
    "film": "{city} obj( det:एक#a फ़िल्म#item ) देखी#verb",
    "hotel": "obl( {city} det:एक#a होटल#item case:में#at ) obj( nummod:एक#one रात#night ) बिताई#verb",
    "restaurant": "obl( {city} det:एक#a रेस्तराँ#item case:में#at ) obj( nmod:poss( रात#dinner "
    "case:का ) खाना#dinner ) खाया#verb",
    "novel": "{city} obj( det:एक#a उपन्यास#item ) पढ़ा#verb",
    "phone": "{city} obj( det:एक#a फ़ोन#item ) ख़रीदा#verb",
    "concert": "{city} obj( det:एक#a कॉन्सर्ट#item ) देखा#verb",
    "trip": "obj( {city} यात्रा#item ) की#verb",
    "course": "{city} obj( det:एक#a कोर्स#item ) किया#verb",
}

OF_CITY = {"hotel": "के", "restaurant": "के", "trip": "की"}
"""Where the city is said of the noun: *लंदन के एक होटल में*, *लंदन की यात्रा*."""

NOTES = {
    "film": (
        "nsubj:फ़िल्म#film nummod:दो#two घंटे#hours case:की#last cop:थी",
        "nsubj( nmod:poss:मेरी#my सीट#seat ) amod:तीसरी#third पंक्ति#row case:में#in cop:थी",
        "nsubj:सिनेमाघर#cinema स्टेशन#station case( के fixed:पास#near ) cop:है",
    ),
    "hotel": (
        "obl( होटल#hotel case:में ) nsubj( nummod:पाँच#five मंज़िलें#floors ) हैं#has",
        "nsubj:होटल#hotel स्टेशन#station case( के fixed:पास#near ) cop:है",
        "nsubj( nmod:poss:मेरा#my कमरा#room ) amod:दूसरी#second मंज़िल#floor case:पर#in cop:था",
    ),
    "restaurant": (
        "nsubj:रेस्तराँ#restaurant obl:tmod( nummod:सात#seven बजे#at ) खुलता#opens aux:है",
        "nsubj( nmod:poss:हमारी#our मेज़#table ) खिड़की#window case( के fixed:पास#near ) cop:थी",
        "nsubj:रेस्तराँ#restaurant पार्क#park case( के fixed:सामने#opposite ) cop:है",
    ),
    "novel": (
        "obl( उपन्यास#novel case:में ) nsubj( nummod( compound:तीन#three सौ#hundred ) पन्ने#pages "
        ") हैं#has",
        "nsubj( nmod:poss( उपन्यास#novel case:के ) लेखक#author ) obl( कनाडा#canada case:में#in ) "
        "रहते#lives aux:हैं",
        "nsubj:कहानी#story obl( det:एक#one गाँव#village case:में#in ) घटती#happens aux:है",
    ),
    "phone": (
        "nsubj:फ़ोन#phone obl( det:एक#one amod:छोटे#small डिब्बे#box case:में#in ) आया#came",
        "nsubj:फ़ोन#phone amod:काले#black रंग#black case:का cop:है",
        "nsubj( nmod:poss( फ़ोन#phone case:का ) वज़न#weighs ) nummod( compound:दो#two सौ#hundred ) "
        "ग्राम#grams cop:है",
    ),
    "concert": (
        "nsubj:कॉन्सर्ट#concert obl:tmod( nummod:आठ#eight बजे#at ) compound:lvc:शुरू#began हुआ#began",
        "nsubj( nmod:poss:मेरी#my सीट#seat ) amod:दसवीं#tenth पंक्ति#row case:में#in cop:थी",
        "nsubj:कॉन्सर्ट#concert obl:tmod( nummod:दो#two घंटे#hours ) चला#last",
    ),
    "trip": (
        "nsubj:हमने#we obl( बस#bus case:से#by ) compound:lvc:यात्रा#travelled की#travelled",
        "obl( समूह#group case:में#in ) nsubj( nummod:बारह#twelve लोग#people ) थे#were",
        "nsubj:बस#bus obl:tmod( nummod:सात#seven बजे#at ) निकली#left",
    ),
    "course": (
        "obl( कोर्स#course case:में ) nsubj( nummod:दस#ten पाठ#lessons ) थे#has",
        "obl( समूह#group case:में#in ) nsubj( nummod:पंद्रह#fifteen विद्यार्थी#students ) थे#were",
        "nsubj:कोर्स#course obl:tmod:सुबह#morning+in obl:tmod( nummod:नौ#nine बजे#at ) "
        "compound:lvc:शुरू#began होता#began aux:था",
    ),
}


def _named(words: str, concept: str) -> str:
    """The words, each with the concept."""
    return " ".join(f"{word}#{concept}" for word in words.split())


def _inflected(lemma: str, agreement: str) -> str:
    """The direct form for m, f, mp or fp: अच्छा, अच्छी, अच्छे; an adjective that does not end in ा
    stays as it is.
    """
    if lemma in REPEATED:
        return REPEATED[lemma][agreement]
    if lemma in UNCHANGING or not lemma.endswith("ा"):
        return lemma
    return lemma[:-1] + {"m": "ा", "mp": "े"}.get(agreement, "ी")


def _item(topic: str, it: bool) -> str:
    """The thing judged, or the pronoun for it."""
    noun, agreement = NOUNS[topic]
    singular, several = ("वह", "वे") if topic in PEOPLE else ("यह", "ये")
    return _named((several if agreement.endswith("p") else singular) if it else noun, "topic")


def _holder(opinion: Opinion, case: str) -> str:
    """Who judges, as subject, in the dative (को) or the ergative (ने)."""
    if opinion.holder == "i":
        return "nsubj:मुझे#i" if case == "को" else "nsubj:मैंने#i"
    return f"nsubj( {scope('holder', HOLDERS[opinion.holder][0])} case:{case} )"


def _quality(opinion: Opinion, key: bool) -> str:
    """Degree and adjective; the adjective is the head."""
    name = opinion.evaluation
    words = _named(_inflected(QUALITIES[name], NOUNS[opinion.topic][1]), name)
    return f"{DEGREES[opinion.degree]} {mark(words, key)}"


def _no(opinion: Opinion, key: bool) -> str:
    return mark("advmod:नहीं#not", key) if opinion.negated else ""


def _attitude(opinion: Opinion, key: bool, it: bool) -> str:
    """*मुझे फ़िल्म पसंद नहीं आई*, *समीक्षकों ने इसकी तारीफ़ की*."""
    item, name, agreement, no = (
        _item(opinion.topic, it),
        opinion.evaluation,
        NOUNS[opinion.topic][1],
        _no(opinion, key),
    )
    of, by, from_it = (
        ("nmod:poss:इसकी#topic", "nsubj:इसने#topic", "obl:इससे#topic")
        if it
        else (f"nmod:poss( {item} case:की )", f"nsubj( {item} case:ने )", f"obl( {item} case:से )")
    )
    match name:
        case "love" | "like":
            pleased = f"{'advmod:बेहद#love' if name == 'love' else ''} compound:lvc:पसंद#{name}"
            came = mark(f"{CAME[agreement]}#{name}", key)
            return (
                f"{_holder(opinion, 'को')} {depends('obj', item)} {mark(pleased, key)} {no} {came}"
            )
        case "hate":
            return (
                f"{_holder(opinion, 'को')} {from_it} "
                f"{mark('compound:lvc:नफ़रत#hate हो#hate aux:गई#hate', key)}"
            )
        case "praise" | "criticise":
            noun = {"praise": "तारीफ़", "criticise": "आलोचना"}[name]
            return (
                f"{_holder(opinion, 'ने')} obj( {of} {mark(f'{noun}#{name}', key)} ) "
                f"{mark(f'की#{name}', key)}"
            )
        case "worth":
            return (
                f"{depends('nsubj', item)} {mark('compound:पैसा#worth वसूल#worth', key)} {no} "
                f"cop:{WAS[agreement]}"
            )
        case "waste":
            waste = f"nmod:poss( पैसों case:की ) {mark('बर्बादी#waste', key)}"
            return f"{depends('nsubj', item)} {waste} cop:{WAS[agreement]}"
    state = {"impress": "प्रभावित", "disappoint": "निराश"}[name]
    return (
        f"{by} obj:मुझे#i {mark(f'compound:lvc:{state}#{name}', key)} {no} "
        f"{mark(f'किया#{name}', key)}"
    )


def _clause(opinion: Opinion, key: bool, it: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    agreement, item, no = NOUNS[opinion.topic][1], _item(opinion.topic, it), _no(opinion, key)
    quality = _quality(opinion, key)
    if opinion.holder:
        finding = f"{depends('xcomp', quality)} {no} {SEEMED[agreement]}#find"
        return f"{_holder(opinion, 'को')} {depends('obj', item)} {finding}"
    if it:
        return f"{depends('nsubj', item)} {depends('xcomp', quality)} {no} {TURNED_OUT[agreement]}"
    return f"{depends('nsubj', item)} {quality} {no} cop:{WAS[agreement]}"


def _expected(opinion: Opinion, key: bool, it: bool = False) -> str:
    item, copula = depends("nsubj", _item(opinion.topic, it)), WILL_BE[NOUNS[opinion.topic][1]]
    thought = f"{item} {_quality(opinion, key)} {_no(opinion, key)} cop:{copula}"
    return f"nsubj:मुझे#i लगा#thought aux:था ccomp( mark:कि {thought} )"


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = OPENERS[review.opener]
    main = scope("left", first(left, frame.left))
    head = f"{opener} {main}"
    second = (
        f"{SUMMARIES[review.summary]} {scope('right', _clause(right, frame.right, again(review)))}"
        if right
        else ""
    )
    from_them = f"nsubj:मैं#i obl:{HOLDERS[left.holder][1]}#them" if left.holder in HOLDERS else ""
    guess = "nsubj( nmod:poss:मेरा#i अनुमान )"
    match review.frame:
        case "both":
            return f"{head} conj( cc:और#and {second} )"
        case "because":
            return f"{head} advcl( punct:, mark:क्योंकि#because {second} )"
        case "but" | "surprised":
            return f"{head} conj( punct:, cc:*लेकिन#but {second} )"
        case "although":
            still = "advmod( *फिर#although discourse:*भी#although )"
            return f"{opener} advcl( mark:*हालाँकि#although {main} punct:, ) {still} {second}"
        case "after":
            return f"{head} advcl( punct:, mark:*हालाँकि#although {second} )"
        case "agree":
            return f"{head} conj( cc:और#link {from_them} *सहमत#agree cop:हूँ )"
        case "disagree":
            return (
                f"{head} conj( punct:, cc:लेकिन#link {from_them} *सहमत#agree advmod:*नहीं#not cop:हूँ )"
            )
        case "confirmed":
            return f"{head} conj( punct:, cc:और#link {guess} xcomp:*सही#right निकला )"
        case "refuted":
            return f"{head} conj( punct:, cc:लेकिन#link {guess} xcomp:*ग़लत#wrong निकला )"
    return head


def _scene(domain: str, scene: Scene) -> str:
    city = "det:एक#a" if domain == "trip" else ""
    if scene.city:
        relation, case = ("nmod:poss", OF_CITY[domain]) if domain in OF_CITY else ("obl", "में")
        city = f"{relation}( {CITIES[scene.city]}#city case:{case}#at_city )"
    company = f"obl( {COMPANY[scene.company]} case( के fixed:साथ#with ) )" if scene.company else ""
    time = scope("time", TIMES[scene.time])
    return f"{time} nsubj:मैंने#i {scope('with', company)} {SCENES[domain].format(city=city)}"


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
