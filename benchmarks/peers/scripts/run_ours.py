"""babelscope, from strings to explanations."""

from __future__ import annotations

import warnings
from typing import Any

from serve import Job, Method, Scores, serve

import babelscope
from babelscope.methods import METHODS
from babelscope.model.load import Model, load
from babelscope.types import Example


def method(name: str) -> Method:
    def scores(model: Model, texts: list[Job], options: dict[str, Any]) -> Scores:
        rest = {
            key: each for key, each in options.items() if key not in ("seed", "quantity", "unit")
        }
        unit = options.get("unit", "token")
        rows = [_example(at, text) for at, text in enumerate(texts)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            explained = babelscope.explain(
                model, rows, name, quantity=options.get("quantity"), options=rest,
                seed=options["seed"], unit=unit,
            )  # fmt: skip
        if len(explained) != len(texts):
            raise ValueError(f"{len(explained)} of {len(texts)} texts are explained")
        for text, attribution in zip(texts, explained):
            if attribution.target_index != text["target"]:
                raise ValueError(
                    f"class {attribution.target_index} is explained, not {text['target']}"
                )
        if unit == "token":
            return [list(attribution.scores) for attribution in explained]
        return [list(attribution.units.scores) for attribution in explained if attribution.units]

    return scores


def _example(at: int, text: Job) -> Example:
    spans = tuple((start, end) for start, end in text["spans"])
    return Example(str(at), (text["text"],), text["lang"], units=(("blank", (spans,)),))


def opened(job: Job) -> Model:
    return load(job["folder"], dtype="float32" if job["decoder"] else None)


if __name__ == "__main__":
    serve(opened, lambda: {name: method(name) for name in METHODS})
