"""Shapes and types of the whole package, checked at every call: in the tests and nowhere else."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from beartype import BeartypeConf, beartype
from beartype.roar import BeartypeDecorHintPep673Exception
from jaxtyping import install_import_hook

CONF = BeartypeConf(is_pep484_tower=True)
"""A whole number is a number too, as for the type checker."""


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its annotations checked; `Self`, of validators, is known inside classes alone and passes."""
    try:
        return beartype(conf=CONF)(function)
    except BeartypeDecorHintPep673Exception:
        return function


def check_shapes() -> None:
    """From here on, a call of any function of the package that breaks an annotation raises."""
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
