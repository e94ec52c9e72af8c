"""Options of methods and metrics: chosen by name, checked against the table's row, completed with
its defaults."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, model_validator

from babelscope.errors import InputError


@runtime_checkable
class Row(Protocol):
    """What a row of METHODS and one of METRICS have in common here."""

    @property
    def name(self) -> str: ...

    @property
    def options(self) -> Mapping[str, Any]: ...

    @property
    def formerly(self) -> str: ...


AnyRow = TypeVar("AnyRow", bound=Row)


class Spec(BaseModel):
    """Unknown fields are refused: a misspelt one must not be silently left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Choice(Spec):
    """A method or metric with options; a bare name in the file means: with its defaults."""

    name: str
    """Name of the method or metric."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options; those not listed have their defaults."""

    @model_validator(mode="before")
    @classmethod
    def bare_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


def choose(table: Mapping[str, AnyRow], name: str, what: str) -> AnyRow:
    """The row of that name; an unknown or former one is refused with the one to use."""
    if name in table:
        return table[name]
    for row in table.values():
        if row.formerly == name:
            raise InputError(f"the {what} {name!r} is now called {row.name!r}; use that name")
    raise InputError(f"there is no {what} {name!r}; {suggestion(name, table)}")


def suggestion(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"choose from: {', '.join(names)}"


def defaults(row: Row) -> dict[str, Any]:
    """The row's options with their defaults, as plain values that can be stored: tuples are
    lists."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in row.options.items()
    }


def resolve_options(row: Row, options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of the row, with `options` in place of the defaults. Text is read as the
    default's type."""
    known = defaults(row)
    resolved = dict(known)
    for name, value in options.items():
        if name not in known:
            hint = suggestion(name, known) if known else "it takes none"
            raise InputError(f"{row.name} has no option {name!r}; {hint}")
        resolved[name] = _as(row.name, name, value, known[name])
    return resolved


def known_names(kind: str, names: Sequence[str], known: Sequence[str]) -> frozenset[str]:
    """The names as a set, if all of them are known."""
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise InputError(f"{kind} {unknown[0]!r} is not one of: {', '.join(known)}")
    return frozenset(names)


def _as(owner: str, name: str, value: Any, default: Any) -> Any:
    wrong = InputError(
        f"{owner}: option {name}={value!r} is not of the kind of its default {default!r}"
    )
    try:
        if isinstance(default, bool):
            if str(value).lower() not in ("true", "false"):
                raise wrong
            return str(value).lower() == "true"
        if isinstance(default, int):
            return int(value)
        if isinstance(default, float):
            return float(value)
        if isinstance(default, list):
            parts = value.split(",") if isinstance(value, str) else list(value)
            return [type(default[0])(part) for part in parts]
    except (TypeError, ValueError) as error:
        raise wrong from error
    return value
