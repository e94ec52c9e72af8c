"""Swahili reviews: nouns have a class, with which copula, adjective, `-a` and object prefix agree,
so that pronouns can drop; negation is part of the verb, and many qualities are infinitives (*ya
kuchosha*) or finite verbs (*haivumiliki*)."""

from __future__ import annotations

from babelscope.corpus.meaning.reviews import (
    ATTITUDES,
    FRAMES,
    Opinion,
    Review,
    Scene,
    again,
    foreign,
)
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import ReviewRealiser, lexicon

PREFIXES = {
    "1": "a",
    "2": "wa",
    "3": "u",
    "4": "i",
    "5": "li",
    "6": "ya",
    "7": "ki",
    "9": "i",
    "10": "zi",
    "11": "u",
}
"""Subject prefix by noun class; the object prefix is the same where the noun is no person."""

OF = {
    "1": "wa",
    "2": "wa",
    "3": "wa",
    "4": "ya",
    "5": "la",
    "6": "ya",
    "7": "cha",
    "9": "ya",
    "10": "za",
    "11": "wa",
}

ADJECTIVES = {
    "1": "m",
    "2": "wa",
    "3": "m",
    "4": "mi",
    "5": "",
    "6": "ma",
    "7": "ki",
    "9": "",
    "10": "",
    "11": "m",
}
"""Prefix of an adjective by noun class."""

IRREGULAR = {
    ("zuri", "9"): "nzuri",
    ("zuri", "10"): "nzuri",
    ("baya", "9"): "mbaya",
    ("baya", "10"): "mbaya",
    ("bovu", "9"): "mbovu",
    ("bovu", "10"): "mbovu",
    ("eledi", "1"): "mweledi",
    ("eledi", "2"): "weledi",
}
"""Adjectives whose prefix changes."""

NOUNS = lexicon("""
    film: filamu# / 9
    plot: hadithi# / 9
    acting: uigizaji# / 11
    soundtrack: muziki# nmod( case:wa filamu# ) / 3
    ending: mwisho# / 3
    dialogues: mazungumzo# / 6
    actors: waigizaji# / 2
    hotel: hoteli# / 9
    room: chumba# / 7
    bed: kitanda# / 7
    breakfast: kifungua# compound:kinywa# / 7
    pool: bwawa# nmod( case:la kuogelea# ) / 5
    staff: wahudumu# / 2
    restaurant: mkahawa# / 3
    food: chakula# / 7
    dessert: kitindamlo# / 7
    soup: supu# / 9
    waiter: mhudumu# / 1
    service: huduma# / 9
    decoration: mapambo# / 6
    novel: riwaya# / 9
    characters: wahusika# / 2
    style: mtindo# / 3
    translation: tafsiri# / 9
    introduction: utangulizi# / 11
    cover: jalada# / 5
    phone: simu# / 9
    screen: skrini# / 9
    battery: betri# / 9
    camera: kamera# / 9
    keyboard: kibodi# / 9
    app: programu# / 9
    concert: tamasha# / 5
    singer: mwimbaji# / 1
    orchestra: okestra# / 9
    sound: sauti# / 9
    hall: ukumbi# / 11
    lighting: taa# nmod( case:za jukwaani# ) / 10
    trip: safari# / 9
    guide: mwongoza# compound:watalii# / 1
    beach: ufukwe# / 11
    bus: basi# / 5
    excursion: ziara# / 9
    museum: makumbusho# / 6
    course: kozi# / 9
    teacher: mwalimu# / 1
    exercises: mazoezi# / 6
    lectures: mihadhara# / 4
    textbook: kitabu# nmod( case:cha kiada# ) / 7
    classroom: darasa# / 5
""")
"""Noun, its words marked `#`, and noun class; persons are of class 1 or 2."""

QUALITIES = lexicon("""
    good: -zuri
    excellent: bora#
    fantastic: murua#
    perfect: {no}na# obj:dosari# / aux / cop:{it}singekuwa# case:na dosari#
    impressive: case:{of} kustaajabisha#
    magnificent: case:{of} kipekee#
    wonderful: case:{of} kufurahisha#
    interesting: case:{of} kuvutia#
    exciting: case:{of} kusisimua#
    moving: case:{of} kugusa# obj:moyo#
    original: case:{of} kibunifu#
    convincing: case:{of} kushawishi#
    clean: safi#
    comfortable: case:{of} kustarehesha#
    spacious: -pana
    quiet: -tulivu
    delicious: -tamu
    tasty: case:na ladha# amod( nzuri# _ )
    fresh: freshi#
    friendly: -changamfu
    helpful: case:{of} msaada#
    professional: -eledi
    patient: -vumilivu
    fast: case:{of} haraka#
    reliable: case:{of} kuaminika#
    practical: rahisi# _ xcomp:kutumia#
    modern: case:{of} kisasa#
    useful: case:{of} manufaa#
    clear: case:{of} kueleweka#
    organised: {it}meandaliwa# advmod( vizuri# _ ) / aux
    beautiful: case:{of} kupendeza#
    elegant: maridadi#
    bad: -baya
    terrible: -bovu
    horrible: case:{of} kuchukiza#
    disappointing: case:{of} kukatisha# obj:tamaa#
    mediocre: case:{of} kiwango# nmod( case:cha chini# _ )
    unbearable: {no}vumiliki# / aux / {it}singevumilika#
    absurd: case:{of} kipuuzi#
    boring: case:{of} kuchosha#
    predictable: case:{of} kutabirika#
    confusing: case:{of} kutatanisha#
    superficial: case:{of} juujuu#
    dirty: -chafu
    uncomfortable: {no}na# obj:starehe# / aux / cop:{it}singekuwa# case:na starehe#
    noisy: case:na kelele#
    cramped: -finyu
    disgusting: case:{of} kutia# obj:kinyaa#
    tasteless: {no}na# obj:ladha# / aux / cop:{it}singekuwa# case:na ladha#
    cold: {it}mepoa# / aux
    rude: -fidhuli
    arrogant: case:na majivuno#
    careless: -zembe
    incompetent: {no}jui# obj:kazi# / aux / {it}singejua# obj:kazi#
    slow: case:{of} polepole#
    fragile: rahisi# _ xcomp:kuvunjika#
    outdated: case:{of} kizamani#
    useless: {no}na# obj:faida# / aux / cop:{it}singekuwa# case:na faida#
    chaotic: shaghalabaghala#
    ugly: case:na mwonekano# amod( mbaya# _ )
    monotonous: case:{of} kurudiarudia#
""")
"""An adjective that agrees (`-`) or a predicate: its words marked `#`, the place of the degree `_`
(the end, if not given), `{of}`, `{it}` and `{no}` agreeing; `aux`: the predicate is a finite verb.
Last, what a negative verb becomes where it is expected (*haina faida*: *isingekuwa na faida*)."""

HOLDERS = lexicon("""
    brother: kaka#brother nmod:poss:yangu#my / 1
    sister: dada#sister nmod:poss:yangu#my / 1
    friends: marafiki#friends nmod:poss:zangu#my / 2
    colleagues: wafanyakazi#colleagues nmod:poss:wenzangu#my / 2
    aunt: shangazi#aunt nmod:poss:yangu#my / 1
    neighbour: jirani#neighbour nmod:poss:yangu#my / 1
    critics: wahakiki#critics / 2
""")
"""The person and the class of its agreement."""

DID = {"i": ("nili", "siku"), "1": ("ali", "haku"), "2": ("wali", "hawaku")}
"""Past and negative past of the narrator, of one person and of several."""

WITH = {"1": "naye", "2": "nao"}

DEGREES = {
    "": "",
    "very": "advmod:sana#very",
    "extremely": "advmod:mno#extremely",
    "truly": "advmod:kabisa#truly",
    "at_all": "advmod( advmod:hata#at_all kidogo#at_all )",
}

OPENERS = {
    "honestly": "obl( case:kwa#honestly kweli#honestly )",
    "truth": "advcl( kusema#truth obj:ukweli#truth )",
    "frankly": "advcl( mark:bila#frankly kuficha#frankly )",
    "opinion": "obl( case:kwa#opinion maoni#opinion nmod:poss:yangu#my )",
    "for_me": "obl( case:kwangu#for_me mimi#i )",
}

SUMMARIES = {
    "": "",
    "overall": "obl( case:kwa#summary ujumla#summary )",
    "in_the_end": "advmod:mwishowe#summary",
    "all_in_all": "advmod( yote#summary nmod( case:kwa#summary yote#summary ) punct:, )",
}

TIMES = {
    "last_week": "obl( wiki#week acl:relcl:iliyopita#last )",
    "last_saturday": "obl( Jumamosi#saturday acl:relcl:iliyopita#last )",
    "last_month": "obl( mwezi#month acl:relcl:uliopita#last )",
    "last_year": "obl( mwaka#year nmod:jana#last )",
    "summer": "obl( case:katika#in majira#summer nmod( case:ya kiangazi#summer ) )",
    "spring": "obl( case:katika#in majira#spring nmod( case:ya kuchipua#spring ) )",
    "may": "obl( case:mnamo#in Mei#may )",
    "holidays": "obl( case( wakati#in fixed:wa#in ) likizo#holidays )",
}

COMPANY = {
    "sister": "dada#company nmod:poss:yangu#my",
    "parents": "wazazi#company nmod:poss:wangu#my",
    "friend": "rafiki#company nummod:mmoja#one",
    "colleagues": "wafanyakazi#company nmod:poss:wenzangu#my",
    "cousin": "binamu#company nmod:poss:yangu#my",
    "two_friends": "marafiki#company nummod:wawili#two",
    "neighbours": "majirani#company nmod:poss:zangu#my",
    "uncle": "mjomba#company nmod:poss:wangu#my",
}

SCENES = {
    "film": "nilitazama#verb+i obj( filamu#item nummod:moja#a )",
    "hotel": "nililala#verb+i obl( usiku#night nummod:mmoja#one ) obl( case:katika#at hoteli#item "
    "nummod:moja#a )",
    "restaurant": "nilikula#verb+i obj( chakula#dinner nmod( case:cha jioni#dinner ) ) "
    "obl( case:katika#at mkahawa#item nummod:mmoja#a )",
    "novel": "nilisoma#verb+i obj( riwaya#item nummod:moja#a )",
    "phone": "nilinunua#verb+i obj:simu#item",
    "concert": "nilienda#verb+i obl( case:kwenye#at tamasha#item nummod:moja#a )",
    "trip": "nilifanya#verb+i obj:safari#item",
    "course": "nilihudhuria#verb+i obj( kozi#item nummod:moja#a )",
}

NOTES = {
    "film": (
        "nsubj:filamu#film ilidumu#last obl( case:kwa saa#hours nummod:mbili#two )",
        "nsubj( kiti#seat nmod:poss:changu#my ) cop:kilikuwa case:katika#in safu#row nmod( case:ya "
        "tatu#third )",
        "nsubj( ukumbi#cinema nmod( case:wa sinema#cinema ) ) cop:uko case( karibu#near "
        "fixed:na#near ) "
        "kituo#station nmod( case:cha treni#station )",
    ),
    "hotel": (
        "nsubj:hoteli#hotel ina#has obj( ghorofa#floors nummod:tano#five )",
        "nsubj:hoteli#hotel cop:iko case( karibu#near fixed:na#near ) kituo#station nmod( case:cha "
        "treni#station )",
        "nsubj( chumba#room nmod:poss:changu#my ) cop:kilikuwa case:katika#in ghorofa#floor nmod( "
        "case:ya pili#second )",
    ),
    "restaurant": (
        "nsubj:mkahawa#restaurant hufunguliwa#opens obl( saa#at nummod:moja#seven nmod:jioni )",
        "nsubj( meza#table nmod:poss:yetu#our ) cop:ilikuwa case( karibu#near fixed:na#near ) "
        "dirisha#window",
        "nsubj:mkahawa#restaurant cop:uko case( mkabala#opposite fixed:na#opposite ) bustani#park",
    ),
    "novel": (
        "nsubj:riwaya#novel ina#has obj( kurasa#pages nummod( mia#hundred nummod:tatu#three ) )",
        "nsubj( mwandishi#author nmod( case:wa riwaya#novel ) ) anaishi#lives obl( case:nchini#in "
        "Canada#canada )",
        "nsubj:kisa#story kinatokea#happens obl( case:katika#in kijiji#village nummod:kimoja#one )",
    ),
    "phone": (
        "nsubj:simu#phone ilikuja#came obl( case( ndani#in fixed:ya#in ) boksi#box amod:dogo#small )",
        "nsubj:simu#phone cop:ni nyeusi#black",
        "nsubj:simu#phone ina#weighs obj( uzito#weighs nmod( case:wa gramu#grams nummod( "
        "mia#hundred nummod:mbili#two ) ) )",
    ),
    "concert": (
        "nsubj:tamasha#concert lilianza#began obl( saa#at nummod:mbili#eight nmod:usiku )",
        "nsubj( kiti#seat nmod:poss:changu#my ) cop:kilikuwa case:katika#in safu#row nmod( case:ya "
        "kumi#tenth )",
        "nsubj:tamasha#concert lilidumu#last obl( case:kwa saa#hours nummod:mbili#two )",
    ),
    "trip": (
        "tulisafiri#travelled+we obl( case:kwa#by basi#bus )",
        "kulikuwa#were obl( case:na#were watu#people nummod( kumi#twelve conj( cc:na#twelve "
        "wawili#twelve ) ) ) "
        "obl( case:katika#in kikundi#group )",
        "nsubj:basi#bus liliondoka#left obl( saa#at nummod:moja#seven nmod:asubuhi )",
    ),
    "course": (
        "nsubj:kozi#course ilikuwa#has obl( case:na#has vipindi#lessons nummod:kumi#ten )",
        "kulikuwa#were obl( case:na#were wanafunzi#students nummod( kumi#fifteen conj( "
        "cc:na#fifteen watano#fifteen ) ) ) "
        "obl( case:katika#in kikundi#group )",
        "nsubj:kozi#course ilianza#began obl( saa#at nummod:tatu#nine nmod:asubuhi#morning+in )",
    ),
}
"""The hours of the clock are counted from six: seven in the morning is *saa moja asubuhi*."""


def _item(topic: str, relation: str, it: bool) -> str:
    """The thing judged; the verb alone stands for it when it has just been named."""
    return "" if it else depends(relation, NOUNS[topic][0].replace("#", "#topic"))


def _not(kind: str) -> str:
    """The prefix of a negated verb."""
    return "ha" if kind == "1" else f"ha{PREFIXES[kind]}"


def _concepts(*parts: str) -> str:
    clause = "+".join(part for part in parts if part)
    return f"#{clause}" if clause else ""


def _quality(opinion: Opinion, key: bool, phrase: str) -> str:
    """The predicate with its degree; *hata kidogo* always comes last."""
    name, kind = opinion.evaluation, NOUNS[opinion.topic][1]
    if phrase.startswith("-"):
        stem = phrase[1:]
        phrase = f"{IRREGULAR.get((stem, kind), ADJECTIVES[kind] + stem)}#"
    words = phrase.format(of=OF[kind], it=PREFIXES[kind], no=_not(kind)).replace("#", f"#{name}")
    inside, degree = "_" in words and opinion.degree != "at_all", DEGREES[opinion.degree]
    return mark(words, key).replace(" _", f" {degree}" if inside else "") + (
        "" if inside else f" {degree}"
    )


def _judged(opinion: Opinion, key: bool, it: bool, expected: bool = False) -> str:
    """*The plot was not boring*, *would not be boring*."""
    kind, (phrase, *more) = NOUNS[opinion.topic][1], QUALITIES[opinion.evaluation]
    item = _item(opinion.topic, "nsubj", it)
    if expected and len(more) > 1:
        return f"{item} {_quality(opinion, key, more[1])}"
    past = f"{_not(kind)}kuwa" if opinion.negated else f"{PREFIXES[kind]}likuwa"
    future = f"{PREFIXES[kind]}{'singekuwa' if opinion.negated else 'ngekuwa'}"
    concepts = _concepts("not" if opinion.negated else "", "topic" if it else "")
    copula = f"{more[0] if more else 'cop'}:{future if expected else past}{concepts}"
    return f"{item} {mark(copula, key and opinion.negated)} {_quality(opinion, key, phrase)}"


STEMS = {
    "love": "penda",
    "like": "penda",
    "hate": "chukia",
    "praise": "sifu",
    "criticise": "kosoa",
    "impress": "vutia",
    "disappoint": "katisha",
    "worth": "stahili",
}

BEHIND = {
    "love": "advmod:sana#love",
    "disappoint": "obj:tamaa#disappoint",
    "worth": "obj( pesa#worth acl:relcl:nilizolipa#worth )",
}
"""What the verb of an attitude takes with it."""


def _attitude(opinion: Opinion, key: bool, it: bool) -> str:
    """*I loved the film*, *the film did not impress me*, *my aunt liked it*."""
    name, prefix, topic = (
        opinion.evaluation,
        PREFIXES[NOUNS[opinion.topic][1]],
        "topic" if it else "",
    )
    no, behind = "not" if opinion.negated else "", BEHIND.get(name, "")
    if name == "waste":
        wasted = mark("upotevu#waste nmod( case:wa pesa#waste )", key)
        return f"{_item(opinion.topic, 'nsubj', it)} cop:{prefix}likuwa{_concepts(topic)} {wasted}"
    if name in ("impress", "disappoint", "worth"):
        me, i = ("", "") if name == "worth" else ("ni", "i")
        verb = f"{f'ha{prefix}ku' if no else f'{prefix}li'}{me}{STEMS[name]}{_concepts(name, no, i, topic)}"
        return f"{_item(opinion.topic, 'nsubj', it)} {mark(f'{verb} {behind}', key)}"
    did = DID[_kind(opinion)][opinion.negated]
    verb = f"{did}{prefix}{STEMS[name]}{_concepts(name, no, 'i' if opinion.holder == 'i' else '', topic)}"
    return f"{_holder(opinion)} {mark(f'{verb} {behind}', key)} {_item(opinion.topic, 'obj', it)}"


def _kind(opinion: Opinion) -> str:
    """How verbs agree with the holder."""
    return "i" if opinion.holder == "i" else HOLDERS[opinion.holder][1]


def _holder(opinion: Opinion) -> str:
    return (
        ""
        if opinion.holder == "i"
        else depends("nsubj", scope("holder", HOLDERS[opinion.holder][0]))
    )


def _clause(opinion: Opinion, key: bool, it: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named. An impression is *found that it
    was not so*.
    """
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    if not opinion.holder:
        return _judged(opinion, key, it)
    finding = (
        f"{DID[_kind(opinion)][0]}ona{_concepts('find', 'i' if opinion.holder == 'i' else '')}"
    )
    return f"{_holder(opinion)} {finding} ccomp( mark:kwamba {_judged(opinion, key, it)} )"


def _expected(opinion: Opinion, key: bool) -> str:
    return f"nilifikiri#thought+i ccomp( mark:kwamba {_judged(opinion, key, False, True)} )"


def _me(review: Review) -> str:
    """The narrator is named where another view is set against theirs."""
    right = review.right
    speaks = (
        right is not None
        and right.holder == "i"
        and right.evaluation not in ("impress", "disappoint", "worth", "waste")
    )
    return "nsubj:mimi#i" if speaks and foreign(review.left) else ""


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = f"{OPENERS[review.opener]} punct:, " if review.opener else ""
    main = scope("left", first(left, frame.left))
    head = f"{opener} {main}"
    clause = f"{_me(review)} {_clause(right, frame.right, again(review))}" if right else ""
    second = f"{SUMMARIES[review.summary]} {scope('right', clause)}"
    them = f"obl:{WITH[HOLDERS[left.holder][1]]}#them" if left.holder in HOLDERS else ""
    match review.frame:
        case "both":
            return f"{head} conj( cc:na#and {second} )"
        case "because":
            comma = "punct:," if left.negated else ""
            return f"{head} advcl( {comma} mark( kwa#because fixed:sababu#because ) {second} )"
        case "but" | "surprised":
            return f"{head} conj( punct:, cc:*lakini#but {second} )"
        case "although":
            return f"{opener} advcl( mark:*ingawa#although {main} punct:, ) {second}"
        case "after":
            return f"{head} advcl( punct:, mark:*ingawa#although {second} )"
        case "agree":
            return f"{head} conj( punct:, cc:na#link *ninakubaliana#agree+i {them} )"
        case "disagree":
            return (
                f"{head} conj( punct:, cc:lakini#link nsubj:mimi#i *sikubaliani#not+agree+i "
                f"{them} )"
            )
        case "confirmed":
            return f"{head} conj( punct:, cc:na#link cop:nilikuwa#i *sahihi#right )"
        case "refuted":
            return f"{head} conj( punct:, cc:lakini#link *nilikosea#wrong+i )"
    return head


def _scene(domain: str, scene: Scene) -> str:
    to = "hadi" if domain == "trip" else "mjini"
    city = f"obl( case:{to}#at_city {scene.city.capitalize()}#city )" if scene.city else ""
    company = (
        f"obl( case( pamoja#with fixed:na#with ) {COMPANY[scene.company]} )"
        if scene.company
        else ""
    )
    return f"{scope('time', TIMES[scene.time])} {SCENES[domain]} {city} {scope('with', company)}"


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
