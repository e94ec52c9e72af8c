"""Language-independent meanings of reviews, and the inventory they are sampled from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Opinion:
    """An opinion on a thing: *the plot was not boring*, *my brother loved the film*."""

    topic: str
    evaluation: str
    """A row of QUALITIES (*boring*) or of ATTITUDES (*love*)."""
    negated: bool = False
    holder: str = ""
    """Empty: stated as a fact. `i`: the narrator. Else a row of HOLDERS."""
    degree: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """When, with whom and where the narrator met the item. Neutral."""

    time: str
    company: str = ""
    city: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """A whole review; `left` precedes `right` in every language."""

    domain: str
    frame: str
    left: Opinion
    right: Opinion | None = None
    opener: str = ""
    summary: str = ""
    scene: Scene | None = None
    note: str = ""
    note_first: bool = False


class Frame(NamedTuple):
    """Which parts of a frame determine the label, and whether the link reverses the left opinion."""

    left: bool
    right: bool
    link: bool
    flips: bool = False


FRAMES = {
    "plain": Frame(True, False, False),  # the plot was boring
    "both": Frame(True, True, False),  # the plot was boring and the actors were bad
    "because": Frame(True, True, False),  # I hated the film because the plot was boring
    "but": Frame(False, True, True),  # the plot was boring, but overall I loved the film
    "although": Frame(False, True, True),  # although my aunt loved the film, it disappointed me
    "after": Frame(True, False, True),  # I loved the film, although the plot was boring
    "surprised": Frame(False, True, True),  # I thought the plot would be boring, but it was moving
    "agree": Frame(True, False, True),  # my aunt loved the film, and I agree with her
    "disagree": Frame(
        True, False, True, flips=True
    ),  # my aunt loved the film, but I do not agree with her
    "confirmed": Frame(True, False, True),  # I thought the plot would be boring, and I was right
    "refuted": Frame(
        True, False, True, flips=True
    ),  # I thought the plot would be boring, but I was wrong
}


class Evaluation(NamedTuple):
    """`negatable`: its negation means the opposite (*not good*), not merely less (*not perfect*)."""

    positive: bool
    negatable: bool
    kinds: frozenset[str]


def _evaluations(positive: str, negative: str) -> dict[str, Evaluation]:
    """Rows `name kind kind ...`; a name that ends in `~` is negatable."""
    table = {}
    for is_positive, rows in ((True, positive), (False, negative)):
        for row in rows.strip().splitlines():
            name, *kinds = row.split()
            table[name.rstrip("~")] = Evaluation(is_positive, name.endswith("~"), frozenset(kinds))
    return table


QUALITIES = _evaluations(
    positive="""
        good~ thing person
        excellent thing person
        fantastic thing person
        perfect thing
        impressive~ grand
        magnificent grand
        wonderful grand
        interesting~ content event
        exciting~ story event
        moving~ story music
        original~ story
        convincing~ acted
        clean~ room hygiene
        comfortable~ room comfort
        spacious cabin
        quiet~ room calm
        delicious meal
        tasty~ meal
        fresh~ fresh
        friendly~ service
        helpful~ service
        professional~ service stage
        patient~ guiding
        fast~ device speed
        reliable~ device power
        practical~ device handy
        modern~ device
        useful~ lesson
        clear~ lesson wording
        organised~ organised
        beautiful~ sight
        elegant~ stylish
    """,
    negative="""
        bad~ thing person
        terrible thing person
        horrible thing person
        disappointing~ thing
        mediocre thing person
        unbearable music event
        absurd~ story
        boring~ content event
        predictable~ story
        confusing~ content lesson wording
        superficial~ content
        dirty~ room hygiene
        uncomfortable room comfort
        noisy~ room calm
        cramped~ cabin
        disgusting meal
        tasteless meal
        cold warm
        rude~ service
        arrogant~ service stage
        careless~ service
        incompetent service
        slow~ device speed
        fragile~ fragile
        outdated~ device
        useless device lesson
        chaotic~ organised
        ugly~ sight
        monotonous~ music wording
    """,
)

ATTITUDES = _evaluations(
    positive="""
        love i other
        like~ i other
        impress~ i
        worth~ i
        praise other
    """,
    negative="""
        hate i other
        disappoint~ i
        waste i
        criticise other
    """,
)

TOPICS = {
    "film": {
        "film": "thing grand content story",
        "plot": "thing grand content story acted",
        "acting": "thing grand acted",
        "soundtrack": "thing grand music",
        "ending": "thing story acted",
        "dialogues": "thing content acted",
        "actors": "person acted",
    },
    "hotel": {
        "hotel": "thing grand room stylish",
        "room": "thing room cabin",
        "bed": "thing comfort hygiene",
        "breakfast": "thing meal warm",
        "pool": "thing hygiene",
        "staff": "person service",
    },
    "restaurant": {
        "restaurant": "thing grand room stylish",
        "food": "thing meal warm fresh",
        "dessert": "thing meal",
        "soup": "thing meal warm",
        "waiter": "person service",
        "service": "thing speed",
        "decoration": "thing sight stylish",
    },
    "novel": {
        "novel": "thing grand content story",
        "characters": "thing content acted",
        "style": "thing wording stylish",
        "translation": "thing wording",
        "introduction": "thing content",
        "cover": "thing sight stylish",
    },
    "phone": {
        "phone": "thing device fragile stylish",
        "screen": "thing fragile",
        "battery": "thing power",
        "camera": "thing grand handy",
        "keyboard": "thing comfort handy",
        "app": "thing device",
    },
    "concert": {
        "concert": "thing grand event organised",
        "singer": "person stage",
        "orchestra": "thing grand",
        "sound": "thing",
        "hall": "thing grand room",
        "lighting": "thing sight",
    },
    "trip": {
        "trip": "thing grand event organised",
        "guide": "person service guiding",
        "beach": "thing grand hygiene calm sight",
        "bus": "thing room cabin speed",
        "excursion": "thing grand event organised",
        "museum": "thing grand content",
    },
    "course": {
        "course": "thing content lesson organised",
        "teacher": "person service guiding",
        "exercises": "thing content lesson",
        "lectures": "thing content lesson",
        "textbook": "thing content lesson",
        "classroom": "thing room cabin",
    },
}
"""Domain -> thing to judge -> its kinds. The first thing of a domain, named like it, is the item
reviewed.
"""

HOLDERS = ("brother", "sister", "friends", "colleagues", "aunt", "neighbour", "critics")
CRITICISED = frozenset({"film", "restaurant", "novel", "concert"})
"""Domains that professional critics write about."""

DEGREES = {True: ("", "", "very", "extremely"), False: ("", "", "truly")}
"""Degrees of a gradable (negatable) quality, and of an extreme one; a negated one takes '' or
'at_all'.
"""

TIMES = (
    "last_week",
    "last_saturday",
    "last_month",
    "last_year",
    "summer",
    "spring",
    "may",
    "holidays",
)
COMPANY = (
    "sister",
    "parents",
    "friend",
    "colleagues",
    "cousin",
    "two_friends",
    "neighbours",
    "uncle",
)
CITIES = ("madrid", "cairo", "delhi", "beijing", "london", "istanbul")
ALONE = frozenset({"novel", "phone"})
"""Domains whose scene has no company; reading a novel has no city either."""

OPENERS = ("honestly", "truth", "frankly")
VIEWS = ("opinion", "for_me")
"""Openers that turn a fact into a view: out of place where the clause already says whose view it
is.
"""
SUMMARIES = ("overall", "in_the_end", "all_in_all")
NOTES = ("a", "b", "c")
"""Each domain has three neutral remarks."""


def evaluation(opinion: Opinion) -> Evaluation:
    return QUALITIES.get(opinion.evaluation) or ATTITUDES[opinion.evaluation]


def positive(opinion: Opinion) -> bool:
    """Whether its holder is pleased."""
    return evaluation(opinion).positive != opinion.negated


def label(review: Review) -> str:
    """The narrator's own view of the matter."""
    frame = FRAMES[review.frame]
    opinion = review.left if frame.left or review.right is None else review.right
    return "positive" if positive(opinion) != frame.flips else "negative"


def again(review: Review) -> bool:
    """Whether the right opinion is about the same thing as the left one, so that a
    pronoun is due.
    """
    return review.right is not None and review.right.topic == review.left.topic


def foreign(opinion: Opinion) -> bool:
    """Whether the view is somebody else's."""
    return opinion.holder not in ("", "i")
