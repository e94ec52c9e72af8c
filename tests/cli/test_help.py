"""Every command as its help text shows it: few parameters, full phrases, quick answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from test_cli import call, refused
from typer.main import get_command

from babelscope.cli import REPLACED, app
from babelscope.cli.settings import (
    ExplainSettings,
    FinetuneSettings,
    MeasureSettings,
    read_settings,
)
from babelscope.options import Spec
from babelscope.training.finetune import Recipe

ROOT = Path(__file__).parents[2]


def walk(command: Any, name: str = "babelscope") -> Iterator[tuple[str, Any]]:
    yield name, command
    for part, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, f"{name} {part}")


COMMANDS = dict(walk(get_command(app)))


def options(command: Any) -> list[Any]:
    return [part for part in command.params if part.name != "help"]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_has_more_than_thirteen_parameters(name: str) -> None:
    assert len(options(COMMANDS[name])) <= 13


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_text_is_a_phrase(name: str) -> None:
    """A capital letter, at least three words, a full stop; never a fragment such as "Of a new
    model.".
    """
    command = COMMANDS[name]
    for text in [command.help, *(part.help for part in options(command))]:
        assert text, f"{name}: a parameter has no help text"
        first = text.strip().splitlines()[0]
        assert first[0].isupper(), text
        assert len(first.split()) >= 3, text
        assert text.strip()[-1] in ".?", text
        assert first.split()[0] not in ("Of", "For", "The", "A", "An"), text


@pytest.mark.parametrize(
    ("command", "kind"),
    [("explain", ExplainSettings), ("measure", MeasureSettings), ("finetune", FinetuneSettings)],
)
def test_the_help_text_lists_every_key(command: str, kind: type[Spec]) -> None:
    text = next(
        part.help for part in COMMANDS[f"babelscope {command}"].params if "--set" in part.opts
    )
    for key in kind.model_fields:
        assert key in text


def test_settings_have_the_defaults_of_the_recipe() -> None:
    recipe = FinetuneSettings().recipe(1e-5, 5, 16, 0)
    assert recipe == Recipe()
    changed = read_settings(FinetuneSettings, ["warmup=0.2", "head_only=true", "max_length=64"])
    assert changed.recipe(1e-5, 5, 16, 3) == Recipe(
        warmup=0.2, head_only=True, max_length=64, seed=3
    )
    shared = {field.name for field in fields(Recipe)} & set(FinetuneSettings.model_fields)
    named = {"learning_rate", "epochs", "batch", "seed"}
    assert shared | named == {field.name for field in fields(Recipe)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("explain", "m", "t", "--set", "word"), "not of the form name=value"),
        (("explain", "m", "t", "--set", "wrod=1"), "adapter, part, unit, seed, verbalizer"),
        (("explain", "m", "t", "--set", "word=first"), "--set word=first: "),
        (("measure", "m", "--input", "f", "--set", "edge=end"), "known are: dtype, device_map"),
        (("explain", "m", "t", "--quantity", "logit"), "use --set quantity=VALUE"),
        (("finetune", "b", "--head-only"), "use --set head_only=VALUE"),
        (("data", "show", "nli", "--n", "3"), "use --count"),
        (("explain", "m", "t", "--colour", "red"), "see babelscope explain --help"),
        (("measure", "m"), "missing option '--input'"),
        (("explain", "m", "t", "--method", "random,random"), "a name occurs twice"),
        (("explian",), "no such command 'explian'"),
        (("explain", "m", "t", "--strict"), "before the command: babelscope --strict explain"),
    ],
)
def test_a_wrong_command_line_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(*arguments)


def test_no_option_is_listed_as_replaced_where_it_exists() -> None:
    for name in ("explain", "measure", "finetune"):
        known = {opt for part in COMMANDS[f"babelscope {name}"].params for opt in part.opts}
        assert not (set(REPLACED) - {"--seed"}) & known


def test_a_group_without_a_command_shows_its_help() -> None:
    done = call("study", status=2)
    assert "Usage: babelscope study" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "line",
    [
        *(f"main({words!r})" for words in (
            ["--help"], ["explain", "--help"], ["methods"], ["metrics"], ["tasks"], ["analyses"],
            ["methods", "--json"], ["study", "run", "--help"],
        )),
        *(f"read_study({name!r})" for name in ("everything-small.yaml", "sentiment-small.yaml")),
    ],
)  # fmt: skip
def test_listing_and_validation_import_nothing_heavy(line: str) -> None:
    code = f"""
import sys
def main(words):
    from babelscope.cli import app
    app(words, standalone_mode=False)
def read_study(name):
    from babelscope.study.config import read_study
    read_study({str(ROOT / "studies")!r} + "/" + name)
{line}
heavy = {{"torch", "transformers", "pandas", "pyarrow", "scipy", "sklearn", "datasets"}}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
