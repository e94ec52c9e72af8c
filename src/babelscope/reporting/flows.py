"""The flow of weight between a text and its translations, for the ribbons of the examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelscope.analyses.consistency.tables import NAME, Tables
from babelscope.analyses.stored import stored_keys
from babelscope.store import Store, read

Flow = list[Any]
"""Group, model, method, source and target language (all but the group as numbers), and the words
that are joined: source, target, weight and similarity, the last two in thousandths."""
LEAST = 0.002
"""Flow that is thinner is left out."""


def flows(
    store: Store, study: Mapping[str, Any], tables: Tables, data: Mapping[str, Any]
) -> list[Flow]:
    """Of every pair that the answer is about; none where the names of models were changed."""
    models = {name: at for at, name in enumerate(data["models"])}
    methods = {name: at for at, (name, _) in enumerate(data["methods"])}
    langs = {name: at for at, name in enumerate(data["langs"])}
    wanted = {
        (result.origin.model, result.origin.task, result.comparison.space,
         result.comparison.settings.norm): result.origin.method
        for result in tables.main
    }  # fmt: skip
    names = [
        "model", "task", "space", "norm", "method", "source", "lang", "id", "flow_s", "flow_t",
        "flow_weight", "flow_similarity",
    ]  # fmt: skip
    rows = read(store, "pairs", stored_keys(store, study, NAME)).select(names).to_pylist()
    listed = []
    for row in rows:
        method = wanted.get((row["model"], row["task"], row["space"], row["norm"]))
        known = row["model"] in models and method in methods and row["source"] in langs
        if method is not None and known and method.partition("[")[0] == row["method"]:
            place = [row["id"], models[row["model"]], methods[method]]
            listed.append([*place, langs[row["source"]], langs[row["lang"]], _words(row)])
    return [flow for flow in listed if flow[5]]


def _words(row: Mapping[str, Any]) -> list[list[int]]:
    columns = [row[name] for name in ("flow_s", "flow_t", "flow_weight", "flow_similarity")]
    if any(column is None for column in columns):  # a pair that could not be compared
        return []
    return [
        [source, target, round(1000 * weight), round(1000 * similarity)]
        for source, target, weight, similarity in zip(*columns)
        if weight > LEAST and similarity > 0
    ]
