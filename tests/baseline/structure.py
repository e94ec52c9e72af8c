"""Attention heads and their masks; how words are cut, and what other pieces do."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

import planted_heads as plant
from babelscope import corpus as builtin
from babelscope.analyses.heads.agreement import agreements, likeness, sensitivity
from babelscope.analyses.tokenization.intervention import (
    AGREEMENT,
    graded,
    intervene,
    trained,
)
from babelscope.analyses.tokenization.responses import flips, responses
from babelscope.analyses.tokenization.tokenize import tokenization as cut_words
from babelscope.data.segmentation import segment
from babelscope.model.encode import encode
from babelscope.model.head_masks import KINDS, HeadMask, head_mask, repeated, to_json
from babelscope.model.head_statistics import HeadStatistics, numbers
from babelscope.model.heads import head_statistics
from babelscope.model.load import Model
from babelscope.model.resegmentation import WAYS, Cut, fertility, frequent, resegment
from babelscope.types import Example
from baseline.checkpoints import tokenizer
from baseline.methods import SINGLE, one_method
from baseline.values import Values, put
from zoo import shared

LANGS = ("en", "hi", "zh")
OUTCOMES = ("normalised_comprehensiveness", "soft_sufficiency", "complexity", AGREEMENT)
ROLES = [
    [plant.previous, plant.random(1), plant.random(2), plant.uniform],
    [plant.random(3), plant.first, plant.syntactic, plant.random(4)],
]
TOLD = ("model", "corpus")
"""What of a mask is no number."""
LATER = ("model", "task")
"""Fields of the outcome of a dose that were added after the values were recorded."""


def heads() -> Values:
    found: Values = {}
    for name in ("bert", "gpt2", "llama"):
        model = shared(name, "text-classification")
        made = {lang: head_statistics(model, trees(lang)) for lang in LANGS}
        for lang, one in made.items():
            statistics(found, f"heads/{name}/{lang}", one)
        masks = {lang: head_mask(one, margin=-0.2, positional=0.3) for lang, one in made.items()}
        put(found, f"heads/{name}/transfer", agreements(masks))
        put(found, f"heads/{name}/likeness", [likeness(made["en"], made[lang]) for lang in LANGS])
    bert = shared("bert", "text-classification")
    for direction in ("head->dep", "either"):
        one = head_statistics(bert, trees("en"), direction=direction)
        put_numbers(found, f"heads/{direction}", one)
    exact = head_statistics(bert, trees("en"), relations=("nsubj", "det", "punct"), subtypes="exact")
    put_numbers(found, "heads/exact", exact)
    masked(found, bert)
    for direction in ("dep->head", "head->dep", "either"):
        one = head_statistics(plant.planted_heads(ROLES), plant.drawn(40), direction=direction)
        statistics(found, f"heads/planted/{direction}", one)
    return found


def trees(lang: str) -> list[Example]:
    """Sentences of the built-in corpus with gold trees."""
    return [row for task in ("sentiment", "topic") for row in builtin.read(task, lang, "train", 15)]


def put_numbers(found: Values, key: str, one: HeadStatistics) -> None:
    put(found, key, {name: part for name, part in numbers(one).items() if name != "model"})


def statistics(found: Values, key: str, one: HeadStatistics) -> None:
    """Counts and shares, every kind of mask, and how many heads are kept as the thresholds vary."""
    put_numbers(found, f"{key}/statistics", one)
    for kind in KINDS:
        for at, mask in enumerate((head_mask(one, kind), head_mask(one, kind, margin=-0.2, positional=0.3, seed=1))):
            put_mask(found, f"{key}/masks/{kind}/{at}", mask)
    put(found, f"{key}/repeated", [mask.keep for mask in repeated(one, times=3)])
    put(
        found,
        f"{key}/corrupted",
        [mask.keep for mask in repeated(one, "corrupted", times=2, rate=0.25)],
    )
    put(found, f"{key}/sensitivity", [list(step) for step in sensitivity(one)])


def put_mask(found: Values, key: str, mask: HeadMask) -> None:
    put(found, key, {name: part for name, part in asdict(mask).items() if name not in TOLD})
    put(found, f"{key}/count", mask.count)


def masked(found: Values, model: Model) -> None:
    """Explanations through the heads of a given mask."""
    mask = head_mask(head_statistics(model, trees("en")), "corrupted", rate=0.5)
    for method in ("masked_lrp", "masked_attnlrp"):
        key = f"heads/explained/{method}"
        one_method(found, key, model, SINGLE[:2], method, options={"heads": to_json(mask)})


def tokenization() -> Values:
    found: Values = {}
    counted(found)
    for lang in builtin.LANGUAGES:
        (row,) = builtin.read("sentiment", lang, "test", 1)
        spans = [list(span) for span in segment(row.texts[0], lang)]
        put(found, f"tokenization/words/{lang}", spans)
    for name in ("bert", "xlm-roberta"):
        recut(found, f"tokenization/recut/{name}", shared(name, "text-classification"))
        intervened(found, f"tokenization/intervention/{name}", shared(name, "text-classification"))
    return found


def counted(found: Values) -> None:
    """How three tokenizers cut the words of four languages."""
    rows: list[Example] = []
    for lang in (*LANGS, "ar"):
        rows += builtin.read("sentiment", lang, "test", 6) + builtin.read("nli", lang, "test", 6)
    cutters = {
        "pieces": tokenizer("bert", LANGS, 500),
        "bytes": tokenizer("gpt2", ("en",), 400),
        "units": tokenizer("xlm-roberta", LANGS, 600),
    }
    for told, limit in {"own limit": None, "limit 20": 20}.items():
        made, key = cut_words(cutters, rows, limit=limit), f"tokenization/{told}"
        for one in made.measured:
            put(found, f"{key}/{one.tokenizer}/{one.lang}/{one.measure}", one.estimate)
        for pair in made.agreed:
            put(found, f"{key}/{pair.first} {pair.second}/{pair.lang}", pair.estimate)
        put(found, f"{key}/limits", made.limits)


def recut(found: Values, key: str, model: Model) -> None:
    """The same words in other pieces."""
    rows = encode(model, SINGLE)
    for size in (20, 60):
        put(found, f"{key}/frequent/{size}", frequent(model, rows, size))
    for way in WAYS:
        for rate in (0.5, 1.0):
            kept = frequent(model, rows, 20) if way == "truncate" else frozenset()
            made = resegment(model, rows, Cut(way, rate, kept=kept, seed=2))
            for row, one in zip(rows, made, strict=True):
                put(
                    found,
                    f"{key}/{way}/{rate}/{row.example.id}",
                    None if one is None else _pieces(one),
                )


def _pieces(one: Any) -> dict[str, Any]:
    parts = {name: np.asarray(getattr(one, name)) for name in ("ids", "word", "content", "offsets", "segment")}
    return {**parts, "fertility": fertility(one)}


def intervened(found: Values, key: str, model: Model) -> None:
    """What becomes of explanations, dose by dose, and the slopes."""
    rows = [*SINGLE[:2], SINGLE[3], SINGLE[4]]
    cuts = graded(model, list(WAYS), [0.0, 0.5, 1.0], [60, 20], encode(model, rows), 0)
    made = intervene(model, rows, cuts, ["occlusion", "random"], OUTCOMES)
    for one in made:
        place = f"{key}/{one.arm}/{one.dose}/{one.method}/{one.outcome}/{one.id}"
        put(found, place, [float(one.value), float(one.fertility), one.kept])
    for at, response in enumerate(responses(made)):
        put(found, f"{key}/responses/{at}", response)
    put(found, f"{key}/flips", flips(made))
    gold = [replace(row, label="place") for row in rows]
    doses = [(0.0, model, None), (1.0, model, Cut("characters", 1.0))]
    for at, one in enumerate(trained("tuned", doses, gold, ["input_x_gradient"], OUTCOMES[2:])):
        kept = {name: part for name, part in asdict(one).items() if name not in LATER}
        put(found, f"{key}/trained/{at}", kept)
