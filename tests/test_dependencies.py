"""What the package imports is declared, and what is declared is imported."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import babelscope

SOURCE = Path(babelscope.__file__).parent
ROOT = Path(__file__).parents[1]
MODULES = {
    "scikit-learn": "sklearn", "POT": "ot", "pyyaml": "yaml", "vl-convert-python": "vl_convert",
}  # fmt: skip
"""Distributions whose module has another name."""
INDIRECT = {"accelerate": "transformers' Trainer needs it"}


EXTRAS = ("ray", "parse", "peft", "torchao", "web", "figures")
"""Extras that the package itself imports."""


def declared(extra: str = "") -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    names = [re.split(r"[<>=!~\[ ]", requirement)[0] for requirement in listed]
    return {MODULES.get(name, name) for name in names}


def imported() -> set[str]:
    """Top-level modules that the source imports, also by name: import_module("icu4py.breakers")."""
    modules: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module)
            elif isinstance(node, ast.Import):
                modules |= {name.name for name in node.names}
        modules |= set(re.findall(r'import_module\("([^"]+)"\)', text))
    tops = {name.split(".")[0] for name in modules}
    return tops - set(sys.stdlib_module_names) - {"babelscope"}


def test_what_is_imported_is_declared() -> None:
    assert imported() <= declared().union(*map(declared, EXTRAS))


def test_what_is_declared_is_imported() -> None:
    assert declared() - set(INDIRECT) <= imported()
    assert set().union(*map(declared, EXTRAS)) <= imported()


def test_constraints_are_exact() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9A-Za-z.]+", line) for line in pinned)
    names = {line.split("==")[0].lower().replace("-", "_") for line in pinned}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=!~\[ ]", requirement)[0].lower().replace("-", "_")
        assert name in names, f"constraints.txt does not pin {name}"


def test_what_benchmarks_and_experiments_import_of_the_package_is_there() -> None:
    """They run for minutes or hours, and no test runs all of them."""
    files = [file for name in ("benchmarks", "experiments") for file in (ROOT / name).rglob("*.py")]
    missing = [
        f"{file.relative_to(ROOT)}: {node.module}.{name.name}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").split(".")[0] in ("babelscope", "benchmarks", "experiments")
        for name in node.names
        if not exists(node.module or "", name.name)
    ]
    assert len(files) > 80
    assert not missing


def exists(module: str, name: str) -> bool:
    """A name of a module, or a module of a package; those of benchmarks are read, not imported,
    because they import other libraries."""
    if module.split(".")[0] == "babelscope":
        place = importlib.import_module(module)
        submodule = hasattr(place, "__path__") and importlib.util.find_spec(f"{module}.{name}")
        return hasattr(place, name) or bool(submodule)
    place = ROOT / module.replace(".", "/")
    if place.is_dir():
        return (place / f"{name}.py").exists() or (place / name).is_dir()
    return name in names_in(place.with_suffix(".py"))


def names_in(file: Path) -> set[str]:
    """What a module defines, assigns or imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names
