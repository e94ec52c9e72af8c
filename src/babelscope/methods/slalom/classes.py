"""One SLALOM for all classes of a model."""

from __future__ import annotations

import numpy as np
import pandas as pd

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError
from babelscope.methods.slalom.design import DEFAULT, parse_design
from babelscope.methods.slalom.joint import joint_fit
from babelscope.methods.slalom.methods import text_units
from babelscope.methods.slalom.surrogate import counted
from babelscope.methods.slalom.text import plan_queries
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.stats.threads import one_thread
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
    """The value of each unit of a text for every class, with one importance for all: the joint
    SLALOM.

    One row per distinct unit in the order of the text: `unit`, `importance`, and the value for each
    class under the class's name. The values of a unit sum to 0; the importances too. For one class
    against the rest, `explain` with the quantity log_odds.
    """
    if len(model.labels) < 2:
        raise InputError(
            f"{model.name} has {len(model.labels)} classes; a joint surrogate needs at least two"
        )
    (row,) = (text_units(encoded, unit) for encoded in encode(model, as_examples(text, lang)))
    queries = plan_queries(
        row.segments, parse_design(DEFAULT), samples, keyed(seed, "slalom", *identity(row.row))
    )
    outputs = inference.outputs(model, [row.query(units) for units in queries.texts])
    logits = np.stack([output.numpy() for output in outputs])
    flat = [[number for segment in units for number in segment] for units in queries.texts]
    with one_thread():
        fitted = joint_fit(counted(flat), logits, size=queries.size, weight=queries.weight)
    tokens = np.array(row.row.tokens)[row.row.content]
    names = [
        "".join(tokens[row.position == int(np.flatnonzero(row.units == number)[0])])
        for number in range(queries.size)
    ]
    values = {label: fitted.value[:, at] for at, label in enumerate(model.labels)}
    return pd.DataFrame({"unit": names, "importance": fitted.importance, **values})
