"""The chapter on paired models in a real browser: nothing is cut off, words of every script stand
in their own direction.
"""

from __future__ import annotations

import pytest
from devtools import CHROMIUM, browser

import synthetic_study
from babelscope.reporting.build import report
from babelscope.store import read_study, write_study

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("pairings")
    store = synthetic_study.store(folder / "store", groups=8)
    said = read_study(store)
    models = [one | {"spec": one["name"], "seed": 0} for one in said["models"]]
    block = said["analyses"]["faithfulness"] | {
        "pairings": [{"multilingual": "multi", "monolingual": ["mono-en", "mono-hi"]}]
    }
    write_study(store, said | {"models": models, "analyses": {"faithfulness": block}})
    return report(store.path, folder / "page").as_uri()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_chapter(address: str, dark: bool, width: int) -> None:
    with browser() as page:
        page.open(address, dark=dark, width=width)
        assert page.errors == []
        assert [each for each in page.requests if not each.startswith("file://")] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            "only the boxes scroll"
        )
        assert page.evaluate("document.querySelectorAll('#pairings svg .mark').length") > 0
        shown = (
            "[...document.querySelectorAll('#pairings [data-method]')].filter(one => !one.hidden)"
        )
        assert page.evaluate(f"new Set({shown}.map(one => one.dataset.method)).size") == 1, (
            "one method at a time"
        )
        outside = """[...document.querySelectorAll('#pairings svg text')].filter(one => {
            const box = one.getBBox(), whole = one.ownerSVGElement.viewBox.baseVal;
            return box.x < 0 || box.x + box.width > whole.width || box.y + box.height > whole.height }).length"""
        assert page.evaluate(outside) == 0, "no text of a picture is cut off"
