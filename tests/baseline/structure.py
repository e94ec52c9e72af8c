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
from babelscope.data.independence import clusters_by_task
from babelscope.data.segmentation import segment
from babelscope.model.encode import encode
from babelscope.model.head_masks import KINDS, HeadMask, head_mask, repeated, to_json
from babelscope.model.head_statistics import HeadStatistics, numbers
from babelscope.model.heads import head_statistics
from babelscope.model.load import Model
from babelscope.model.resegmentation import WAYS, Resegmentation, fertility, frequent, resegment
from babelscope.types import Example
from baseline.checkpoints import tokenizer
from baseline.methods import SINGLE, put_method
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
    entries: Values = {}
    for name in ("bert", "gpt2", "llama"):
        model = shared(name, "text-classification")
        by_language = {lang: head_statistics(model, trees(lang)) for lang in LANGS}
        for lang, counts in by_language.items():
            statistics(entries, f"heads/{name}/{lang}", counts)
        masks = {
            lang: head_mask(counts, margin=-0.2, positional=0.3)
            for lang, counts in by_language.items()
        }
        put(entries, f"heads/{name}/transfer", agreements(masks))
        put(
            entries,
            f"heads/{name}/likeness",
            [likeness(by_language["en"], by_language[lang]) for lang in LANGS],
        )
    bert = shared("bert", "text-classification")
    for direction in ("head->dep", "either"):
        counts = head_statistics(bert, trees("en"), direction=direction)
        put_numbers(entries, f"heads/{direction}", counts)
    exact = head_statistics(
        bert, trees("en"), relations=("nsubj", "det", "punct"), subtypes="exact"
    )
    put_numbers(entries, "heads/exact", exact)
    masked(entries, bert)
    for direction in ("dep->head", "head->dep", "either"):
        counts = head_statistics(plant.planted_heads(ROLES), plant.drawn(40), direction=direction)
        statistics(entries, f"heads/planted/{direction}", counts)
    return entries


def trees(lang: str) -> list[Example]:
    """Sentences of the built-in corpus with gold trees."""
    return [row for task in ("sentiment", "topic") for row in builtin.read(task, lang, "train", 15)]


def put_numbers(entries: Values, key: str, counts: HeadStatistics) -> None:
    put(entries, key, {name: part for name, part in numbers(counts).items() if name != "model"})


def statistics(entries: Values, key: str, counts: HeadStatistics) -> None:
    """Counts and shares, every kind of mask, and how many heads are kept as the thresholds vary."""
    put_numbers(entries, f"{key}/statistics", counts)
    for kind in KINDS:
        for at, mask in enumerate(
            (head_mask(counts, kind), head_mask(counts, kind, margin=-0.2, positional=0.3, seed=1))
        ):
            put_mask(entries, f"{key}/masks/{kind}/{at}", mask)
    put(entries, f"{key}/repeated", [mask.keep for mask in repeated(counts, times=3)])
    put(
        entries,
        f"{key}/corrupted",
        [mask.keep for mask in repeated(counts, "corrupted", times=2, rate=0.25)],
    )
    put(entries, f"{key}/sensitivity", [list(step) for step in sensitivity(counts)])


def put_mask(entries: Values, key: str, mask: HeadMask) -> None:
    put(entries, key, {name: part for name, part in asdict(mask).items() if name not in TOLD})
    put(entries, f"{key}/count", mask.count)


def masked(entries: Values, model: Model) -> None:
    """Explanations through the heads of a given mask."""
    mask = head_mask(head_statistics(model, trees("en")), "corrupted", rate=0.5)
    for method in ("masked_lrp", "masked_attnlrp"):
        key = f"heads/explained/{method}"
        put_method(entries, key, model, SINGLE[:2], method, options={"heads": to_json(mask)})


def tokenization() -> Values:
    entries: Values = {}
    counted(entries)
    for lang in builtin.LANGUAGES:
        (row,) = builtin.read("sentiment", lang, "test", 1)
        spans = [list(span) for span in segment(row.texts[0], lang)]
        put(entries, f"tokenization/words/{lang}", spans)
    for name in ("bert", "xlm-roberta"):
        recut(entries, f"tokenization/recut/{name}", shared(name, "text-classification"))
        intervened(
            entries, f"tokenization/intervention/{name}", shared(name, "text-classification")
        )
    return entries


def counted(entries: Values) -> None:
    """How three tokenizers cut the words of four languages."""
    rows: list[Example] = []
    for lang in (*LANGS, "ar"):
        rows += builtin.read("sentiment", lang, "test", 6) + builtin.read("nli", lang, "test", 6)
    cutters = {
        "pieces": tokenizer("bert", LANGS, 500),
        "bytes": tokenizer("gpt2", ("en",), 400),
        "units": tokenizer("xlm-roberta", LANGS, 600),
    }
    for label, limit in {"own limit": None, "limit 20": 20}.items():
        table, key = cut_words(cutters, rows, limit=limit), f"tokenization/{label}"
        for row in table.measured:
            put(entries, f"{key}/{row.tokenizer}/{row.lang}/{row.measure}", row.estimate)
        for pair in table.agreed:
            put(entries, f"{key}/{pair.first} {pair.second}/{pair.lang}", pair.estimate)
        put(entries, f"{key}/limits", table.limits)


def recut(entries: Values, key: str, model: Model) -> None:
    """The same words in other pieces."""
    rows = encode(model, SINGLE)
    for size in (20, 60):
        put(entries, f"{key}/frequent/{size}", frequent(model, rows, size))
    for way in WAYS:
        for rate in (0.5, 1.0):
            kept = frequent(model, rows, 20) if way == "truncate" else frozenset()
            segmented = resegment(model, rows, Resegmentation(way, rate, kept=kept, seed=2))
            for row, other in zip(rows, segmented, strict=True):
                put(
                    entries,
                    f"{key}/{way}/{rate}/{row.example.id}",
                    None if other is None else _pieces(other),
                )


def _pieces(row: Any) -> dict[str, Any]:
    parts = {
        name: np.asarray(getattr(row, name))
        for name in ("ids", "word", "content", "offsets", "segment")
    }
    return {**parts, "fertility": fertility(row)}


def intervened(entries: Values, key: str, model: Model) -> None:
    """What becomes of explanations, dose by dose, and the slopes."""
    rows = [*SINGLE[:2], SINGLE[3], SINGLE[4]]
    cuts = graded(model, list(WAYS), [0.0, 0.5, 1.0], [60, 20], encode(model, rows), 0)
    outcomes = intervene(model, rows, cuts, ["occlusion", "random"], OUTCOMES)
    for outcome in outcomes:
        place = (
            f"{key}/{outcome.arm}/{outcome.dose}/{outcome.method}/{outcome.outcome}/{outcome.id}"
        )
        put(entries, place, [float(outcome.value), float(outcome.fertility), outcome.kept])
    clusters = clusters_by_task(("", row.group, row.texts) for row in rows)
    for at, response in enumerate(responses(outcomes, clusters)):
        put(entries, f"{key}/responses/{at}", response)
    put(entries, f"{key}/flips", flips(outcomes))
    gold = [replace(row, label="place") for row in rows]
    doses = [(0.0, model, None), (1.0, model, Resegmentation("characters", 1.0))]
    for at, outcome in enumerate(trained("tuned", doses, gold, ["input_x_gradient"], OUTCOMES[2:])):
        kept = {name: part for name, part in asdict(outcome).items() if name not in LATER}
        put(entries, f"{key}/trained/{at}", kept)
