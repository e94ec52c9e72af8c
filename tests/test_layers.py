"""Who may import whom, what is public, and what an import costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import babelscope

SOURCE = Path(babelscope.__file__).parent
RANKS = (
    {"errors", "types", "files", "random", "options", "workers", "hub"},
    {"data", "corpus", "stats", "store", "display"},
    {"model", "propagation", "training"},
    {"methods", "metrics"},
    {"analyses"},
    {"study", "reporting"},
    {"cli", "web"},
)
"""The layers, from the ground up: a module imports from its own layer and from those below."""
RANK = {name: place for place, names in enumerate(RANKS) for name in names}
WITHOUT_TORCH = {
    "errors", "types", "files", "random", "options", "workers", "hub", "data", "corpus", "stats",
    "store", "display", "reporting",
}  # fmt: skip
WITH_TRANSFORMERS = {"model", "propagation", "training"}


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


MODULES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py") or path.parent != SOURCE
)


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_go_down(file: Path) -> None:
    here = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    for name in imports(file):
        parts = name.split(".")
        if parts[0] == "babelscope" and len(parts) > 1 and parts[1] in RANK:
            assert RANK[parts[1]] <= RANK[here], f"{here} imports {parts[1]}"


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_only_data_reads_the_built_in_corpus(file: Path) -> None:
    here = file.relative_to(SOURCE).parts[0]
    names = {
        name.removeprefix("babelscope.").split(".")[0]
        for name in imports(file)
        if name.startswith("babelscope.")
    }
    assert here in ("data", "corpus") or "corpus" not in names


def test_every_package_has_a_rank_and_packages_do_not_import_each_other_in_circles() -> None:
    edges: dict[str, set[str]] = {}
    for file in MODULES:
        here = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        named = {name.split(".")[1] for name in imports(file) if name.startswith("babelscope.")}
        edges.setdefault(here, set()).update(named & set(RANK) - {here})
    assert set(edges) <= set(RANK)
    TopologicalSorter(edges).prepare()  # raises CycleError


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_who_knows_transformers_and_who_knows_no_torch(file: Path) -> None:
    here, *below = (part.removesuffix(".py") for part in file.relative_to(SOURCE).parts)
    roots = {name.split(".")[0] for name in imports(file)}
    if here not in WITH_TRANSFORMERS:
        assert "transformers" not in roots
    if here in WITHOUT_TORCH or (
        here == "analyses" and below[-1] in ("spec", "tables", "section", "figure")
    ):
        assert "torch" not in roots


def test_the_public_names_are_sorted_and_resolve() -> None:
    assert sorted(babelscope.__all__) == dir(babelscope) == sorted(babelscope.WHERE)
    assert len(babelscope.__all__) <= 18, "packages hold the rest"
    for name in babelscope.__all__:
        assert getattr(babelscope, name).__doc__ or name.isupper()
    with pytest.raises(AttributeError, match="no attribute"):
        _ = babelscope.nothing


@pytest.mark.parametrize(
    "line",
    [
        "import babelscope",
        "import babelscope.reporting.build",
        "import babelscope.cli",
        "import babelscope.methods, babelscope.metrics, babelscope.options",
        "import babelscope.study.config",
        "import babelscope.web.server, babelscope.web.indexing",
    ],
)
def test_importing_loads_no_torch(line: str) -> None:
    code = (
        f"{line}\nimport sys\nassert 'torch' not in sys.modules and 'transformers' not in "
        "sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert line


def test_every_test_file_has_a_name_of_its_own() -> None:
    """Test files are modules without packages: of two with one name, pytest collects the first."""
    names = [file.name for file in Path(__file__).parent.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
