"""Hindi news: verb-final; the subject is ergative (ने) throughout, so the verb agrees with what was
done.

Many deeds are a noun with a light verb (आलोचना की); both words express the deed.
"""

from __future__ import annotations

from babelscope.corpus.languages.hi.events import PLACES, TIMES
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import mark, scope
from babelscope.corpus.realisers import NewsRealiser

SUBJECTS = {
    "coach": "कोच",
    "goalkeeper": "गोलकीपर",
    "runner": "धावक",
    "swimmer": "तैराक",
    "doctor": "डॉक्टर",
    "nurse": "नर्स",
    "surgeon": "सर्जन",
    "pharmacist": "फ़ार्मासिस्ट",
    "banker": "बैंकर",
    "merchant": "व्यापारी",
    "investor": "निवेशक",
    "accountant": "अकाउंटेंट",
    "astronomer": "खगोलशास्त्री",
    "chemist": "रसायनशास्त्री",
    "biologist": "जीवविज्ञानी",
    "physicist": "भौतिकशास्त्री",
    "painter": "चित्रकार",
    "singer": "गायक",
    "poet": "कवि",
    "actress": "अभिनेत्री",
    "programmer": "प्रोग्रामर",
    "engineer": "इंजीनियर",
    "designer": "डिज़ाइनर",
    "technician": "तकनीशियन",
}

DEEDS = {
    "win_championship": "obj:चैंपियनशिप#championship जीती#win",
    "lose_match": "obj:मैच#match गँवा#lose aux:दिया#lose",
    "train_tournament": "obl( टूर्नामेंट#tournament case( के fixed:लिए ) ) "
    "compound:lvc:अभ्यास#train किया#train",
    "celebrate_victory": "obj( nmod:poss( nmod:poss( फ़ाइनल case:की ) जीत#victory case:का ) "
    "जश्न#celebrate ) मनाया#celebrate",
    "criticise_referee": "obj( nmod:poss( रेफ़री#referee case:की ) आलोचना#criticise ) की#criticise",
    "break_record": "obj( compound:विश्व रिकॉर्ड#record ) तोड़ा#break",
    "treat_patients": "obj( nmod:poss( मरीज़ों#patients case:का ) इलाज#treat ) किया#treat",
    "recommend_medicine": "obj( nmod:poss( det:एक amod:नई दवा#medicine case:की ) "
    "सिफ़ारिश#recommend ) की#recommend",
    "examine_wound": "obj( nmod:poss( घाव#wound case:की ) जाँच#examine ) की#examine",
    "prepare_vaccine": "obj:टीका#vaccine compound:lvc:तैयार#prepare किया#prepare",
    "visit_hospital": "obj( nmod:poss( अस्पताल#hospital case:का ) दौरा#visit ) किया#visit",
    "cure_disease": "obj( det:एक amod:दुर्लभ बीमारी#disease case:को ) compound:lvc:ठीक#cure "
    "किया#cure",
    "raise_prices": "obj:दाम#prices बढ़ाए#raise",
    "pay_taxes": "obj:टैक्स#taxes भरा#pay",
    "invest_money": "obj:पैसा#money compound:lvc:निवेश#invest किया#invest",
    "sign_contract": "obl( amod:व्यापारिक अनुबंध#contract case:पर ) obj:हस्ताक्षर#sign किए#sign",
    "count_profits": "obj( nmod:poss( मुनाफ़े#profits case:का ) हिसाब#count ) लगाया#count",
    "buy_shares": "obj( nmod:poss( det:एक कंपनी case:के ) शेयर#shares ) ख़रीदे#buy",
    "publish_experiment": "obj( nmod:poss( प्रयोग#experiment case:के ) नतीजे ) "
    "compound:lvc:प्रकाशित#publish किए#publish",
    "repeat_measurement": "obj:मापन#measurement दोहराया#repeat",
    "analyse_sample": "obj( nmod:poss( नमूने#sample case:का ) विश्लेषण#analyse ) किया#analyse",
    "prove_theory": "obj( सिद्धांत#theory case:को ) compound:lvc:साबित#prove किया#prove",
    "observe_planet": "obj( nmod:poss( det:एक amod:सुदूर ग्रह#planet case:का ) अवलोकन#observe ) "
    "किया#observe",
    "use_microscope": "obj( nmod:poss( माइक्रोस्कोप#microscope case:का ) इस्तेमाल#use ) किया#use",
    "open_exhibition": "obj( nmod:poss( प्रदर्शनी#exhibition case:का ) उद्घाटन#open ) किया#open",
    "rehearse_play": "obj( nmod:poss( नाटक#play case:का ) पूर्वाभ्यास#rehearse ) किया#rehearse",
    "record_song": "obj( det:एक amod:नया गाना#song ) compound:lvc:रिकॉर्ड#record किया#record",
    "recite_poem": "obj( det:एक कविता#poem ) सुनाई#recite",
    "photograph_sculpture": "obj( nmod:poss( मूर्ति#sculpture case:की ) तस्वीर#photograph ) "
    "खींची#photograph",
    "praise_orchestra": "obj( nmod:poss( ऑर्केस्ट्रा#orchestra case:की ) तारीफ़#praise ) की#praise",
    "update_software": "obj:सॉफ़्टवेयर#software compound:lvc:अपडेट#update किया#update",
    "repair_computer": "obj( nmod:poss( कंप्यूटर#computer case:की ) मरम्मत#repair ) की#repair",
    "test_app": "obj( nmod:poss( ऐप#app case:का ) परीक्षण#test ) किया#test",
    "install_program": "obj:प्रोग्राम#program compound:lvc:इंस्टॉल#install किया#install",
    "build_robot": "obj( det:एक रोबोट#robot ) बनाया#build",
    "lose_password": "obj:पासवर्ड#password खो#lose aux:दिया#lose",
}

MATTERS = {
    "football": "फ़ुटबॉल#football",
    "tennis": "टेनिस#tennis",
    "athletics": "एथलेटिक्स#athletics",
    "swimming": "तैराकी#swimming",
    "olympics": "compound:ओलंपिक#olympics खेलों#olympics",
    "vaccines": "टीकों#vaccines",
    "nutrition": "पोषण#nutrition",
    "sleep": "नींद#sleep",
    "diabetes": "मधुमेह#diabetes",
    "flu": "फ़्लू#flu",
    "taxes": "टैक्स#taxes",
    "inflation": "महँगाई#inflation",
    "wages": "वेतन#wages",
    "trade": "व्यापार#trade",
    "banks": "बैंकों#banks",
    "planets": "ग्रहों#planets",
    "physics": "भौतिकी#physics",
    "chemistry": "compound:रसायन#chemistry विज्ञान#chemistry",
    "genetics": "आनुवंशिकी#genetics",
    "fossils": "जीवाश्मों#fossils",
    "music": "संगीत#music",
    "theatre": "रंगमंच#theatre",
    "poetry": "कविता#poetry",
    "painting": "चित्रकला#painting",
    "cinema": "सिनेमा#cinema",
    "robots": "रोबोटों#robots",
    "computers": "कंप्यूटरों#computers",
    "internet": "इंटरनेट#internet",
    "software": "सॉफ़्टवेयर#software",
    "smartphones": "स्मार्टफ़ोन#smartphones",
}
"""In the oblique case; they always stand before a postposition."""

CARRIERS = {
    "lecture": ("व्याख्यान", "m"),
    "article": ("लेख", "m"),
    "programme": ("कार्यक्रम", "m"),
    "conference": ("सम्मेलन", "m"),
    "conversation": ("बातचीत", "f"),
}

WAS = {"m": "था", "f": "थी"}
BECAME = {"m": "हुआ", "f": "हुई"}

ABOUT = "case( के fixed:बारे#about fixed:में )"
SPOKE = "obj:बात#speak की#speak"


def _item(news: News) -> str:
    time = scope("time", TIMES[news.time]) if news.time else ""
    place = (
        scope("place", f"obl( {PLACES[news.place]}#{news.place} case:में#in )") if news.place else ""
    )
    if news.carrier:
        return f"{time} {place} {_carried(news)}"
    subject = f"nsubj( {scope('subject', f'{SUBJECTS[news.subject]}#{news.subject}')} case:ने )"
    return f"{time} {subject} {place} {_done(news)}"


def _done(news: News) -> str:
    """What somebody did: a deed, a speech, or a speech that was to be another."""
    if news.frame == "deed":
        return mark(scope("deed", DEEDS[news.deed]))
    about = f"obl( {mark(scope('matter', MATTERS[news.matter]))} {ABOUT} )"
    if news.frame == "speech":
        return f"{about} {SPOKE}"
    instead = (
        f"obl( {scope('distractor', MATTERS[news.distractor])} case( के fixed:*बजाय#instead ) )"
    )
    return f"{instead} {about} {SPOKE}"


def _carried(news: News) -> str:
    """What something was about, and what not or not mainly."""
    noun, gender = CARRIERS[news.carrier]
    carrier = f"nsubj:{noun}#carrier.{news.carrier}"
    matter = f"{mark(scope('matter', MATTERS[news.matter]))} case:पर#about"
    distractor = scope("distractor", MATTERS[news.distractor])
    if news.frame == "not_but":
        but = f"conj( punct:, cc:*बल्कि#but {matter} )"
        return f"{carrier} {distractor} case:पर#about advmod:*नहीं#not {but} cop:{WAS[gender]}"
    began = f"{carrier} obl( {distractor} case:से ) compound:lvc:शुरू#begin {BECAME[gender]}#begin"
    mainly = "obl( amod:*मुख्य#mainly *रूप#mainly case:से )"
    main = f"cc:*लेकिन#although nsubj:यह#carrier.it {mainly} {matter} cop:{WAS[gender]}"
    return f"advcl( mark:*हालाँकि#although {began} punct:, ) {main}"


REALISER = NewsRealiser(_item)
