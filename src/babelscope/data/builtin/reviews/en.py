"""English reviews."""

from __future__ import annotations

from babelscope.data.builtin.marked import mark
from babelscope.data.builtin.reviews.language import Language, table
from babelscope.data.builtin.reviews.meaning import ATTITUDES, FRAMES, Opinion, Review, Scene, again

NOUNS = table("""
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

PHRASES = {"organised": "well organised"}
"""Qualities are named by their English adjective, except these."""

HOLDERS = table("""
    brother: my brother / him
    sister: my sister / her
    friends: my friends / them
    colleagues: my colleagues / them
    aunt: my aunt / her
    neighbour: my neighbour / him
    critics: the critics / them
""")

DEGREES = {"": "", "very": "very", "extremely": "extremely", "truly": "truly", "at_all": "at all"}

OPENERS = {
    "honestly": "honestly",
    "truth": "to tell the truth",
    "frankly": "frankly",
    "opinion": "in my opinion",
    "for_me": "for me",
}

SUMMARIES = {"": "", "overall": "overall", "in_the_end": "in the end", "all_in_all": "all in all"}

TIMES = {
    "last_week": "last week",
    "last_saturday": "last Saturday",
    "last_month": "last month",
    "last_year": "last year",
    "summer": "in the summer",
    "spring": "in the spring",
    "may": "in May",
    "holidays": "during the holidays",
}

COMPANY = {
    "": "",
    "sister": "with my sister",
    "parents": "with my parents",
    "friend": "with a friend",
    "colleagues": "with my colleagues",
    "cousin": "with my cousin",
    "two_friends": "with two friends",
    "neighbours": "with my neighbours",
    "uncle": "with my uncle",
}

SCENES = {
    "film": "I watched a film",
    "hotel": "I spent a night at a hotel",
    "restaurant": "I had dinner at a restaurant",
    "novel": "I read a novel",
    "phone": "I bought a phone",
    "concert": "I went to a concert",
    "trip": "I went on a trip",
    "course": "I took a course",
}

NOTES = {
    "film": ("the film lasted two hours", "my seat was in the third row", "the cinema is near the station"),
    "hotel": ("the hotel has five floors", "the hotel is near the station", "my room was on the second floor"),
    "restaurant": (
        "the restaurant opens at seven",
        "our table was next to the window",
        "the restaurant is opposite the park",
    ),
    "novel": (
        "the novel has three hundred pages",
        "the author of the novel lives in Canada",
        "the story takes place in a village",
    ),
    "phone": ("the phone came in a small box", "the phone is black", "the phone weighs two hundred grams"),
    "concert": ("the concert began at eight", "my seat was in the tenth row", "the concert lasted two hours"),
    "trip": ("we travelled by bus", "there were twelve people in the group", "the bus left at seven"),
    "course": (
        "the course had ten lessons",
        "there were fifteen students in the group",
        "the course began at nine in the morning",
    ),
}


def _quality(opinion: Opinion, key: bool, negator: str = "") -> str:
    adjective = mark(PHRASES.get(opinion.evaluation, opinion.evaluation), key)
    return " ".join((mark(negator, key), DEGREES[opinion.degree], adjective))


def _attitude(opinion: Opinion, key: bool, it: bool) -> str:
    """*I loved the film*, *the film did not impress me*, *my aunt liked it*."""
    holder = "I" if opinion.holder == "i" else HOLDERS[opinion.holder][0]
    item = "it" if it else f"the {NOUNS[opinion.topic][0]}"
    past = {"love": "loved", "hate": "hated", "praise": "praised", "criticise": "criticised"}
    if opinion.evaluation in past:
        return f"{holder} {mark(past[opinion.evaluation], key)} {item}"
    no = mark("not", key)
    if opinion.evaluation == "like":
        return f"{holder} did {no} {mark('like', key)} {item}" if opinion.negated else f"{holder} {mark('liked', key)} {item}"
    if opinion.evaluation == "worth":
        return f"{item} was {no if opinion.negated else ''} {mark('worth', key)} the money"
    if opinion.evaluation == "waste":
        return f"{item} was a {mark('waste', key)} of money"
    verb = opinion.evaluation
    return f"{item} did {no} {mark(verb, key)} me" if opinion.negated else f"{item} {mark(verb + 'ed', key)} me"


def _clause(opinion: Opinion, key: bool, it: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    noun, pronoun = NOUNS[opinion.topic]
    no = "not" if opinion.negated else ""
    if opinion.holder:
        holder = "I" if opinion.holder == "i" else HOLDERS[opinion.holder][0]
        found = f"did {mark(no, key)} find" if no else "found"
        return f"{holder} {found} {OBJECT[pronoun] if it else f'the {noun}'} {_quality(opinion, key)}"
    copula = "were" if pronoun == "they" else "was"
    return f"{pronoun if it else f'the {noun}'} {copula} {_quality(opinion, key, no)}"


def _expected(opinion: Opinion, key: bool) -> str:
    no = "not" if opinion.negated else ""
    return f"I thought the {NOUNS[opinion.topic][0]} would {mark(no, key)} be {_quality(opinion, key)}"


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = f"{OPENERS[review.opener]} , " if review.opener else ""
    head = opener + first(left, frame.left)
    second = f"{SUMMARIES[review.summary]} {_clause(right, frame.right, again(review))}" if right else ""
    them = HOLDERS[left.holder][1] if left.holder in HOLDERS else ""
    match review.frame:
        case "both":
            return f"{head} and {second}"
        case "because":
            # Without the comma "did not like it because" could deny the reason instead of the liking.
            return f"{head} {',' if left.negated else ''} because {second}"
        case "but" | "surprised":
            return f"{head} , *but {second}"
        case "although":
            return f"{opener}*although {first(left, frame.left)} , {second}"
        case "after":
            return f"{head} , *although {second}"
        case "agree":
            return f"{head} , and I *agree with {them}"
        case "disagree":
            return f"{head} , but I do *not *agree with {them}"
        case "confirmed":
            return f"{head} , and I was *right"
        case "refuted":
            return f"{head} , but I was *wrong"
    return head


def _scene(domain: str, scene: Scene) -> str:
    to = "to" if domain == "trip" else "in"
    city = f"{to} {scene.city.capitalize()}" if scene.city else ""
    return f"{TIMES[scene.time]} {SCENES[domain]} {city} {COMPANY[scene.company]}"


LANGUAGE = Language(_opinion, _scene, NOTES)
