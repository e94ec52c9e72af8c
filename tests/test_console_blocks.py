"""Commands on the front page and in the first guides print what stands below them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from babelscope.cli import app

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/explain.md", "docs/trust.md")
RUN = ("data export", "explain demo", "measure demo")
"""What is run: it needs no model but the packaged ones, and a minute at most."""
LEGEND = "supports   opposes   undefined"


def commands(page: str) -> list[tuple[str, list[str]]]:
    """The commands of a page with the lines that it prints, if the page shows any."""
    text = (ROOT / page).read_text("utf-8")
    listed = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ babelscope ", block, flags=re.M)[1:]:
            command, *printed = part.rstrip().splitlines()
            if command.startswith(RUN) and printed and not command.endswith("\\"):
                listed.append((command, [line.rstrip() for line in printed]))
    return listed


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a terminal that is wide enough, in the order of the page."""
    monkeypatch.chdir(tmp_path)
    shown = commands(page)
    assert shown
    for command, printed in shown:
        result = CliRunner().invoke(app, shlex.split(command), env={"COLUMNS": "110"})
        assert result.exit_code == 0, result.output
        lines = [line.rstrip() for line in result.stdout.splitlines()]
        expected = [line for line in printed if line.strip() != LEGEND]
        assert [line for line in lines if line.strip() != LEGEND][: len(expected)] == expected


def test_pages_have_commands_that_are_run() -> None:
    assert [len(commands(page)) for page in PAGES] == [4, 1, 2]
