"""Shapes and types of the whole package, checked at every call: in the tests and nowhere else."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import inspect
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, get_args, get_origin, get_type_hints
from unittest.mock import patch

import jaxtyping
import numpy.typing
from beartype import BeartypeConf, beartype
from beartype._check.code import codemain
from beartype._util.kind.integer import utilintget
from beartype.roar import BeartypeCallHintViolation, BeartypeDecorHintException
from jaxtyping import AbstractArray, install_import_hook, jaxtyped
from jaxtyping._import_hook import _JaxtypingLoader, _optimized_cache_from_source
from jaxtyping._storage import pop_shape_memo, push_shape_memo, shape_str

check = beartype(conf=BeartypeConf(is_pep484_tower=True))
"""An int is a float, as for mypy."""
OPEN = ("babelscope.data.formats.in_memory.as_examples", "babelscope.methods.explain.explain")
"""They are passed whatever a user has, and say themselves what is wrong with it."""


def checked(value: Any) -> Any:
    """A function with its annotations checked, or a dataclass with those of its fields."""
    if not inspect.isclass(value):
        return _checked_function(value)
    if dataclasses.is_dataclass(value) and not hasattr(value.__init__, "__wrapped__"):
        value.__init__ = _checked_function(value.__init__)  # type: ignore[misc]
    return value


def _checked_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """All annotations, or the shapes alone where a value cannot be checked against one of the
    others (`Self`, a protocol of functions).

    Axes of the same name are compared within a call, which costs more than the rest: only a
    function with shapes pays for that.
    """
    hints = _hints(function)
    shapes = {name: hint for name, hint in hints.items() if _has_shape(hint)}
    try:
        is_open = f"{function.__module__}.{function.__qualname__}" in OPEN
        wrapped = _check(function, shapes if is_open else hints)
    except BeartypeDecorHintException:
        wrapped = _check(function, shapes)
    if not shapes:
        return wrapped
    computed = any(map(_has_computed_axis, shapes.values()))
    return jaxtyped(wrapped, typechecker=None) if computed else _with_axes(wrapped)


def _with_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the sizes of axes compared within each of its calls.

    jaxtyping's `jaxtyped` does the same, but binds the arguments to the signature at every call,
    which only axes that are computed from them (`"{count}"`) need.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        axes = push_shape_memo({})
        try:
            return function(*args, **kwargs)
        except BeartypeCallHintViolation as error:
            error.add_note(shape_str(axes))
            raise
        finally:
            pop_shape_memo()

    return call


def _check(function: Callable[..., Any], hints: dict[str, Any]) -> Callable[..., Any]:
    """The function checked against these hints, to be read with its annotations as they were."""
    written = function.__annotations__
    function.__annotations__ = hints
    try:
        wrapped = check(function)
    finally:
        function.__annotations__ = written
    if wrapped is not function:
        wrapped.__annotations__ = written
    return wrapped


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations as types; one whose names are not known at run time is left out, and of a
    generator's items nothing is known before they are asked for."""
    hints = {}
    for name, hint in function.__annotations__.items():
        holder = SimpleNamespace(__annotations__={name: hint})
        try:
            hints |= get_type_hints(holder, function.__globals__, include_extras=True)
        except Exception:
            continue
    if inspect.isgeneratorfunction(function) and "return" in hints:
        hints["return"] = get_origin(hints["return"]) or hints["return"]
    return hints


def _has_shape(hint: Any) -> bool:
    is_array = inspect.isclass(hint) and issubclass(hint, AbstractArray)
    return is_array or any(map(_has_shape, _parts(hint)))


def _has_computed_axis(hint: Any) -> bool:
    is_array = inspect.isclass(hint) and issubclass(hint, AbstractArray)
    return (is_array and "{" in hint.dim_str) or any(map(_has_computed_axis, _parts(hint)))


def _parts(hint: Any) -> tuple[Any, ...]:
    return tuple(hint) if isinstance(hint, list) else get_args(hint)


def check_shapes() -> None:
    """From here on, a call of any function of the package that breaks an annotation raises.

    Of a long list the checker looks at one item, by numbers of its own: not by those that tests and
    hypothesis have seeded. What the import hook puts on every function is jaxtyping's `jaxtyped`,
    which checks the arguments of each call twice; `checked` takes its place.
    """
    codemain.getrandbits = utilintget.getrandbits = Random(0).getrandbits  # type: ignore[assignment]
    numpy.typing.ArrayLike = Any  # type: ignore[misc]  # a tuple is one, but not for its run-time protocol
    jaxtyping.jaxtyped = lambda *, typechecker: typechecker  # type: ignore[assignment]
    _JaxtypingLoader.exec_module = _exec_module  # type: ignore[method-assign]
    install_import_hook("babelscope", "shapes.checked")
    spec = importlib.util.find_spec("babelscope")
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    for file in sorted(root.rglob("*.py")):
        source = file.read_text("utf-8")
        if "if TYPE_CHECKING:" in source and file != root / "__init__.py":
            parts = file.relative_to(root.parent).with_suffix("").parts
            _import_types(".".join(part for part in parts if part != "__init__"), source)


def _exec_module(loader: _JaxtypingLoader, module: ModuleType) -> None:
    """Runs a module of the package; its compiled file has a name of its own, as jaxtyping has it,
    but not those of all libraries that are imported while it runs.
    """
    name = partial(_optimized_cache_from_source, loader._typechecker.get_hash())
    with patch("importlib._bootstrap_external.cache_from_source", name):
        code = loader.get_code(module.__name__)
    assert code is not None
    exec(code, module.__dict__)


def _import_types(name: str, source: str) -> None:
    """What a module imports for its annotations alone: the checker has to know it too."""
    module = importlib.import_module(name)
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            block = ast.Module(node.body, [])
            exec(compile(block, f"<types of {name}>", "exec"), module.__dict__)
