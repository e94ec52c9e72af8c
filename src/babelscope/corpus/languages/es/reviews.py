"""Spanish reviews: adjectives agree in gender and number and choose between ser and estar; subject
pronouns are dropped, and whoever likes or finds something stands in the dative (*a mi tía le
gustó*)."""

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

NOUNS = lexicon("""
    film: det:la película#topic / f / fue
    plot: det:la trama#topic / f / era
    acting: det:la actuación#topic / f / fue
    soundtrack: det:la banda#topic amod:sonora#topic / f / era
    ending: det:el final#topic / m / fue
    dialogues: det:los diálogos#topic / mp / era
    actors: det:los actores#topic / mp / era
    hotel: det:el hotel#topic / m / era
    room: det:la habitación#topic / f / era
    bed: det:la cama#topic / f / era
    breakfast: det:el desayuno#topic / m / fue
    pool: det:la piscina#topic / f / era
    staff: det:el personal#topic / m / era
    restaurant: det:el restaurante#topic / m / era
    food: det:la comida#topic / f / fue
    dessert: det:el postre#topic / m / fue
    soup: det:la sopa#topic / f / fue
    waiter: det:el camarero#topic / m / era
    service: det:el servicio#topic / m / fue
    decoration: det:la decoración#topic / f / era
    novel: det:la novela#topic / f / era
    characters: det:los personajes#topic / mp / era
    style: det:el estilo#topic / m / era
    translation: det:la traducción#topic / f / era
    introduction: det:la introducción#topic / f / era
    cover: det:la portada#topic / f / era
    phone: det:el teléfono#topic / m / era
    screen: det:la pantalla#topic / f / era
    battery: det:la batería#topic / f / era
    camera: det:la cámara#topic / f / era
    keyboard: det:el teclado#topic / m / era
    app: det:la aplicación#topic / f / era
    concert: det:el concierto#topic / m / fue
    singer: det:la cantante#topic / f / era
    orchestra: det:la orquesta#topic / f / era
    sound: det:el sonido#topic / m / era
    hall: det:la sala#topic / f / era
    lighting: det:la iluminación#topic / f / era
    trip: det:el viaje#topic / m / fue
    guide: det:el guía#topic / m / era
    beach: det:la playa#topic / f / era
    bus: det:el autobús#topic / m / era
    excursion: det:la excursión#topic / f / fue
    museum: det:el museo#topic / m / era
    course: det:el curso#topic / m / fue
    teacher: det:el profesor#topic / m / era
    exercises: det:los ejercicios#topic / mp / era
    lectures: det:las clases#topic / fp / fue
    textbook: det:el libro#topic nmod( case:de texto#topic ) / m / era
    classroom: det:el aula#topic / f / era
""")
"""Article and noun; gender and number; the past of ser that suits it (what happens once takes
fue).
"""

MEALS = frozenset({"breakfast", "food", "dessert", "soup"})
"""What is eaten *estaba* good or bad."""

QUALITIES = lexicon("""
    good: bueno
    excellent: excelente
    fantastic: fantástico
    perfect: perfecto
    impressive: impresionante
    magnificent: magnífico
    wonderful: maravilloso
    interesting: interesante
    exciting: emocionante
    moving: conmovedor
    original: original
    convincing: convincente
    clean: limpio / estaba
    comfortable: cómodo
    spacious: espacioso
    quiet: tranquilo
    delicious: delicioso / estaba
    tasty: sabroso / estaba
    fresh: fresco / estaba
    friendly: amable
    helpful: servicial
    professional: profesional
    patient: paciente
    fast: rápido
    reliable: fiable
    practical: práctico
    modern: moderno
    useful: útil
    clear: claro
    organised: organizado / estuvo
    beautiful: bonito
    elegant: elegante
    bad: malo
    terrible: terrible
    horrible: horrible
    disappointing: decepcionante
    mediocre: mediocre
    unbearable: insoportable
    absurd: absurdo
    boring: aburrido
    predictable: previsible
    confusing: confuso
    superficial: superficial
    dirty: sucio / estaba
    uncomfortable: incómodo
    noisy: ruidoso
    cramped: estrecho
    disgusting: asqueroso / estaba
    tasteless: insípido / estaba
    cold: frío / estaba
    rude: grosero
    arrogant: arrogante
    careless: descuidado
    incompetent: incompetente
    slow: lento
    fragile: frágil
    outdated: anticuado
    useless: inútil
    chaotic: caótico
    ugly: feo
    monotonous: monótono
""")
"""Masculine singular; the past of estar with those that take it."""

BEFORE = {"organised": "advmod:bien#organised"}
"""What stands before the adjective and belongs to it."""

COPULAS = {
    "fue": ("fue", "fueron", "sería", "serían"),
    "era": ("era", "eran", "sería", "serían"),
    "estaba": ("estaba", "estaban", "estaría", "estarían"),
    "estuvo": ("estuvo", "estuvieron", "estaría", "estarían"),
}
"""Singular and plural, of what was and of what was expected."""

PLEASES = {
    "love": ("encantó", "encantaron"),
    "like": ("gustó", "gustaron"),
    "impress": ("impresionó", "impresionaron"),
    "disappoint": ("decepcionó", "decepcionaron"),
    "worth": ("valió", "valieron"),
    "find": ("pareció", "parecieron"),
}
"""Verbs that agree with the thing judged."""

JUDGES = {
    "hate": ("detesté", "detestó", "detestaron"),
    "praise": ("elogié", "elogió", "elogiaron"),
    "criticise": ("critiqué", "criticó", "criticaron"),
}
"""Verbs that agree with who judges: I, one, several."""

THEM = {"m": "lo", "f": "la", "mp": "los", "fp": "las"}

HOLDERS = lexicon("""
    brother: det:mi#my hermano#brother / s / él
    sister: det:mi#my hermana#sister / s / ella
    friends: det:mis#my amigos#friends / p / ellos
    colleagues: det:mis#my colegas#colleagues / p / ellos
    aunt: det:mi#my tía#aunt / s / ella
    neighbour: det:mi#my vecino#neighbour / s / él
    critics: det:los críticos#critics / p / ellos
""")

DEGREES = {
    "": "",
    "very": "advmod:muy#very",
    "extremely": "advmod:sumamente#extremely",
    "truly": "advmod:realmente#truly",
    "at_all": "advmod:nada#at_all",
}

OPENERS = {
    "honestly": "advmod:sinceramente#honestly",
    "truth": "advcl( mark:a#truth decir#truth obj:verdad#truth )",
    "frankly": "advmod:francamente#frankly",
    "opinion": "obl( case:en#opinion det:mi#my opinión#opinion )",
    "for_me": "obl( case:para#for_me mí#i )",
}

SUMMARIES = {
    "": "",
    "overall": "advmod( en#summary fixed:general#summary )",
    "in_the_end": "obl( case:a#summary fin#summary nmod( case:de#summary cuentas#summary ) )",
    "all_in_all": "obl( case:en#summary conjunto#summary )",
}

TIMES = {
    "last_week": "obl( det:la semana#week amod:pasada#last )",
    "last_saturday": "obl( det:el sábado#saturday amod:pasado#last )",
    "last_month": "obl( det:el mes#month amod:pasado#last )",
    "last_year": "obl( det:el año#year amod:pasado#last )",
    "summer": "obl( case:en#in verano#summer )",
    "spring": "obl( case:en#in primavera#spring )",
    "may": "obl( case:en#in mayo#may )",
    "holidays": "obl( case:durante#in det:las vacaciones#holidays )",
}

COMPANY = {
    "": "",
    "sister": "obl( case:con#with det:mi#my hermana#company )",
    "parents": "obl( case:con#with det:mis#my padres#company )",
    "friend": "obl( case:con#with det:un#one amigo#company )",
    "colleagues": "obl( case:con#with det:mis#my colegas#company )",
    "cousin": "obl( case:con#with det:mi#my primo#company )",
    "two_friends": "obl( case:con#with nummod:dos#two amigos#company )",
    "neighbours": "obl( case:con#with det:mis#my vecinos#company )",
    "uncle": "obl( case:con#with det:mi#my tío#company )",
}

CITIES = {
    "madrid": "Madrid#city",
    "cairo": "det:El#city Cairo#city",
    "delhi": "Delhi#city",
    "beijing": "Pekín#city",
    "london": "Londres#city",
    "istanbul": "Estambul#city",
}

SCENES = {
    "film": "vi#verb+i obj( det:una#a película#item ) {city}",
    "hotel": "pasé#verb+i obj( det:una#one noche#night ) obl( case:en#at det:un#a hotel#item "
    "{city} )",
    "restaurant": "cené#verb+dinner+i obl( case:en#at det:un#a restaurante#item {city} )",
    "novel": "leí#verb+i obj( det:una#a novela#item ) {city}",
    "phone": "compré#verb+i obj( det:un#a teléfono#item ) {city}",
    "concert": "fui#verb+i obl( case:a#at det:un#a concierto#item ) {city}",
    "trip": "hice#verb+i obj( det:un#a viaje#item {city} )",
    "course": "hice#verb+i obj( det:un#a curso#item ) {city}",
}

TO_CITY = {
    "hotel": "nmod( case:de#at_city",
    "restaurant": "nmod( case:de#at_city",
    "trip": "nmod( case:a#at_city",
}
"""*un hotel de Madrid*, *un viaje a Madrid*; elsewhere *en Madrid*."""

NOTES = {
    "film": (
        "nsubj( det:la película#film ) duró#last obj( nummod:dos#two horas#hours )",
        "nsubj( det:mi#my asiento#seat ) cop:estaba case:en#in det:la amod:tercera#third fila#row",
        "nsubj( det:el cine#cinema ) cop:está case( cerca#near fixed:de#near ) det:la "
        "estación#station",
    ),
    "hotel": (
        "nsubj( det:el hotel#hotel ) tiene#has obj( nummod:cinco#five plantas#floors )",
        "nsubj( det:el hotel#hotel ) cop:está case( cerca#near fixed:de#near ) det:la "
        "estación#station",
        "nsubj( det:mi#my habitación#room ) cop:estaba case:en#in det:la amod:segunda#second "
        "planta#floor",
    ),
    "restaurant": (
        "nsubj( det:el restaurante#restaurant ) abre#opens obl( case:a#at det:las siete#seven )",
        "nsubj( det:nuestra#our mesa#table ) cop:estaba case( junto#near fixed:a#near ) det:la "
        "ventana#window",
        "nsubj( det:el restaurante#restaurant ) cop:está case( frente#opposite fixed:al#opposite ) "
        "parque#park",
    ),
    "novel": (
        "nsubj( det:la novela#novel ) tiene#has obj( nummod:trescientas#three+hundred "
        "páginas#pages )",
        "nsubj( det:el autor#author nmod( case:de det:la novela#novel ) ) vive#lives obl( "
        "case:en#in Canadá#canada )",
        "nsubj( det:la historia#story ) transcurre#happens obl( case:en#in det:un#one "
        "pueblo#village )",
    ),
    "phone": (
        "nsubj( det:el teléfono#phone ) venía#came obl( case:en#in det:una#one caja#box "
        "amod:pequeña#small )",
        "nsubj( det:el teléfono#phone ) cop:es negro#black",
        "nsubj( det:el teléfono#phone ) pesa#weighs obj( nummod:doscientos#two+hundred "
        "gramos#grams )",
    ),
    "concert": (
        "nsubj( det:el concierto#concert ) empezó#began obl( case:a#at det:las ocho#eight )",
        "nsubj( det:mi#my asiento#seat ) cop:estaba case:en#in det:la amod:décima#tenth fila#row",
        "nsubj( det:el concierto#concert ) duró#last obj( nummod:dos#two horas#hours )",
    ),
    "trip": (
        "viajamos#travelled+we obl( case:en#by autobús#bus )",
        "obl( case:en#in det:el grupo#group ) había#were obj( nummod:doce#twelve personas#people )",
        "nsubj( det:el autobús#bus ) salió#left obl( case:a#at det:las siete#seven )",
    ),
    "course": (
        "nsubj( det:el curso#course ) tenía#has obj( nummod:diez#ten lecciones#lessons )",
        "obl( case:en#in det:el grupo#group ) había#were obj( nummod:quince#fifteen "
        "alumnos#students )",
        "nsubj( det:el curso#course ) empezaba#began "
        "obl( case:a#at det:las nueve#nine nmod( case:de#in det:la mañana#morning ) )",
    ),
}


def _plural(opinion: Opinion) -> bool:
    return NOUNS[opinion.topic][1].endswith("p")


def _adjective(lemma: str, agreement: str) -> str:
    """The form of the adjective for m, f, mp or fp: bueno, buena, buenos, buenas; útil, útiles."""
    form = lemma
    if agreement.startswith("f") and lemma.endswith("o"):
        form = lemma[:-1] + "a"
    elif agreement.startswith("f") and lemma.endswith("dor"):
        form = lemma + "a"
    if agreement.endswith("p"):
        form += "s" if form[-1] in "aeo" else "es"
    return form


def _quality(opinion: Opinion, key: bool) -> str:
    """Degree and adjective; the adjective is the head."""
    name = opinion.evaluation
    form = _adjective(QUALITIES[name][0], NOUNS[opinion.topic][1])
    return f"{DEGREES[opinion.degree]} {mark(BEFORE.get(name, '') + f' {form}#{name}', key)}"


def _copula(opinion: Opinion, expected: bool = False) -> str:
    """*era*, *fueron*, *estaba*; of what is expected *sería*, *estarían*."""
    name = opinion.evaluation
    _, *estar = QUALITIES[name]
    if opinion.topic in MEALS and name in ("good", "bad"):
        estar = ["estaba"]
    return COPULAS[estar[0] if estar else NOUNS[opinion.topic][2]][_plural(opinion) + 2 * expected]


def _no(opinion: Opinion, key: bool) -> str:
    return mark("advmod:no#not", key) if opinion.negated else ""


def _dative(opinion: Opinion, stress: bool) -> tuple[str, str]:
    """Who is pleased, and the pronoun that goes with it: *a mi tía* and *le*, *a mí* and *me*,
    mere *me*.
    """
    if opinion.holder == "i":
        return "obl:arg( case:a mí#i )" if stress else "", "iobj:me#i"
    name, number, _ = HOLDERS[opinion.holder]
    return f"obl:arg( case:a {scope('holder', name)} )", "iobj:les" if number == "p" else "iobj:le"


def _judged(opinion: Opinion, key: bool, it: bool, stress: bool) -> str:
    """*detesté la película*, *mi tía la elogió*."""
    noun, agreement, _ = NOUNS[opinion.topic]
    first, singular, several = JUDGES[opinion.evaluation]
    if opinion.holder == "i":
        form, subject = (
            f"{first}#{opinion.evaluation}{'' if stress else '+i'}",
            "yo#i" if stress else "",
        )
    else:
        name, number, _ = HOLDERS[opinion.holder]
        form, subject = (
            f"{several if number == 'p' else singular}#{opinion.evaluation}",
            scope("holder", name),
        )
    clitic = f"obj:{THEM[agreement]}#topic" if it else ""
    return (
        f"{depends('nsubj', subject)} {_no(opinion, key)} {clitic} {mark(form, key)} "
        f"{'' if it else depends('obj', noun)}"
    )


def _attitude(opinion: Opinion, key: bool, it: bool, stress: bool) -> str:
    """*me encantó la película*, *a mi tía no le gustó*, *la película me decepcionó*."""
    name, no = opinion.evaluation, _no(opinion, key)
    if name in JUDGES:
        return _judged(opinion, key, it, stress)
    item = "" if it else depends("nsubj", NOUNS[opinion.topic][0])
    if name == "waste":
        copula = f"cop:{COPULAS['fue'][_plural(opinion)]}{'#topic' if it else ''}"
        return (
            f"{item} {no} {copula} det:una {mark('pérdida#waste', key)} "
            f"{mark('nmod( case:de dinero#waste )', key)}"
        )
    verb = f"{PLEASES[name][_plural(opinion)]}#{name}{'+topic' if it else ''}"
    if name == "worth":
        return f"{item} {no} {mark(f'{verb} obj( det:la pena#worth )', key)}"
    who, clitic = _dative(opinion, stress)
    if name in ("love", "like"):
        return f"{who} {no} {clitic} {mark(verb, key)} {item}"
    return f"{who} {item} {no} {clitic.replace('iobj', 'obj')} {mark(verb, key)}"


def _clause(opinion: Opinion, key: bool, it: bool = False, stress: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named; `stress`: *a mí*, against
    somebody else.
    """
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it, stress)
    item = "" if it else depends("nsubj", NOUNS[opinion.topic][0])
    if not opinion.holder:
        copula = f"cop:{_copula(opinion)}{'#topic' if it else ''}"
        return f"{item} {_no(opinion, key)} {copula} {_quality(opinion, key)}"
    who, clitic = _dative(opinion, stress)
    seemed = f"{PLEASES['find'][_plural(opinion)]}#find{'+topic' if it else ''}"
    return (
        f"{who} {item} {_no(opinion, key)} {clitic} {seemed} "
        f"{depends('xcomp', _quality(opinion, key))}"
    )


def _expected(opinion: Opinion, key: bool) -> str:
    item = depends("nsubj", NOUNS[opinion.topic][0])
    quality = f"cop:{_copula(opinion, expected=True)} {_quality(opinion, key)}"
    return f"pensaba#thought+i ccomp( mark:que {item} {_no(opinion, key)} {quality} )"


def _left(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    if review.frame in ("surprised", "confirmed", "refuted"):
        return scope("left", _expected(left, frame.left))
    return scope("left", _clause(left, frame.left, stress=right is not None and foreign(right)))


def _right(review: Review) -> str:
    right = review.right
    if right is None:
        return ""
    clause = _clause(right, FRAMES[review.frame].right, again(review), stress=foreign(review.left))
    return f"{SUMMARIES[review.summary]} {scope('right', clause)}"


def _opinion(review: Review) -> str:
    left = review.left
    opener = f"{OPENERS[review.opener]} punct:, " if review.opener else ""
    main, second = _left(review), _right(review)
    head = f"{opener} {main}"
    them = HOLDERS[left.holder][2] if left.holder in HOLDERS else ""
    agree = f"cop:estoy#i case:*de#agree *acuerdo#agree obl( case:con {them}#them )"
    match review.frame:
        case "both":
            return f"{head} conj( cc:y#and {second} )"
        case "because":
            return (
                f"{head} advcl( {'punct:,' if left.negated else ''} mark:porque#because {second} )"
            )
        case "but" | "surprised":
            return f"{head} conj( punct:, cc:*pero#but {second} )"
        case "although":
            return f"{opener} advcl( mark:*aunque#although {main} punct:, ) {second}"
        case "after":
            return f"{head} advcl( punct:, mark:*aunque#although {second} )"
        case "agree":
            return f"{head} conj( punct:, cc:y#link {agree} )"
        case "disagree":
            return f"{head} conj( punct:, cc:pero#link nsubj:yo#i advmod:*no#not {agree} )"
        case "confirmed":
            return f"{head} conj( punct:, cc:y#link *acerté#right+i )"
        case "refuted":
            return f"{head} conj( punct:, cc:pero#link expl:me *equivoqué#wrong+i )"
    return head


def _scene(domain: str, scene: Scene) -> str:
    link = TO_CITY.get(domain, "obl( case:en#at_city")
    city = f"{link} {CITIES[scene.city]} )" if scene.city else ""
    return (
        f"{scope('time', TIMES[scene.time])} {SCENES[domain].format(city=city)} "
        f"{scope('with', COMPANY[scene.company])}"
    )


REALISER = ReviewRealiser(_opinion, _scene, NOTES)
