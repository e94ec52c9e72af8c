"""French news: *parler de* takes the bare matter, *porter sur* takes it with its article."""

from __future__ import annotations

from babelscope.corpus.languages.fr.events import PLACES, TIMES, spelled
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import NewsRealiser

SUBJECTS = {
    "coach": ("le", "entraîneur"),
    "goalkeeper": ("le", "gardien"),
    "runner": ("le", "coureur"),
    "swimmer": ("le", "nageur"),
    "doctor": ("le", "médecin"),
    "nurse": ("la", "infirmière"),
    "surgeon": ("le", "chirurgien"),
    "pharmacist": ("le", "pharmacien"),
    "banker": ("le", "banquier"),
    "merchant": ("le", "commerçant"),
    "investor": ("le", "investisseur"),
    "accountant": ("le", "comptable"),
    "astronomer": ("le", "astronome"),
    "chemist": ("le", "chimiste"),
    "biologist": ("le", "biologiste"),
    "physicist": ("le", "physicien"),
    "painter": ("le", "peintre"),
    "singer": ("la", "chanteuse"),
    "poet": ("le", "poète"),
    "actress": ("la", "actrice"),
    "programmer": ("le", "programmeur"),
    "engineer": ("le", "ingénieur"),
    "designer": ("le", "designer"),
    "technician": ("le", "technicien"),
}

DEEDS = {
    "win_championship": "aux:a remporté#win obj( det:le championnat#championship )",
    "lose_match": "aux:a perdu#lose obj( det:le match#match )",
    "train_tournament": "expl:se aux:est entraîné#train obl( case:pour det:le tournoi#tournament )",
    "celebrate_victory": "aux:a fêté#celebrate obj( det:la victoire#victory nmod( case:en finale ) )",
    "criticise_referee": "aux:a critiqué#criticise obj( det:le arbitre#referee )",
    "break_record": "aux:a battu#break obj( det:le record#record nmod( case:de det:le monde ) )",
    "treat_patients": "aux:a soigné#treat obj( det:les patients#patients )",
    "recommend_medicine": "aux:a recommandé#recommend obj( det:un amod:nouveau médicament#medicine )",
    "examine_wound": "aux:a examiné#examine obj( det:la plaie#wound )",
    "prepare_vaccine": "aux:a préparé#prepare obj( det:le vaccin#vaccine )",
    "visit_hospital": "aux:a visité#visit obj( det:le hôpital#hospital )",
    "cure_disease": "aux:a guéri#cure obj( det:une maladie#disease amod:rare )",
    "raise_prices": "aux:a augmenté#raise obj( det:les prix#prices )",
    "pay_taxes": "aux:a payé#pay obj( det:les impôts#taxes )",
    "invest_money": "aux:a investi#invest obj( det:le argent#money )",
    "sign_contract": "aux:a signé#sign obj( det:le contrat#contract amod:commercial )",
    "count_profits": "aux:a compté#count obj( det:les bénéfices#profits )",
    "buy_shares": "aux:a acheté#buy obj( det:des actions#shares nmod( case:de det:une entreprise ) )",
    "publish_experiment": "aux:a publié#publish obj( det:les résultats nmod( case:de det:la "
    "expérience#experiment ) )",
    "repeat_measurement": "aux:a répété#repeat obj( det:la mesure#measurement )",
    "analyse_sample": "aux:a analysé#analyse obj( det:le échantillon#sample )",
    "prove_theory": "aux:a démontré#prove obj( det:la théorie#theory )",
    "observe_planet": "aux:a observé#observe obj( det:une planète#planet amod:lointaine )",
    "use_microscope": "aux:a utilisé#use obj( det:le microscope#microscope )",
    "open_exhibition": "aux:a inauguré#open obj( det:la exposition#exhibition )",
    "rehearse_play": "aux:a répété#rehearse obj( det:la pièce#play nmod( case:de théâtre ) )",
    "record_song": "aux:a enregistré#record obj( det:une amod:nouvelle chanson#song )",
    "recite_poem": "aux:a récité#recite obj( det:un poème#poem )",
    "photograph_sculpture": "aux:a photographié#photograph obj( det:la sculpture#sculpture )",
    "praise_orchestra": "aux:a fait#praise obj( det:le éloge#praise nmod( case:de det:le "
    "orchestre#orchestra ) )",
    "update_software": "aux:a mis#update obl( case:à#update jour#update ) obj( det:le "
    "logiciel#software )",
    "repair_computer": "aux:a réparé#repair obj( det:le ordinateur#computer )",
    "test_app": "aux:a testé#test obj( det:la application#app )",
    "install_program": "aux:a installé#install obj( det:le programme#program )",
    "build_robot": "aux:a construit#build obj( det:un robot#robot )",
    "lose_password": "aux:a perdu#lose obj( det:le mot#password nmod( case:de#password "
    "passe#password ) )",
}

MATTERS = {
    "football": ("le", "football"),
    "tennis": ("le", "tennis"),
    "athletics": ("le", "athlétisme"),
    "swimming": ("la", "natation"),
    "olympics": ("les", "Jeux"),
    "vaccines": ("les", "vaccins"),
    "nutrition": ("la", "nutrition"),
    "sleep": ("le", "sommeil"),
    "diabetes": ("le", "diabète"),
    "flu": ("la", "grippe"),
    "taxes": ("les", "impôts"),
    "inflation": ("la", "inflation"),
    "wages": ("les", "salaires"),
    "trade": ("le", "commerce"),
    "banks": ("les", "banques"),
    "planets": ("les", "planètes"),
    "physics": ("la", "physique"),
    "chemistry": ("la", "chimie"),
    "genetics": ("la", "génétique"),
    "fossils": ("les", "fossiles"),
    "music": ("la", "musique"),
    "theatre": ("le", "théâtre"),
    "poetry": ("la", "poésie"),
    "painting": ("la", "peinture"),
    "cinema": ("le", "cinéma"),
    "robots": ("les", "robots"),
    "computers": ("les", "ordinateurs"),
    "internet": ("le", "internet"),
    "software": ("les", "logiciels"),
    "smartphones": ("les", "smartphones"),
}

DEFINITE = ("olympics", "sleep", "diabetes", "flu")
"""Matters that keep their article after *parler de*."""

CARRIERS = {
    "lecture": ("la", "conférence"),
    "article": ("le", "article"),
    "programme": ("la", "émission"),
    "conference": ("le", "congrès"),
    "conversation": ("la", "conversation"),
}


def _matter(name: str, role: str, bare: bool = False) -> str:
    article, noun = MATTERS[name]
    games = "amod:olympiques#olympics" if name == "olympics" else ""
    return (
        f"{'' if bare and name not in DEFINITE else f'det:{article}'} "
        f"{scope(role, f'{noun}#{name} {games}')}"
    )


def _subject(name: str) -> str:
    article, noun = SUBJECTS[name]
    goal = "nmod( case:de#goalkeeper but#goalkeeper )" if name == "goalkeeper" else ""
    return depends("nsubj", f"det:{article} {scope('subject', f'{noun}#{name} {goal}')}")


def _did(news: News) -> str:
    """The deed; only *entraîné* agrees with who did it."""
    deed = DEEDS[news.deed]
    if SUBJECTS[news.subject][0] == "la":
        deed = deed.replace("aux:est entraîné", "aux:est entraînée")
    return mark(scope("deed", deed))


def _about(news: News) -> str:
    """What a lecture or the like is about: *portait sur*."""
    article, noun = CARRIERS[news.carrier]
    carrier = depends("nsubj", f"det:{article} {scope('carrier', f'{noun}#{news.carrier}')}")
    matter, distractor = (
        mark(_matter(news.matter, "matter")),
        _matter(news.distractor, "distractor"),
    )
    if news.frame == "not_but":
        but = f"conj( punct:, cc:*mais#but case:sur#about {matter} )"
        was = "advmod:*ne#not portait#about advmod:*pas#not"
        return f"{carrier} {was} obl( case:sur#about {distractor} {but} )"
    although = "mark( *bien#although fixed:*que#although )"
    began = (
        f"advcl( {although} {carrier} aux:ait commencé#begin obl( case:par {distractor} ) punct:, )"
    )
    pronoun = "elle" if article == "la" else "il"
    return (
        f"{began} nsubj:{pronoun}#carrier.it portait#about advmod:*surtout#mainly obl( "
        f"case:sur#about {matter} )"
    )


def _item(news: News) -> str:
    time = scope("time", f"{TIMES[news.time]} punct:,") if news.time else ""
    place = (
        scope("place", f"obl( case:à#in {PLACES[news.place]}#{news.place} )") if news.place else ""
    )
    if news.frame in ("not_but", "although"):
        return spelled(f"{time} {f'{place} punct:,' if place else ''} {_about(news)}")
    subject = _subject(news.subject)
    if news.frame == "deed":
        return spelled(f"{time} {subject} {_did(news)} {place}")
    spoke = (
        "aux:a parlé#speak obl( case:de#about "
        f"{mark(_matter(news.matter, 'matter', bare=True))} ) {place}"
    )
    if news.frame == "speech":
        return spelled(f"{time} {subject} {spoke}")
    distractor = _matter(news.distractor, "distractor", bare=True)
    instead = (
        f"obl( case( *plutôt#instead fixed:*que#instead ) case:de#about {distractor} punct:, )"
    )
    return spelled(f"{instead} {subject} {spoke}")


REALISER = NewsRealiser(_item)
