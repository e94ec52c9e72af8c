"""The picture of the heads in a real browser: it loads nothing, nothing is cut off, light and
dark.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from devtools import CHROMIUM, browser

from babelscope.analyses.heads import figure
from babelscope.analyses.heads.rows import KIND, flatten
from babelscope.analyses.heads.section import section
from babelscope.analyses.heads.tables import tables
from babelscope.model.head_masks import head_mask
from babelscope.model.head_statistics import HeadStatistics
from babelscope.reporting.build import section_page
from babelscope.store import Cell, open_store, put

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]


def statistics(lang: str) -> HeadStatistics:
    """A model of the usual size, drawn: 12 layers of 12 heads, one relation without a pair."""
    draw = np.random.default_rng(len(lang))
    pairs = np.tile(np.array([400, 250, 0, 90]), (12, 1))
    shares = draw.beta(1, 4, size=(12, 12))
    return HeadStatistics(
        model="a model", lang=lang, corpus="", sentences=100, tokens=2000, relations=("nsubj", "obj", "amod", "advmod"),
        direction="dep->head", subtypes="strip", hits=draw.binomial(pairs[:, None], 0.4, size=(12, 12, 4)), pairs=pairs,
        known=pairs[0], dropped=0 * pairs[0], baseline=np.where(pairs > 0, 0.36, np.nan), positional=shares,
        offset=draw.integers(-2, 3, size=(12, 12)), sink=1 - shares,
    )  # fmt: skip


def test_the_section(tmp_path: Path) -> None:
    """The picture in the page of the analysis: wide tables scroll by themselves, the style stays
    inside.
    """
    rows = [statistics("en"), statistics("zho")]
    store = open_store(tmp_path / "store")
    for row in rows:
        put(
            store,
            [Cell({"lang": row.lang}, KIND, [flatten(row, "trees", "a")], {"analysis": "heads"})],
        )
    study = {
        "models": [{"name": "a model"}],
        "tasks": [{"name": "trees"}],
        "languages": ["en", "zho"],
    }
    models = tables(store, study | {"analyses": {"heads": {"positional": 0.5}}})
    assert models is not None
    file = tmp_path / "section.html"
    file.write_text(section_page(section(models)), "utf-8")
    with browser() as page:
        page.open(file.as_uri())
        assert page.errors == []
        assert [each for each in page.requests if not each.startswith("file://")] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            "only boxes scroll"
        )
        # Four relations, fixed offsets, sinks and the mask, in two languages.
        assert page.evaluate("document.querySelectorAll('figure.chart .panel svg').length") == 7 * 2
        # Two tables of relations, the kinds of masks, two thresholds, the agreement of the
        # languages.
        assert page.evaluate("document.querySelectorAll('table').length") == 2 + 1 + 2 + 1


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture(tmp_path: Path, dark: bool) -> None:
    rows = [(one, head_mask(one, positional=0.5)) for one in (statistics("en"), statistics("zho"))]
    kept = sum(mask.count for _, mask in rows)
    assert 0 < kept < 288
    file = tmp_path / "heads.html"
    file.write_text(figure.page(rows), "utf-8")
    with browser() as page:
        page.open(file.as_uri(), dark=dark)
        assert page.errors == []
        assert [each for each in page.requests if not each.startswith("file://")] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            "only the box scrolls"
        )
        assert page.evaluate("document.querySelectorAll('.cell text').length") == 2 * 144 * 5
        assert page.evaluate("document.querySelectorAll('.bs-chart .n').length") == 2 * 144
        rings = page.evaluate("document.querySelectorAll('.panel .r').length")
        passed = sum(panel.passed.sum() for row in rows for panel in figure.panels(*row))
        assert rings == passed
        assert page.evaluate("document.querySelectorAll('.save button').length") == 2 * 3
        lost = """[...document.querySelectorAll('svg text')].filter(one => {
            const a = one.getBBox(), b = one.ownerSVGElement.viewBox.baseVal
            return a.x < 0 || a.y < 0 || a.x + a.width > b.width || a.y + a.height > b.height }).length"""
        assert page.evaluate(lost) == 0
        ink = page.evaluate("getComputedStyle(document.querySelector('svg .b')).fill")
        assert ink == ("rgb(233, 236, 240)" if dark else "rgb(23, 27, 33)")
