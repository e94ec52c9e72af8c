"""Spanish reviews: adjectives agree in gender and number, and choose between ser and estar."""

from __future__ import annotations

from babelscope.data.builtin.marked import mark
from babelscope.data.builtin.reviews.language import Language, table
from babelscope.data.builtin.reviews.meaning import ATTITUDES, FRAMES, Opinion, Review, Scene, again, foreign

NOUNS = table("""
    film: la película / f / fue
    plot: la trama / f / era
    acting: la actuación / f / fue
    soundtrack: la banda sonora / f / era
    ending: el final / m / fue
    dialogues: los diálogos / mp / era
    actors: los actores / mp / era
    hotel: el hotel / m / era
    room: la habitación / f / era
    bed: la cama / f / era
    breakfast: el desayuno / m / era
    pool: la piscina / f / era
    staff: el personal / m / era
    restaurant: el restaurante / m / era
    food: la comida / f / era
    dessert: el postre / m / era
    soup: la sopa / f / era
    waiter: el camarero / m / era
    service: el servicio / m / fue
    decoration: la decoración / f / era
    novel: la novela / f / era
    characters: los personajes / mp / era
    style: el estilo / m / era
    translation: la traducción / f / era
    introduction: la introducción / f / era
    cover: la portada / f / era
    phone: el teléfono / m / era
    screen: la pantalla / f / era
    battery: la batería / f / era
    camera: la cámara / f / era
    keyboard: el teclado / m / era
    app: la aplicación / f / era
    concert: el concierto / m / fue
    singer: la cantante / f / era
    orchestra: la orquesta / f / era
    sound: el sonido / m / era
    hall: la sala / f / era
    lighting: la iluminación / f / era
    trip: el viaje / m / fue
    guide: el guía / m / era
    beach: la playa / f / era
    bus: el autobús / m / era
    excursion: la excursión / f / fue
    museum: el museo / m / era
    course: el curso / m / fue
    teacher: el profesor / m / era
    exercises: los ejercicios / mp / era
    lectures: las clases / fp / fue
    textbook: el libro de texto / m / era
    classroom: el aula / f / era
""")
"""Article and noun; gender and number; the past of ser that suits it (an event takes fue)."""

QUALITIES = table("""
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
    clean: limpio / estar
    comfortable: cómodo
    spacious: espacioso
    quiet: tranquilo
    delicious: delicioso / estar
    tasty: sabroso / estar
    fresh: fresco / estar
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
    organised: bien organizado / estar
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
    dirty: sucio / estar
    uncomfortable: incómodo
    noisy: ruidoso
    cramped: estrecho
    disgusting: asqueroso / estar
    tasteless: insípido / estar
    cold: frío / estar
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

PAST = {"fue": ("fue", "fueron"), "era": ("era", "eran"), "estar": ("estaba", "estaban"), "sería": ("sería", "serían")}

HOLDERS = table("""
    brother: mi hermano / s / él
    sister: mi hermana / s / ella
    friends: mis amigos / p / ellos
    colleagues: mis colegas / p / ellos
    aunt: mi tía / s / ella
    neighbour: mi vecino / s / él
    critics: los críticos / p / ellos
""")

DEGREES = {"": "", "very": "muy", "extremely": "sumamente", "truly": "realmente", "at_all": "nada"}

OPENERS = {
    "honestly": "sinceramente",
    "truth": "a decir verdad",
    "frankly": "francamente",
    "opinion": "en mi opinión",
    "for_me": "para mí",
}

SUMMARIES = {"": "", "overall": "en general", "in_the_end": "al final", "all_in_all": "en conjunto"}

TIMES = {
    "last_week": "la semana pasada",
    "last_saturday": "el sábado pasado",
    "last_month": "el mes pasado",
    "last_year": "el año pasado",
    "summer": "en verano",
    "spring": "en primavera",
    "may": "en mayo",
    "holidays": "durante las vacaciones",
}

COMPANY = {
    "": "",
    "sister": "con mi hermana",
    "parents": "con mis padres",
    "friend": "con un amigo",
    "colleagues": "con mis colegas",
    "cousin": "con mi primo",
    "two_friends": "con dos amigos",
    "neighbours": "con mis vecinos",
    "uncle": "con mi tío",
}

CITIES = {
    "madrid": "Madrid",
    "cairo": "El Cairo",
    "delhi": "Delhi",
    "beijing": "Pekín",
    "london": "Londres",
    "istanbul": "Estambul",
}

SCENES = {
    "film": "vi una película",
    "hotel": "pasé una noche en un hotel",
    "restaurant": "cené en un restaurante",
    "novel": "leí una novela",
    "phone": "compré un teléfono",
    "concert": "fui a un concierto",
    "trip": "hice un viaje",
    "course": "hice un curso",
}

NOTES = {
    "film": ("la película duró dos horas", "mi asiento estaba en la tercera fila", "el cine está cerca de la estación"),
    "hotel": (
        "el hotel tiene cinco plantas",
        "el hotel está cerca de la estación",
        "mi habitación estaba en la segunda planta",
    ),
    "restaurant": (
        "el restaurante abre a las siete",
        "nuestra mesa estaba junto a la ventana",
        "el restaurante está frente al parque",
    ),
    "novel": (
        "la novela tiene trescientas páginas",
        "el autor de la novela vive en Canadá",
        "la historia transcurre en un pueblo",
    ),
    "phone": ("el teléfono venía en una caja pequeña", "el teléfono es negro", "el teléfono pesa doscientos gramos"),
    "concert": (
        "el concierto empezó a las ocho",
        "mi asiento estaba en la décima fila",
        "el concierto duró dos horas",
    ),
    "trip": ("viajamos en autobús", "en el grupo había doce personas", "el autobús salió a las siete"),
    "course": (
        "el curso tenía diez lecciones",
        "en el grupo había quince alumnos",
        "el curso empezaba a las nueve de la mañana",
    ),
}


def adjective(lemma: str, agreement: str) -> str:
    """The form of the adjective for m, f, mp or fp: bueno, buena, buenos, buenas; útil, útiles."""
    *before, word = lemma.split()
    if agreement.startswith("f") and word.endswith("o"):
        word = word[:-1] + "a"
    elif agreement.startswith("f") and word.endswith("dor"):
        word += "a"
    if agreement.endswith("p"):
        word += "s" if word[-1] in "aeo" else "es"
    return " ".join((*before, word))


def _quality(opinion: Opinion, key: bool) -> str:
    form = adjective(QUALITIES[opinion.evaluation][0], NOUNS[opinion.topic][1])
    return f"{DEGREES[opinion.degree]} {mark(form, key)}"


def _copula(opinion: Opinion, expected: bool = False) -> str:
    """*era*, *fueron*, *estaba*; of what is expected *sería*, *estarían*."""
    _, agreement, ser = NOUNS[opinion.topic]
    plural = agreement.endswith("p")
    if QUALITIES[opinion.evaluation][1:] == ("estar",):
        return ("estaría", "estarían")[plural] if expected else PAST["estar"][plural]
    return PAST["sería" if expected else ser][plural]


def _attitude(opinion: Opinion, key: bool, it: bool, stress: bool) -> str:
    """*me encantó la película*, *a mi tía no le gustó*, *la película me decepcionó*."""
    noun, agreement, _ = NOUNS[opinion.topic]
    item, no = "" if it else noun, mark("no", key) if opinion.negated else ""
    own = opinion.holder == "i"
    name, number, _ = ("", "s", "") if own else HOLDERS[opinion.holder]
    dative = f"{'a mí' if stress else ''} {no} me" if own else f"a {name} {no} {'les' if number == 'p' else 'le'}"
    match opinion.evaluation:
        case "love" | "like":
            return f"{dative} {mark('encantó' if opinion.evaluation == 'love' else 'gustó', key)} {item}"
        case "hate" | "praise" | "criticise":
            stem = {"hate": "detest", "praise": "elogi", "criticise": "critic"}[opinion.evaluation]
            verb = stem + ("é" if own else "aron" if number == "p" else "ó")
            clitic = ("la" if agreement == "f" else "lo") if it else ""
            return f"{'yo' if own and stress else name} {clitic} {mark(verb, key)} {item}"
        case "worth":
            return f"{item} {no} {mark('valió la pena', key)}"
        case "waste":
            return f"{item} fue una {mark('pérdida', key)} de dinero"
    verb = {"impress": "impresionó", "disappoint": "decepcionó"}[opinion.evaluation]
    return f"{item} {dative} {mark(verb, key)}" if not it else f"{dative} {mark(verb, key)}"


def _clause(opinion: Opinion, key: bool, it: bool = False, stress: bool = False) -> str:
    """An opinion as a clause; `it`: its topic has just been named; `stress`: *a mí*, against somebody else."""
    if opinion.evaluation in ATTITUDES:
        return _attitude(opinion, key, it, stress)
    noun, agreement, _ = NOUNS[opinion.topic]
    noun, no = "" if it else noun, mark("no", key) if opinion.negated else ""
    if not opinion.holder:
        return f"{noun} {no} {_copula(opinion)} {_quality(opinion, key)}"
    seemed = "parecieron" if agreement.endswith("p") else "pareció"
    if opinion.holder == "i":
        return f"{'a mí' if stress else ''} {noun} {no} me {seemed} {_quality(opinion, key)}"
    name, number, _ = HOLDERS[opinion.holder]
    return f"a {name} {noun} {no} {'les' if number == 'p' else 'le'} {seemed} {_quality(opinion, key)}"


def _expected(opinion: Opinion, key: bool, it: bool = False, stress: bool = False) -> str:
    no = mark("no", key) if opinion.negated else ""
    return f"pensaba que {NOUNS[opinion.topic][0]} {no} {_copula(opinion, expected=True)} {_quality(opinion, key)}"


def _opinion(review: Review) -> str:
    frame, left, right = FRAMES[review.frame], review.left, review.right
    first = _expected if review.frame in ("surprised", "confirmed", "refuted") else _clause
    stress_left = right is not None and foreign(right)
    opener = f"{OPENERS[review.opener]} , " if review.opener else ""
    clause = first(left, frame.left, stress=stress_left)
    head = opener + clause
    second = _clause(right, frame.right, again(review), stress=foreign(left)) if right else ""
    second = f"{SUMMARIES[review.summary]} {second}"
    them = HOLDERS[left.holder][2] if left.holder in HOLDERS else ""
    match review.frame:
        case "both":
            return f"{head} y {second}"
        case "because":
            return f"{head} {',' if left.negated else ''} porque {second}"
        case "but" | "surprised":
            return f"{head} , *pero {second}"
        case "although":
            return f"{opener}*aunque {clause} , {second}"
        case "after":
            return f"{head} , *aunque {second}"
        case "agree":
            return f"{head} , y *estoy *de *acuerdo con {them}"
        case "disagree":
            return f"{head} , pero *no *estoy *de *acuerdo con {them}"
        case "confirmed":
            return f"{head} , y *acerté"
        case "refuted":
            return f"{head} , pero me *equivoqué"
    return head


def _scene(domain: str, scene: Scene) -> str:
    to = "a" if domain == "trip" else "en"
    if domain in ("hotel", "restaurant"):
        to = "de"  # "pasé una noche en un hotel de Madrid"
    city = f"{to} {CITIES[scene.city]}" if scene.city else ""
    return f"{TIMES[scene.time]} {SCENES[domain]} {city} {COMPANY[scene.company]}"


LANGUAGE = Language(_opinion, _scene, NOTES)
