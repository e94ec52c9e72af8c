"""The documentation names what exists, all of it, and nothing else."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from typer.main import get_command

import babelscope
from babelscope.analyses import ANALYSES
from babelscope.analyses.faithfulness.spec import PairingSpec
from babelscope.cli import app
from babelscope.data.spec import DataSpec, TaskSpec
from babelscope.display.results import EXPLANATION_FIELDS
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.model.prompt_spec import PromptSpec
from babelscope.options import Choice
from babelscope.study.config import Study, parse_study, read_study
from babelscope.training.spec import ModelSpec, StageSpec, TrainSpec

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
TEXTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "studies" / "README.md",
    *PAGES,
]
STUDIES = sorted((ROOT / "studies").glob("*.yaml"))
COMMAND = re.compile(r"(?m)(?:^\$ |^    |^# +|^# Runs offline: )babelscope ([^#&\n`]+)")
"""A command line: after a prompt, indented, or in a comment of a study."""
MENTION = re.compile(r"`babelscope ([^#&\n`]+)`")
"""A command quoted in a sentence; its required arguments may be missing."""
PLACEHOLDER = re.compile(r"\.\.\.|\b[A-Z]{3,}\b(?!=)")
"""What stands for arguments that a reader fills in."""
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def load_file(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOKS = load_file("docs_hooks", ROOT / "docs" / "hooks.py")


@pytest.fixture(scope="module")
def built() -> dict[str, str]:
    """Every page as mkdocs gets it, by its place under docs."""
    return {
        path.relative_to(ROOT / "docs").as_posix(): HOOKS.on_page_markdown(path.read_text("utf-8"))
        for path in PAGES
    }


def blocks(language: str) -> list[Any]:
    """The code blocks of that language in all texts."""
    return [
        pytest.param(code, id=f"{named(path)}:{number}")
        for path in TEXTS
        for number, (kind, code) in enumerate(FENCE.findall(path.read_text("utf-8")), 1)
        if kind == language
    ]


def commands(pattern: re.Pattern[str]) -> list[Any]:
    """The command lines of all texts and of the comments of study files, with their page."""
    texts = [(path, path.read_text("utf-8").replace("\\\n", " ")) for path in (*TEXTS, *STUDIES)]
    return [
        pytest.param(line, text, id=f"{named(path)} {line[:50]}")
        for path, text in texts
        for line in dict.fromkeys(pattern.findall(text))
    ]


def test_every_marker_stands_in_a_page_and_is_known(built: dict[str, str]) -> None:
    written = "".join(path.read_text("utf-8") for path in PAGES)
    assert set(re.findall(r"<!-- [a-z ]+ -->", written)) == set(HOOKS.MARKERS)
    assert not any(marker in page for page in built.values() for marker in HOOKS.MARKERS)


@pytest.mark.parametrize(
    ("page", "table"),
    [("methods.md", METHODS), ("metrics.md", METRICS)],
    ids=["methods", "metrics"],
)
def test_every_row_has_its_entry_formula_and_source(
    built: dict[str, str], page: str, table: dict[str, Any]
) -> None:
    for name, row in table.items():
        assert f"| [`{name}`](#{name}) |" in built[page]
        section = built[page].split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert "```text\n" in section
        assert "*Laws*" in section
        assert row.summary in built[page]
    assert "\n    " not in re.sub(r"```.*?```", "", built[page], flags=re.S), (
        "an indented block was not fenced"
    )


def test_every_command_and_option_is_in_the_page(built: dict[str, str]) -> None:
    for words in HOOKS.command_names():
        heading = f"## babelscope {' '.join(words)}".rstrip()
        section = built["cli.md"].split(f"{heading}\n")[1].split("\n## ")[0]
        assert "Usage: babelscope" in section
        for option in long_options(words):
            assert option in section, f"{heading} does not name {option}"
    assert "\x1b" not in built["cli.md"]


def long_options(words: tuple[str, ...]) -> list[str]:
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    return [name for one in command.params for name in one.opts if name.startswith("--")]


def test_every_public_name_is_in_the_page(built: dict[str, str]) -> None:
    for name in babelscope.__all__:
        line = next(
            line for line in built["python.md"].splitlines() if line.startswith(f"| `{name}` |")
        )
        assert len(line.split("|")[3].strip()) > 10, f"{name} is not described"


def test_every_error_is_in_the_tree(built: dict[str, str]) -> None:
    for name in dir(babelscope.errors):
        thing = getattr(babelscope.errors, name)
        if isinstance(thing, type) and issubclass(thing, babelscope.BabelscopeError):
            assert name in built["errors.md"]


def test_the_json_fields_are_those_of_the_page(built: dict[str, str]) -> None:
    assert (
        tuple(name for name, *_ in rows(built["explain.md"], "The fields in JSON"))
        == EXPLANATION_FIELDS
    )


def test_every_field_of_a_study_is_described(built: dict[str, str]) -> None:
    """The page is made from the fields, so none is missing; each has a sentence of its own."""
    specs = {"Study": Study} | {
        f"`{name}`: {row.question}": row.spec for name, row in ANALYSES.items()
    }
    for heading, kind in specs.items():
        described = {field: meaning for field, _, meaning in rows(built["study.md"], heading)}
        assert set(described) == set(kind.model_fields)
    for kind in (
        Study,
        TaskSpec,
        DataSpec,
        ModelSpec,
        PromptSpec,
        TrainSpec,
        StageSpec,
        PairingSpec,
        Choice,
        *(row.spec for row in ANALYSES.values()),
    ):
        for name, field in kind.model_fields.items():
            assert (field.description or "").endswith("."), (
                f"{kind.__module__}.{kind.__name__}.{name}"
            )


def rows(page: str, heading: str) -> list[tuple[str, ...]]:
    """The table under a heading, its first column without backticks."""
    section = re.split(r"\n#+ ", page.split(f" {heading}\n", 1)[1])[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(row[0].strip("`"), *row[1:]) for row in cells]


def test_the_front_page_has_the_two_commands_and_contributing_is_short() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.search(r"^    make demo\b", readme, re.M)
    assert re.search(r"^    make test\b", readme, re.M)
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 40


@pytest.mark.parametrize("path", STUDIES, ids=named)
def test_study_files_are_valid_and_listed(path: Path) -> None:
    assert read_study(path).name
    assert f"`{path.name}`" in (ROOT / "studies" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("code", blocks("yaml"))
def test_yaml_blocks_are_valid_studies(code: str) -> None:
    assert parse_study(yaml.safe_load(code)).name


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_compile_and_use_public_names(code: str) -> None:
    compile(code, "a page", "exec")
    for name in re.findall(r"\bbabelscope\.([A-Za-z]+)\(", code):
        assert name in babelscope.__all__


@pytest.mark.parametrize("code", blocks("python"))
def test_imports_of_python_blocks_resolve(code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert importlib.util.find_spec(alias.name), f"there is no module {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                exists = hasattr(module, alias.name) or importlib.util.find_spec(submodule)
                assert exists, f"{node.module} has no {alias.name}"


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_modules_and_files_named_in_texts_exist(path: Path) -> None:
    """`babelscope.a.b.c` resolves, and `package/file.py` is a file of the source or the tests."""
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.S)
    for name in re.findall(r"`babelscope((?:\.\w+)+)", text):
        assert resolves(name[1:].split(".")), f"babelscope{name} does not exist"
    for name in re.findall(r"`((?:\w+/)+\w+\.py)`", text):
        places = (ROOT, ROOT / "src" / "babelscope")
        assert any((place / name).exists() for place in places), f"{name} does not exist"


def resolves(names: list[str]) -> bool:
    """Whether a dotted name below the package is a module, or an attribute of one."""
    thing: Any = babelscope
    for number, name in enumerate(names, 1):
        if not hasattr(thing, name):
            dotted = ".".join(["babelscope", *names[:number]])
            if importlib.util.find_spec(dotted) is None:
                return False
            importlib.import_module(dotted)
        thing = getattr(thing, name)
    return True


def test_the_layers_shown_are_those_enforced() -> None:
    ranks = load_file("layers", ROOT / "tests" / "test_layers.py").RANKS
    assert [set(names) for names in HOOKS.LAYERS] == [set(names) for names in ranks]


@pytest.mark.parametrize(("line", "page"), commands(COMMAND))
def test_shown_command_lines_parse(line: str, page: str) -> None:
    command, words = command_of(line)
    if PLACEHOLDER.search(line):
        return
    with command.make_context("babelscope", words) as context:
        values = context.params
    for name in (values.get("method") or "random").split(","):
        assert name in METHODS or f"there is no method {name!r}" in page
    assert all(name in METRICS for name in (values.get("metric") or "sufficiency").split(","))


@pytest.mark.parametrize(("line", "page"), commands(MENTION))
def test_mentioned_commands_and_options_exist(line: str, page: str) -> None:
    command, words = command_of(line)
    named = {word.split("=")[0] for word in words if word.startswith("--")}
    assert named <= options_of(command), page


def command_of(line: str) -> tuple[Any, list[str]]:
    """The command that a line names and the rest of the line, whose options it has."""
    words = shlex.split(line.split("|")[0])
    command: Any = get_command(app)
    while hasattr(command, "commands") and words:
        word = words.pop(0)
        if word.startswith("--"):
            (option,) = (parameter for parameter in command.params if word in parameter.opts)
            del words[: 0 if option.is_flag else 1]
        else:
            command = command.commands[word]
    assert {word.split("=")[0] for word in words if word.startswith("--")} <= options_of(command)
    return command, words


def options_of(command: Any) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts} | {"--help"}


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    text = (
        HOOKS.on_page_markdown(path.read_text("utf-8"))
        if path in PAGES
        else path.read_text("utf-8")
    )
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        if link.startswith("https://"):
            continue
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), f"{link} leads nowhere"
        if anchor:
            shown = HOOKS.on_page_markdown(file.read_text("utf-8"))
            anchors = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ",
            "-") for line in shown.splitlines()
                       if line.startswith("#")}  # fmt: skip
            assert anchor in anchors, f"{link}: there is no such heading"


@pytest.mark.parametrize(
    "path", [*TEXTS, *STUDIES, ROOT / "mkdocs.yml", ROOT / "docs" / "hooks.py"], ids=named
)
def test_no_path_of_a_machine_is_written_down(path: Path) -> None:
    assert not re.search(r"(?<![\w.])/(?:work|root|tmp|home)\b", path.read_text("utf-8"))
