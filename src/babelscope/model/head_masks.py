"""Which heads are kept: masks from statistics, their controls, and their files."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from math import ceil, isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.files import write_text
from babelscope.model.head_statistics import (
    HeadStatistics,
    accuracy,
    defined,
    syntactic,
    thresholds,
)
from babelscope.random import keyed

KINDS = {
    "synt": "heads that find a syntactic relation",
    "pos": "heads that look at one fixed offset",
    "synt_pos": "either of the two: the method",
    "random": "as many heads as the method keeps, sampled at random",
    "corrupted": "the method's heads, and a random share of the others",
    "corrupted_sinks": "the same, the others that look most at the first or a special token",
    "corrupted_words": "the same, the others that look least at these",
    "all": "every head: no mask",
}
"""The masks: the method, its two halves and its controls."""
FORMAT = 1


@dataclass(frozen=True, slots=True)
class HeadMask:
    """The heads of a model to keep, and what decided it. `keep[layer][head]`, both from 0."""

    model: str
    lang: str
    corpus: str
    """SHA-256 of the sentences and trees."""
    relations: tuple[str, ...]
    direction: str
    subtypes: str
    thresholds: tuple[tuple[float | None, ...], ...]
    """[layer][relation]: what an accuracy had to exceed; None where there was no pair."""
    margin: float
    positional: float
    kind: str
    keep: tuple[tuple[bool, ...], ...]
    seed: int = 0
    rate: float = 0.0

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, heads."""
        return len(self.keep), len(self.keep[0])

    @property
    def count(self) -> int:
        """How many heads are kept."""
        return sum(map(sum, self.keep))


def head_mask(
    statistics: HeadStatistics,
    kind: str = "synt_pos",
    *,
    margin: float = 0.05,
    positional: float = 0.8,
    seed: int = 0,
    rate: float = 0.5,
) -> HeadMask:
    """The heads to keep.

        synt[l, h] = any over k of acc[l, h, k] > threshold[l, k]
        pos[l, h] = share[l, h] > positional
        M = synt or pos

    acc, threshold and its margin as in `head_statistics.py`; share is the largest share of tokens
    at one offset. Kind "random" samples as many heads as M has, "corrupted" adds to M the share
    `rate` of the other heads, rounded, at random, "corrupted_sinks" those with the largest sink and
    "corrupted_words" those with the smallest: which irrelevant heads harm? "all" keeps all.

    *Laws*: permuting heads permutes synt, pos and M; random has as many heads as M; corrupted at
    rate 0 is M, at 1 all, and between them grows with the rate; so do the two sorted kinds, which
    add as many heads and no common one up to a rate of 1/2; the same seed samples the same heads;
    higher thresholds never keep more heads.
    *Left open by the paper*: how the corrupting heads are sampled; from one shuffled list per seed,
    so that rates are nested.
    Source: arXiv 2401.09972, section 3 and its ablations.
    """
    check_mask(kind, margin, positional, rate)
    keep = _kept(statistics, kind, margin, positional, seed, rate)
    shared = ("model", "lang", "corpus", "relations", "direction", "subtypes")
    limits = tuple(map(tuple, defined(thresholds(statistics, margin).tolist())))
    return HeadMask(
        **{name: getattr(statistics, name) for name in shared},
        thresholds=limits,
        margin=margin,
        positional=positional,
        kind=kind,
        keep=tuple(map(tuple, keep.tolist())),
        seed=seed if kind in ("random", "corrupted") else 0,
        rate=rate if kind.startswith("corrupted") else 0.0,
    )


def margins_keeping(statistics: HeadStatistics, part: float) -> tuple[float, float]:
    """The thresholds of `head_mask`, margin and positional, that a part of the heads pass.

        margin: between the k-th and the next largest of max over relations of acc - baseline;
        positional: between the k-th and the next largest share at one offset;   k = ceil(part n)

    Each of "synt" and "pos" keeps k heads of n, more where heads are tied; "synt_pos" those of
    both. A fixed threshold may keep none of a model's heads, or all.

    *Laws*: "synt" and "pos" keep at least k heads that have a hit; permuting heads changes nothing;
    a larger part never keeps fewer.
    """
    if not 0 < part < 1:
        raise InputError(f"the part of the heads to keep must be above 0 and below 1, not {part}")
    above = accuracy(statistics) - statistics.baseline[:, None, :]
    best = np.max(np.nan_to_num(above, nan=-1.0), axis=-1)
    return _between(best, part), max(0.0, _between(statistics.positional, part))


def _between(values: NDArray[np.float64], part: float) -> float:
    """A number that the highest values exceed: a part of them, or more where the last is tied."""
    ordered = np.sort(np.nan_to_num(values, nan=-1.0).ravel())[::-1]
    for at in range(ceil(part * len(ordered) - 1e-9), len(ordered)):
        if ordered[at] < ordered[at - 1]:
            return float((ordered[at - 1] + ordered[at]) / 2)
    return float(max(ordered[-1] - 1e-6, -1.0))


def check_mask(kind: str, margin: float, positional: float, rate: float) -> None:
    """Refuses an unknown kind, and numbers that are not a share."""
    if kind not in KINDS:
        raise InputError(f"there is no kind of mask {kind!r}; there are: {', '.join(KINDS)}")
    for name, value, least in (
        ("margin", margin, -1),
        ("positional", positional, 0),
        ("rate", rate, 0),
    ):
        if not least <= value <= 1:
            raise InputError(f"{name} {value} is not between {least} and 1")


def _kept(
    statistics: HeadStatistics, kind: str, margin: float, positional: float, seed: int, rate: float
) -> NDArray[np.bool_]:
    synt: NDArray[np.bool_] = np.any(syntactic(statistics, margin), axis=-1)
    pos: NDArray[np.bool_] = statistics.positional > positional
    if kind in ("synt", "pos"):
        return synt if kind == "synt" else pos
    if kind == "all":
        return np.ones(statistics.shape, dtype=bool)
    method: NDArray[np.bool_] = synt | pos
    order = keyed(seed, kind, statistics.corpus, *statistics.shape).permutation(method.size)
    if kind == "random":
        return _at(method.shape, order[: method.sum()])
    if kind in ("corrupted_sinks", "corrupted_words"):
        sink = np.nan_to_num(statistics.sink.reshape(-1), nan=-1.0)
        order = np.argsort(sink if kind == "corrupted_words" else -sink, kind="stable")
    if kind.startswith("corrupted"):
        others = order[~method.reshape(-1)[order]]
        return method | _at(method.shape, others[: round(rate * len(others))])
    return method


def _at(shape: tuple[int, ...], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    grid = np.zeros(shape, dtype=bool)
    grid.reshape(-1)[places] = True
    return grid


def random_like(mask: HeadMask, seed: int) -> HeadMask:
    """As many heads as the mask keeps, sampled at random: its control.

    *Laws*: keeps as many heads; the same seed samples the same ones.
    """
    layers, heads = mask.shape
    order = keyed(seed, "random", mask.corpus, *mask.shape).permutation(layers * heads)
    keep = _at((layers, heads), order[: mask.count])
    return replace(mask, kind="random", keep=tuple(map(tuple, keep.tolist())), seed=seed, rate=0.0)


def repeated(
    statistics: HeadStatistics, kind: str = "random", *, times: int = 10, rate: float = 0.5
) -> list[HeadMask]:
    """The same control with the seeds 0, 1, ...: report the mean and deviation over them."""
    return [head_mask(statistics, kind, seed=seed, rate=rate) for seed in range(times)]


def to_json(mask: HeadMask) -> str:
    """One line per layer of `keep`, so that two masks can be compared by eye.

    *Law*: `from_json(to_json(mask)) == mask`.
    """
    rest = {name: value for name, value in asdict(mask).items() if name != "keep"}
    lines = [f' "{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in rest.items()]
    rows = ",\n  ".join(json.dumps([int(head) for head in layer]) for layer in mask.keep)
    return (
        "{\n" + ",\n".join([f' "format": {FORMAT}', *lines, f' "keep": [\n  {rows}\n ]']) + "\n}\n"
    )


def from_json(text: str, name: str = "the mask") -> HeadMask:
    """The mask of a file's text; what is no mask is refused in one line."""
    try:
        values = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(
            f"{name} is damaged: no JSON ({error}); write it again with babelscope heads"
        ) from error
    names = {each.name for each in fields(HeadMask)}
    if (
        not isinstance(values, dict)
        or values.get("format") != FORMAT
        or set(values) != names | {"format"}
    ):
        raise InputError(
            f"{name} is no head mask of format {FORMAT}; write one with babelscope heads MODEL "
            "--mask FILE.json"
        )
    del values["format"]
    for field, (sound, expected) in _SHAPES.items():
        if not sound(values[field]):
            raise InputError(
                f"{name} is damaged: {field} is not {expected}; write it again with babelscope "
                "heads"
            )
    values["relations"] = tuple(values["relations"])
    values["thresholds"] = tuple(map(tuple, values["thresholds"]))
    values["keep"] = tuple(tuple(bool(head) for head in layer) for layer in values["keep"])
    return HeadMask(**values)


def _number(value: Any) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and isfinite(value)


def _rows(value: Any, sound: Any) -> bool:
    """A table whose rows are equally long, with sound entries."""
    rows = isinstance(value, list) and value and all(isinstance(row, list) and row for row in value)
    return (
        bool(rows)
        and len({len(row) for row in value}) == 1
        and all(sound(each) for row in value for each in row)
    )


def _text(value: Any) -> bool:
    return isinstance(value, str)


_TEXT, _NUMBER = (_text, "a text"), (_number, "a number")
_SHAPES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("model", "lang", "corpus", "direction", "subtypes"), _TEXT),
    **dict.fromkeys(("margin", "positional", "rate"), _NUMBER),
    "kind": (lambda value: value in KINDS, f"one of {', '.join(KINDS)}"),
    "seed": (
        lambda value: isinstance(value, int) and not isinstance(value, bool),
        "a whole number",
    ),
    "relations": (
        lambda value: isinstance(value, list) and all(map(_text, value)),
        "a list of relations",
    ),
    "thresholds": (
        lambda value: _rows(value, lambda each: each is None or _number(each)),
        "a number per layer and relation",
    ),
    "keep": (
        lambda value: _rows(value, lambda each: each in (0, 1)),
        "0 or 1 for every head of every layer",
    ),
}


def write_mask(mask: HeadMask, path: str | Path) -> Path:
    """Writes the mask to a .json file: whole or not at all."""
    file = Path(path)
    if file.suffix != ".json":
        raise InputError(f"{file}: the ending must be .json")
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no folder {file.parent}")
    write_text(file, to_json(mask))
    return file


def load_mask(source: str | Path) -> HeadMask:
    """The mask of a file, or of the JSON itself."""
    text = str(source)
    if text.lstrip().startswith("{"):
        return from_json(text)
    file = Path(source)
    if not file.is_file():
        raise InputError(
            f"there is no head mask {file}; write one with babelscope heads MODEL --mask FILE.json"
        )
    try:
        return from_json(file.read_text("utf-8"), str(file))
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(f"{file} cannot be read as a head mask: {error}") from error
