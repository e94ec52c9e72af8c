"""Short sentences in the languages of the mirrored data sets."""

from __future__ import annotations

PHRASES: dict[str, tuple[tuple[str, str, str], tuple[str, str, str]]] = {
    "ar": (("الفندق", "الكتاب", "القطار"), ("جيد جدا", "بعيد اليوم", "ليس جديدا")),
    "bg": (("Хотелът", "Книгата", "Влакът"), ("е много добър", "е далеч днес", "не е нов")),
    "de": (("Das Hotel", "Das Buch", "Der Zug"), ("ist sehr gut", "ist heute weit", "ist alt")),
    "el": (("Το βιβλίο", "Το τρένο", "Το σπίτι"), ("είναι καλό", "είναι μακριά", "είναι παλιό")),
    "en": (("The hotel", "The book", "The train"), ("is very good", "is far today", "isn't new")),
    "es": (("El hotel", "El libro", "El tren"), ("es muy bueno", "está lejos hoy", "no es útil")),
    "fr": (("L'hôtel", "Le livre", "Le train"), ("est très bon", "est loin ici", "n'est pas né")),
    "hi": (("होटल", "किताब", "रेलगाड़ी"), ("बहुत अच्छी है", "आज दूर है", "नई नहीं है")),
    "ja": (("ホテルは", "本は", "電車は"), ("とても良い", "今日は遠い", "新しくない")),
    "ko": (("호텔은", "책은", "기차는"), ("아주 좋다", "오늘 멀다", "새롭지 않다")),
    "ro": (("Hotelul", "Cartea", "Trenul"), ("este foarte bun", "e departe azi", "nu este nou")),
    "ru": (("Отель", "Роман", "Поезд"), ("очень хороший", "сегодня далеко", "не новый")),
    "sw": (("Hoteli", "Kitabu", "Treni"), ("ni nzuri sana", "iko mbali leo", "si mpya")),
    "th": (("โรงแรม", "หนังสือ", "รถไฟ"), ("ดีมาก", "อยู่ไกลวันนี้", "ไม่ใหม่")),
    "tr": (("Otel", "Kitap", "Tren"), ("çok iyi", "bugün uzak", "yeni değil")),
    "ur": (("ہوٹل", "کتاب", "ٹرین"), ("بہت اچھی ہے", "آج دور ہے", "نئی نہیں ہے")),
    "vi": (("Khách sạn", "Quyển sách", "Tàu hỏa"), ("rất tốt", "ở xa hôm nay", "không mới")),
    "zh": (("酒店", "这本书", "火车"), ("非常好", "今天很远", "不是新的")),
}
"""Three beginnings and three endings for each language; those of the same place correspond."""


def sentence(lang: str, number: int, shift: int = 0) -> str:
    """The sentence of a row: translations have the same number, and no two rows the same text.

    A shift gives the second text of a pair another ending.
    """
    starts, ends = PHRASES[lang]
    return f"{starts[number % 3]} {ends[(number // 3 + shift) % 3]} {number}"


def characters() -> list[str]:
    """Every character of the sentences, with capitals, small letters, digits and punctuation."""
    texts = [part for halves in PHRASES.values() for half in halves for part in half]
    seen = set("".join(texts)) | set("0123456789.,|#&;\\'abcdefghijklmnopqrstuvwxyz")
    return sorted({form for each in seen for form in (each, each.lower())} - {" "})
