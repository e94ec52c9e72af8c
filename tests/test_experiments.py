"""Every page of docs/results has an experiment, and every experiment's file is valid."""

from __future__ import annotations

import pytest
from experiments import files
from experiments.__main__ import NAMES, UNCONVERTED

LINES = 60
"""The most that turns the results of an experiment into what its page shows."""


def test_every_page_has_an_experiment() -> None:
    assert {path.stem for path in files.PAGES.glob("*.md")} == set(NAMES)


@pytest.mark.parametrize("name", files.NAMES)
@pytest.mark.parametrize("size", [None, "pilots", "full"])
def test_its_file_is_valid(name: str, size: str | None) -> None:
    files.parsed(name, size)


@pytest.mark.parametrize("name", files.NAMES)
def test_an_experiment_is_short_and_has_a_page(name: str) -> None:
    source = files.HERE / f"{name.replace('-', '_')}.py"
    assert len(source.read_text("utf-8").splitlines()) <= LINES
    assert (files.HERE / "templates" / f"{name}.md.j2").is_file()
    assert name not in UNCONVERTED
