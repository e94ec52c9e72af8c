"""The models that are served: loaded once, and described for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from babelscope.data import builtin
from babelscope.errors import BabelscopeError, InputError
from babelscope.methods import METHODS
from babelscope.methods.apply import unmet
from babelscope.methods.row import Method
from babelscope.model.load import Model, load
from babelscope.model.scopes import quiet
from babelscope.options import defaults
from babelscope.types import Example
from babelscope.web.erased import operators

DEMO = "demo"
"""The model that is served where none is named."""
LABELS = 200
"""Classes up to which the page lists them; of a language model every token is one."""
MEANINGS = 6
"""Texts of the built-in corpus that are offered, each in every language."""
FIELDS = {
    "question-answering": ("Question", "Context"),
    "multiple-choice": ("Context", "Candidate"),
    "text2text-generation": ("Text", "Beginning of the answer"),
    "text-generation": ("Prompt",),
}
"""What the texts of an input are called, where they are not simply texts."""


def load_models(sources: Sequence[str]) -> dict[str, Model]:
    """The models by the names under which they were given."""
    repeated = next((name for name in sources if list(sources).count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"the model {repeated!r} is named twice; name each once")
    with quiet():
        return {name: load(name) for name in sources}


def load_demo() -> dict[str, Model]:
    """The packaged model; where there is none, one line says what to do."""
    try:
        return load_models([DEMO])
    except (BabelscopeError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"the packaged model {DEMO!r} cannot be loaded ({reason}); name a model: "
            "babelscope serve MODEL, or a store: babelscope serve --store STORE"
        ) from error


def corpus_of(model: Model) -> str | None:
    """The task of the built-in corpus that fits the model; None where none does."""
    if model.row.spans:
        return "reading"
    if model.row.several:
        return None
    labels = {label.lower() for label in model.labels[:LABELS]}
    for name, task in builtin.CORPORA.items():
        if labels == {label.lower() for label in task.labels}:
            return name
    return "nli" if model.texts == 2 else "sentiment"


def offered_texts(models: Mapping[str, Model]) -> dict[str, list[Example]]:
    """For each built-in task that fits a model, the texts that the page offers."""
    names = dict.fromkeys(name for name in map(corpus_of, models.values()) if name is not None)
    return {
        name: [
            row
            for lang in builtin.LANGUAGES
            for row in builtin.read(name, lang, "test", MEANINGS)
        ]
        for name in names
    }  # fmt: skip


def describe_model(name: str, model: Model) -> dict[str, Any]:
    """What the page has to know of a model before it asks anything."""
    row = model.row
    few = len(model.labels) <= LABELS
    return {
        "name": name,
        "task": model.task,
        "description": model.description,
        "labels": list(model.labels) if few else [],
        "named": bool(model.labels) or row.spans,
        "contrasts": few and len(model.labels) > 1 and not row.spans,
        "fewest": model.texts or row.fewest,
        "most": model.texts or row.most,
        "fields": FIELDS.get(model.task, ("Text", "Second text")),
        "tags": row.tags,
        "spans": row.spans,
        "several": row.several,
        "generates": model.generates and not model.verbalizer,
        "operators": operators(model),
        "methods": [method.name for method in METHODS.values() if suits(model, method)],
        "corpus": corpus_of(model),
        "probabilities": model.activation != "none",
    }


def suits(model: Model, method: Method) -> bool:
    """Whether the model has what the method needs, as far as that is known without running it."""
    return not unmet(model, method) and not (method.precise and model.quantized)


def describe_methods() -> list[dict[str, Any]]:
    """The table of methods, for menus."""
    return [
        {
            "name": row.name, "family": row.family, "summary": row.summary,
            "options": defaults(row), "signed": row.signed, "seeded": row.seeded,
        }
        for row in METHODS.values()
    ]  # fmt: skip


def describe_texts(texts: Mapping[str, Sequence[Example]]) -> dict[str, list[dict[str, Any]]]:
    """The offered texts as plain values, by task of the built-in corpus."""
    names = ("group", "lang", "texts", "label")
    return {
        corpus: [{name: getattr(row, name) for name in names} for row in rows]
        for corpus, rows in texts.items()
    }
