"""Hindi reviews: verb-final; adjectives and verbs agree with the thing judged, never with the narrator.

Every first person stands in the ergative (मैंने) or the dative (मुझे), so no sentence betrays the narrator's gender.
"""

from __future__ import annotations

from babelscope.data.builtin.marked import mark
from babelscope.data.builtin.reviews.language import Language, table
from babelscope.data.builtin.reviews.meaning import ATTITUDES, FRAMES, Opinion, Review, Scene, again

NOUNS = table("""
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
    pool: स्विमिंग पूल / m
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
    style: लेखन शैली / f
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
    beach: समुद्र तट / m
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
    "spacious": "विशाल",
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
    "mediocre": "औसत दर्जे का",
    "unbearable": "असहनीय",
    "absurd": "बेतुका",
    "boring": "उबाऊ",
    "predictable": "घिसा-पिटा",
    "confusing": "उलझा हुआ",
    "superficial": "सतही",
    "dirty": "गंदा",
    "uncomfortable": "असुविधाजनक",
    "noisy": "शोरगुल वाला",
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
    "outdated": "पुराने ज़माने का",
    "useless": "बेकार",
    "chaotic": "अव्यवस्थित",
    "ugly": "भद्दा",
    "monotonous": "नीरस",
}

FORMS = {
    "घिसा-पिटा": {"m": "घिसा-पिटा", "f": "घिसी-पिटी", "mp": "घिसे-पिटे", "fp": "घिसी-पिटी"},
    "उलझा हुआ": {"m": "उलझा हुआ", "f": "उलझी हुई", "mp": "उलझे हुए", "fp": "उलझी हुई"},
}
"""Adjectives in which more than the last vowel changes."""

UNCHANGING = frozenset({"घटिया"})

WAS = {"m": "था", "f": "थी", "mp": "थे", "fp": "थीं"}
WILL_BE = {"m": "होगा", "f": "होगी", "mp": "होंगे", "fp": "होंगी"}
SEEMED = {"m": "लगा", "f": "लगी", "mp": "लगे", "fp": "लगीं"}
CAME = {"m": "आया", "f": "आई", "mp": "आए", "fp": "आईं"}
TURNED_OUT = {"m": "निकला", "f": "निकली", "mp": "निकले", "fp": "निकलीं"}

HOLDERS = table("""
    brother: मेरे भाई / उससे
    sister: मेरी बहन / उससे
    friends: मेरे दोस्तों / उनसे
    colleagues: मेरे सहकर्मियों / उनसे
    aunt: मेरी मौसी / उनसे
    neighbour: मेरे पड़ोसी / उनसे
    critics: समीक्षकों / उनसे
""")

DEGREES = {"": "", "very": "बहुत", "extremely": "बेहद", "truly": "सचमुच", "at_all": "बिल्कुल भी"}

OPENERS = {
    "honestly": "ईमानदारी से कहूँ तो",
    "truth": "सच कहूँ तो",
    "frankly": "दो टूक कहूँ तो",
    "opinion": "मेरी राय में",
    "for_me": "मेरे हिसाब से",
}

SUMMARIES = {"": "", "overall": "कुल मिलाकर", "in_the_end": "आख़िरकार", "all_in_all": "सब मिलाकर"}

TIMES = {
    "last_week": "पिछले हफ़्ते",
    "last_saturday": "पिछले शनिवार",
    "last_month": "पिछले महीने",
    "last_year": "पिछले साल",
    "summer": "गर्मियों में",
    "spring": "वसंत में",
    "may": "मई में",
    "holidays": "छुट्टियों में",
}

COMPANY = {
    "": "",
    "sister": "अपनी बहन के साथ",
    "parents": "अपने माता-पिता के साथ",
    "friend": "एक दोस्त के साथ",
    "colleagues": "अपने सहकर्मियों के साथ",
    "cousin": "अपने चचेरे भाई के साथ",
    "two_friends": "दो दोस्तों के साथ",
    "neighbours": "अपने पड़ोसियों के साथ",
    "uncle": "अपने चाचा के साथ",
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
    "film": "एक फ़िल्म देखी",
    "hotel": "एक होटल में एक रात बिताई",
    "restaurant": "एक रेस्तराँ में रात का खाना खाया",
    "novel": "एक उपन्यास पढ़ा",
    "phone": "एक फ़ोन ख़रीदा",
    "concert": "एक कॉन्सर्ट देखा",
    "trip": "एक यात्रा की",
    "course": "एक कोर्स किया",
}

NOTES = {
    "film": ("फ़िल्म दो घंटे की थी", "मेरी सीट तीसरी पंक्ति में थी", "सिनेमाघर स्टेशन के पास है"),
    "hotel": ("होटल में पाँच मंज़िलें हैं", "होटल स्टेशन के पास है", "मेरा कमरा दूसरी मंज़िल पर था"),
    "restaurant": ("रेस्तराँ सात बजे खुलता है", "हमारी मेज़ खिड़की के पास थी", "रेस्तराँ पार्क के सामने है"),
    "novel": ("उपन्यास में तीन सौ पन्ने हैं", "उपन्यास के लेखक कनाडा में रहते हैं", "कहानी एक गाँव में घटती है"),
    "phone": ("फ़ोन एक छोटे डिब्बे में आया", "फ़ोन काले रंग का है", "फ़ोन का वज़न दो सौ ग्राम है"),
    "concert": ("कॉन्सर्ट आठ बजे शुरू हुआ", "मेरी सीट दसवीं पंक्ति में थी", "कॉन्सर्ट दो घंटे चला"),
    "trip": ("हमने बस से यात्रा की", "समूह में बारह लोग थे", "बस सात बजे निकली"),
    "course": ("कोर्स में दस पाठ थे", "समूह में पंद्रह विद्यार्थी थे", "कोर्स सुबह नौ बजे शुरू होता था"),
}


def adjective(lemma: str, agreement: str) -> str:
    """The direct form for m, f, mp or fp: अच्छा, अच्छी, अच्छे; an adjective that does not end in ा stays as it is."""
    if lemma in FORMS:
        return FORMS[lemma][agreement]
    if lemma in UNCHANGING or not lemma.endswith("ा"):
        return lemma
    return lemma[:-1] + {"m": "ा", "mp": "े"}.get(agreement, "ी")


def _quality(opinion: Opinion, key: bool, it: bool = False) -> str:
    """Thing, degree, adjective and negation; the verb follows."""
    noun, agreement = NOUNS[opinion.topic]
    pronoun = "वे" if agreement.endswith("p") else "वह"
    form = mark(adjective(QUALITIES[opinion.evaluation], agreement), key)
    no = mark("नहीं", key) if opinion.negated else ""
    return f"{pronoun if it else noun} {DEGREES[opinion.degree]} {form} {no}"


def _attitude(opinion: Opinion, key: bool, it: bool) -> str:
    """*मुझे फ़िल्म पसंद नहीं आई*, *समीक्षकों ने उसकी तारीफ़ की*."""
    noun, agreement = NOUNS[opinion.topic]
    no = mark("नहीं", key) if opinion.negated else ""
    own = opinion.holder == "i"
    to_whom = "मुझे" if own else f"{HOLDERS[opinion.holder][0]} को"
    item, of, by, from_it = ("वह", "उसकी", "उसने", "उससे") if it else (noun, f"{noun} की", f"{noun} ने", f"{noun} से")
    match opinion.evaluation:
        case "love":
            return f"{to_whom} {item} बेहद {mark('पसंद', key)} {CAME[agreement]}"
        case "like":
            return f"{to_whom} {item} {mark('पसंद', key)} {no} {CAME[agreement]}"
        case "hate":
            return f"{to_whom} {from_it} {mark('नफ़रत', key)} हो गई"
        case "praise":
            return f"{HOLDERS[opinion.holder][0]} ने {of} {mark('तारीफ़', key)} की"
        case "criticise":
            return f"{HOLDERS[opinion.holder][0]} ने {of} {mark('आलोचना', key)} की"
        case "worth":
            return f"{item} {mark('पैसा वसूल', key)} {no} {WAS[agreement]}"
        case "waste":
            return f"{item} पैसों की {mark('बर्बादी', key)} {WAS[agreement]}"
    stem = {"impress": "प्रभावित", "disappoint": "निराश"}[opinion.evaluation]
    return f"{by} मुझे {mark(stem, key)} {no} किया"


def _clause(opinion: Opinion, key: bool, it: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    agreement = NOUNS[opinion.topic][1]
    if not opinion.holder:
        return f"{_quality(opinion, key, it)} {(TURNED_OUT if it else WAS)[agreement]}"
    to_whom = "मुझे" if opinion.holder == "i" else f"{HOLDERS[opinion.holder][0]} को"
    return f"{to_whom} {_quality(opinion, key, it)} {SEEMED[agreement]}"


def _expected(opinion: Opinion, key: bool, it: bool = False) -> str:
    return f"मुझे लगा था कि {_quality(opinion, key)} {WILL_BE[NOUNS[opinion.topic][1]]}"


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = f"{OPENERS[review.opener]} , " if review.opener else ""
    clause = first(left, frame.left)
    head = opener + clause
    second = f"{SUMMARIES[review.summary]} {_clause(right, frame.right, again(review))}" if right else ""
    from_them = HOLDERS[left.holder][1] if left.holder in HOLDERS else ""
    match review.frame:
        case "both":
            return f"{head} और {second}"
        case "because":
            return f"{head} , क्योंकि {second}"
        case "but" | "surprised":
            return f"{head} , *लेकिन {second}"
        case "although":
            return f"{opener}*हालाँकि {clause} , *फिर *भी {second}"
        case "after":
            return f"{head} , *हालाँकि {second}"
        case "agree":
            return f"{head} और मैं {from_them} *सहमत हूँ"
        case "disagree":
            return f"{head} , लेकिन मैं {from_them} *सहमत *नहीं हूँ"
        case "confirmed":
            return f"{head} और मेरा अनुमान *सही निकला"
        case "refuted":
            return f"{head} , लेकिन मेरा अनुमान *ग़लत निकला"
    return head


def _scene(domain: str, scene: Scene) -> str:
    did, at = SCENES[domain], f"{CITIES[scene.city]} में" if scene.city else ""
    if domain == "trip" and scene.city:
        did, at = f"{CITIES[scene.city]} की यात्रा की", ""
    return f"{TIMES[scene.time]} मैंने {COMPANY[scene.company]} {at} {did}"


LANGUAGE = Language(_opinion, _scene, NOTES, stop="।")
