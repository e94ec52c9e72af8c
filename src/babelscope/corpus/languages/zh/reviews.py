"""Chinese reviews.

Items carry their measure word, a predicate adjective needs 很 or another adverb before it, and a
topic that has just been named is left out where that is idiomatic.
"""

from __future__ import annotations

from babelscope.corpus.meaning.reviews import ATTITUDES, FRAMES, Opinion, Review, Scene, again
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import ReviewRealiser, lexicon

NOUNS = lexicon("""
    film: 电影 / 部
    plot: 剧情
    acting: 演技
    soundtrack: 配乐
    ending: 结局
    dialogues: 对白
    actors: 演员
    hotel: 酒店 / 家
    room: 房间
    bed: 床
    breakfast: 早餐
    pool: 游泳池
    staff: 工作人员
    restaurant: 餐厅 / 家
    food: 饭菜
    dessert: 甜点
    soup: 汤
    waiter: 服务员
    service: 服务
    decoration: 装修
    novel: 小说 / 本
    characters: compound:人物#topic 刻画
    style: 文风
    translation: 译文
    introduction: 序言
    cover: 封面
    phone: 手机 / 款
    screen: 屏幕
    battery: 电池
    camera: 摄像头
    keyboard: 键盘
    app: 应用软件
    concert: 音乐会 / 场
    singer: 歌手
    orchestra: 乐团
    sound: 音质
    hall: 音乐厅
    lighting: 灯光
    trip: 旅行 / 次
    guide: 导游
    beach: 海滩
    bus: 大巴
    excursion: 一日游
    museum: 博物馆
    course: 课 / 门
    teacher: 老师
    exercises: 练习
    lectures: 讲座
    textbook: 教材
    classroom: 教室
""")
"""Noun; the items reviewed have a measure word and are said with 这."""

PERSONS = {
    "actors": "他们",
    "staff": "他们",
    "waiter": "他",
    "singer": "她",
    "guide": "他",
    "teacher": "他",
}
"""Topics that a pronoun takes up; a thing that has just been named is left out after 觉得 and 其实."""

ADJECTIVES = {
    "good": "好",
    "fantastic": "棒",
    "perfect": "完美",
    "impressive": "惊艳",
    "wonderful": "赞",
    "interesting": "有趣",
    "exciting": "精彩",
    "moving": "感人",
    "original": "新颖",
    "clean": "干净",
    "comfortable": "舒适",
    "spacious": "宽敞",
    "quiet": "安静",
    "delicious": "美味",
    "tasty": "可口",
    "fresh": "新鲜",
    "friendly": "友好",
    "helpful": "热心",
    "professional": "专业",
    "patient": "耐心",
    "fast": "快",
    "reliable": "可靠",
    "practical": "好用",
    "modern": "先进",
    "useful": "实用",
    "clear": "易懂",
    "beautiful": "漂亮",
    "elegant": "优雅",
    "bad": "差",
    "terrible": "糟糕",
    "horrible": "差劲",
    "mediocre": "一般",
    "absurd": "荒唐",
    "boring": "无聊",
    "predictable": "老套",
    "superficial": "肤浅",
    "dirty": "脏",
    "noisy": "吵",
    "cramped": "狭小",
    "cold": "凉",
    "rude": "粗鲁",
    "arrogant": "傲慢",
    "careless": "马虎",
    "incompetent": "业余",
    "slow": "慢",
    "outdated": "过时",
    "chaotic": "混乱",
    "ugly": "难看",
    "monotonous": "单调",
}

PHRASES = {
    "excellent": "好极了#excellent",
    "magnificent": "令人#magnificent xcomp:惊叹#magnificent",
    "convincing": "~ 令人#convincing xcomp:信服#convincing",
    "organised": "安排#organised xcomp( mark:得 ~ 好#organised )",
    "disappointing": "~ 令人#disappointing xcomp:失望#disappointing",
    "unbearable": "令人#unbearable xcomp( advmod:难以#unbearable 忍受#unbearable )",
    "confusing": "~ 令人#confusing xcomp:费解#confusing",
    "uncomfortable": "~ advmod:不#uncomfortable 舒服#uncomfortable",
    "disgusting": "advmod:难以#disgusting 下咽#disgusting",
    "tasteless": "淡而无味#tasteless",
    "fragile": "advmod( ~ 容易#fragile ) 坏#fragile",
    "useless": "毫无#useless obj:用处#useless",
}
"""Qualities that are no plain adjective. `~` is where the degree or 不 goes. Without it, and before
令人, there is no 很.
"""

HOLDERS = lexicon("""
    brother: nmod:我#my 哥哥#brother / 他
    sister: nmod:我#my 姐姐#sister / 她
    friends: nmod( 我#my case:的 ) 朋友们#friends / 他们
    colleagues: nmod( 我#my case:的 ) 同事们#colleagues / 他们
    aunt: nmod:我#my 阿姨#aunt / 她
    neighbour: nmod( 我#my case:的 ) 邻居#neighbour / 他
    critics: 评论家们#critics / 他们
""")

DEGREES = {
    "": "advmod:很",
    "very": "advmod:非常#very",
    "extremely": "advmod:特别#extremely",
    "truly": "advmod:真的#truly advmod:很",
}

OPENERS = {
    "honestly": "advmod:老实说#honestly",
    "truth": "advmod:说真的#truth",
    "frankly": "advcl( advmod( 坦率#frankly mark:地 ) 说#frankly )",
    "opinion": "advcl( mark:在#opinion nsubj:我#my 看来#opinion )",
    "for_me": "obl( case:对#for_me 我#i case:来说#for_me )",
}

SUMMARIES = {
    "": "",
    "overall": "advmod:总的来说#summary",
    "in_the_end": "advmod:最后#summary",
    "all_in_all": "obl( 整体#summary case:上 )",
}

TIMES = {
    "last_week": "obl:tmod:上周#last+week",
    "last_saturday": "obl:tmod:上周六#last+saturday",
    "last_month": "obl:tmod:上个月#last+month",
    "last_year": "obl:tmod:去年#last+year",
    "summer": "obl:tmod( nmod:今年 夏天#summer )",
    "spring": "obl:tmod( nmod:今年 春天#spring )",
    "may": "obl:tmod( nmod:今年 五月#may )",
    "holidays": "obl:tmod( 假期#holidays case:里#in )",
}

COMPANY = {
    "": "",
    "sister": "obl( case:和#with 姐姐#company )",
    "parents": "obl( case:和#with 父母#company )",
    "friend": "obl( case:和#with nummod( 一#one clf:个 ) 朋友#company )",
    "colleagues": "obl( case:和#with 同事#company )",
    "cousin": "obl( case:和#with 表弟#company )",
    "two_friends": "obl( case:和#with nummod( 两#two clf:个 ) 朋友#company )",
    "neighbours": "obl( case:和#with 邻居#company )",
    "uncle": "obl( case:和#with 叔叔#company )",
}

CITIES = {
    "madrid": "马德里",
    "cairo": "开罗",
    "delhi": "德里",
    "beijing": "北京",
    "london": "伦敦",
    "istanbul": "伊斯坦布尔",
}

SCENES = {
    "film": "{在} 看#verb aux:了 obj( nummod( 一#a clf:部 ) 电影#item )",
    "hotel": "obl( case:在#at {的} nummod( 一#a clf:家 ) 酒店#item ) 住#verb aux:了 obl:tmod( nummod:一#one "
    "晚#night )",
    "restaurant": "obl( case:在#at {的} nummod( 一#a clf:家 ) 餐厅#item ) 吃#verb aux:了 obj:晚饭#dinner",
    "novel": "读#verb aux:了 obj( nummod( 一#a clf:本 ) 小说#item )",
    "phone": "{在} 买#verb aux:了 obj( nummod( 一#a clf:部 ) 手机#item )",
    "concert": "{在} 听#verb aux:了 obj( nummod( 一#a clf:场 ) 音乐会#item )",
    "trip": "{去} xcomp( 旅行#item aux:了 )",
    "course": "{在} 上#verb aux:了 obj( nummod( 一#a clf:门 ) 课#item )",
}
"""`{在}`, `{的}` and `{去}` are the city after 在, before 的 and after 去; without a city only 去 stays.
"""

NOTES = {
    "film": (
        "nsubj:电影#film 演#last aux:了 obl:tmod( nummod( 两#two clf:个 ) 小时#hours )",
        "nsubj( nmod( 我#my case:的 ) 座位#seat ) 在#in obj( nummod:第三#third 排#row )",
        "nsubj:电影院#cinema obl( case:离#near 车站#station ) advmod:很 近#near",
    ),
    "hotel": (
        "nsubj:酒店#hotel 有#has obj( nummod( 五#five clf:层#floors ) 楼#floors )",
        "nsubj:酒店#hotel obl( case:离#near 车站#station ) advmod:很 近#near",
        "nsubj( nmod( 我#my case:的 ) 房间#room ) 在#in obj( nummod:二#second 楼#floor )",
    ),
    "restaurant": (
        "nsubj:餐厅#restaurant obl:tmod:七点#seven 开门#opens",
        "nsubj( nmod( 我们#our case:的 ) 桌子#table ) 靠#near obj:窗#window",
        "nsubj:餐厅#restaurant 在 obj( nmod:公园#park 对面#opposite )",
    ),
    "novel": (
        "nsubj:小说#novel 有#has obj( nummod:三百#three+hundred 页#pages )",
        "nsubj( nmod( 小说#novel case:的 ) 作者#author ) 住#lives obl( case:在#in 加拿大#canada )",
        "nsubj:故事#story 发生#happens obl( case:在#in nummod( 一#one clf:个 ) 村子#village case:里#in )",
    ),
    "phone": (
        "nsubj:手机#phone 装#came obl( case:在#in nummod( 一#one clf:个 ) amod:小#small 盒子#box case:里#in )",
        "nsubj:手机#phone cop:是 黑色#black mark:的",
        "nsubj:手机#phone 重#weighs obj( nummod:两百#two+hundred 克#grams )",
    ),
    "concert": (
        "nsubj:音乐会#concert obl:tmod:八点#eight 开始#began",
        "nsubj( nmod( 我#my case:的 ) 座位#seat ) 在#in obj( nummod:第十#tenth 排#row )",
        "nsubj:音乐会#concert 持续#last aux:了 obl:tmod( nummod( 两#two clf:个 ) 小时#hours )",
    ),
    "trip": (
        "nsubj:我们#we advmod:全程 坐#travelled+by obj:大巴#bus",
        "obl( 团#group case:里#in ) 有#were obj( nummod( 十二#twelve clf:个 ) 人#people )",
        "nsubj:大巴#bus obl:tmod:七点#seven 出发#left",
    ),
    "course": (
        "nsubj:课程#course advmod:一共 有#has obj( nummod( 十#ten clf:节 ) 课#lessons )",
        "obl( 班#group case:里#in ) 有#were obj( nummod( 十五#fifteen clf:个 ) 学生#students )",
        "nsubj:课程#course obl:tmod( nmod:早上#morning 九点#nine ) 开始#began",
    ),
}


def _item(topic: str, it: bool = False) -> str:
    """The thing judged, or the pronoun for it."""
    noun, *measure = NOUNS[topic]
    this = f"det( 这 clf:{measure[0]} )" if measure else ""
    return "它#topic" if it else f"{this} {noun}#topic"


def _holder(opinion: Opinion) -> str:
    return "我#i" if opinion.holder == "i" else scope("holder", HOLDERS[opinion.holder][0])


def _quality(opinion: Opinion, key: bool, will: bool = False) -> str:
    """*很 无聊*, *并 不 无聊*, *一点 也 不 无聊*; of what is expected *应该 会 很 无聊*."""
    name = opinion.evaluation
    phrase = mark(PHRASES[name] if name in PHRASES else f"~ {ADJECTIVES[name]}#{name}", key)
    before, slot, after = phrase.rpartition("~")
    no = mark("advmod:不#not", key)
    if opinion.negated and will:
        return f"aux:应该 {no} aux:会 {before} advmod:太 {after}"
    if opinion.negated:
        how = "advmod:一点#at_all advmod:也#at_all" if opinion.degree else "advmod:并"
        return f"{before} {how} {no} {after}"
    degree = DEGREES[opinion.degree]
    if not slot or "令人" in phrase:
        degree = degree.removesuffix("advmod:很")
    return f"{'aux:应该 aux:会' if will else ''} {before} {degree} {after}"


def _attitude(opinion: Opinion, key: bool, it: bool) -> str:
    """*我 非常 喜爱 这 部 电影*, *这 部 电影 没有 让 我 失望*."""
    name, no, holder = opinion.evaluation, opinion.negated, depends("nsubj", _holder(opinion))
    subject, thing = (
        depends("nsubj", _item(opinion.topic, it)),
        depends("obj", _item(opinion.topic, it)),
    )
    not_now, not_then = (mark(f"advmod:{word}#not", key) if no else "" for word in ("不", "没有"))
    match name:
        case "love":
            return f"{holder} advmod:非常 {mark('喜爱#love', key)} {thing}"
        case "like":
            return (
                f"{holder} {not_now or 'advmod:很'} {mark('喜欢#like', key)} {'' if it else thing}"
            )
        case "hate":
            return f"{holder} advmod:很 {mark('讨厌#hate', key)} {thing}"
        case "worth":
            return (
                f"{subject} {not_now or 'advmod:完全'} "
                f"{mark('值#worth obj( det( 这 clf:个 ) 价#worth )', key)}"
            )
        case "waste":
            return f"{subject} advmod:完全 cop:是 {mark('浪费#waste obj:钱#waste', key)}"
        case "impress":
            good = "amod:好#impress" if no else "amod( advmod:很 好#impress mark:的 )"
            left = mark(f"留下#impress {'' if no else 'aux:了'} obj( {good} 印象#impress )", key)
            return f"{subject} {not_then} obl( case:给 我#i ) {left}"
        case "disappoint":
            let_down = f"xcomp( {'' if no else 'advmod:很'} {mark('失望#disappoint', key)} )"
            return f"{subject} {not_then} 让 obj:我#i {let_down}"
    verb = {"praise": "称赞", "criticise": "批评"}[name]
    return f"{holder} {mark(f'{verb}#{name}', key)} aux:了 {thing}"


def _clause(opinion: Opinion, key: bool, it: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    pronoun = f"nsubj:{PERSONS[opinion.topic]}#topic" if opinion.topic in PERSONS else ""
    item = pronoun if it else depends("nsubj", _item(opinion.topic))
    if opinion.holder:
        return (
            f"{depends('nsubj', _holder(opinion))} 觉得#find ccomp( {item} "
            f"{_quality(opinion, key)} )"
        )
    return f"{item} {'advmod:其实' if it else ''} {_quality(opinion, key)}"


def _expected(opinion: Opinion, key: bool, it: bool = False) -> str:
    item = depends("nsubj", _item(opinion.topic, it))
    return (
        f"nsubj:我#i advmod:之前 觉得#thought ccomp( {item} {_quality(opinion, key, will=True)} )"
    )


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = f"{OPENERS[review.opener]} punct:， " if review.opener else ""
    main = scope("left", first(left, frame.left))
    head = f"{opener} {main}"
    second = (
        f"{SUMMARIES[review.summary]} {scope('right', _clause(right, frame.right, again(review)))}"
        if right
        else ""
    )
    view = (
        f"obj( nmod( {HOLDERS[left.holder][1]}#them case:的 ) 看法 )"
        if left.holder in HOLDERS
        else ""
    )
    match review.frame:
        case "both":
            return f"{head} conj( punct:， cc:而且#and {second} )"
        case "because":
            return f"{head} advcl( punct:， mark:因为#because {second} )"
        case "but" | "surprised":
            return f"{head} conj( punct:， cc:*但是#but {second} )"
        case "although":
            return (
                f"{opener} advcl( mark:*虽然#although {main} punct:， ) cc:*但是#although {second}"
            )
        case "after":
            return f"{head} advcl( punct:， mark:*尽管#although {second} )"
        case "agree":
            return f"{head} conj( punct:， nsubj:我#i advmod:也#link *同意#agree {view} )"
        case "disagree":
            return (
                f"{head} conj( punct:， cc:但是#link nsubj:我#i advmod:*不#not *同意#agree {view} )"
            )
        case "confirmed":
            return f"{head} conj( punct:， advmod:结果#link nsubj:我#i *猜对#right aux:了 )"
        case "refuted":
            return f"{head} conj( punct:， cc:但是#link nsubj:我#i *猜错#wrong aux:了 )"
    return head


def _scene(domain: str, scene: Scene) -> str:
    city = f"{CITIES[scene.city]}#city" if scene.city else ""
    at = f"obl( case:在#at_city {city} )" if city else ""
    of = f"nmod( {city} case:的#at_city )" if city else ""
    to = f"去#verb+at+at_city obj:{city}" if city else "去#verb+at"
    did = SCENES[domain].format(在=at, 的=of, 去=to)
    return (
        f"{scope('time', TIMES[scene.time])} nsubj:我#i {scope('with', COMPANY[scene.company])} "
        f"{did}"
    )


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
