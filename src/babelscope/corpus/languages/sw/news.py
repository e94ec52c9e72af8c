"""Swahili news: verbs carry their subject, so that *it* drops; verb and copula agree with the
class of the noun.
"""

from __future__ import annotations

from babelscope.corpus.languages.sw.events import PLACES, TIMES
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import NewsRealiser

SUBJECTS = {
    "coach": "kocha#coach",
    "goalkeeper": "kipa#goalkeeper",
    "runner": "mkimbiaji#runner",
    "swimmer": "mwogeleaji#swimmer",
    "doctor": "daktari#doctor",
    "nurse": "muuguzi#nurse",
    "surgeon": "daktari#surgeon nmod( case:wa upasuaji#surgeon )",
    "pharmacist": "mfamasia#pharmacist",
    "banker": "mfanyakazi#banker nmod( case:wa benki#banker )",
    "merchant": "mfanyabiashara#merchant",
    "investor": "mwekezaji#investor",
    "accountant": "mhasibu#accountant",
    "astronomer": "mwanaastronomia#astronomer",
    "chemist": "mkemia#chemist",
    "biologist": "mwanabiolojia#biologist",
    "physicist": "mwanafizikia#physicist",
    "painter": "mchoraji#painter",
    "singer": "mwimbaji#singer",
    "poet": "mshairi#poet",
    "actress": "mwigizaji#actress nmod( case:wa kike#actress )",
    "programmer": "mtengenezaji#programmer nmod( case:wa programu#programmer )",
    "engineer": "mhandisi#engineer",
    "designer": "mbunifu#designer",
    "technician": "fundi#technician compound:mitambo#technician",
}

DEEDS = {
    "win_championship": "alishinda#win obj:ubingwa#championship",
    "lose_match": "alipoteza#lose obj:mechi#match",
    "train_tournament": "alifanya#train obj:mazoezi#train obl( case( kwa fixed:ajili fixed:ya ) "
    "mashindano#tournament )",
    "celebrate_victory": "alisherehekea#celebrate obj( ushindi#victory nmod( case:wa fainali ) )",
    "criticise_referee": "alimkosoa#criticise obj:mwamuzi#referee",
    "break_record": "alivunja#break obj( rekodi#record nmod( case:ya dunia ) )",
    "treat_patients": "aliwatibu#treat obj:wagonjwa#patients",
    "recommend_medicine": "alipendekeza#recommend obj( dawa#medicine amod:mpya )",
    "examine_wound": "alichunguza#examine obj:jeraha#wound",
    "prepare_vaccine": "aliandaa#prepare obj:chanjo#vaccine",
    "visit_hospital": "alitembelea#visit obj:hospitali#hospital",
    "cure_disease": "aliponya#cure obj( ugonjwa#disease amod:adimu )",
    "raise_prices": "alipandisha#raise obj:bei#prices",
    "pay_taxes": "alilipa#pay obj:kodi#taxes",
    "invest_money": "aliwekeza#invest obj:fedha#money",
    "sign_contract": "alisaini#sign obj( mkataba#contract nmod( case:wa biashara ) )",
    "count_profits": "alihesabu#count obj:faida#profits",
    "buy_shares": "alinunua#buy obj( hisa#shares nmod( case:za kampuni ) )",
    "publish_experiment": "alichapisha#publish obj( matokeo nmod( case:ya jaribio#experiment nmod( "
    "case:la kisayansi ) ) )",
    "repeat_measurement": "alirudia#repeat obj( kipimo#measurement nmod( case:cha kisayansi ) )",
    "analyse_sample": "alichambua#analyse obj:sampuli#sample",
    "prove_theory": "alithibitisha#prove obj:nadharia#theory",
    "observe_planet": "alitazama#observe obj( sayari#planet nmod( case:ya mbali ) )",
    "use_microscope": "alitumia#use obj:hadubini#microscope",
    "open_exhibition": "alifungua#open obj( maonyesho#exhibition nmod( case:ya sanaa ) )",
    "rehearse_play": "alifanya#rehearse obj( mazoezi#rehearse nmod( case:ya mchezo#play nmod( "
    "case:wa kuigiza#play ) ) )",
    "record_song": "alirekodi#record obj( wimbo#song amod:mpya )",
    "recite_poem": "alikariri#recite obj:shairi#poem",
    "photograph_sculpture": "alipiga#photograph obj( picha#photograph nmod( case:ya "
    "sanamu#sculpture ) )",
    "praise_orchestra": "aliisifu#praise obj:okestra#orchestra",
    "update_software": "alisasisha#update obj( programu#software nmod( case:za kompyuta#software ) )",
    "repair_computer": "alirekebisha#repair obj:kompyuta#computer",
    "test_app": "alijaribu#test obj( programu#app nmod( case:ya simu#app ) )",
    "install_program": "alisakinisha#install obj:programu#program",
    "build_robot": "aliunda#build obj:roboti#robot",
    "lose_password": "alipoteza#lose obj:nenosiri#password",
}

MATTERS = {
    "football": "soka#football",
    "tennis": "tenisi#tennis",
    "athletics": "riadha#athletics",
    "swimming": "uogeleaji#swimming",
    "olympics": "Michezo#olympics nmod( case:ya Olimpiki#olympics )",
    "vaccines": "chanjo#vaccines",
    "nutrition": "lishe#nutrition",
    "sleep": "usingizi#sleep",
    "diabetes": "kisukari#diabetes",
    "flu": "mafua#flu",
    "taxes": "kodi#taxes",
    "inflation": "mfumuko#inflation nmod( case:wa bei#inflation )",
    "wages": "mishahara#wages",
    "trade": "biashara#trade",
    "banks": "benki#banks",
    "planets": "sayari#planets",
    "physics": "fizikia#physics",
    "chemistry": "kemia#chemistry",
    "genetics": "jenetiki#genetics",
    "fossils": "visukuku#fossils",
    "music": "muziki#music",
    "theatre": "maigizo#theatre",
    "poetry": "ushairi#poetry",
    "painting": "uchoraji#painting",
    "cinema": "sinema#cinema",
    "robots": "roboti#robots",
    "computers": "kompyuta#computers",
    "internet": "intaneti#internet",
    "software": "programu#software nmod( case:za kompyuta#software )",
    "smartphones": "simu#smartphones amod:janja#smartphones",
}

CARRIERS = {
    "lecture": ("mhadhara", "u"),
    "article": ("makala", "i"),
    "programme": ("kipindi", "ki"),
    "conference": ("kongamano", "li"),
    "conversation": ("mazungumzo", "ya"),
}
"""Noun and subject prefix."""


def _item(news: News) -> str:
    time = scope("time", TIMES[news.time]) if news.time else ""
    place = scope("place", f"case:mjini#in {PLACES[news.place]}#{news.place}") if news.place else ""
    subject = depends("nsubj", scope("subject", SUBJECTS.get(news.subject, "")))
    if news.frame == "deed":
        return f"{time} {subject} {mark(scope('deed', DEEDS[news.deed]))} {depends('obl', place)}"
    matter = mark(scope("matter", MATTERS[news.matter]))
    if news.frame == "speech":
        return f"{time} {subject} {_spoke(place, matter)}"
    distractor = scope("distractor", MATTERS[news.distractor])
    if news.frame == "instead":
        return (
            f"obl( case( *badala#instead fixed:ya ) {distractor} punct:, ) {subject} "
            f"{_spoke(place, matter)}"
        )
    noun, it = CARRIERS[news.carrier]
    carrier = scope("carrier", f"{noun}#{news.carrier}")
    if news.frame == "not_but":
        but = f"conj( punct:, cc:*bali#but case:kuhusu#about {matter} )"
        return (
            f"{time} nsubj( {carrier} {depends('nmod', place)} ) cop:*ha{it}kuwa#not "
            f"case:kuhusu#about {distractor} {but}"
        )
    if news.frame == "although":
        began = (
            f"nsubj( {carrier} ) {it}lianza#begin obl( case:na mada nmod( case:ya {distractor} ) )"
        )
        about = f"cop:{it}likuwa#carrier.it advmod:*hasa#mainly case:kuhusu#about {matter}"
        return f"advcl( mark:*ingawa#although {began} punct:, ) {about}"
    raise ValueError(news.frame)


def _spoke(place: str, matter: str) -> str:
    return f"alizungumza#speak {depends('obl', place)} obl( case:kuhusu#about {matter} )"


REALISER = NewsRealiser(_item)
