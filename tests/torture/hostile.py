"""Hostile texts: the same seed and number give the same text."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable

Kind = Callable[[random.Random], str]

WORDS = (
    "the", "food", "was", "good", "not", "room", "lovely", "hotel", "comida", "buena", "खाना",
    "अच्छा", "الطعام", "لذيذ", "酒店", "干净", "東京に", "行きました", "עברית", "한국어",
    "ελληνικά", "naïve", "Straße", "İstanbul", "ﬁne", "①②", "ⅷ", "ẞ", "ŉ", "½",
)  # fmt: skip
SPACELESS = (
    "อาหารอร่อยมากแต่ห้องเล็ก",
    "ອາຫານແຊບຫຼາຍ",
    "អាហារឆ្ងាញ់ណាស់",
    "ကောင်းပါတယ်",
    "这家酒店的早餐不好吃",
)
CONTROLS = ("\0", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b", "\x1c", "\x7f", "\x85", "\x9f")
INVISIBLE = (
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\u180e", "\u3164",
    "\ufe0f", "\U000e0041", "\u2028", "\u2029", "\u00a0", "\u3000", "\u1680",
)  # fmt: skip
BIDI = ("\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2069", "\u200f")
SURROGATES = ("\ud800", "\udc00", "\udfff", "\ud83d")
MARKS = ("\u0301", "\u0308", "\u0327", "\u20dd", "\u0e31", "\u093f", "\u05bc", "\u064b", "\u1ab0")
EMOJI = ("👩‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "🇫🇷🇩🇪", "❤️‍🔥", "🧑🏿‍🚀", "🇫", "\U0001faff", "1️⃣")
SPECIALS = (
    "[PAD]", "[MASK]", "[CLS]", "[SEP]", "[UNK]", "<s>", "</s>", "<pad>", "<mask>", "<unk>",
    "<|endoftext|>", "##ing", "▁", "Ġ", "<0x0A>", "[MASK][MASK]",
)  # fmt: skip
MARKUP = (
    "<script>alert(1)</script>", "</style><img src=x onerror=alert(1)>", "&lt;&amp;&#x27;",
    "{{7*7}}", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "=1+1", "@SUM(A1)", "-2+3",
    "+cmd|' /C calc'!A0", "'; DROP TABLE x;--", "%s%n", "${HOME}", "../../etc/passwd", '"a","b"',
    "\\ud800", "NaN", "null",
)  # fmt: skip
PUNCTUATION = ("!!!", "...", "—", "،", "。", "¿?", "''", "`", "###", "_", "~", "«»", "\\", "*" * 30)
ODD = ("\uffff", "\ufffd", "\U0010ffff", "\ue000", "\u0378", "\U0001d573", "\ufdd0", "ﷺ", "㌀")
POOLS = (
    WORDS, SPACELESS, CONTROLS, INVISIBLE, BIDI, SURROGATES, MARKS, EMOJI, SPECIALS, MARKUP,
    PUNCTUATION, ODD,
)  # fmt: skip
SPACES = (" ", " ", " ", " ", "", "", "  ", "\t", "\n", "\u00a0")


def hostile_text(seed: int, number: int) -> str:
    """The text of that number: kinds take turns."""
    chance = random.Random(f"{seed} {number}")
    return KINDS[number % len(KINDS)](chance)


def _of(*pools: tuple[str, ...]) -> Kind:
    """Words with pieces of the pools between and inside them."""

    def text(chance: random.Random) -> str:
        parts = []
        for _ in range(chance.randint(2, 10)):
            pool = chance.choice(pools)
            parts += [chance.choice(pool), chance.choice(SPACES)]
        return "".join(parts)

    return text


def _marks(chance: random.Random) -> str:
    """Letters under piles of marks."""
    letters = chance.choice(WORDS)
    return " ".join(
        letter + "".join(chance.choices(MARKS, k=chance.randint(0, 12))) for letter in letters
    )


def _long(chance: random.Random) -> str:
    """A word, a run or a text that is longer than any model reads."""
    unit = chance.choice((*WORDS, *SPACELESS, *EMOJI, *MARKS, "a", "\u200b", "a\u0301", "!"))
    return chance.choice(("", "so ")) + unit * chance.choice((100, 1_000, 5_000))


def _blank(chance: random.Random) -> str:
    return "".join(chance.choices((*SPACES, *INVISIBLE), k=chance.randint(0, 5)))


def _forms(chance: random.Random) -> str:
    """The same words in mixed normal forms."""
    words = chance.choices((*WORDS, *SPACELESS, *ODD), k=chance.randint(1, 6))
    forms = ("NFC", "NFD", "NFKC", "NFKD")
    return " ".join(unicodedata.normalize(chance.choice(forms), word) for word in words)


def _characters(chance: random.Random) -> str:
    """Any characters of Unicode."""
    return "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randint(1, 12)))


def _letters(chance: random.Random) -> str:
    """Assigned characters that are neither controls nor surrogates."""
    letters = []
    while len(letters) < 8:
        letter = chr(chance.randrange(0x20, 0x20000))
        if unicodedata.category(letter)[0] in "LMNPS":
            letters.append(letter)
    return "".join(letters[:4]) + " " + "".join(letters[4:])


KINDS: tuple[Kind, ...] = (
    _of(WORDS, SPACELESS), _of(WORDS, INVISIBLE), _of(WORDS, BIDI), _of(*POOLS),
    _of(WORDS, EMOJI), _of(WORDS, SPECIALS), _of(WORDS, MARKUP), _of(*POOLS),
    _of(PUNCTUATION), _of(SPECIALS), _of(WORDS, ODD), _marks,
    _long, _blank, _forms, _characters, _letters, _of(WORDS, CONTROLS), _of(WORDS, SURROGATES),
    _of(SPACELESS), _of(EMOJI, INVISIBLE), _of(WORDS, MARKS), _of(WORDS, PUNCTUATION),
)  # fmt: skip
"""Kinds of texts, by turns."""
