"""Who may import whom, what is public, and what an import costs."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import babelscope
from babelscope.methods import METHODS
from babelscope.metrics import METRICS

SOURCE = Path(babelscope.__file__).parent
RANKS = {
    "errors": 0, "seeds": 0, "progress": 0, "types": 1, "stats": 2, "store": 2, "crosslingual": 2, "data": 2, "results": 2,
    "heads": 2, "surrogate": 2, "tradeoffs": 2.5,
    "pages": 3, "model": 3, "methods": 4, "metrics": 4, "study": 5, "show": 6, "arguments": 6,
    "data_cli": 7, "train_cli": 7, "heads_cli": 7, "tokenization_cli": 7, "consistency_cli": 7,
    "trust_cli": 7, "intervention_cli": 7, "tradeoffs_cli": 7, "cli": 8,
}  # fmt: skip
LATE = {("results", "pages"), ("results", "stats")}
"""Imports inside of a function that may look upwards: a result draws itself only when it is shown."""


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py" or path.parent != SOURCE)


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_go_down(file: Path) -> None:
    here = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    for name in imports(file):
        parts = name.split(".")
        if parts[0] != "babelscope" or len(parts) < 2 or parts[1] not in RANKS:
            continue
        there = parts[1]
        assert RANKS[there] < RANKS[here] or there == here or (here, there) in LATE, f"{here} imports {there}"


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_only_model_knows_transformers_and_pages_knows_no_torch(file: Path) -> None:
    here = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    roots = {name.split(".")[0] for name in imports(file)}
    if here != "model":
        assert "transformers" not in roots
    if here in ("pages", "store", "stats", "types", "results", "data", "crosslingual", "errors", "seeds", "progress",
                "surrogate", "heads", "tradeoffs"):  # fmt: skip
        assert "torch" not in roots


def test_the_public_names_are_sorted_and_resolve() -> None:
    assert sorted(babelscope.__all__) == dir(babelscope) == sorted(babelscope.WHERE)
    for name in babelscope.__all__:
        assert getattr(babelscope, name).__doc__ or name.isupper()
    with pytest.raises(AttributeError, match="no attribute"):
        _ = babelscope.nothing


@pytest.mark.parametrize("line", ["import babelscope", "import babelscope.pages.build", "import babelscope.cli"])
def test_importing_loads_no_torch(line: str) -> None:
    code = f"{line}\nimport sys\nassert 'torch' not in sys.modules and 'transformers' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert line


@pytest.mark.parametrize("row", [*METHODS.values(), *METRICS.values()], ids=lambda row: row.name)
def test_every_row_has_its_formula_laws_and_few_options(row: object) -> None:
    said = inspect.getdoc(row.function) or ""
    assert "*Laws*" in said
    parameters = inspect.signature(row.function).parameters.values()
    assert all(one.kind is not inspect.Parameter.VAR_KEYWORD for one in parameters)
    assert sum(one.kind is inspect.Parameter.KEYWORD_ONLY for one in parameters) <= 5
    assert row.function.__name__ == row.name
