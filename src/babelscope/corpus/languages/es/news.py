"""Spanish news: matters take the article, persons as objects take *a*, and the place stands where
it cannot be read as part of the matter."""

from __future__ import annotations

from babelscope.corpus.languages.es.events import PLACES, TIMES
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import NewsRealiser

SUBJECTS = {
    "coach": "det:el entrenador#coach",
    "goalkeeper": "det:el portero#goalkeeper",
    "runner": "det:la corredora#runner",
    "swimmer": "det:la nadadora#swimmer",
    "doctor": "det:el médico#doctor",
    "nurse": "det:la enfermera#nurse",
    "surgeon": "det:la cirujana#surgeon",
    "pharmacist": "det:el farmacéutico#pharmacist",
    "banker": "det:el banquero#banker",
    "merchant": "det:el comerciante#merchant",
    "investor": "det:la inversora#investor",
    "accountant": "det:la contable#accountant",
    "astronomer": "det:la astrónoma#astronomer",
    "chemist": "det:el químico#chemist",
    "biologist": "det:la bióloga#biologist",
    "physicist": "det:el físico#physicist",
    "painter": "det:el pintor#painter",
    "singer": "det:la cantante#singer",
    "poet": "det:el poeta#poet",
    "actress": "det:la actriz#actress",
    "programmer": "det:la programadora#programmer",
    "engineer": "det:la ingeniera#engineer",
    "designer": "det:el diseñador#designer",
    "technician": "det:el técnico#technician",
}

DEEDS = {
    "win_championship": "ganó#win obj( det:el campeonato#championship )",
    "lose_match": "perdió#lose obj( det:el partido#match )",
    "train_tournament": "entrenó#train obl( case:para det:el torneo#tournament )",
    "celebrate_victory": "celebró#celebrate obj( det:la victoria#victory nmod( case:del equipo ) )",
    "criticise_referee": "criticó#criticise obj( case:al árbitro#referee )",
    "break_record": "batió#break obj( det:el récord#record amod:mundial )",
    "treat_patients": "atendió#treat obj( case:a det:los pacientes#patients )",
    "recommend_medicine": "recomendó#recommend obj( det:un amod:nuevo medicamento#medicine )",
    "examine_wound": "examinó#examine obj( det:la herida#wound )",
    "prepare_vaccine": "preparó#prepare obj( det:la vacuna#vaccine )",
    "visit_hospital": "visitó#visit obj( det:el hospital#hospital )",
    "cure_disease": "curó#cure obj( det:una enfermedad#disease amod:rara )",
    "raise_prices": "subió#raise obj( det:los precios#prices )",
    "pay_taxes": "pagó#pay obj( det:los impuestos#taxes )",
    "invest_money": "invirtió#invest obj( det:el dinero#money )",
    "sign_contract": "firmó#sign obj( det:el contrato#contract amod:comercial )",
    "count_profits": "calculó#count obj( det:las ganancias#profits )",
    "buy_shares": "compró#buy obj( acciones#shares nmod( case:de det:una empresa ) )",
    "publish_experiment": "publicó#publish obj( det:el experimento#experiment )",
    "repeat_measurement": "repitió#repeat obj( det:la medición#measurement )",
    "analyse_sample": "analizó#analyse obj( det:la muestra#sample )",
    "prove_theory": "demostró#prove obj( det:la teoría#theory )",
    "observe_planet": "observó#observe obj( det:un planeta#planet amod:lejano )",
    "use_microscope": "usó#use obj( det:el microscopio#microscope )",
    "open_exhibition": "inauguró#open obj( det:la exposición#exhibition )",
    "rehearse_play": "ensayó#rehearse obj( det:la obra#play nmod( case:de teatro ) )",
    "record_song": "grabó#record obj( det:una amod:nueva canción#song )",
    "recite_poem": "recitó#recite obj( det:un poema#poem )",
    "photograph_sculpture": "fotografió#photograph obj( det:la escultura#sculpture )",
    "praise_orchestra": "elogió#praise obj( case:a det:la orquesta#orchestra )",
    "update_software": "actualizó#update obj( det:el software#software )",
    "repair_computer": "reparó#repair obj( det:el ordenador#computer )",
    "test_app": "probó#test obj( det:la aplicación#app )",
    "install_program": "instaló#install obj( det:el programa#program )",
    "build_robot": "construyó#build obj( det:un robot#robot )",
    "lose_password": "perdió#lose obj( det:la contraseña#password )",
}

MATTERS = {
    "football": "det:el fútbol#football",
    "tennis": "det:el tenis#tennis",
    "athletics": "det:el atletismo#athletics",
    "swimming": "det:la natación#swimming",
    "olympics": "det:los Juegos#olympics amod:Olímpicos#olympics",
    "vaccines": "det:las vacunas#vaccines",
    "nutrition": "det:la nutrición#nutrition",
    "sleep": "det:el sueño#sleep",
    "diabetes": "det:la diabetes#diabetes",
    "flu": "det:la gripe#flu",
    "taxes": "det:los impuestos#taxes",
    "inflation": "det:la inflación#inflation",
    "wages": "det:los salarios#wages",
    "trade": "det:el comercio#trade",
    "banks": "det:los bancos#banks",
    "planets": "det:los planetas#planets",
    "physics": "det:la física#physics",
    "chemistry": "det:la química#chemistry",
    "genetics": "det:la genética#genetics",
    "fossils": "det:los fósiles#fossils",
    "music": "det:la música#music",
    "theatre": "det:el teatro#theatre",
    "poetry": "det:la poesía#poetry",
    "painting": "det:la pintura#painting",
    "cinema": "det:el cine#cinema",
    "robots": "det:los robots#robots",
    "computers": "det:los ordenadores#computers",
    "internet": "internet#internet",
    "software": "det:el software#software",
    "smartphones": "det:los teléfonos#smartphones amod:inteligentes#smartphones",
}

CARRIERS = {
    "lecture": "det:la conferencia#lecture",
    "article": "det:el artículo#article",
    "programme": "det:el programa#programme",
    "conference": "det:el congreso#conference",
    "conversation": "det:la conversación#conversation",
}


def _item(news: News) -> str:
    time = scope("time", TIMES[news.time]) if news.time else ""
    place = scope("place", f"obl( case:en#in {PLACES[news.place]} )") if news.place else ""
    subject = depends("nsubj", scope("subject", SUBJECTS[news.subject])) if news.subject else ""
    if news.frame == "deed":
        return f"{time} {subject} {mark(scope('deed', DEEDS[news.deed]))} {place}"
    about = f"case:sobre#about {mark(scope('matter', MATTERS[news.matter]))}"
    spoke = f"{subject} habló#speak {place} obl( {about} )"
    if news.frame == "speech":
        return f"{time} {spoke}"
    distractor = scope("distractor", MATTERS[news.distractor])
    carrier = depends("nsubj", scope("carrier", CARRIERS[news.carrier])) if news.carrier else ""
    match news.frame:
        case "not_but":
            but = f"conj( punct:, cc:*sino#but {about} )"
            where = f"{'punct:,' if time else ''} {place} punct:," if place else ""
            return (
                f"{time} {where} {carrier} advmod:*no#not trató#about obl( case:sobre#about "
                f"{distractor} {but} )"
            )
        case "although":
            began = (
                f"advcl( mark:*aunque#although {carrier} empezó#begin obl( case:con "
                f"{distractor} ) punct:, )"
            )
            return f"{began} trató#about+carrier.it advmod:*principalmente#mainly obl( {about} )"
        case "instead":
            instead = "mark( *en#instead fixed:*lugar#instead fixed:de )"
            return f"advcl( {instead} hablar obl( case:sobre {distractor} ) punct:, ) {spoke}"
    raise ValueError(news.frame)


REALISER = NewsRealiser(_item)
