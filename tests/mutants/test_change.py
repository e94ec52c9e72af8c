"""Faults are bound to functions: each is found where its row says, and nothing else is changed."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from change import apply, change, changed_module
from table import MUTANTS

from babelscope.stats import intervals

SOURCE = """
def other(x):
    return np.sort(x) / 2

class Holder:
    def method(self, x):
        def inner(y):
            return np.sort(y) / 2, y + 1
        return inner(x)
"""


@pytest.mark.parametrize("name", MUTANTS)
def test_every_fault_has_its_place_and_its_tests(name: str) -> None:
    mutant = MUTANTS[name]
    changed_module(mutant.where, mutant.before, mutant.after)
    file = Path(__file__).parents[1] / mutant.tests
    words = [word for word in mutant.chosen.split() if word not in ("and", "or", "not")]
    assert words[0] in file.read_text("utf-8")


def changed(name: str, before: str, after: str) -> str:
    return ast.unparse(change(ast.parse(SOURCE), name, before, after))


def test_only_the_named_function_changes() -> None:
    for name in ("Holder.method.inner", "Holder.method"):
        text = changed(name, "np.sort(A) / 2", "-A")
        assert text == ast.unparse(ast.parse(SOURCE)).replace("np.sort(y) / 2", "-y")


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("absent", "np.sort(A) / 2"),
        ("Holder.absent", "np.sort(A) / 2"),
        ("other", "np.sort(A) / 3"),  # another constant
        ("other", "np.sort(A) * 2"),  # another operator
        ("other", "np.argsort(A) / 2"),  # another name
        ("other", "np.sort(A, axis=0) / 2"),  # another argument
        ("Holder.method.inner", "A"),  # everything
    ],
)
def test_what_is_not_there_once_is_refused(name: str, before: str) -> None:
    with pytest.raises(LookupError, match="must"):
        changed(name, before, "None")


def test_a_letter_stands_for_one_expression() -> None:
    assert "y * y" in changed("Holder.method.inner", "A + 1", "A * A")
    with pytest.raises(LookupError, match="0 times"):
        changed("Holder.method.inner", "A + A", "A")


def test_statements_are_replaced_by_statements() -> None:
    assert "\n    pass\n" in changed("other", "return A", "pass")
    assert "\n    y = -x\n    return y\n" in changed(
        "other", "return np.sort(A) / 2", "y = -A; return y"
    )


def test_faults_of_missing_modules_and_classes_are_refused() -> None:
    with pytest.raises(LookupError, match="no module"):
        changed_module("babelscope.absent:f", "A", "A")
    with pytest.raises(LookupError, match=r"babelscope\.stats\.intervals:absent"):
        changed_module("babelscope.stats.intervals:absent", "A", "A")


def test_the_imported_function_itself_is_changed() -> None:
    """Through every name that it was imported by; undone here, since nothing else may see it."""
    plain = inspect.unwrap(intervals.of_sums)
    code = plain.__code__
    try:
        mutant = MUTANTS["translations left out one by one"]
        apply(mutant.where, mutant.before, mutant.after)
        assert plain.__code__ is not code
        assert plain.__code__.co_filename.startswith("<changed")
    finally:
        plain.__code__ = code
