"""English news."""

from __future__ import annotations

from babelscope.corpus.languages.en.events import PLACES, TIMES
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import NewsRealiser

DEEDS = {
    "win_championship": "won#win obj( det:the championship#championship )",
    "lose_match": "lost#lose obj( det:the match#match )",
    "train_tournament": "trained#train obl( case:for det:the tournament#tournament )",
    "celebrate_victory": "celebrated#celebrate obj( det:the victory#victory nmod( case:in det:the "
    "final ) )",
    "criticise_referee": "criticised#criticise obj( det:the referee#referee )",
    "break_record": "broke#break obj( det:the compound:world record#record )",
    "treat_patients": "treated#treat obj( det:the patients#patients )",
    "recommend_medicine": "recommended#recommend obj( det:a amod:new medicine#medicine )",
    "examine_wound": "examined#examine obj( det:the wound#wound )",
    "prepare_vaccine": "prepared#prepare obj( det:the vaccine#vaccine )",
    "visit_hospital": "visited#visit obj( det:the hospital#hospital )",
    "cure_disease": "cured#cure obj( det:a amod:rare disease#disease )",
    "raise_prices": "raised#raise obj( det:the prices#prices )",
    "pay_taxes": "paid#pay obj( det:the taxes#taxes )",
    "invest_money": "invested#invest obj( det:the money#money )",
    "sign_contract": "signed#sign obj( det:the compound:trade contract#contract )",
    "count_profits": "counted#count obj( det:the profits#profits )",
    "buy_shares": "bought#buy obj( det:the shares#shares nmod( case:of det:a company ) )",
    "publish_experiment": "published#publish obj( det:the experiment#experiment )",
    "repeat_measurement": "repeated#repeat obj( det:the measurement#measurement )",
    "analyse_sample": "analysed#analyse obj( det:the sample#sample )",
    "prove_theory": "proved#prove obj( det:the theory#theory )",
    "observe_planet": "observed#observe obj( det:a amod:distant planet#planet )",
    "use_microscope": "used#use obj( det:the microscope#microscope )",
    "open_exhibition": "opened#open obj( det:the exhibition#exhibition )",
    "rehearse_play": "rehearsed#rehearse obj( det:the compound:theatre play#play )",
    "record_song": "recorded#record obj( det:a amod:new song#song )",
    "recite_poem": "recited#recite obj( det:a poem#poem )",
    "photograph_sculpture": "photographed#photograph obj( det:the sculpture#sculpture )",
    "praise_orchestra": "praised#praise obj( det:the orchestra#orchestra )",
    "update_software": "updated#update obj( det:the software#software )",
    "repair_computer": "repaired#repair obj( det:the computer#computer )",
    "test_app": "tested#test obj( det:the app#app )",
    "install_program": "installed#install obj( det:the program#program )",
    "build_robot": "built#build obj( det:a robot#robot )",
    "lose_password": "lost#lose obj( det:the password#password )",
}

MATTERS = {
    "olympics": "det:the amod:Olympic#olympics Games#olympics",
    "internet": "det:the internet#internet",
}
"""Matters are named by their English word, except these."""


def _matter(name: str, role: str) -> str:
    return scope(role, MATTERS.get(name, f"{name}#{name}"))


def _item(news: News) -> str:
    time = scope("time", TIMES[news.time]) if news.time else ""
    place = (
        scope("place", f"obl( case:in#in {PLACES[news.place]}#{news.place} )") if news.place else ""
    )
    subject = depends("nsubj", f"det:the {scope('subject', f'{news.subject}#{news.subject}')}")
    carrier = depends("nsubj", f"det:the {scope('carrier', f'{news.carrier}#{news.carrier}')}")
    if news.frame == "deed":
        return f"{time} {subject} {mark(scope('deed', DEEDS[news.deed]))} {place}"
    matter = mark(_matter(news.matter, "matter"))
    if news.frame == "speech":
        return f"{time} {subject} spoke#speak obl( case:about#about {matter} ) {place}"
    distractor = _matter(news.distractor, "distractor")
    match news.frame:
        case "not_but":
            but = f"conj( cc:*but#but case:about#about {matter} )"
            return (
                f"{time} {carrier} cop:was advmod:*not#not case:about#about {distractor} {but} "
                f"{place}"
            )
        case "although":
            began = (
                f"advcl( mark:*although#although {carrier} began#begin obl( case:with "
                f"{distractor} ) punct:, )"
            )
            return (
                f"{began} nsubj:it#carrier.it cop:was advmod:*mainly#mainly case:about#about "
                f"{matter}"
            )
        case "instead":
            instead = f"obl( case( *instead#instead fixed:of ) {distractor} punct:, )"
            return f"{instead} {subject} spoke#speak obl( case:about#about {matter} ) {place}"
    raise ValueError(news.frame)


REALISER = NewsRealiser(_item)
