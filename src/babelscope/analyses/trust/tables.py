"""The stored trust panels of a study, each with its explanation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from babelscope.analyses.explanations import EXPLANATIONS
from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import with_tasks
from babelscope.analyses.stored import stored_keys
from babelscope.analyses.trust.values import Trust, judged
from babelscope.store import Store, attribution

NAME = "trust"


def tables(store: Store, study: Mapping[str, Any]) -> list[Trust] | None:
    """The panels, example by example; None where there are none."""
    explained = stored_keys(store, study, EXPLANATIONS)
    panels = with_tasks(read_named(store, "panels", stored_keys(store, study, NAME) + explained))
    if panels.num_rows == 0:
        return None
    attributions = with_tasks(read_named(store, "attributions", explained))
    columns = ("model", "lang", "id", "method", "options", "seed")
    stored = {
        tuple(row[name] for name in columns): json.loads(row["panel"]) for row in panels.to_pylist()
    }
    ids = panels["id"].combine_chunks()
    kept = attributions.filter(pc.is_in(attributions["id"], value_set=ids)).to_pylist()
    rows = {tuple(row[name] for name in columns): row for row in kept}
    return [
        judged(attribution(rows[place]), panel)
        for place, panel in sorted(stored.items())
        if place in rows
    ]
