"""French reviews: adjectives agree with the thing judged, participles with its pronoun (*je l'ai
trouvée belle*).
"""

from __future__ import annotations

from babelscope.corpus.languages.fr.events import PLACES, spelled
from babelscope.corpus.meaning.reviews import ATTITUDES, FRAMES, Opinion, Review, Scene, again
from babelscope.corpus.notation import depends, mark, scope
from babelscope.corpus.realisers import ReviewRealiser, lexicon

NOUNS = lexicon("""
    film: film / m
    plot: intrigue / f
    acting: interprétation / f
    soundtrack: bande-son / f
    ending: fin / f
    dialogues: dialogues / mp
    actors: acteurs / mp
    hotel: hôtel / m
    room: chambre / f
    bed: lit / m
    breakfast: petit-déjeuner / m
    pool: piscine / f
    staff: personnel / m
    restaurant: restaurant / m
    food: nourriture / f
    dessert: dessert / m
    soup: soupe / f
    waiter: serveur / m
    service: service / m
    decoration: décoration / f
    novel: roman / m
    characters: personnages / mp
    style: style / m
    translation: traduction / f
    introduction: introduction / f
    cover: couverture / f
    phone: téléphone / m
    screen: écran / m
    battery: batterie / f
    camera: appareil / m / nmod:photo#topic
    keyboard: clavier / m
    app: application / f
    concert: concert / m
    singer: chanteuse / f
    orchestra: orchestre / m
    sound: son / m
    hall: salle / f
    lighting: éclairage / m
    trip: voyage / m
    guide: guide / m
    beach: plage / f
    bus: bus / m
    excursion: excursion / f
    museum: musée / m
    course: cours / m
    teacher: professeur / m
    exercises: exercices / mp
    lectures: leçons / fp
    textbook: manuel / m
    classroom: salle / f / nmod( case:de#topic classe#topic )
""")
"""Noun; gender and number; what follows the noun."""

ARTICLES = {"m": "le", "f": "la", "mp": "les", "fp": "les"}
"""Also the pronouns of the object."""

PRONOUNS = {"m": "il", "f": "elle", "mp": "ils", "fp": "elles"}
NEARER = {"m": "celui-ci", "f": "celle-ci", "mp": "ceux-ci", "fp": "celles-ci"}
"""Pronouns of the subject; the nearer one where *il* could also be the person just named."""

STRESSED = {"m": "lui", "f": "elle", "mp": "eux"}
ENDINGS = {"m": "", "f": "e", "mp": "s", "fp": "es"}
"""Of past participles."""

QUALITIES = lexicon("""
    good: bon / bonne
    excellent: excellent / excellente
    fantastic: fantastique / fantastique
    perfect: parfait / parfaite
    impressive: impressionnant / impressionnante
    magnificent: magnifique / magnifique
    wonderful: merveilleux / merveilleuse
    interesting: intéressant / intéressante
    exciting: passionnant / passionnante
    moving: émouvant / émouvante
    original: original / originale
    convincing: convaincant / convaincante
    clean: propre / propre
    comfortable: confortable / confortable
    spacious: spacieux / spacieuse
    quiet: calme / calme
    delicious: délicieux / délicieuse
    tasty: savoureux / savoureuse
    fresh: frais / fraîche
    friendly: aimable / aimable
    helpful: serviable / serviable
    professional: professionnel / professionnelle
    patient: patient / patiente
    fast: rapide / rapide
    reliable: fiable / fiable
    practical: pratique / pratique
    modern: moderne / moderne
    useful: utile / utile
    clear: clair / claire
    organised: organisé / organisée
    beautiful: beau / belle
    elegant: élégant / élégante
    bad: mauvais / mauvaise
    terrible: épouvantable / épouvantable
    horrible: horrible / horrible
    disappointing: décevant / décevante
    mediocre: médiocre / médiocre
    unbearable: insupportable / insupportable
    absurd: absurde / absurde
    boring: ennuyeux / ennuyeuse
    predictable: prévisible / prévisible
    confusing: confus / confuse
    superficial: superficiel / superficielle
    dirty: sale / sale
    uncomfortable: inconfortable / inconfortable
    noisy: bruyant / bruyante
    cramped: exigu / exiguë
    disgusting: dégoûtant / dégoûtante
    tasteless: fade / fade
    cold: froid / froide
    rude: impoli / impolie
    arrogant: arrogant / arrogante
    careless: négligent / négligente
    incompetent: incompétent / incompétente
    slow: lent / lente
    fragile: fragile / fragile
    outdated: dépassé / dépassée
    useless: inutile / inutile
    chaotic: chaotique / chaotique
    ugly: laid / laide
    monotonous: monotone / monotone
""")
"""Masculine and feminine."""

PARTICIPLES = {
    "love": "adoré",
    "like": "aimé",
    "hate": "détesté",
    "impress": "impressionné",
    "disappoint": "déçu",
}

HOLDERS = lexicon("""
    brother: det:mon#my frère#brother / m
    sister: det:ma#my sœur#sister / f
    friends: det:mes#my amis#friends / mp
    colleagues: det:mes#my collègues#colleagues / mp
    aunt: det:ma#my tante#aunt / f
    neighbour: det:mon#my voisin#neighbour / m
    critics: det:les critiques#critics / mp
""")

DEGREES = {
    "": "",
    "very": "advmod:très#very",
    "extremely": "advmod:extrêmement#extremely",
    "truly": "advmod:vraiment#truly",
    "at_all": "advmod( du#at_all fixed:tout#at_all )",
}

OPENERS = {
    "honestly": "advmod:honnêtement#honestly",
    "truth": "advcl( mark:à#truth advmod:vrai#truth dire#truth )",
    "frankly": "advmod:franchement#frankly",
    "opinion": "obl( case:à#opinion det:mon#my avis#opinion )",
    "for_me": "obl( case:pour#for_me moi#i )",
}

ALTHOUGH = "mark( *même#although fixed:*si#although )"

SUMMARIES = {
    "": "",
    "overall": "obl( case:dans#summary det:le ensemble#summary ) punct:,",
    "in_the_end": "advmod:finalement#summary punct:,",
    "all_in_all": "advmod( tout#summary fixed:compte#summary fixed:fait#summary ) punct:,",
}

TIMES = {
    "last_week": "obl( det:la semaine#week amod:dernière#last )",
    "last_saturday": "obl( samedi#saturday amod:dernier#last )",
    "last_month": "obl( det:le mois#month amod:dernier#last )",
    "last_year": "obl( det:la année#year amod:dernière#last )",
    "summer": "obl( case:pendant#in det:le été#summer )",
    "spring": "obl( case:à#in det:le printemps#spring )",
    "may": "obl( case:en#in mai#may )",
    "holidays": "obl( case:pendant#in det:les vacances#holidays )",
}

COMPANY = {
    "": "",
    "sister": "obl( case:avec#with det:ma#my sœur#company )",
    "parents": "obl( case:avec#with det:mes#my parents#company )",
    "friend": "obl( case:avec#with det:un#one ami#company )",
    "colleagues": "obl( case:avec#with det:mes#my collègues#company )",
    "cousin": "obl( case:avec#with det:mon#my cousin#company )",
    "two_friends": "obl( case:avec#with nummod:deux#two amis#company )",
    "neighbours": "obl( case:avec#with det:mes#my voisins#company )",
    "uncle": "obl( case:avec#with det:mon#my oncle#company )",
}

SCENES = {
    "film": "vu#verb obj( det:un#a film#item )",
    "hotel": "passé#verb obj( det:une#one nuit#night ) obl( case:dans#at det:un#a hôtel#item )",
    "restaurant": "dîné#verb+dinner obl( case:dans#at det:un#a restaurant#item )",
    "novel": "lu#verb obj( det:un#a roman#item )",
    "phone": "acheté#verb obj( det:un#a téléphone#item )",
    "concert": "assisté#verb obl( case:à#at det:un#a concert#item )",
    "trip": "fait#verb obj( det:un#a voyage#item )",
    "course": "suivi#verb obj( det:un#a cours#item )",
}
"""What follows *j'ai*."""

NOTES = {
    "film": (
        "nsubj( det:le film#film ) aux:a duré#last obj( nummod:deux#two heures#hours )",
        "nsubj( det:ma#my place#seat ) cop:était case:au#in amod:troisième#third rang#row",
        "nsubj( det:le cinéma#cinema ) cop:est case( près#near fixed:de ) det:la gare#station",
    ),
    "hotel": (
        "nsubj( det:l' hôtel#hotel ) compte#has obj( nummod:cinq#five étages#floors )",
        "nsubj( det:l' hôtel#hotel ) cop:est case( près#near fixed:de ) det:la gare#station",
        "nsubj( det:ma#my chambre#room ) cop:était case:au#in amod:deuxième#second étage#floor",
    ),
    "restaurant": (
        "nsubj( det:le restaurant#restaurant ) ouvre#opens obl( case:à#at nummod:dix-neuf#seven "
        "heures )",
        "nsubj( det:notre#our table#table ) cop:était case( à#near fixed:côté#near fixed:de ) "
        "det:la fenêtre#window",
        "nsubj( det:le restaurant#restaurant ) cop:est case( en#opposite fixed:face#opposite "
        "fixed:du ) parc#park",
    ),
    "novel": (
        "nsubj( det:le roman#novel ) compte#has obj( nummod( compound:trois#three cents#hundred ) "
        "pages#pages )",
        "nsubj( det:l' auteur#author nmod( case:du roman#novel ) ) vit#lives obl( case:au#in "
        "Canada#canada )",
        "nsubj( det:l' histoire#story ) expl:se passe#happens obl( case:dans#in det:un#one "
        "village#village )",
    ),
    "phone": (
        "nsubj( det:le téléphone#phone ) aux:est arrivé#came obl( case:dans#in det:une#one "
        "amod:petite#small boîte#box )",
        "nsubj( det:le téléphone#phone ) cop:est noir#black",
        "nsubj( det:le téléphone#phone ) pèse#weighs obj( nummod( compound:deux#two cents#hundred "
        ") grammes#grams )",
    ),
    "concert": (
        "nsubj( det:le concert#concert ) aux:a commencé#began obl( case:à#at nummod:vingt#eight "
        "heures )",
        "nsubj( det:ma#my place#seat ) cop:était case:au#in amod:dixième#tenth rang#row",
        "nsubj( det:le concert#concert ) aux:a duré#last obj( nummod:deux#two heures#hours )",
    ),
    "trip": (
        "nsubj:nous#we aux:avons voyagé#travelled obl( case:en#by bus#bus )",
        "expl:il expl:y avait#were obj( nummod:douze#twelve personnes#people ) obl( case:dans#in "
        "det:le groupe#group )",
        "nsubj( det:le bus#bus ) aux:est parti#left obl( case:à#at nummod:sept#seven heures )",
    ),
    "course": (
        "nsubj( det:le cours#course ) comptait#has obj( nummod:dix#ten séances#lessons )",
        "expl:il expl:y avait#were obj( nummod:quinze#fifteen étudiants#students ) obl( "
        "case:dans#in det:le groupe#group )",
        "nsubj( det:le cours#course ) commençait#began "
        "obl( case:à#at nummod:neuf#nine heures nmod( case:du#in matin#morning ) )",
    ),
}


def agreeing(masculine: str, feminine: str, agreement: str) -> str:
    """The form for m, f, mp or fp: *ennuyeux, ennuyeuse, ennuyeux, ennuyeuses*; *original,
    originaux*; *beau, beaux*.
    """
    if agreement.startswith("f"):
        return feminine + "s" * (agreement == "fp")
    if agreement == "m" or masculine[-1] in "sx":
        return masculine
    return (
        f"{masculine[:-1]}ux"
        if masculine.endswith("al")
        else f"{masculine}{'x' if masculine.endswith('eau') else 's'}"
    )


def _item(topic: str) -> str:
    noun, agreement, *rest = NOUNS[topic]
    return f"det:{ARTICLES[agreement]} {noun}#topic {' '.join(rest)}"


def _pronoun(review: Review) -> str:
    """The pronoun for the topic of the right opinion if it has just been named: *il*, or
    *celui-ci* behind *mon frère*.
    """
    agreement, holder = NOUNS[review.left.topic][1], review.left.holder
    if not again(review):
        return ""
    return (NEARER if holder in HOLDERS and HOLDERS[holder][1] == agreement else PRONOUNS)[
        agreement
    ]


def _as_subject(topic: str, it: str = "") -> str:
    return f"nsubj:{it}#topic" if it else depends("nsubj", _item(topic))


def _holder(opinion: Opinion) -> tuple[str, str]:
    """Who holds the opinion, and the auxiliary."""
    if opinion.holder == "i":
        return "nsubj:je#i", "aux:ai"
    who, agreement = HOLDERS[opinion.holder]
    return depends("nsubj", scope("holder", who)), "aux:ont" if agreement == "mp" else "aux:a"


def _negation(opinion: Opinion, key: bool) -> tuple[str, str]:
    """What stands before and behind the finite verb: *ne*, *pas* and its strengthening."""
    if not opinion.negated:
        return "", ""
    strength = DEGREES["at_all"] if opinion.degree == "at_all" else ""
    return mark("advmod:ne#not", key), f"{mark('advmod:pas#not', key)} {strength}"


def _quality(opinion: Opinion, key: bool) -> str:
    """Degree and adjective; the adjective is the head."""
    masculine, feminine = QUALITIES[opinion.evaluation]
    form = f"{agreeing(masculine, feminine, NOUNS[opinion.topic][1])}#{opinion.evaluation}"
    well = "advmod:bien#organised" if opinion.evaluation == "organised" else ""
    degree = "" if opinion.degree == "at_all" else DEGREES[opinion.degree]
    return f"{degree} {mark(f'{well} {form}', key)}"


def _did(opinion: Opinion, participle: str, key: bool, it: str) -> str:
    """*je n'ai pas aimé le film*, *ma tante l'a adoré*; the participle agrees with a pronoun
    before it.
    """
    (who, auxiliary), (ne, pas) = _holder(opinion), _negation(opinion, key)
    agreement = NOUNS[opinion.topic][1]
    if not it:
        return f"{who} {ne} {auxiliary} {pas} {participle} {depends('obj', _item(opinion.topic))}"
    word, concept = participle.split("#")
    return (
        f"{who} {ne} obj:{ARTICLES[agreement]}#topic {auxiliary} {pas} "
        f"{word}{ENDINGS[agreement]}#{concept}"
    )


def _spoke(opinion: Opinion, key: bool, it: str) -> str:
    """*ma tante a dit du bien du film*, *les critiques en ont dit du mal*."""
    (who, auxiliary), (ne, pas), name = (
        _holder(opinion),
        _negation(opinion, key),
        opinion.evaluation,
    )
    verdict = mark(f"dit#{name} obj( det:du {'bien' if name == 'praise' else 'mal'}#{name} )", key)
    before, behind = (
        ("obl:arg:en#topic", "") if it else ("", f"obl:arg( case:de {_item(opinion.topic)} )")
    )
    return f"{who} {ne} {before} {auxiliary} {pas} {verdict} {behind}"


def _attitude(opinion: Opinion, key: bool, it: str) -> str:
    """*j'ai adoré le film*, *le film ne m'a pas impressionné*, *ma tante l'a aimé*."""
    subject, (ne, pas), name = (
        _as_subject(opinion.topic, it),
        _negation(opinion, key),
        opinion.evaluation,
    )
    match name:
        case "praise" | "criticise":
            return _spoke(opinion, key, it)
        case "worth":
            return (
                f"{subject} {ne} {mark('valait#worth', key)} {pas} "
                f"{mark('obj( det:son prix#worth )', key)}"
            )
        case "waste":
            who = "nsubj:ce#topic" if it else subject
            return (
                f"{who} cop:était det:une {mark('perte#waste', key)} "
                f"{mark('nmod( case:de argent#waste )', key)}"
            )
        case "impress" | "disappoint":
            return f"{subject} {ne} obj:me#i aux:a {pas} {mark(f'{PARTICIPLES[name]}#{name}', key)}"
    return _did(opinion, mark(f"{PARTICIPLES[name]}#{name}", key), key, it)


def _clause(opinion: Opinion, key: bool, it: str = "") -> str:
    """An opinion as a clause; `it`: the pronoun of its topic if that has just been named."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it)
    if opinion.holder:
        return f"{_did(opinion, 'trouvé#find', key, it)} {depends('xcomp', _quality(opinion, key))}"
    ne, pas = _negation(opinion, key)
    copula = "étaient" if NOUNS[opinion.topic][1].endswith("p") else "était"
    return f"{_as_subject(opinion.topic, it)} {ne} cop:{copula} {pas} {_quality(opinion, key)}"


def _expected(opinion: Opinion, key: bool) -> str:
    ne, pas = _negation(opinion, key)
    copula = "seraient" if NOUNS[opinion.topic][1].endswith("p") else "serait"
    clause = (
        f"mark:que {_as_subject(opinion.topic)} {ne} cop:{copula} {pas} {_quality(opinion, key)}"
    )
    return f"nsubj:je#i pensais#thought {depends('ccomp', clause)}"


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    opener = f"{OPENERS[review.opener]} punct:, " if review.opener else ""
    main = scope("left", first(left, frame.left))
    second = (
        f"{SUMMARIES[review.summary]} "
        f"{scope('right', _clause(right, frame.right, _pronoun(review)))}"
        if right
        else ""
    )
    if review.frame == "although":
        return spelled(f"{opener} advcl( {ALTHOUGH} {main} punct:, ) {second}")
    return spelled(f"{opener} {main} {_rest(review, second)}")


def _rest(review: Review, second: str) -> str:
    """What follows the left opinion."""
    left = review.left
    them = (
        f"obl( case:avec {STRESSED[HOLDERS[left.holder][1]]}#them )"
        if left.holder in HOLDERS
        else ""
    )
    match review.frame:
        case "both":
            return f"conj( cc:et#and {second} )"
        case "because":
            # Without the comma "pas aimé parce que" could deny the reason instead of the liking.
            comma = "punct:," if left.negated else ""
            return f"advcl( {comma} mark( parce#because fixed:que#because ) {second} )"
        case "but" | "surprised":
            return f"conj( punct:, cc:*mais#but {second} )"
        case "after":
            return f"advcl( punct:, {ALTHOUGH} {second} )"
        case "agree":
            return (
                "conj( punct:, cc:et#link nsubj:je#i cop:suis case:*de#agree *accord#agree "
                f"{them} )"
            )
        case "disagree":
            no = "advmod:*ne#not cop:suis advmod:*pas#not"
            return (
                f"conj( punct:, cc:mais#link nsubj:je#i {no} case:*de#agree *accord#agree {them} )"
            )
        case "confirmed":
            return "conj( punct:, cc:et#link nsubj:je#i avais obj:*raison#right )"
        case "refuted":
            return "conj( punct:, cc:mais#link nsubj:je#i avais obj:*tort#wrong )"
    return ""


def _scene(domain: str, scene: Scene) -> str:
    city = f"obl( case:à#at_city {PLACES[scene.city]}#city )" if scene.city else ""
    company = scope("with", COMPANY[scene.company])
    return spelled(
        f"{scope('time', TIMES[scene.time])} punct:, nsubj:je#i aux:ai {SCENES[domain]} {city} "
        f"{company}"
    )


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
