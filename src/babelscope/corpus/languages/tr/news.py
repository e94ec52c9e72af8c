"""Turkish news: the verb comes last; *not about ... but about* is *hakkında değil de ...
hakkındaydı*.

A comma parts the subject from a bare noun that follows it, lest the two be read as one (*ders,
yazılım hakkında*).
"""

from __future__ import annotations

from babelscope.corpus.languages.tr.events import PLACES, TIMES
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import mark, scope
from babelscope.corpus.realisers import NewsRealiser

SUBJECTS = {
    "coach": "antrenör",
    "goalkeeper": "kaleci",
    "runner": "koşucu",
    "swimmer": "yüzücü",
    "doctor": "doktor",
    "nurse": "hemşire",
    "surgeon": "cerrah",
    "pharmacist": "eczacı",
    "banker": "bankacı",
    "merchant": "tüccar",
    "investor": "yatırımcı",
    "accountant": "muhasebeci",
    "astronomer": "astronom",
    "chemist": "kimyager",
    "biologist": "biyolog",
    "physicist": "fizikçi",
    "painter": "ressam",
    "singer": "şarkıcı",
    "poet": "şair",
    "actress": "aktris",
    "programmer": "programcı",
    "engineer": "mühendis",
    "designer": "tasarımcı",
    "technician": "teknisyen",
}

CARRIERS = {
    "lecture": "ders",
    "article": "makale",
    "programme": "program",
    "conference": "konferans",
    "conversation": "sohbet",
}

DEEDS = {
    "win_championship": "obj:şampiyonluğu#championship kazandı#win",
    "lose_match": "obj:maçı#match kaybetti#lose",
    "train_tournament": "obl( turnuva#tournament case:için ) compound:lvc:antrenman#train "
    "yaptı#train",
    "celebrate_victory": "obj( amod:finaldeki galibiyeti#victory ) kutladı#celebrate",
    "criticise_referee": "obj:hakemi#referee eleştirdi#criticise",
    "break_record": "obj( nmod:poss:dünya rekorunu#record ) kırdı#break",
    "treat_patients": "obj:hastaları#patients compound:lvc:tedavi#treat etti#treat",
    "recommend_medicine": "obj( amod:yeni det:bir ilaç#medicine ) önerdi#recommend",
    "examine_wound": "obj:yarayı#wound inceledi#examine",
    "prepare_vaccine": "obj:aşıyı#vaccine hazırladı#prepare",
    "visit_hospital": "obj:hastaneyi#hospital compound:lvc:ziyaret#visit etti#visit",
    "cure_disease": "obj( amod:nadir det:bir hastalığı#disease ) iyileştirdi#cure",
    "raise_prices": "obj:fiyatları#prices artırdı#raise",
    "pay_taxes": "obj:vergileri#taxes ödedi#pay",
    "invest_money": "obj:parasını#money obl:yatırıma#invest yönlendirdi#invest",
    "sign_contract": "obj( nmod:poss:ticaret sözleşmesini#contract ) imzaladı#sign",
    "count_profits": "obj:kârı#profits hesapladı#count",
    "buy_shares": "obj( nmod:poss( det:bir şirketin ) hisselerini#shares ) compound:lvc:satın#buy "
    "aldı#buy",
    "publish_experiment": "obj( nmod:poss:deneyin#experiment sonuçlarını ) yayımladı#publish",
    "repeat_measurement": "obj:ölçümü#measurement tekrarladı#repeat",
    "analyse_sample": "obj:numuneyi#sample compound:lvc:analiz#analyse etti#analyse",
    "prove_theory": "obj:teoriyi#theory kanıtladı#prove",
    "observe_planet": "obj( amod:uzak det:bir gezegeni#planet ) gözlemledi#observe",
    "use_microscope": "obj:mikroskobu#microscope kullandı#use",
    "open_exhibition": "obj:sergiyi#exhibition açtı#open",
    "rehearse_play": "obj( nmod:poss( nmod:poss:tiyatro oyununun#play ) provasını#rehearse ) "
    "yaptı#rehearse",
    "record_song": "obj( amod:yeni det:bir şarkı#song ) kaydetti#record",
    "recite_poem": "obj( det:bir şiir#poem ) okudu#recite",
    "photograph_sculpture": "obj( nmod:poss:heykelin#sculpture fotoğrafını#photograph ) "
    "çekti#photograph",
    "praise_orchestra": "obj:orkestrayı#orchestra övdü#praise",
    "update_software": "obj:yazılımı#software güncelledi#update",
    "repair_computer": "obj:bilgisayarı#computer compound:lvc:tamir#repair etti#repair",
    "test_app": "obj:uygulamayı#app compound:lvc:test#test etti#test",
    "install_program": "obj:programı#program yükledi#install",
    "build_robot": "obj( det:bir robot#robot ) yaptı#build",
    "lose_password": "obj:parolasını#password kaybetti#lose",
}

MATTERS = {
    "football": ("futbol", "futbolla"),
    "tennis": ("tenis", "tenisle"),
    "athletics": ("atletizm", "atletizmle"),
    "swimming": ("yüzme", "yüzmeyle"),
    "olympics": ("Oyunları", "Oyunları'yla"),
    "vaccines": ("aşılar", "aşılarla"),
    "nutrition": ("beslenme", "beslenmeyle"),
    "sleep": ("uyku", "uykuyla"),
    "diabetes": ("diyabet", "diyabetle"),
    "flu": ("grip", "griple"),
    "taxes": ("vergiler", "vergilerle"),
    "inflation": ("enflasyon", "enflasyonla"),
    "wages": ("maaşlar", "maaşlarla"),
    "trade": ("ticaret", "ticaretle"),
    "banks": ("bankalar", "bankalarla"),
    "planets": ("gezegenler", "gezegenlerle"),
    "physics": ("fizik", "fizikle"),
    "chemistry": ("kimya", "kimyayla"),
    "genetics": ("genetik", "genetikle"),
    "fossils": ("fosiller", "fosillerle"),
    "music": ("müzik", "müzikle"),
    "theatre": ("tiyatro", "tiyatroyla"),
    "poetry": ("şiir", "şiirle"),
    "painting": ("resim", "resimle"),
    "cinema": ("sinema", "sinemayla"),
    "robots": ("robotlar", "robotlarla"),
    "computers": ("bilgisayarlar", "bilgisayarlarla"),
    "internet": ("internet", "internetle"),
    "software": ("yazılım", "yazılımla"),
    "smartphones": ("telefonlar", "telefonlarla"),
}
"""Nominative and instrumental (*vergilerle başladı*)."""

BEFORE_MATTER = {
    "olympics": "nmod:poss:Olimpiyat#olympics",
    "smartphones": "amod:akıllı#smartphones",
}


def _matter(name: str, role: str, instrumental: bool = False) -> str:
    return scope(role, f"{BEFORE_MATTER.get(name, '')} {MATTERS[name][instrumental]}#{name}")


def _about(news: News) -> str:
    """The three frames in which a matter is set against another."""
    matter, distractor = (
        mark(_matter(news.matter, "matter")),
        _matter(news.distractor, "distractor"),
    )
    if news.frame == "instead":
        return (
            f"obl( {distractor} case:*yerine#instead ) obl( {matter} case:hakkında#about ) "
            "konuştu#speak"
        )
    if news.frame == "not_but":
        return (
            f"{distractor} case:hakkında#about aux:*değil#not conj( cc:*de#but {matter} "
            "case:hakkındaydı#about )"
        )
    began = (
        f"obl( {_matter(news.distractor, 'distractor', True)} ) başlamasına#begin "
        "mark:*rağmen#although"
    )
    mainly = "obl( *ağırlıklı#mainly case:*olarak#mainly )"
    return f"advcl( {began} ) {mainly} {matter} case:hakkındaydı#about+carrier.it"


def _item(news: News) -> str:
    time = scope("time", TIMES[news.time]) if news.time else ""
    if news.carrier:
        there = f"nmod:{PLACES[news.place]}ki#place.{news.place}+place.in" if news.place else ""
        carrier = f"{there} {CARRIERS[news.carrier]}#carrier.{news.carrier}"
        return f"{time} nsubj( {carrier} punct:, ) {_about(news)}"
    place = f"obl:{PLACES[news.place]}#place.{news.place}+place.in" if news.place else ""
    comma = "" if place or news.deed else "punct:,"
    start = f"{time} nsubj( {SUBJECTS[news.subject]}#subject.{news.subject} {comma} ) {place}"
    if news.frame == "deed":
        return f"{start} {mark(scope('deed', DEEDS[news.deed]))}"
    if news.frame == "speech":
        return (
            f"{start} obl( {mark(_matter(news.matter, 'matter'))} case:hakkında#about ) "
            "konuştu#speak"
        )
    return f"{start} {_about(news)}"


REALISER = NewsRealiser(_item)
