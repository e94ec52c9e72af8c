"""A change of a function's syntax tree: found by its structure, put into the imported function in
place.

    changed = change(tree, "ranking", "np.lexsort((T, -S))", "np.lexsort((T, S))")

In a pattern, a name of one capital letter stands for any expression, the same one wherever it
recurs; everything else stands for itself. Layout, comments and the names of locals that a
capital stands for may change, and so may all other functions. A function that is not there,
and a pattern that occurs never or twice, raise `LookupError`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

Bindings = dict[str, ast.AST]
IGNORED = ("ctx", "kind", "type_comment", "type_params")
"""Fields that carry nothing of a meaning; what an expression is for follows from its place."""


def is_wildcard(node: Any) -> bool:
    return isinstance(node, ast.Name) and len(node.id) == 1 and node.id.isupper()


def same(one: Any, two: Any) -> bool:
    return matches(one, two, None)


def matches(pattern: Any, node: Any, bound: Bindings | None) -> bool:
    """Whether a node has the structure of a pattern; without bindings a capital is no wildcard."""
    if bound is not None and is_wildcard(pattern) and isinstance(node, ast.expr):
        return same(bound.setdefault(pattern.id, node), node)
    if isinstance(pattern, ast.AST):
        fields = [name for name in pattern._fields if name not in IGNORED]
        return type(pattern) is type(node) and all(
            matches(getattr(pattern, name), getattr(node, name), bound) for name in fields
        )
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(
            matches(*pair, bound) for pair in zip(pattern, node)
        )
    return type(pattern) is type(node) and bool(pattern == node)


class Fill(ast.NodeTransformer):
    """Puts what the capitals stand for into a template."""

    def __init__(self, bound: Bindings) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.bound[node.id] if is_wildcard(node) else node


class Exchange(ast.NodeTransformer):
    """Replaces one node by others."""

    def __init__(self, old: ast.AST, new: list[Any]) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        if node is not self.old:
            return self.generic_visit(node)
        return self.new if isinstance(node, ast.stmt) else self.new[0]


def parsed(source: str, as_statements: bool) -> list[Any]:
    """Statements, or the one expression."""
    body = ast.parse(source).body
    return body if as_statements else [body[0].value]  # type: ignore[attr-defined]


def is_expression(source: str) -> bool:
    body = ast.parse(source).body
    return len(body) == 1 and isinstance(body[0], ast.Expr)


def definition(tree: ast.Module, name: str) -> ast.AST:
    """The function or method of a dotted name, nested functions included."""
    node: ast.AST = tree
    for part in name.split("."):
        inner = [
            child
            for child in ast.walk(node)
            if isinstance(child, ast.FunctionDef | ast.ClassDef)
            and child.name == part
            and child is not node
        ]
        if len(inner) != 1:
            raise LookupError(f"{name}: {len(inner)} definitions of {part}, and there must be one")
        node = inner[0]
    return node


def change(tree: ast.Module, name: str, before: str, after: str) -> ast.Module:
    """The module with one place of one of its functions changed; the tree passed in is changed
    too.
    """
    as_statements = not (is_expression(before) and is_expression(after))
    (pattern,) = parsed(before, as_statements)
    function = definition(tree, name)
    places = [(node, bound) for node in ast.walk(function) if matches(pattern, node, bound := {})]
    if len(places) != 1:
        raise LookupError(
            f"{name}: {before!r} occurs {len(places)} times in it, and it must occur once"
        )
    ((node, bound),) = places
    Exchange(node, [Fill(bound).visit(new) for new in parsed(after, as_statements)]).visit(function)
    return ast.parse(ast.unparse(tree))


def changed_module(where: str, before: str, after: str) -> ast.Module:
    """`where` is `package.module:function`, with dots for methods and nested functions."""
    module, _, name = where.partition(":")
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"{where}: there is no module {module}")
    source = Path(spec.origin).read_text("utf-8")
    try:
        return change(ast.parse(source), name, before, after)
    except LookupError as error:
        raise LookupError(f"{module}:{error}") from None


def function_of(holder: Any, name: str) -> FunctionType:
    """The plain function behind decorators, properties and static methods."""
    value = inspect.getattr_static(holder, name)
    for attribute in ("__func__", "fget", "func"):
        value = getattr(value, attribute, value)
    unwrapped = inspect.unwrap(value)
    if not isinstance(unwrapped, FunctionType):
        raise LookupError(f"{name}: a {type(unwrapped).__name__}, not a function")
    return unwrapped


def code_of(code: CodeType, path: list[str]) -> CodeType:
    for part in path:
        code = next(
            inner
            for inner in code.co_consts
            if isinstance(inner, CodeType) and inner.co_name == part
        )
    return code


def apply(where: str, before: str, after: str) -> None:
    """Changes the imported function itself: whoever imported it, and by whatever name, calls the
    changed one.
    """
    module, _, name = where.partition(":")
    compiled = compile(
        changed_module(where, before, after), f"<changed {where}>", "exec", dont_inherit=True
    )
    holder: Any = importlib.import_module(module)
    path: list[str] = []
    for part in name.split(
        "."
    ):  # a function within a function is changed by changing the outer one
        path.append(part)
        value = inspect.getattr_static(holder, part)
        if not inspect.isclass(value):
            function_of(holder, part).__code__ = code_of(compiled, path)
            return
        holder = value
    raise LookupError(f"{where} is a class, not a function")
