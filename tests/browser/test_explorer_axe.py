"""axe-core finds no moderate or serious fault in the explorer: every part in every size and theme,
every task, and what the page shows when something fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from devtools import CHROMIUM, Page
from test_every_control import linked
from test_explorer import address, click, folder, fresh, page, settled

from babelscope.web.app import Explorer, make_app
from babelscope.web.service import Service
from conftest import tiny
from explorer import TEXTS, chooser, language_model, reader, tagger, threaded

__all__ = ["address", "folder", "page"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
FAULTS = ("moderate", "serious", "critical")
VIEWS = pytest.mark.parametrize(
    ("width", "dark"),
    [(1280, False), (1280, True), (390, False), (390, True)],
    ids=["desktop", "dark", "phone", "dark phone"],
)
OPEN = "document.querySelectorAll('button[aria-expanded=false]').forEach((each) => each.click())"


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, from npm."""
    named = Path(os.environ.get("AXE_CORE", ""))
    if named.is_file():
        return named.read_text("utf-8")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm, which has axe-core, is not installed")
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--prefix", place, "axe-core"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        file = Path(place) / "node_modules" / "axe-core" / "axe.min.js"
        if not file.exists():
            pytest.skip(f"axe-core cannot be installed: {done.stderr.strip()[:200]}")
        return file.read_text("utf-8")


def faults(page: Page, axe: str, width: int) -> list[object]:
    """The moderate and serious faults that axe finds, and a page that is wider than the screen."""
    page.evaluate(axe)
    found = page.evaluate(
        "axe.run().then((result) => result.violations.map((each) => [each.impact, each.id, each.nodes.slice(0, 3).map((node) => node.html)]))"
    )
    actual = page.evaluate("document.documentElement.scrollWidth")
    wide = [f"{actual} pixels wide"] if actual > width else []
    return [each for each in found if each[0] in FAULTS] + wide


@pytest.mark.parametrize("part", ["live", "examples", "words", "disagreements", "trust"])
@VIEWS
def test_axe_finds_no_fault(
    page: Page, address: str, axe: str, part: str, width: int, dark: bool
) -> None:
    fresh(page, address, part, width=width, height=900, dark=dark)
    if part == "live":
        click(page, "Can it be trusted?", ".pane")
        page.until("document.querySelector('.trust') !== null")
        click(page, "Scores", ".pane")
        click(page, "More options")
        page.evaluate("document.querySelector('.pane [data-word=\"0\"]').click()")
    assert faults(page, axe, width) == []


@pytest.fixture(scope="module")
def tasks() -> Iterator[str]:
    models = {
        "tiny": tiny("bert"), "reader": reader(), "tagger": tagger(), "chooser": chooser(),
        "language": language_model(),
    }  # fmt: skip
    with threaded(make_app(Explorer(Service(models)))) as opened:
        yield opened


def state(task: str) -> dict[str, Any]:
    """Two panes of a task, one of them in a script from right to left; of "failing" one too long,
    one in an unknown language, and ribbons that cannot be drawn."""
    english, _, arabic, _, thai = TEXTS
    texts = {"reader": ["what was good?", english], "chooser": [english, "good", "bad"]}
    panes = [
        {"lang": lang, "texts": texts.get(task, [text])}
        for lang, text in (("en", english), ("ar", arabic))
    ]
    if task == "failing":
        panes += [{"lang": "english", "texts": [english]}, {"lang": "en", "texts": ["x " * 3000]}]
        panes += [{"lang": "th", "texts": [thai]}]
    models = ["tiny", "tagger"] if task == "failing" else [task]
    return {"models": models, "methods": [{"method": "slalom"}], "panes": panes, "ribbons": True}


@VIEWS
@pytest.mark.parametrize("task", ["tiny", "reader", "tagger", "chooser", "language", "failing"])
def test_axe_finds_no_fault_in_any_task(
    page: Page, tasks: str, axe: str, task: str, width: int, dark: bool
) -> None:
    page.open("about:blank#x")
    page.open(f"{tasks}#{linked('live', state(task))}", width=width, height=900, dark=dark)
    page.until("document.querySelector('#main h2') !== null")
    settled(page)
    page.evaluate(OPEN)
    page.evaluate("document.querySelector('details.choices').open = true")
    settled(page)
    assert faults(page, axe, width) == []
