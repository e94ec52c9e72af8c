"""One name per method, or metric, and setting: what a study asked for with several options is not
one thing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from babelscope.store import Store, cells, key, read


def names_of(asked: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """From each (name, options as JSON) to the name with the options that differ and are set:
    `sufficiency[unit=token]`.

    *Laws*: a name that was asked for with one setting stays as it is; two settings never share a
    name, unless they differ in their seed alone.
    """
    settings: dict[str, dict[str, dict[str, Any]]] = {}
    for name, text in asked:
        settings.setdefault(name, {})[text] = json.loads(text or "{}")
    found: dict[tuple[str, str], str] = {}
    for name, several in settings.items():
        keys = sorted({one for options in several.values() for one in options if one != "seed"})
        varied = [
            one
            for one in keys
            if len({json.dumps(options.get(one)) for options in several.values()}) > 1
        ]
        for text, options in several.items():
            shown = ",".join(
                f"{one}={options[one]}" for one in varied if options.get(one) is not None
            )
            found[name, text] = f"{name}[{shown}]" if shown else name
    return found


def read_named(store: Store, kind: str, keys: Iterable[str] | None = None) -> pa.Table:
    """The rows of that kind, each with the name of its method and setting; measures carry only the
    name of the method.
    """
    manifests = {key(one["identity"]): one for one in cells(store)}
    wanted = [
        name
        for name in (manifests if keys is None else dict.fromkeys(keys))
        if manifests[name]["kind"] == kind
    ]
    made = {
        name: one["identity"] for name, one in manifests.items() if one["kind"] == "attributions"
    }
    mine = set(manifests if keys is None else keys)
    asked = {
        name: (one["method"], json.dumps(one.get("options", {}), sort_keys=True))
        for name, one in made.items()
        if name in mine and "method" in one
    }
    named = names_of(asked.values())
    tables = [read(store, kind, [])]
    for label, names in _by_label(
        wanted, manifests, {name: named[one] for name, one in asked.items()}
    ).items():
        table = read(store, kind, names)
        if label is not None:
            at = table.column_names.index("method")
            table = table.set_column(at, "method", pa.array([label] * table.num_rows, pa.string()))
        tables.append(table)
    return pa.concat_tables(tables)


def _by_label(
    wanted: Iterable[str], manifests: Mapping[str, Mapping[str, Any]], labels: Mapping[str, str]
) -> dict[str | None, list[str]]:
    """The cells of each label; of what is not made from one explanation, those without one keep
    their names.
    """
    found: dict[str | None, list[str]] = {}
    for name in wanted:
        of = name if name in labels else manifests[name]["identity"].get("of", "")
        found.setdefault(labels.get(of), []).append(name)
    return found
