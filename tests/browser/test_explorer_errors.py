"""What the explorer says where something goes wrong: in plain words, and what to do."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from devtools import CHROMIUM, Page
from test_every_control import linked
from test_explorer import click, fresh, page, settled, shown, write

import synthetic_study
from babelscope.store import Cell, open_store, put, read_attributions
from babelscope.types import StoredPanel
from babelscope.web import live
from babelscope.web.app import Explorer, make_app
from babelscope.web.indexing import read_index
from babelscope.web.limits import Limits
from babelscope.web.service import Service
from conftest import tiny
from explorer import TEXTS, call, threaded

__all__ = ["page"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
ENGLISH = TEXTS[0]
SLOW = {
    "model": "tiny", "texts": [" ".join([ENGLISH] * 9)], "method": "kernel_shap",
    "options": {"samples": 20_000},
}  # fmt: skip


def service(*names: str) -> Service:
    return Service({name: tiny("bert") for name in names or ("tiny",)})


def opened(page: Page, address: str, state: dict[str, Any], part: str = "live") -> None:
    """Opens a link."""
    page.open("about:blank#x")
    page.errors.clear()
    page.open(f"{address}#{linked(part, state)}")
    page.until("document.querySelector('#main h2') !== null")
    settled(page)


def pane(text: str, lang: str = "en") -> dict[str, Any]:
    return {"lang": lang, "texts": [text], "erased": []}


def test_a_text_that_is_too_long_is_refused_and_not_cut(page: Page) -> None:
    with threaded(make_app(Explorer(service(), limits=Limits(characters=80)))) as address:
        fresh(page, address)
        write(page, ENGLISH * 3)
        page.until(
            "document.querySelector('.pane .error')?.innerText.startsWith('This text has 123 characters; 80 are read')"
        )
        assert page.evaluate("document.querySelector('.pane textarea').value.length") == 123
        write(page, ENGLISH)
        page.until("document.querySelector('.pane:first-child .answer') !== null")
        assert page.errors == []


def test_a_link_that_the_server_cannot_follow_says_why(page: Page) -> None:
    with threaded(make_app(Explorer(service()))) as address:
        panes = [pane(ENGLISH, "english"), pane(ENGLISH)]
        state = {"models": ["gone"], "methods": [{"method": "nope"}], "panes": panes}
        opened(page, address, state)
        assert "did you mean 'en'?" in shown(page, ".pane .error")
        assert "Try again" not in shown(page, ".pane")  # it would not help
        assert "does not have gone, nope" in shown(page, "#status")
        assert "%" in shown(page, ".pane:nth-child(2) .answer")
        opened(page, address, {"models": 1, "panes": [{"texts": [1], "erased": 2}], "target": {}})
        assert page.evaluate("document.querySelectorAll('.pane textarea').length") == 1
        assert not [each for each in page.errors if "status of 4" not in each]


def test_a_busy_server_is_asked_again_until_it_answers(page: Page) -> None:
    with threaded(make_app(Explorer(service(), limits=Limits(waiting=1)))) as address:
        status, state = call(address, "POST", "/api/explain", SLOW)
        assert status == 202
        page.open("about:blank#x")
        page.open(f"{address}#{linked('live', {'panes': [pane(ENGLISH)]})}")
        page.until("document.querySelector('.wait')?.innerText.includes('the server is busy')")
        assert call(address, "DELETE", f"/api/jobs/{state['id']}")[0] == 204
        page.until("document.querySelector('.pane .answer')?.innerText.includes('%')")
        settled(page)
        assert page.evaluate("document.querySelectorAll('.error').length") == 0


def test_a_server_that_is_gone_and_comes_back(page: Page) -> None:
    app = Explorer(service())
    with threaded(make_app(app)) as address:
        fresh(page, address)
    write(page, ENGLISH)
    page.until("document.querySelector('.pane:first-child .error') !== null")
    assert "start it again with babelscope serve" in shown(page, ".pane .error")
    with threaded(make_app(app), port=urlsplit(address).port or 0):
        click(page, "Try again", ".pane")
        page.until("document.querySelector('.pane:first-child .answer') !== null")
        settled(page)
        assert shown(page, ".pane .text") == ENGLISH


def test_of_two_models_the_one_that_fails_is_named(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    predict = live.predict

    def failing(model: Any, request: Any, report: Any) -> Any:
        if request.model == "broken":
            raise RuntimeError("out of memory")
        return predict(model, request, report)

    monkeypatch.setattr(live, "predict", failing)
    with threaded(make_app(Explorer(service("tiny", "broken")))) as address:
        opened(page, address, {"models": ["tiny", "broken"], "panes": [pane(ENGLISH)]})
        failure = shown(page, ".pane .failure").split("\n")
        assert failure[0] == "broken"
        assert "RuntimeError: out of memory; please report it" in failure[-1]
        assert "%" in shown(page, ".pane .answer")


def test_whoever_leaves_waits_for_nothing(page: Page) -> None:
    app = make_app(Explorer(service()))
    with threaded(app) as address:
        methods = [{"method": "kernel_shap", "options": {"samples": 20_000}}]
        page.open("about:blank#x")
        state = {"methods": methods, "panes": [pane(SLOW["texts"][0])]}
        page.open(f"{address}#{linked('live', state)}")
        page.until("document.querySelector('.wait:not([hidden]) progress')?.value > 0")
        running = [job for job in app.state.jobs._jobs.values() if job.state == "running"]
        assert len(running) == 1
        page.open("about:blank#y")
        end = time.monotonic() + 60
        while running[0].state == "running":
            assert time.monotonic() < end
            time.sleep(0.05)
        assert running[0].state == "cancelled"


def test_a_store_that_is_empty_or_has_changed_says_so(page: Page, tmp_path: Path) -> None:
    empty = open_store(tmp_path / "empty")
    with threaded(make_app(Explorer(index=read_index(empty.path)))) as address:
        for part in ("examples", "words", "disagreements", "trust"):
            page.open("about:blank#x")
            page.open(f"{address}#{part}")
            page.until("document.querySelector('#main .lead') !== null")
            assert "holds no explanations yet" in shown(page, "#main .lead")
    synthetic_study.store(tmp_path / "store", groups=1)
    with threaded(make_app(Explorer(index=read_index(tmp_path / "store")))) as address:
        shutil.rmtree(tmp_path / "store" / "attributions")
        page.open("about:blank#x")
        page.open(f"{address}#examples")
        page.until("document.querySelector('.failure') !== null")
        assert "changed after the server had read it" in shown(page, ".failure")


def test_checks_of_a_store_can_be_read_on_a_phone(page: Page, tmp_path: Path) -> None:
    synthetic_study.store(tmp_path / "store", groups=2)
    store = open_store(tmp_path / "store")
    first = next(row for row in read_attributions(store) if row.method == "occlusion")
    checks = [
        {"name": "sufficiency", "value": 0.1, "low": 0.0, "high": 1.0, "verdict": "fails",
         "said": ""}
    ]  # fmt: skip
    panel = StoredPanel(
        first.id, first.group, first.lang, first.model, first.method, {}, 0,
        {"checks": checks, "stages": [], "untrained": None},
    )  # fmt: skip
    put(store, [Cell({"kind": "panels"}, "panels", [panel])])
    with threaded(make_app(Explorer(index=read_index(store.path)))) as address:
        fresh(page, address, "trust", width=390, height=800, dark=True)
        boxes = page.evaluate(
            "[...document.querySelectorAll('.view tbody tr > *')].filter((each) => each.checkVisibility()).map((each) => { const box = each.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })"
        )
        assert len(boxes) == 4  # method, language, count and the one check that was run
        for at, (left, top, right, bottom) in enumerate(boxes):
            assert right <= 390
            for other in boxes[at + 1 :]:
                apart = other[0] >= right or other[2] <= left or other[1] >= bottom
                assert apart or other[3] <= top, json.dumps(boxes)
