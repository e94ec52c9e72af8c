"""Every control of the report and of the explorer is exercised: on a phone in the dark and on a
desktop, with texts in Arabic, Hindi, Chinese and Thai.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from devtools import CHROMIUM, Page, browser
from walker import Walk

import hostile_study
import synthetic_study
from babelscope.model.load import load
from babelscope.reporting.build import report
from babelscope.store import Cell, open_store, put, read_attributions
from babelscope.types import StoredPanel
from babelscope.web.app import Explorer, make_app
from babelscope.web.indexing import read_index
from babelscope.web.service import Service
from explorer import TEXTS, chooser, language_model, model_folder, reader, tagger, threaded

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
SIZES = pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (390, True)], ids=["desktop", "dark phone"]
)
ARABIC, HINDI, CHINESE, THAI = TEXTS[2], TEXTS[1], TEXTS[3], "ห้องสวยและอาหารอร่อยมาก"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report with many examples, compared with an earlier store, and one of every analysis."""
    folder = tmp_path_factory.mktemp("reports")
    synthetic_study.store(folder / "store", groups=24)
    run = hostile_study.store(tmp_path_factory.mktemp("run"))
    return {
        "examples": report(folder / "store", folder / "page", against=folder / "store"),
        "all analyses": report(run, folder / "all"),
    }


@SIZES
@pytest.mark.parametrize("name", ["examples", "all analyses"])
def test_every_control_of_a_report(
    page: Page, reports: dict[str, Path], name: str, width: int, dark: bool
) -> None:
    file = reports[name]

    def open_page() -> None:
        page.open("about:blank#x")
        page.errors.clear()
        page.open(file.as_uri(), width=width, dark=dark)

    def settle() -> None:
        time.sleep(0.13 if page.evaluate("document.activeElement.id") == "search" else 0.02)

    walk = Walk(page, settle, width)
    open_page()
    for each in walk.listed():
        if each["kind"] == "link" and not each["href"].startswith("#"):
            assert (file.parent / each["href"]).is_file(), each["href"]
            walk.done[each["key"]] = 1
    walk.through(open_page, lambda: False)
    assert walk.missing() == []
    assert len(walk.done) > 30


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Models of five tasks and a store with a trust panel."""
    folder = tmp_path_factory.mktemp("explorer")
    store = synthetic_study.store(folder / "store", groups=24)
    first = next(row for row in read_attributions(store) if row.method == "occlusion")
    checks = [
        {"name": name, "value": 0.1, "low": None, "high": None, "verdict": verdict, "said": ""}
        for name, verdict in (("completeness", "holds"), ("sufficiency", "fails"))
    ]
    panel = StoredPanel(
        first.id, first.group, first.lang, first.model, first.method, {}, 0,
        {"checks": checks, "stages": [], "untrained": None},
    )  # fmt: skip
    put(open_store(folder / "store"), [Cell({"kind": "panels"}, "panels", [panel])])
    models = {
        "reviews": load(str(model_folder(folder / "reviews"))), "reader": reader(),
        "tagger": tagger(), "chooser": chooser(), "language": language_model(),
    }  # fmt: skip
    with threaded(make_app(Explorer(Service(models), read_index(folder / "store")))) as opened:
        yield opened


def linked(part: str, state: dict[str, Any] | None) -> str:
    """The part of the address that holds a state, as static/state.js writes it."""
    if state is None:
        return part
    text = base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")
    return f"{part}={text}"


def walked(
    page: Page, walk: Walk, address: str, part: str, state: dict[str, Any] | None, dark: bool
) -> None:
    def open_part() -> None:
        page.open("about:blank#x")
        page.errors.clear()
        page.open(f"{address}#{linked(part, state)}", width=walk.width, height=900, dark=dark)
        page.until("document.querySelector('#main h2') !== null")
        walk.settle()

    def left() -> bool:
        return not str(page.evaluate("location.hash")).startswith(f"#{part}")

    walk.through(open_part, left)


def settle_explorer(page: Page) -> None:
    time.sleep(0.03)
    waits = "document.querySelector('[aria-busy]') || document.querySelector('.disclosed > p.faint')?.textContent === 'Loading …'"
    page.until(f"!({waits})")


@SIZES
@pytest.mark.parametrize("part", ["examples", "words", "disagreements", "trust"])
def test_every_control_of_a_store(
    page: Page, address: str, part: str, width: int, dark: bool
) -> None:
    walk = Walk(page, lambda: (time.sleep(0.3), settle_explorer(page))[1], width)
    walked(page, walk, address, part, None, dark)
    assert walk.missing() == []
    assert len(walk.done) >= 8


def live_state(model: str) -> dict[str, Any]:
    """Two panes in scripts of their own, with as many texts as the task has."""
    count = {"reader": 2, "chooser": 3}.get(model, 1)
    pairs = (
        (("ar", ARABIC), ("th", THAI)) if model == "reviews" else (("hi", HINDI), ("zh", CHINESE))
    )
    panes = [{"lang": lang, "texts": [text] * count, "erased": [1]} for lang, text in pairs]
    return {
        "models": [model],
        "methods": [{"method": "slalom" if model == "reviews" else "occlusion"}],
        "panes": panes,
    }


@SIZES
def test_every_control_of_the_live_part(page: Page, address: str, width: int, dark: bool) -> None:
    """Controls that several tasks share, such as the boxes of methods, are exercised with one."""
    walk = Walk(page, lambda: settle_explorer(page), width)
    for model in ("reviews", "reader", "tagger", "chooser", "language"):
        walked(page, walk, address, "live", live_state(model), dark)
        assert walk.missing() == [], model
    assert len(walk.done) > 60
