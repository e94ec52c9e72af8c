"""The report as a reader meets it: in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from devtools import CHROMIUM, Page, browser

import synthetic_study
from babelscope.display.highlight import page_html
from babelscope.reporting.build import report

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]

SHOWN = (
    "[...document.querySelectorAll('.reading [data-method]:not([hidden])')].map(block => "
    "block.dataset.method)"
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    synthetic_study.store(folder / "store", groups=12)
    return report(folder / "store", folder / "out").as_uri()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as found:
        yield found


def load(page: Page, address: str, *, width: int = 1280, dark: bool = False) -> None:
    page.errors.clear()
    page.requests.clear()
    page.open(address, width=width, dark=dark)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_figures_are_drawn_without_errors_or_requests(
    page: Page, address: str, width: int, dark: bool
) -> None:
    load(page, address, width=width, dark=dark)
    figures = "[...document.querySelectorAll('[data-figure]')]"
    assert page.evaluate(f"{figures}.length") == len(synthetic_study.METRICS)
    assert page.evaluate(
        f"{figures}.every(figure => figure.querySelectorAll('svg .scatterlayer .point').length > "
        "20)"
    )
    assert page.evaluate(
        f"{figures}.every(figure => figure.querySelector('svg .barlayer .point path'))"
    ), "the floor"
    assert page.evaluate("document.documentElement.dataset.error ?? ''") == ""
    assert page.errors == []
    assert page.requests == [address]


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
def test_the_page_never_scrolls_sideways(page: Page, address: str, width: int) -> None:
    load(page, address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(
        "[...document.querySelectorAll('.plot svg.main-svg')].every(one => one.clientWidth <= "
        "innerWidth)"
    )


def test_the_figure_lies_down_on_a_phone(page: Page, address: str) -> None:
    languages = (
        "[...document.querySelectorAll('[data-figure]')[0].querySelectorAll('.{}tick "
        "text')].map(one => one.textContent)"
    )
    load(page, address, width=390)
    assert page.evaluate(languages.format("y"))[:5] == ["en", "es", "zh", "hi", "ar"]
    load(page, address, width=1280)
    assert page.evaluate(languages.format("x"))[:5] == ["en", "es", "zh", "hi", "ar"]


def test_the_figures_follow_the_window(page: Page, address: str) -> None:
    load(page, address, width=1280)
    for width in (900, 400, 1000):
        page.resize(width)
        page.until(
            "[...document.querySelectorAll('.plot svg.main-svg')].every(one => one.clientWidth <= "
            f"{width})"
        )
        page.until(f"document.documentElement.scrollWidth <= {width}")
    assert page.errors == []


def test_the_method_switch_shows_one_method_everywhere(page: Page, address: str) -> None:
    load(page, address)
    names = page.evaluate(
        "[...document.querySelectorAll('#method option')].map(option => option.value)"
    )
    assert set(names) == set(synthetic_study.QUALITY)
    readings = page.evaluate("document.querySelectorAll('.reading').length")
    for name in names:
        page.evaluate(f"document.getElementById('method').value = '{name}'")
        page.evaluate("document.getElementById('method').dispatchEvent(new Event('change'))")
        assert page.evaluate(SHOWN) == [name] * readings


def test_hostile_text_stays_text(page: Page, address: str) -> None:
    load(page, address)
    assert page.evaluate("document.body.textContent.includes('<script>alert(1)</script>')")
    assert page.evaluate("document.querySelectorAll('article script').length") == 0


def test_arabic_runs_from_right_to_left(page: Page, address: str) -> None:
    load(page, address)
    direction = (
        "[...new Set([...document.querySelectorAll('.bs-text[lang={}]')].map(one => "
        "getComputedStyle(one).direction))]"
    )
    assert page.evaluate(direction.format("ar")) == ["rtl"]
    for lang in ("en", "es", "zh", "hi"):
        assert page.evaluate(direction.format(lang)) == ["ltr"]


def test_arabic_letters_join_across_the_border_of_two_tints(page: Page, tmp_path: Path) -> None:
    # A segmenter may part a word from what is written with it. Tinted in two parts or plain, the
    # line must be equally long: a letter that lost its joining form has another width.
    one = replace(
        synthetic_study.explanation(0, "ar", "multi", "occlusion"), texts=("بيتنا",), words=("بي", "تنا"),
        word_offsets=((0, 2), (2, 5)), word_segment=(0, 0), word_scores=(1.0, -1.0),
    )  # fmt: skip
    (tmp_path / "x.html").write_text(page_html([one]), "utf-8")
    load(page, (tmp_path / "x.html").as_uri())
    width = """(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.bs-text'));
      return range.getBoundingClientRect().width;
    })()"""
    tinted = page.evaluate(width)
    page.evaluate(
        "(one => { one.textContent = one.textContent; })(document.querySelector('.bs-text'))"
    )
    assert tinted == pytest.approx(page.evaluate(width), abs=0.5)


def test_colours_follow_the_scheme_while_the_page_is_open(page: Page, address: str) -> None:
    load(page, address)
    ink = "getComputedStyle(document.querySelector('[data-figure] .legendtext')).fill"
    light = page.evaluate(ink)
    page.dark(True)
    page.until(f"{ink} !== '{light}'")
    assert page.evaluate(ink) != light


@pytest.mark.parametrize("dark", [False, True])
def test_coloured_words_can_be_read(page: Page, address: str, dark: bool) -> None:
    """At least 4.5 : 1 between a word and its tint, over the card's paper (WCAG AA)."""
    load(page, address, dark=dark)
    contrast = """(() => {
      const numbers = text => text.match(/[\\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, place) => sum + v * [.2126, .7152, .0722][place], 0);
      const paper = numbers(getComputedStyle(document.querySelector('article')).backgroundColor);
      return Math.min(...[...document.querySelectorAll('article .bs-p, article .bs-n')].map(word => {
        const style = getComputedStyle(word), [r, g, b, a = 1] = numbers(style.backgroundColor);
        const under = light([r, g, b].map((v, place) => a * v + (1 - a) * paper[place])), over = light(numbers(style.color));
        return (Math.max(under, over) + .05) / (Math.min(under, over) + .05);
      }));
    })()"""
    assert page.evaluate(contrast) >= 4.5
