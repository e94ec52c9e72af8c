"""Options of methods and metrics: read off the function's own signature, and checked against it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from babelscope.errors import InputError
from babelscope.types import Method, Metric

Row = TypeVar("Row", Method, Metric)


class Spec(BaseModel):
    """Unknown fields are refused: a misspelt one must not be silently left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Choice(Spec):
    """A method or metric with options; a bare name in the file means: with its defaults."""

    name: str
    options: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def bare_name(cls, given: Any) -> Any:
        return {"name": given} if isinstance(given, str) else given


def choose(table: Mapping[str, Row], name: str, what: str) -> Row:
    """The row of that name; an unknown one is refused with the nearest known one."""
    if name in table:
        return table[name]
    raise InputError(f"there is no {what} {name!r}; {suggestion(name, table)}")


def suggestion(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"choose from: {', '.join(names)}"


def defaults(row: Method | Metric) -> dict[str, Any]:
    """The options that the row's function takes, with their defaults; the seed is not one of them."""
    parameters = inspect.signature(row.function).parameters.values()
    return {
        one.name: list(one.default) if isinstance(one.default, tuple) else one.default
        for one in parameters
        if one.kind is inspect.Parameter.KEYWORD_ONLY and one.name != "seed"
    }


def settle(row: Method | Metric, given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of the row, the given ones in place of the defaults. Text is read as the default's type."""
    known = defaults(row)
    settled = dict(known)
    for name, value in given.items():
        if name not in known:
            hint = suggestion(name, known) if known else "it takes none"
            raise InputError(f"{row.name} has no option {name!r}; {hint}")
        settled[name] = _as(row.name, name, value, known[name])
    return settled


def _as(owner: str, name: str, value: Any, default: Any) -> Any:
    wrong = InputError(f"{owner}: option {name}={value!r} is not of the kind of its default {default!r}")
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
