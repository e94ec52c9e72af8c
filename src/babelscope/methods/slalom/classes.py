"""One SLALOM for all classes of a model."""

from __future__ import annotations

import numpy as np
import pandas as pd

from babelscope.errors import InputError
from babelscope.methods.explain import as_examples
from babelscope.methods.slalom.design import design
from babelscope.methods.slalom.joint import joint_fit
from babelscope.methods.slalom.methods import pieces
from babelscope.methods.slalom.surrogate import texts
from babelscope.methods.slalom.text import questions
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.random import keyed
from babelscope.types import Example


def explain_classes(
    model: Model,
    text: str | tuple[str, str] | Example,
    *,
    samples: int = 0,
    unit: str = "token",
    seed: int = 0,
    lang: str = "und",
) -> pd.DataFrame:
    """What each unit of a text is worth for every class, with one importance for all: the joint SLALOM.

    One row per distinct unit in the order of the text: `unit`, `importance`, and the value for each class under the class's
    name. The values of a unit sum to 0; the importances too. For one class against the rest, `explain` with the quantity
    log_odds.
    """
    if len(model.labels) < 2:
        raise InputError(f"{model.name} has {len(model.labels)} classes; a joint surrogate needs at least two")
    (row,) = (pieces(one, unit) for one in encode(model, as_examples(text, lang)))
    asked = questions(row.segments, design("mix"), samples, keyed(seed, "slalom", row.row.example.id))
    outputs = inference.outputs(model, [row.query(one) for one in asked.asked])
    logits = np.stack([output.numpy() for output in outputs])
    flat = [[number for one in question for number in one] for question in asked.asked]
    found = joint_fit(texts(flat), logits, size=asked.size, weight=asked.weight)
    tokens = np.array(row.row.tokens)[row.row.content]
    names = ["".join(tokens[row.position == int(np.flatnonzero(row.units == number)[0])]) for number in range(asked.size)]
    values = {label: found.value[:, at] for at, label in enumerate(model.labels)}
    return pd.DataFrame({"unit": names, "importance": found.importance, **values})
