"""English reviews."""

from __future__ import annotations

from babelscope.corpus.meaning.reviews import ATTITUDES, FRAMES, Opinion, Review, Scene, again
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import ReviewRealiser, lexicon

NOUNS = lexicon("""
    film: film / it
    plot: plot / it
    acting: acting / it
    soundtrack: soundtrack / it
    ending: ending / it
    dialogues: dialogues / they
    actors: actors / they
    hotel: hotel / it
    room: room / it
    bed: bed / it
    breakfast: breakfast / it
    pool: pool / it
    staff: staff / they
    restaurant: restaurant / it
    food: food / it
    dessert: dessert / it
    soup: soup / it
    waiter: waiter / he
    service: service / it
    decoration: decoration / it
    novel: novel / it
    characters: characters / they
    style: style / it
    translation: translation / it
    introduction: introduction / it
    cover: cover / it
    phone: phone / it
    screen: screen / it
    battery: battery / it
    camera: camera / it
    keyboard: keyboard / it
    app: app / it
    concert: concert / it
    singer: singer / she
    orchestra: orchestra / it
    sound: sound / it
    hall: hall / it
    lighting: lighting / it
    trip: trip / it
    guide: guide / he
    beach: beach / it
    bus: bus / it
    excursion: excursion / it
    museum: museum / it
    course: course / it
    teacher: teacher / he
    exercises: exercises / they
    lectures: lectures / they
    textbook: textbook / it
    classroom: classroom / it
""")
"""Noun and pronoun; `they` is plural."""

OBJECT = {"it": "it", "they": "them", "he": "him", "she": "her"}

PHRASES = {"organised": "advmod:well#organised organised#organised"}
"""Qualities are named by their English adjective, except these."""

HOLDERS = lexicon("""
    brother: nmod:poss:my#my brother#brother / him
    sister: nmod:poss:my#my sister#sister / her
    friends: nmod:poss:my#my friends#friends / them
    colleagues: nmod:poss:my#my colleagues#colleagues / them
    aunt: nmod:poss:my#my aunt#aunt / her
    neighbour: nmod:poss:my#my neighbour#neighbour / him
    critics: det:the critics#critics / them
""")

DEGREES = {
    "": "",
    "very": "advmod:very#very",
    "extremely": "advmod:extremely#extremely",
    "truly": "advmod:truly#truly",
    "at_all": "advmod( at#at_all fixed:all#at_all )",
}

OPENERS = {
    "honestly": "advmod:honestly#honestly",
    "truth": "advcl( mark:to#truth tell#truth obj( det:the truth#truth ) )",
    "frankly": "advmod:frankly#frankly",
    "opinion": "obl( case:in#opinion nmod:poss:my#my opinion#opinion )",
    "for_me": "obl( case:for#for_me me#i )",
}

SUMMARIES = {
    "": "",
    "overall": "advmod:overall#summary",
    "in_the_end": "obl( case:in#summary det:the end#summary )",
    "all_in_all": "advmod( all#summary nmod( case:in all#summary ) )",
}

TIMES = {
    "last_week": "obl( amod:last#last week#week )",
    "last_saturday": "obl( amod:last#last Saturday#saturday )",
    "last_month": "obl( amod:last#last month#month )",
    "last_year": "obl( amod:last#last year#year )",
    "summer": "obl( case:in#in det:the summer#summer )",
    "spring": "obl( case:in#in det:the spring#spring )",
    "may": "obl( case:in#in May#may )",
    "holidays": "obl( case:during#in det:the holidays#holidays )",
}

COMPANY = {
    "": "",
    "sister": "obl( case:with#with nmod:poss:my#my sister#company )",
    "parents": "obl( case:with#with nmod:poss:my#my parents#company )",
    "friend": "obl( case:with#with det:a#one friend#company )",
    "colleagues": "obl( case:with#with nmod:poss:my#my colleagues#company )",
    "cousin": "obl( case:with#with nmod:poss:my#my cousin#company )",
    "two_friends": "obl( case:with#with nummod:two#two friends#company )",
    "neighbours": "obl( case:with#with nmod:poss:my#my neighbours#company )",
    "uncle": "obl( case:with#with nmod:poss:my#my uncle#company )",
}

SCENES = {
    "film": "nsubj:I#i watched#verb obj( det:a#a film#item )",
    "hotel": "nsubj:I#i spent#verb obj( det:a#one night#night ) obl( case:at#at det:a#a hotel#item )",
    "restaurant": "nsubj:I#i had#verb obj:dinner#dinner obl( case:at#at det:a#a restaurant#item )",
    "novel": "nsubj:I#i read#verb obj( det:a#a novel#item )",
    "phone": "nsubj:I#i bought#verb obj( det:a#a phone#item )",
    "concert": "nsubj:I#i went#verb obl( case:to#at det:a#a concert#item )",
    "trip": "nsubj:I#i went#verb obl( case:on#at det:a#a trip#item )",
    "course": "nsubj:I#i took#verb obj( det:a#a course#item )",
}

NOTES = {
    "film": (
        "nsubj( det:the film#film ) lasted#last obj( nummod:two#two hours#hours )",
        "nsubj( nmod:poss:my#my seat#seat ) cop:was case:in#in det:the amod:third#third row#row",
        "nsubj( det:the cinema#cinema ) cop:is case:near#near det:the station#station",
    ),
    "hotel": (
        "nsubj( det:the hotel#hotel ) has#has obj( nummod:five#five floors#floors )",
        "nsubj( det:the hotel#hotel ) cop:is case:near#near det:the station#station",
        "nsubj( nmod:poss:my#my room#room ) cop:was case:on#in det:the amod:second#second "
        "floor#floor",
    ),
    "restaurant": (
        "nsubj( det:the restaurant#restaurant ) opens#opens obl( case:at#at seven#seven )",
        "nsubj( nmod:poss:our#our table#table ) cop:was case( next#near fixed:to#near ) det:the "
        "window#window",
        "nsubj( det:the restaurant#restaurant ) cop:is case:opposite#opposite det:the park#park",
    ),
    "novel": (
        "nsubj( det:the novel#novel ) has#has obj( nummod( compound:three#three hundred#hundred ) "
        "pages#pages )",
        "nsubj( det:the author#author nmod( case:of det:the novel#novel ) ) lives#lives obl( "
        "case:in#in Canada#canada )",
        "nsubj( det:the story#story ) takes#happens obj:place#happens obl( case:in#in det:a#one "
        "village#village )",
    ),
    "phone": (
        "nsubj( det:the phone#phone ) came#came obl( case:in#in det:a#one amod:small#small box#box )",
        "nsubj( det:the phone#phone ) cop:is black#black",
        "nsubj( det:the phone#phone ) weighs#weighs obj( nummod( compound:two#two hundred#hundred "
        ") grams#grams )",
    ),
    "concert": (
        "nsubj( det:the concert#concert ) began#began obl( case:at#at eight#eight )",
        "nsubj( nmod:poss:my#my seat#seat ) cop:was case:in#in det:the amod:tenth#tenth row#row",
        "nsubj( det:the concert#concert ) lasted#last obj( nummod:two#two hours#hours )",
    ),
    "trip": (
        "nsubj:we#we travelled#travelled obl( case:by#by bus#bus )",
        "expl:there were#were nsubj( nummod:twelve#twelve people#people ) obl( case:in#in det:the "
        "group#group )",
        "nsubj( det:the bus#bus ) left#left obl( case:at#at seven#seven )",
    ),
    "course": (
        "nsubj( det:the course#course ) had#has obj( nummod:ten#ten lessons#lessons )",
        "expl:there were#were nsubj( nummod:fifteen#fifteen students#students ) obl( case:in#in "
        "det:the group#group )",
        "nsubj( det:the course#course ) began#began obl( case:at#at nine#nine nmod( case:in#in "
        "det:the morning#morning ) )",
    ),
}


def _item(topic: str, it: bool, pronoun: str = "it") -> str:
    """The thing judged, or the pronoun for it."""
    return f"{pronoun}#topic" if it else f"det:the {NOUNS[topic][0]}#topic"


def _holder(opinion: Opinion) -> str:
    return "I#i" if opinion.holder == "i" else scope("holder", HOLDERS[opinion.holder][0])


def _quality(opinion: Opinion, key: bool) -> str:
    """Degree and adjective; the adjective is the head."""
    name = opinion.evaluation
    return f"{DEGREES[opinion.degree]} {mark(PHRASES.get(name, f'{name}#{name}'), key)}"


def _attitude(opinion: Opinion, key: bool, it: bool) -> str:
    """*I loved the film*, *the film did not impress me*, *my aunt liked it*."""
    holder, item, name = _holder(opinion), _item(opinion.topic, it), opinion.evaluation
    no = f"aux:did {mark('advmod:not#not', key)}" if opinion.negated else ""
    verb = mark(f"{name}#{name}" if opinion.negated else f"{PAST.get(name, name)}#{name}", key)
    match name:
        case "worth":
            no = mark("advmod:not#not", key) if opinion.negated else ""
            return (
                f"{depends('nsubj', item)} cop:was {no} {verb} "
                f"{mark('obj( det:the money#worth )', key)}"
            )
        case "waste":
            return (
                f"{depends('nsubj', item)} cop:was det:a {verb} "
                f"{mark('nmod( case:of money#waste )', key)}"
            )
        case "impress" | "disappoint":
            return f"{depends('nsubj', item)} {no} {verb} obj:me#i"
    return f"{depends('nsubj', holder)} {no} {verb} {depends('obj', item)}"


PAST = {
    "love": "loved",
    "like": "liked",
    "hate": "hated",
    "praise": "praised",
    "criticise": "criticised",
    "impress": "impressed",
    "disappoint": "disappointed",
}


def _clause(opinion: Opinion, key: bool, it: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    pronoun = NOUNS[opinion.topic][1]
    no = mark("advmod:not#not", key) if opinion.negated else ""
    if opinion.holder:
        finding = f"aux:did {no} find#find" if no else "found#find"
        item = depends("obj", _item(opinion.topic, it, OBJECT[pronoun]))
        return (
            f"{depends('nsubj', _holder(opinion))} {finding} {item} "
            f"{depends('xcomp', _quality(opinion, key))}"
        )
    copula = "were" if pronoun == "they" else "was"
    return (
        f"{depends('nsubj', _item(opinion.topic, it, pronoun))} cop:{copula} {no} "
        f"{_quality(opinion, key)}"
    )


def _expected(opinion: Opinion, key: bool, it: bool = False) -> str:
    no = mark("advmod:not#not", key) if opinion.negated else ""
    item = depends("nsubj", _item(opinion.topic, it))
    return (
        f"nsubj:I#i thought#thought ccomp( {item} aux:would {no} cop:be {_quality(opinion, key)} )"
    )


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = f"{OPENERS[review.opener]} punct:, " if review.opener else ""
    main = scope("left", first(left, frame.left))
    head = f"{opener} {main}"
    second = (
        f"{SUMMARIES[review.summary]} {scope('right', _clause(right, frame.right, again(review)))}"
        if right
        else ""
    )
    them = HOLDERS[left.holder][1] if left.holder in HOLDERS else ""
    match review.frame:
        case "both":
            return f"{head} conj( cc:and#and {second} )"
        case "because":
            # Without the comma "did not like it because" could deny the reason instead of the
            # liking.
            return (
                f"{head} advcl( {'punct:,' if left.negated else ''} mark:because#because {second} )"
            )
        case "but" | "surprised":
            return f"{head} conj( punct:, cc:*but#but {second} )"
        case "although":
            return f"{opener} advcl( mark:*although#although {main} punct:, ) {second}"
        case "after":
            return f"{head} advcl( punct:, mark:*although#although {second} )"
        case "agree":
            return (
                f"{head} conj( punct:, cc:and#link nsubj:I#i *agree#agree obl( case:with "
                f"{them}#them ) )"
            )
        case "disagree":
            return (
                f"{head} conj( punct:, cc:but#link nsubj:I#i aux:do advmod:*not#not "
                f"*agree#agree obl( case:with {them}#them ) )"
            )
        case "confirmed":
            return f"{head} conj( punct:, cc:and#link nsubj:I#i cop:was *right#right )"
        case "refuted":
            return f"{head} conj( punct:, cc:but#link nsubj:I#i cop:was *wrong#wrong )"
    return head


def _scene(domain: str, scene: Scene) -> str:
    to = "to" if domain == "trip" else "in"
    city = f"obl( case:{to}#at_city {scene.city.capitalize()}#city )" if scene.city else ""
    return (
        f"{scope('time', TIMES[scene.time])} {SCENES[domain]} {city} "
        f"{scope('with', COMPANY[scene.company])}"
    )


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
