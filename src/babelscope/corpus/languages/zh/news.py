"""Chinese news.

Time and place stand before the verb; a lecture or an article takes them in a relative clause (昨天 在
罗马 举行 的 讲座).
"""

from __future__ import annotations

from babelscope.corpus.languages.zh.events import PLACES, TIMES
from babelscope.corpus.meaning.news import News
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import NewsRealiser

SUBJECTS = {
    "coach": "教练#coach",
    "goalkeeper": "守门员#goalkeeper",
    "runner": "compound:赛跑#runner 运动员#runner",
    "swimmer": "compound:游泳#swimmer 运动员#swimmer",
    "doctor": "医生#doctor",
    "nurse": "护士#nurse",
    "surgeon": "compound:外科#surgeon 医生#surgeon",
    "pharmacist": "药剂师#pharmacist",
    "banker": "银行家#banker",
    "merchant": "商人#merchant",
    "investor": "投资者#investor",
    "accountant": "会计师#accountant",
    "astronomer": "天文学家#astronomer",
    "chemist": "化学家#chemist",
    "biologist": "生物学家#biologist",
    "physicist": "物理学家#physicist",
    "painter": "画家#painter",
    "singer": "歌手#singer",
    "poet": "诗人#poet",
    "actress": "女演员#actress",
    "programmer": "程序员#programmer",
    "engineer": "工程师#engineer",
    "designer": "设计师#designer",
    "technician": "技术员#technician",
}

DEEDS = {
    "win_championship": "赢得#win aux:了 obj:冠军#championship",
    "lose_match": "输掉#lose aux:了 obj:比赛#match",
    "train_tournament": "obl( case:为 锦标赛#tournament ) 进行#train aux:了 obj:训练#train",
    "celebrate_victory": "庆祝#celebrate aux:了 obj( nmod( 决赛 case:的 ) 胜利#victory )",
    "criticise_referee": "批评#criticise aux:了 obj:裁判#referee",
    "break_record": "打破#break aux:了 obj( compound:世界 纪录#record )",
    "treat_patients": "治疗#treat aux:了 obj:患者#patients",
    "recommend_medicine": "推荐#recommend aux:了 obj( nummod( 一 clf:种 ) 新药#medicine )",
    "examine_wound": "检查#examine aux:了 obj:伤口#wound",
    "prepare_vaccine": "准备#prepare aux:了 obj:疫苗#vaccine",
    "visit_hospital": "参观#visit aux:了 obj:医院#hospital",
    "cure_disease": "治愈#cure aux:了 obj( nummod( 一 clf:种 ) amod:罕见 疾病#disease )",
    "raise_prices": "提高#raise aux:了 obj:价格#prices",
    "pay_taxes": "缴纳#pay aux:了 obj:税款#taxes",
    "invest_money": "投入#invest aux:了 obj:资金#money",
    "sign_contract": "签署#sign aux:了 obj( compound:贸易 合同#contract )",
    "count_profits": "计算#count aux:了 obj:利润#profits",
    "buy_shares": "购买#buy aux:了 obj( nmod( nummod( 一 clf:家 ) 公司 case:的 ) 股票#shares )",
    "publish_experiment": "公布#publish aux:了 obj( compound:实验#experiment 结果 )",
    "repeat_measurement": "advmod:重新#repeat 进行#repeat aux:了 obj:测量#measurement",
    "analyse_sample": "分析#analyse aux:了 obj:样本#sample",
    "prove_theory": "证明#prove aux:了 obj( det( 这 clf:个 ) 理论#theory )",
    "observe_planet": "观测#observe aux:了 obj( nummod( 一 clf:颗 ) amod( 遥远 mark:的 ) 行星#planet )",
    "use_microscope": "使用#use aux:了 obj:显微镜#microscope",
    "open_exhibition": "obl( case:为 展览#exhibition ) 揭幕#open",
    "rehearse_play": "排练#rehearse aux:了 obj:话剧#play",
    "record_song": "录制#record aux:了 obj( nummod( 一 clf:首 ) 新歌#song )",
    "recite_poem": "朗诵#recite aux:了 obj( nummod( 一 clf:首 ) 诗#poem )",
    "photograph_sculpture": "拍摄#photograph aux:了 obj( det( 这 clf:座 ) 雕塑#sculpture )",
    "praise_orchestra": "称赞#praise aux:了 obj:交响乐团#orchestra",
    "update_software": "更新#update aux:了 obj:软件#software",
    "repair_computer": "修理#repair aux:了 obj:电脑#computer",
    "test_app": "测试#test aux:了 obj( det( 这 clf:款 ) 应用#app )",
    "install_program": "安装#install aux:了 obj:程序#program",
    "build_robot": "制造#build aux:了 obj( nummod( 一 clf:台 ) 机器人#robot )",
    "lose_password": "丢失#lose aux:了 obj:密码#password",
}

MATTERS = {
    "football": "足球",
    "tennis": "网球",
    "athletics": "田径",
    "swimming": "游泳",
    "olympics": "奥运会",
    "vaccines": "疫苗",
    "nutrition": "营养",
    "sleep": "睡眠",
    "diabetes": "糖尿病",
    "flu": "流感",
    "taxes": "税收",
    "inflation": "通货膨胀",
    "wages": "工资",
    "trade": "贸易",
    "banks": "银行",
    "planets": "行星",
    "physics": "物理学",
    "chemistry": "化学",
    "genetics": "遗传学",
    "fossils": "化石",
    "music": "音乐",
    "theatre": "戏剧",
    "poetry": "诗歌",
    "painting": "绘画",
    "cinema": "电影",
    "robots": "机器人",
    "computers": "计算机",
    "internet": "互联网",
    "software": "软件",
    "smartphones": "智能手机",
}

CARRIERS = {
    "lecture": ("讲座", "场", "举行"),
    "article": ("文章", "篇", "发表"),
    "programme": ("节目", "个", "播出"),
    "conference": ("会议", "次", "举行"),
    "conversation": ("谈话", "次", "进行"),
}
"""Noun, measure word and the verb for its taking place."""


def _subject(news: News) -> str:
    return depends("nsubj", f"det( 这 clf:名 ) {scope('subject', SUBJECTS[news.subject])}")


def _carrier(news: News, setting: str) -> str:
    """*这 场 讲座*, *昨天 在 罗马 举行 的 讲座*."""
    noun, measure, held = CARRIERS[news.carrier]
    which = f"acl( {setting} {held} mark:的 )" if setting.strip() else f"det( 这 clf:{measure} )"
    return depends("nsubj", f"{which} {noun}#carrier.{news.carrier}")


def _item(news: News) -> str:
    time = depends("obl:tmod", scope("time", TIMES[news.time])) if news.time else ""
    place = (
        scope("place", f"obl( case:在#in {PLACES[news.place]}#{news.place} )") if news.place else ""
    )
    if news.frame == "deed":
        return f"{_subject(news)} {time} {place} {mark(scope('deed', DEEDS[news.deed]))}"
    matter = f"*{MATTERS[news.matter]}#matter.{news.matter}"
    speech = f"谈论#speak+about aux:了 {depends('obj', matter)}"
    if news.frame == "speech":
        return f"{_subject(news)} {time} {place} {speech}"
    distractor = f"{MATTERS[news.distractor]}#distractor.{news.distractor}"
    match news.frame:
        case "not_but":
            but = f"conj( punct:， cc:*而是#but case:关于#about {matter} case:的 )"
            return (
                f"{_carrier(news, f'{time} {place}')} advmod:*不#not cop:是 case:关于#about "
                f"{distractor} case:的 {but}"
            )
        case "although":
            began = f"{_carrier(news, '')} obl( case:从 {distractor} ) 谈起#begin"
            main = (
                f"nsubj:它#carrier.it advmod:*主要#mainly cop:是 case:关于#about {matter} case:的"
            )
            return f"advcl( mark:*虽然#although {began} punct:， ) cc:*但#although {main}"
        case "instead":
            instead = f"advmod:*没有#instead 谈论 {depends('obj', distractor)}"
            return f"{_subject(news)} {place} {instead} conj( punct:， cc:*而是#instead {speech} )"
    raise ValueError(news.frame)


REALISER = NewsRealiser(_item)
