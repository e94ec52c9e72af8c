"""Chinese reviews, written with a space between words until they are typeset; items carry their measure word."""

from __future__ import annotations

from babelscope.data.builtin.marked import mark
from babelscope.data.builtin.reviews.language import Language
from babelscope.data.builtin.reviews.meaning import ATTITUDES, FRAMES, Opinion, Review, Scene, again

NOUNS = {
    "film": "这 部 电影",
    "plot": "剧情",
    "acting": "演技",
    "soundtrack": "配乐",
    "ending": "结局",
    "dialogues": "对白",
    "actors": "演员",
    "hotel": "这 家 酒店",
    "room": "房间",
    "bed": "床",
    "breakfast": "早餐",
    "pool": "游泳池",
    "staff": "员工",
    "restaurant": "这 家 餐厅",
    "food": "饭菜",
    "dessert": "甜点",
    "soup": "汤",
    "waiter": "服务员",
    "service": "服务",
    "decoration": "装修",
    "novel": "这 本 小说",
    "characters": "人物",
    "style": "文风",
    "translation": "译文",
    "introduction": "序言",
    "cover": "封面",
    "phone": "这 款 手机",
    "screen": "屏幕",
    "battery": "电池",
    "camera": "摄像头",
    "keyboard": "键盘",
    "app": "应用",
    "concert": "这 场 音乐会",
    "singer": "歌手",
    "orchestra": "乐团",
    "sound": "音响",
    "hall": "大厅",
    "lighting": "灯光",
    "trip": "这 次 旅行",
    "guide": "导游",
    "beach": "海滩",
    "bus": "大巴",
    "excursion": "郊游",
    "museum": "博物馆",
    "course": "这 门 课程",
    "teacher": "老师",
    "exercises": "练习",
    "lectures": "讲座",
    "textbook": "教材",
    "classroom": "教室",
}

QUALITIES = {
    "good": "~ 好",
    "excellent": "~ 出色",
    "fantastic": "~ 棒",
    "perfect": "~ 完美",
    "impressive": "~ 令 人 难忘",
    "magnificent": "~ 惊艳",
    "wonderful": "~ 赞",
    "interesting": "~ 有趣",
    "exciting": "~ 精彩",
    "moving": "~ 感人",
    "original": "~ 新颖",
    "convincing": "~ 令 人 信服",
    "clean": "~ 干净",
    "comfortable": "~ 舒适",
    "spacious": "~ 宽敞",
    "quiet": "~ 安静",
    "delicious": "~ 美味",
    "tasty": "~ 可口",
    "fresh": "~ 新鲜",
    "friendly": "~ 友好",
    "helpful": "~ 热心",
    "professional": "~ 专业",
    "patient": "~ 耐心",
    "fast": "~ 快",
    "reliable": "~ 可靠",
    "practical": "~ 好用",
    "modern": "~ 先进",
    "useful": "~ 实用",
    "clear": "~ 清楚",
    "organised": "安排 得 ~ 好",
    "beautiful": "~ 漂亮",
    "elegant": "~ 雅致",
    "bad": "~ 差",
    "terrible": "~ 糟糕",
    "horrible": "~ 差劲",
    "disappointing": "~ 令 人 失望",
    "mediocre": "~ 一般",
    "unbearable": "令 人 难以 忍受",
    "absurd": "~ 荒唐",
    "boring": "~ 无聊",
    "predictable": "~ 老套",
    "confusing": "~ 难懂",
    "superficial": "~ 肤浅",
    "dirty": "~ 脏",
    "uncomfortable": "~ 不 舒服",
    "noisy": "~ 吵",
    "cramped": "~ 狭小",
    "disgusting": "~ 难吃",
    "tasteless": "淡而无味",
    "cold": "~ 凉",
    "rude": "~ 粗鲁",
    "arrogant": "~ 傲慢",
    "careless": "~ 马虎",
    "incompetent": "~ 业余",
    "slow": "~ 慢",
    "fragile": "~ 容易 坏",
    "outdated": "~ 过时",
    "useless": "毫无 用处",
    "chaotic": "~ 混乱",
    "ugly": "~ 难看",
    "monotonous": "~ 单调",
}
"""`~` is where the degree or the negation goes; a phrase without it takes neither 很 nor 不."""

HOLDERS = {
    "brother": ("我 哥哥", "他"),
    "sister": ("我 姐姐", "她"),
    "friends": ("我 的 朋友 们", "他们"),
    "colleagues": ("我 的 同事 们", "他们"),
    "aunt": ("我 阿姨", "她"),
    "neighbour": ("我 的 邻居", "他"),
    "critics": ("评论家 们", "他们"),
}

DEGREES = {"": "很", "very": "非常", "extremely": "特别", "truly": "真的 很"}

OPENERS = {
    "honestly": "老实 说",
    "truth": "说 真的",
    "frankly": "坦率 地 说",
    "opinion": "在 我 看来",
    "for_me": "对 我 来说",
}

SUMMARIES = {"": "", "overall": "总的来说", "in_the_end": "最后", "all_in_all": "整体 上"}

TIMES = {
    "last_week": "上周",
    "last_saturday": "上周六",
    "last_month": "上 个 月",
    "last_year": "去年",
    "summer": "今年 夏天",
    "spring": "今年 春天",
    "may": "五月",
    "holidays": "假期 里",
}

COMPANY = {
    "": "",
    "sister": "和 姐姐",
    "parents": "和 父母",
    "friend": "和 一 个 朋友",
    "colleagues": "和 同事",
    "cousin": "和 表弟",
    "two_friends": "和 两 个 朋友",
    "neighbours": "和 邻居",
    "uncle": "和 叔叔",
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
    "film": "{在} 看 了 一 部 电影",
    "hotel": "在 {的} 一 家 酒店 住 了 一 晚",
    "restaurant": "在 {的} 一 家 餐厅 吃 了 晚饭",
    "novel": "读 了 一 本 小说",
    "phone": "{在} 买 了 一 款 手机",
    "concert": "{在} 听 了 一 场 音乐会",
    "trip": "去 {} 旅行 了",
    "course": "{在} 上 了 一 门 课程",
}
"""`{}` is the city, `{在}` and `{的}` the city with that word; nothing where no city is named."""

NOTES = {
    "film": ("电影 时长 两 个 小时", "我 的 座位 在 第三 排", "电影院 离 车站 很 近"),
    "hotel": ("酒店 有 五 层", "酒店 离 车站 很 近", "我 的 房间 在 二 楼"),
    "restaurant": ("餐厅 七点 开门", "我们 的 桌子 靠 窗", "餐厅 在 公园 对面"),
    "novel": ("小说 有 三百 页", "小说 的 作者 住 在 加拿大", "故事 发生 在 一 个 村子 里"),
    "phone": ("手机 装 在 一 个 小 盒子 里", "手机 是 黑色 的", "手机 重 两百 克"),
    "concert": ("音乐会 八点 开始", "我 的 座位 在 第十 排", "音乐会 持续 了 两 个 小时"),
    "trip": ("我们 坐 的 是 大巴", "团 里 有 十二 个 人", "大巴 七点 出发"),
    "course": ("课程 一共 有 十 节 课", "班 里 有 十五 个 学生", "课程 早上 九点 开始"),
}


def _quality(opinion: Opinion, key: bool, will: bool = False) -> str:
    """*很 无聊*, *并 不 无聊*, *一点 也 不 无聊*; of what is expected *会 很 无聊*, *不 会 太 无聊*."""
    before, slot, after = QUALITIES[opinion.evaluation].rpartition("~")
    no = mark("不", key)
    if not opinion.negated:
        degree = DEGREES[opinion.degree] if slot else "真的" if opinion.degree else ""
        filling = f"会 {degree}" if will and not before else degree
        verb = "会" if will and before else ""
        return f"{verb} {mark(before, key)} {filling} {mark(after, key)}"
    if will:
        return f"{no} 会 {mark(before, key)} 太 {mark(after, key)}"
    return f"{mark(before, key)} {'一点 也' if opinion.degree else '并'} {no} {mark(after, key)}"


def _attitude(opinion: Opinion, key: bool, it: bool) -> str:
    """*我 非常 喜欢 这 部 电影*, *这 部 电影 没有 让 我 失望*."""
    holder = "我" if opinion.holder == "i" else HOLDERS[opinion.holder][0]
    item, no = NOUNS[opinion.topic], opinion.negated
    thing, it_or_item = "" if it else item, "它" if it else item
    match opinion.evaluation:
        case "love":
            return f"{holder} 非常 {mark('喜欢', key)} {thing}"
        case "like":
            return f"{holder} {mark('不', key) if no else '很'} {mark('喜欢', key)} {thing}"
        case "hate":
            return f"{holder} 很 {mark('讨厌', key)} {it_or_item}"
        case "praise":
            return f"{holder} {mark('称赞', key)} 了 {it_or_item}"
        case "criticise":
            return f"{holder} {mark('批评', key)} 了 {it_or_item}"
        case "worth":
            return f"{it_or_item} {mark('不', key) if no else '很'} {mark('值', key)} 这个 价钱"
        case "waste":
            return f"{it_or_item} 完全 是 {mark('浪费', key)} 钱"
        case "impress":
            made = f"{mark('没有', key)} 给 我 留下" if no else "给 我 留下 了"
            return f"{it_or_item} {made} {mark('好 印象', key)}"
    return f"{it_or_item} {mark('没有', key) if no else ''} 让 我 {'' if no else '很'} {mark('失望', key)}"


def _clause(opinion: Opinion, key: bool, it: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named and is left out."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    noun = "" if it else NOUNS[opinion.topic]
    if not opinion.holder:
        return f"{'其实' if it else noun} {_quality(opinion, key)}"
    holder = "我" if opinion.holder == "i" else HOLDERS[opinion.holder][0]
    return f"{holder} 觉得 {noun} {_quality(opinion, key)}"


def _expected(opinion: Opinion, key: bool, it: bool = False) -> str:
    return f"我 原本 觉得 {NOUNS[opinion.topic]} {_quality(opinion, key, will=True)}"


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = f"{OPENERS[review.opener]} ， " if review.opener else ""
    clause = first(left, frame.left)
    head = opener + clause
    second = f"{SUMMARIES[review.summary]} {_clause(right, frame.right, again(review))}" if right else ""
    them = HOLDERS[left.holder][1] if left.holder in HOLDERS else ""
    match review.frame:
        case "both":
            return f"{head} ， 而且 {second}"
        case "because":
            return f"{head} ， 因为 {second}"
        case "but" | "surprised":
            return f"{head} ， *但是 {second}"
        case "although":
            return f"{opener}*虽然 {clause} ， *但是 {second}"
        case "after":
            return f"{head} ， *尽管 {second}"
        case "agree":
            return f"{head} ， 我 *同意 {them} 的 看法"
        case "disagree":
            return f"{head} ， 但是 我 *不 *同意 {them} 的 看法"
        case "confirmed":
            return f"{head} ， 结果 我 猜 *对 了"
        case "refuted":
            return f"{head} ， 但是 我 猜 *错 了"
    return head


def _scene(domain: str, scene: Scene) -> str:
    city = CITIES.get(scene.city, "")
    did = SCENES[domain].format(city, 在=f"在 {city}" if city else "", 的=f"{city} 的" if city else "")
    return f"{TIMES[scene.time]} 我 {COMPANY[scene.company]} {did}"


LANGUAGE = Language(_opinion, _scene, NOTES, stop="。", spaced=False)
