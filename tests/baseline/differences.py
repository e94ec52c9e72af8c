"""Two tables of recorded values beside each other: numbers within a tolerance, all else exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from baseline.values import Plain, Values

TOLERANCE = 1e-12
"""Of a number, relative to the largest number of the list that it stands in."""


ORDERLESS = ("stores/measures/", "stores/report/measures/")
"""Tables, column by column under these keys, whose rows follow the names of a store's cells: these
are hashes of what a cell was computed from, and change with every field that is added to it."""


@dataclass(slots=True)
class Family:
    """How the values of one family compare."""

    name: str
    count: int = 0
    numbers: int = 0
    equal: int = 0
    """How many are the same to the last bit."""
    relative: float = 0.0
    absolute: float = 0.0
    widest: str = ""
    """The key with the largest relative difference."""
    loose: int = 0
    """How many differ by more than TOLERANCE, but by no more than their own tolerance."""
    wrong: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """Refusals in other words, or for another reason: reported, but no fault."""


def compare(name: str, old: Values, new: Values, loose: Mapping[str, float]) -> Family:
    """Every value of a family; `loose` gives the tolerance of the keys that look so."""
    family = Family(name, len(old))
    old, new = (ordered(values) for values in (old, new))
    for key in sorted(old.keys() | new.keys()):
        if key.endswith("/error") and key in old and key in new:
            if old[key] != new[key]:
                family.refusals.append(f"{key}\n    was: {old[key]}\n    now: {new[key]}")
        elif key not in old or key not in new:
            family.wrong.append(f"{key}: {'is not there now' if key in old else 'is new'}")
        else:
            _value(family, key, old[key], new[key], tolerance(key, loose))
    return family


def ordered(values: Values) -> Values:
    """The values with the rows of ORDERLESS tables sorted by all their columns, values last."""
    sorted_ = dict(values)
    for prefix in ORDERLESS:
        names = [key for key in values if key.startswith(prefix)]
        table: dict[str, Any] = {key: values[key] for key in names}
        first = sorted(names, key=lambda key: (key.endswith("/value"), key))
        rows = range(len(table[names[0]])) if names else range(0)
        order = sorted(rows, key=lambda at: [_sortable(table[key][at]) for key in first])
        sorted_ |= {key: [table[key][at] for at in order] for key in names}
    return sorted_


def _sortable(part: Any) -> tuple[bool, Any]:
    return (True, "") if part is None else (False, part)


def tolerance(key: str, loose: Mapping[str, float]) -> float:
    """The largest of those that are given for such a key."""
    return max(
        (limit for like, limit in loose.items() if fnmatchcase(key, like)), default=TOLERANCE
    )


def _value(family: Family, key: str, old: Plain, new: Plain, allowed: float) -> None:
    before, after = list(leaves(old)), list(leaves(new))
    family.numbers += len(before)
    family.equal += old == new
    if shape(old) != shape(new) or [kind(part) for part in before] != [
        kind(part) for part in after
    ]:
        family.wrong.append(f"{key}: another kind or size: {short(old)} became {short(new)}")
        return
    pairs = list(zip(before, after, strict=True))
    both = [pair for pair in pairs if any(isinstance(part, float) for part in pair)]
    if any(a != b for a, b in pairs if not isinstance(a, float) and not isinstance(b, float)):
        family.wrong.append(f"{key}: {short(old)} became {short(new)}")
        return
    gap = max((abs(a - b) for a, b in both), default=0.0)
    size = max((abs(a) for a, _ in both), default=0.0)
    relative = gap / size if size else gap
    if relative > family.relative:
        family.relative, family.widest = relative, key
    family.absolute = max(family.absolute, gap)
    if relative > allowed:
        family.wrong.append(f"{key}: differs by {gap:.3g}, relative {relative:.3g}")
    elif relative > TOLERANCE:
        family.loose += 1


def kind(part: Any) -> str:
    """What may be compared; a whole number and one with a point may."""
    number = isinstance(part, (int, float)) and not isinstance(part, bool)
    return "number" if number else type(part).__name__


def leaves(value: Plain) -> Iterator[Any]:
    """The numbers and texts of a value in order."""
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def shape(value: Plain) -> Any:
    """How its lists are nested."""
    return [shape(part) for part in value] if isinstance(value, list) else ()


def short(value: Plain) -> str:
    text = repr(value)
    return text if len(text) < 90 else f"{text[:87]}..."
