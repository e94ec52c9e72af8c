"""Explanations by every method, on small models of several architectures and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelscope.errors import BabelscopeError
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.methods.slalom.classes import explain_classes
from babelscope.model.load import Model
from babelscope.types import Aim, Attribution, Example
from baseline.values import Values, put
from conftest import PAIRS, TEXTS
from zoo import build, shared

ARCHITECTURES = ("bert", "xlm-roberta", "deberta-v2", "gpt2", "llama", "t5")
QUANTITIES = ("logit", "probability", "log_odds", "contrast")
LANGS = ("en", "en", "en", "es", "hi", "ar", "zh")
SINGLE = [Example(f"t{at}", (text,), LANGS[at]) for at, text in enumerate(TEXTS)]
PAIRED = [
    Example(f"p{at}", pair, lang)
    for at, (pair, lang) in enumerate(zip(PAIRS, ("en", "hi"), strict=True))
]
MIXED = [*(SINGLE[at] for at in (0, 4, 5, 6)), PAIRED[1]]
READING = [
    Example("q0", ("what was good", "the food was good but the room was small"), "en"),
    Example("q1", PAIRS[1], "en"),
]
OPERATORS = ("unk", "delete", "attention_zero", "mean_embedding")
LONG = Example("long", (" ".join(TEXTS[:2] * 4),), "en")
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "occlusion": tuple({"operator": name} for name in OPERATORS),
    "lime": ({"samples": 64}, {"width": 0.5}, {"ridge": 0.1}, {"operator": "delete"}),
    "kernel_shap": ({"samples": 64}, {"operator": "delete"}),
    "permutation_shapley": ({"permutations": 3}, {"operator": "delete"}),
    "partition_shapley": ({"samples": 40}, {"operator": "delete"}),
    "integrated_gradients": (
        *({"baseline": name} for name in ("mask", "zero", "mean")),
        {"nodes": 4}, {"tolerance": 0.1},
    ),
    "smooth_gradient": ({"samples": 6}, {"noise": 0.3}),
    "expected_gradients": ({"baselines": 5},),
    "deeplift": tuple({"baseline": name} for name in ("zero", "mean")),
    "slalom": (
        *({"score": name} for name in ("value", "importance", "lin", "share", "grad", "removal")),
        *({"design": name} for name in ("fixed(3)", "deletion", "exact", "mix+context")),
        {"unit": "word"}, {"samples": 60},
    ),
}  # fmt: skip
NUMBERS = ("scores", "word_scores", "value", "reference_value", "probability")
NAMES = ("label", "target", "quantity", "flags", "target_index", "target_end", "details")
INPUT = ("tokens", "offsets", "segment", "word_index", "words", "word_offsets", "word_segment")


def values() -> Values:
    entries: Values = {}
    for name in ARCHITECTURES:
        every(entries, name, shared(name, "text-classification"), MIXED)
    every(entries, "mamba", shared("mamba", "text-generation"), SINGLE[:1] + SINGLE[4:5])
    every(entries, "reader", shared("bert", "question-answering"), READING)
    every(entries, "tagger", shared("bert", "token-classification"), SINGLE[:1] + SINGLE[4:5])
    spoken = build("gpt2", "text-generation", verbalizer={"good": "good", "bad": "no"})
    every(entries, "verbalizer", spoken, SINGLE[:1] + SINGLE[3:4], quantity="logit")
    quantities(entries)
    options(entries)
    pieces(entries)
    return entries


def every(
    entries: Values, name: str, model: Model, rows: Sequence[Example], **settings: Any
) -> None:
    """All methods with their defaults."""
    for method in METHODS:
        put_method(entries, f"methods/{name}/{method}", model, rows, method, **settings)


def put_method(
    entries: Values, key: str, model: Model, rows: Sequence[Example], method: str, **settings: Any
) -> None:
    """What a method finds in all texts, or how it refuses; then text by text, where it does not."""
    try:
        attributions = list(explain(model, rows, method, **settings))
    except BabelscopeError as error:
        entries[f"{key}/error"] = " ".join(str(error).split())[:300]
        attributions = [
            attribution for row in rows for attribution in alone(model, row, method, **settings)
        ]
    for attribution in attributions:
        keep(entries, f"{key}/{attribution.id}", attribution)


def alone(model: Model, row: Example, method: str, **settings: Any) -> list[Attribution]:
    """One text explained by itself; nothing where it is refused."""
    try:
        return list(explain(model, row, method, **settings))
    except BabelscopeError:
        return []


def keep(entries: Values, key: str, attribution: Attribution) -> None:
    """An explanation's numbers; of its input the sizes and the words only by their spans."""
    for name in (*NUMBERS, *NAMES):
        part = getattr(attribution, name)
        if name == "quantity" and attribution.contrast is not None:
            part = f"{part} to {attribution.contrast}"  # the class was part of the name
        if part or name in NUMBERS:
            put(entries, f"{key}/{name}", part)
    if attribution.method == "random":
        for name in INPUT:
            put(entries, f"{key}/{name}", getattr(attribution, name))


def quantities(entries: Values) -> None:
    """What is explained: each quantity, a named class, the contrast to one; edges and words."""
    tasks = ("text-classification", "question-answering", "token-classification")
    model, reader, tagger = (shared("bert", task) for task in tasks)
    chosen = (
        "integrated_gradients",
        "deeplift",
        "occlusion",
        "attnlrp",
        "lrp",
        "slalom",
        "kernel_shap",
    )
    for quantity in QUANTITIES:
        for method in chosen:
            key = f"methods/quantities/{quantity}/{method}"
            put_method(entries, key, model, SINGLE[:1] + SINGLE[4:5], method, quantity=quantity)
    for name, aim in {"class": Aim("place"), "contrast": Aim("O", contrast="place")}.items():
        quantity = "contrast" if name == "contrast" else "logit"
        for method in chosen[:4]:
            key = f"methods/aims/{name}/{method}"
            put_method(entries, key, model, SINGLE[:2], method, target=aim, quantity=quantity)
    for edge in ("start", "end"):
        key = f"methods/aims/{edge}/input_x_gradient"
        put_method(entries, key, reader, READING, "input_x_gradient", target=Aim(edge=edge))
    key = "methods/aims/word/input_x_gradient"
    put_method(entries, key, tagger, SINGLE[:1], "input_x_gradient", target=Aim(word=3))


def options(entries: Values) -> None:
    """Options of methods on two architectures, and other seeds."""
    for name in ("bert", "gpt2"):
        model = shared(name, "text-classification")
        for method, many in OPTIONS.items():
            for choice in many:
                label = " ".join(f"{option}={value}" for option, value in choice.items())
                key = f"methods/options/{name}/{method}/{label}"
                put_method(entries, key, model, SINGLE[:1] + SINGLE[4:5], method, options=choice)
        for method in (row.name for row in METHODS.values() if row.seeded):
            key = f"methods/seeds/{name}/{method}/7"
            put_method(entries, key, model, SINGLE[:1], method, seed=7)
        put(entries, f"methods/classes/{name}", explain_classes(model, SINGLE[0], samples=80))


def pieces(entries: Values) -> None:
    """One text of a pair alone, and texts that are longer than the model."""
    model = shared("bert", "text-classification")
    for part in ("first", "second"):
        for method in ("integrated_gradients", "occlusion", "attention", "slalom", "random"):
            put_method(entries, f"methods/part/{part}/{method}", model, PAIRED, method, part=part)
    short = build("bert", "text-classification")
    short.tokenizer.model_max_length = 32
    for long in ("truncate", "window"):
        for method in ("integrated_gradients", "occlusion", "attention", "random"):
            put_method(entries, f"methods/long/{long}/{method}", short, [LONG], method, long=long)
