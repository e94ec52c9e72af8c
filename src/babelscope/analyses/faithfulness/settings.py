"""One name per method, or metric, and setting: results with different options are not pooled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from babelscope.store import Store, cells, key, read


def names_of(requested: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """From each (name, options as JSON) to the name with the options that differ and are set:
    `sufficiency[unit=token]`.

    *Laws*: a name with a single setting stays as it is; two settings never share a
    name, unless they differ in their seed alone.
    """
    settings: dict[str, dict[str, dict[str, Any]]] = {}
    for name, text in dict.fromkeys(requested):
        settings.setdefault(name, {})[text] = json.loads(text or "{}")
    names: dict[tuple[str, str], str] = {}
    for name, several in settings.items():
        keys = sorted({key for options in several.values() for key in options if key != "seed"})
        varied = [
            key
            for key in keys
            if len({json.dumps(options.get(key)) for options in several.values()}) > 1
        ]
        for text, options in several.items():
            shown = ",".join(
                f"{key}={options[key]}" for key in varied if options.get(key) is not None
            )
            names[name, text] = f"{name}[{shown}]" if shown else name
    return names


def read_named(
    store: Store,
    kind: str,
    keys: Iterable[str] | None = None,
    columns: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
) -> pa.Table:
    """The rows of that kind, each with the name of its method and setting; measures carry only the
    name of the method. With `columns` (the method among them) only those are read, with `groups`
    only the rows of these translation groups are kept.
    """
    manifests = {key(manifest["identity"]): manifest for manifest in cells(store)}
    chosen = list(manifests if keys is None else dict.fromkeys(keys))
    explained = {
        name: manifests[name]["identity"]
        for name in chosen
        if manifests[name]["kind"] == "attributions" and "method" in manifests[name]["identity"]
    }
    settings = {
        name: (identity["method"], json.dumps(identity.get("options", {}), sort_keys=True))
        for name, identity in explained.items()
    }
    names = names_of(settings.values())
    labels = {name: names[setting] for name, setting in settings.items()}
    of_kind = [name for name in chosen if manifests[name]["kind"] == kind]
    tables = [read(store, kind, [], columns)]
    for label, cell_names in _by_label(of_kind, manifests, labels).items():
        table = pa.concat_tables(
            [_of(read(store, kind, [name], columns), groups) for name in sorted(cell_names)]
        )
        if label is not None:
            at = table.column_names.index("method")
            table = table.set_column(at, "method", pa.array([label] * table.num_rows, pa.string()))
        tables.append(table)
    return pa.concat_tables(tables)


def _of(rows: pa.Table, groups: Sequence[str] | None) -> pa.Table:
    """The rows of these translation groups; None for all."""
    if groups is None:
        return rows
    return rows.filter(pc.is_in(rows["group"], value_set=pa.array(groups, pa.string())))


def _by_label(
    names: Iterable[str], manifests: Mapping[str, Mapping[str, Any]], labels: Mapping[str, str]
) -> dict[str | None, list[str]]:
    """The cells of each label; of what is not made from one explanation, those without one keep
    their names.
    """
    by_label: dict[str | None, list[str]] = {}
    for name in names:
        of = name if name in labels else manifests[name]["identity"].get("of", "")
        by_label.setdefault(labels.get(of), []).append(name)
    return by_label
