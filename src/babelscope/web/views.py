"""Aggregated views of a store: words by class, languages that disagree, explanations that fail."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.trust.values import CHECKS, VERDICTS
from babelscope.web.columns import Codes, combined
from babelscope.web.index import Index

TOP = 12
"""Words that are listed for each class and language."""
GROUPS = 30
"""Translation groups that are listed."""
MOST = 200
"""Combinations of language and class that are listed."""


def influential_words(
    index: Index, rows: NDArray[np.bool_], fewest: int = 2
) -> list[dict[str, Any]]:
    """For each language and explained class the words with the most influence in its favour.

        influence of a word = sum over its occurrences of score / largest |score| in the text

    Words that occur fewer than `fewest` times are left out, and so are words of punctuation only,
    whose occurrences are counted: no reader takes them for a reason. Emoji stay. `gold` is the
    share of a word's occurrences that the gold rationale marks, None where there is no rationale.
    """
    lang, target = index.names["lang"], index.names["target"]
    classes = np.where(rows, lang.codes * (len(target.names) + 1) + target.codes + 1, -1)
    marks = np.array([punctuation(word) for word in index.word_names], dtype=np.bool_)
    views = []
    for code in np.unique(classes[classes >= 0])[:MOST]:
        chosen = classes == code
        views.append(
            {
                "lang": lang.names[code // (len(target.names) + 1)],
                "target": ([*target.names, ""])[code % (len(target.names) + 1) - 1],
                "texts": int(chosen.sum()),
                **_top_words(index, chosen, fewest, marks),
            }
        )
    return _in_order(index, views, "lang", "target")


def punctuation(word: str) -> bool:
    """Whether a word has no sign but those of punctuation, as Unicode has them."""
    return all(category(sign)[0] == "P" for sign in word)


def _in_order(index: Index, views: list[dict[str, Any]], *columns: str) -> list[dict[str, Any]]:
    """Views in the order in which the study names languages and methods."""
    listed = {name: index.listed(name) for name in columns}
    return sorted(views, key=lambda view: [listed[name].index(view[name]) for name in columns])


def _top_words(
    index: Index, rows: NDArray[np.bool_], fewest: int, punctuation: NDArray[np.bool_]
) -> dict[str, Any]:
    """The first words of one class and language, and the occurrences of punctuation."""
    items = index.words.chosen(rows) & np.isfinite(index.shares)
    words, shares = index.words.items[items].astype(np.int64), index.shares[items]
    marks = index.marked[items]
    size = len(index.word_names)
    counts, sums = np.bincount(words, minlength=size), np.bincount(words, shares, minlength=size)
    judged = np.bincount(words, marks >= 0, minlength=size)
    gold = np.bincount(words, marks == 1, minlength=size)
    influence = np.where((counts >= fewest) & ~punctuation, sums, -np.inf)
    best = np.argsort(-influence, kind="stable")[:TOP]
    listed = [
        {
            "word": index.word_names[word],
            "count": int(counts[word]),
            "influence": float(sums[word]),
            "mean": float(sums[word] / counts[word]),
            "gold": float(gold[word] / judged[word]) if judged[word] else None,
        }
        for word in best.tolist()
        if influence[word] > 0
    ]
    return {"words": listed, "punctuation": int(counts[punctuation].sum())}


def disagreements(index: Index, rows: NDArray[np.bool_]) -> dict[str, Any]:
    """For each two languages how many translations get different labels from the same model, and
    the groups in which most languages do."""
    names = index.names
    chosen = np.flatnonzero(rows)
    place = combined(*(names[name].codes[chosen] for name in ("task", "model", "group", "lang")))
    _, first = np.unique(place, return_index=True)
    chosen = chosen[first]  # one prediction, whichever method explained it
    group = combined(*(names[name].codes[chosen] for name in ("task", "model", "group")))
    lang, label = names["lang"].codes[chosen], names["label"].codes[chosen]
    return {
        "pairs": _pairs(index, group, lang, label),
        "groups": _groups(index, chosen[index.disagrees[chosen]]),
    }


def _pairs(index: Index, group: Codes, lang: Codes, label: Codes) -> list[dict[str, Any]]:
    size = int(group.max(initial=-1)) + 1
    table = np.full((len(index.names["lang"].names), size), -1, dtype=np.int32)
    table[lang, group] = label
    pairs = []
    known = index.names["lang"]
    for langs in combinations(index.listed("lang"), 2):
        first, second = (table[known.code(lang)] for lang in langs)
        both = (first >= 0) & (second >= 0)
        differ = int((first != second)[both].sum())
        pairs.append({"langs": list(langs), "texts": int(both.sum()), "differ": differ})
    return [pair for pair in pairs if pair["texts"]]


def _groups(index: Index, rows: NDArray[np.int64]) -> list[dict[str, Any]]:
    listed: dict[tuple[str | None, ...], dict[str, Any]] = {}
    for row in rows.tolist():
        key = tuple(index.names[name].name(row) for name in ("task", "model", "group"))
        if key not in listed and len(listed) == GROUPS:
            continue
        entry = listed.setdefault(
            key,
            {"model": key[1], "group": key[2], "gold": index.names["gold"].name(row), "labels": {},
             "rows": {}},
        )  # fmt: skip
        entry["labels"][index.names["lang"].name(row)] = index.names["label"].name(row)
        entry["rows"][index.names["lang"].name(row)] = row
    order = index.listed("lang")
    for entry in listed.values():
        entry["labels"] = {lang: entry["labels"][lang] for lang in order if lang in entry["labels"]}
        entry["row"] = entry.pop("rows")[next(iter(entry["labels"]))]
    return list(listed.values())


def untrusted(index: Index, rows: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """For each method and language the verdicts of every check: how many hold, fail, are undecided
    or undefined, were not run or do not apply."""
    checked = rows & (index.verdicts >= 0).any(axis=1)
    method, lang = index.names["method"], index.names["lang"]
    views = []
    for code in np.unique(combined(method.codes, lang.codes)[checked]):
        chosen = checked & (combined(method.codes, lang.codes) == code)
        first = int(np.flatnonzero(chosen)[0])
        counts = [
            np.bincount(column[column >= 0], minlength=len(VERDICTS)).tolist()
            for column in index.verdicts[chosen].T
        ]
        views.append(
            {
                "method": method.name(first),
                "lang": lang.name(first),
                "explanations": int(chosen.sum()),
                "checks": {name: dict(zip(VERDICTS, count)) for name, count in zip(CHECKS, counts)},
            }
        )
    return _in_order(index, views, "method", "lang")
