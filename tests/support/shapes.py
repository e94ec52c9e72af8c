"""Shapes and types of the whole package, checked at every call: in the tests and nowhere else."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy.typing
from beartype import BeartypeConf, beartype
from beartype._check.code import codemain
from beartype._util.kind.integer import utilintget
from beartype.roar import BeartypeDecorHintException
from jaxtyping import install_import_hook

check = beartype(conf=BeartypeConf(is_pep484_tower=True))
"""An int is a float, as for mypy."""
SHAPE = re.compile(r"\b(Bool|Complex|Float|Inexact|Int|Integer|Num|Real|Shaped)\[")
OPEN = ("babelscope.data.formats.lists.as_examples",)
"""They are passed whatever a user has, and say themselves what is wrong with it."""


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its annotations checked: all of them, or its shapes alone where a value
    cannot be checked against one of the others (`Self`, a protocol of functions)."""
    try:
        if f"{function.__module__}.{function.__qualname__}" not in OPEN:
            return check(function)
    except BeartypeDecorHintException:
        pass
    hints = function.__annotations__.items()
    function.__annotations__ = {name: hint for name, hint in hints if SHAPE.search(str(hint))}
    return check(function)


def check_shapes() -> None:
    """From here on, a call of any function of the package that breaks an annotation raises.

    Of a long list the checker looks at one item, by numbers of its own: not by those that tests and
    hypothesis have seeded.
    """
    codemain.getrandbits = utilintget.getrandbits = Random(0).getrandbits  # type: ignore[assignment]
    numpy.typing.ArrayLike = Any  # type: ignore[misc]  # a tuple is one, but not for its run-time protocol
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


def _import_types(name: str, source: str) -> None:
    """What a module imports for its annotations alone: the checker has to know it too."""
    module = importlib.import_module(name)
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            block = ast.Module(node.body, [])
            exec(compile(block, f"<types of {name}>", "exec"), module.__dict__)
