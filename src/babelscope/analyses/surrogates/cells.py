"""Surrogates that are fitted to a model's answers, once for every model, seed and language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from babelscope.analyses.block import Block, Group, Place, PlannedCell, Resources, by_language
from babelscope.analyses.surrogates.spec import Spec
from babelscope.data.examples import made_up_language
from babelscope.data.synthetic import Language
from babelscope.errors import InputError
from babelscope.files import canonical
from babelscope.methods.slalom.surrogate import Numbers
from babelscope.store import SCHEME, Rows
from babelscope.types import Example, Failure, SurrogateNumber

if TYPE_CHECKING:
    from babelscope.model.load import Model

NAME = KIND = "surrogates"


def places(block: Block, spec: Spec) -> Iterator[Place]:
    return (_place(block, spec, lang) for lang in block.languages)


def cells(block: Block, spec: Spec, resources: Resources) -> Iterator[Group | Failure]:
    """One cell for every model and made-up language."""

    def groups(lang: str) -> Iterator[Group]:
        yield [_cell(block, spec, resources, lang)]

    yield from by_language(block, NAME, groups)


def _cell(block: Block, spec: Spec, resources: Resources, lang: str) -> PlannedCell:
    model, made_up = resources.model(lang), made_up_language(block.task.data, lang)
    identity = {
        "kind": KIND,
        "model": model.fingerprint,
        "name": block.name,
        "task": block.task.name,
        "lang": lang,
        "language": _digest(str(block.task.data.synthetic), made_up),
        "seed": block.seed,
        "spec": spec.identity(),
        "scheme": SCHEME,
    }

    def compute() -> Rows:
        from babelscope.analyses.surrogates.fits import lines

        def answers(sequences: Sequence[Sequence[int]]) -> Numbers:
            return log_odds(model, made_up, sequences, lang)

        place = (block.name, block.task.name, lang)
        listed = lines(made_up, answers, spec, block.seed)
        return [SurrogateNumber(*place, line.part, line.name, line.x, line.y) for line in listed]

    return PlannedCell(_place(block, spec, lang), identity, KIND, compute)


def _digest(name: str, made_up: Language) -> str:
    """The language by its name, words and numbers."""
    parts = (made_up.value, made_up.value * 0 if made_up.importance is None else made_up.importance)
    text = canonical([made_up.words, [part.round(9).tolist() for part in parts]]).encode()
    return f"{name} {hashlib.sha256(text).hexdigest()[:16]}"


def log_odds(
    model: Model, made_up: Language, sequences: Sequence[Sequence[int]], lang: str
) -> Numbers:
    """The model's log-odds of the positive class, each distinct text once."""
    from babelscope.model import inference
    from babelscope.model.encode import encode

    texts = [" ".join(made_up.words[word] for word in sequence) for sequence in sequences]
    labels: Any = list(model.labels)
    if sorted(labels) != ["negative", "positive"]:
        raise InputError(f"{model.name} has the classes {', '.join(labels)}; expected negative and "
                         "positive")  # fmt: skip
    distinct = list(dict.fromkeys(texts))
    rows = encode(model, [Example(str(at), (text,), lang) for at, text in enumerate(distinct)])
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    up, down = labels.index("positive"), labels.index("negative")
    known = {text: float(output[up] - output[down]) for text, output in zip(distinct, outputs)}
    return np.array([known[text] for text in texts])


def _place(block: Block, spec: Spec, lang: str) -> Place:
    return Place.of(block, NAME, lang, canonical(spec.identity()))
