"""The pictures of tokenizers in a real browser: they load nothing, nothing is cut off, light and
dark.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from devtools import CHROMIUM, browser

from babelscope.analyses.tokenization import section
from babelscope.analyses.tokenization.counts import (
    MEASURES,
    Agreement,
    LanguageMeasure,
    Tokenization,
)
from babelscope.analyses.tokenization.tables import Tables
from babelscope.display.chart import figure_svg
from babelscope.reporting.build import section_page
from babelscope.types import Estimate

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
NAMES = ("bert-base-multilingual-cased", "xlm-roberta", "gpt2")
LANGS = ("en", "es", "zh-Hant", "sw")


def drawn() -> Tokenization:
    draw = np.random.default_rng(0)

    def estimate(most: float) -> Estimate:
        low, mean, high = sorted(draw.uniform(0, most, 3).tolist())
        return Estimate(mean, low, high, 100, 0)

    none = Estimate(float("nan"), float("nan"), float("nan"), 0, 100)
    rows = [
        LanguageMeasure(name, lang, measure, none if measure == "truncated" else estimate(3))
        for name in NAMES
        for lang in LANGS
        for measure in (*MEASURES, "efficiency")
    ]
    pairs = [Agreement(NAMES[0], NAMES[1], lang, estimate(1)) for lang in LANGS]
    return Tokenization(
        tuple(rows), tuple(pairs), dict.fromkeys(LANGS, "UAX #29"), dict.fromkeys(NAMES, 512)
    )


@pytest.mark.parametrize("dark", [False, True])
def test_the_page(tmp_path: Path, dark: bool) -> None:
    file = tmp_path / "words.html"
    file.write_text(section_page(section.section(Tables(drawn(), (), ()))), "utf-8")
    with browser() as page:
        for width in (1280, 400):
            page.open(file.as_uri(), dark=dark, width=width)
            assert page.errors == []
            assert [each for each in page.requests if not each.startswith("file://")] == []
            assert page.evaluate("document.documentElement.dataset.error === undefined")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                "only the boxes scroll"
            )
            marks = "document.querySelectorAll('.panels .mark').length"
            assert page.evaluate(marks) == len(MEASURES) * len(NAMES) * len(LANGS) + len(LANGS), (
                "all but the undefined ones"
            )


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture(tmp_path: Path, dark: bool) -> None:
    charts = section.section(Tables(drawn(), (), ())).charts
    assert charts
    for at, chart in enumerate(charts):
        file = tmp_path / f"words-{at}.svg"
        file.write_text(figure_svg(chart), "utf-8")
        check_picture(file, dark)


def check_picture(file: Path, dark: bool) -> None:
    """Every mark is drawn, and nothing lies outside of the picture."""
    with browser() as page:
        page.open(file.as_uri(), dark=dark)
        assert page.errors == []
        assert page.evaluate("document.querySelectorAll('.mark').length") > 0
        lost = """[...document.querySelectorAll('text, path, line')].filter(one => {
            const a = one.getBoundingClientRect(), b = document.documentElement.getBoundingClientRect()
            return a.left < b.left || a.top < b.top || a.right > b.right || a.bottom > b.bottom }).length"""
        assert page.evaluate(lost) == 0
        ink = page.evaluate("getComputedStyle(document.querySelector('.big')).fill")
        assert ink == ("rgb(233, 236, 240)" if dark else "rgb(23, 27, 33)")
