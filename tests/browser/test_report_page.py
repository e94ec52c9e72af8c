"""The report as a reader meets it: in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from devtools import CHROMIUM, Page, browser

import synthetic_study
from babelscope.display.highlight import page_html
from babelscope.reporting.build import report
from babelscope.types import Attribution

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]


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
def test_charts_are_drawn_without_errors_or_requests(
    page: Page, address: str, width: int, dark: bool
) -> None:
    load(page, address, width=width, dark=dark)
    figures = "[...document.querySelectorAll('figure.chart')]"
    assert page.evaluate(f"{figures}.length") == len(synthetic_study.METRICS)
    marks = f"{figures}.every(figure => figure.querySelectorAll('.mark').length > 20)"
    assert page.evaluate(marks)
    assert page.evaluate(f"{figures}.every(figure => figure.querySelector('rect.k'))"), "random"
    assert page.evaluate("document.documentElement.dataset.error ?? ''") == ""
    assert page.errors == []
    assert page.requests == [address]


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
def test_the_page_never_scrolls_sideways(page: Page, address: str, width: int) -> None:
    load(page, address, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_wider_than_a_printed_page(page: Page, address: str) -> None:
    """A4 at 96 pixels per inch is 794 pixels wide: what is wider makes the browser print the whole
    report smaller, or is cut.
    """
    load(page, address, width=794)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    page.media("print")
    try:
        wide = "[...document.querySelectorAll('main *')].filter(part => part.getBoundingClientRect().right > 794)"
        assert page.evaluate(f"{wide}.map(part => part.outerHTML.slice(0, 80))") == []
        assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    finally:
        page.media("")


def test_the_first_screen_answers(page: Page, address: str) -> None:
    load(page, address)
    answer = "document.querySelector('.answers .says').getBoundingClientRect()"
    assert page.evaluate(f"{answer}.bottom") < 500
    assert page.evaluate("document.querySelectorAll('.answers > li').length") == 2
    example = "document.querySelector('#parallel .reading').getBoundingClientRect().top"
    assert page.evaluate(example) < 900


def test_a_mark_tells_its_value(page: Page, address: str) -> None:
    load(page, address)
    page.evaluate(
        "document.querySelector('.answers .mark').dispatchEvent(new Event('pointerover', {bubbles: true}))"
    )
    assert page.evaluate("document.querySelector('.tip').hidden") is False
    assert "English: 0." in page.evaluate("document.querySelector('.tip').textContent")


@pytest.mark.parametrize("kind", ["svg", "png", "csv"])
def test_a_figure_can_be_saved(page: Page, address: str, kind: str) -> None:
    load(page, address)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    page.evaluate(f"document.querySelector('[data-save={kind}]').click()")
    page.until("document.documentElement.dataset.saved !== undefined")
    name, size = page.evaluate("document.documentElement.dataset.saved").split()
    assert name == f"comprehensiveness.{kind}"
    assert int(size) > 500
    assert page.errors == []


def choose(page: Page, name: str, value: str) -> None:
    """Sets a control of the list of examples, by its value or the text of an option."""
    page.evaluate(
        f"""(() => {{ const box = document.getElementById({name!r});
        const option = [...(box.options ?? [])].find(one => one.textContent === {value!r});
        box.value = option ? option.value : {value!r};
        box.dispatchEvent(new Event('input', {{bubbles: true}}));
        box.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"""
    )


def listed(page: Page) -> int:
    return int(page.evaluate("document.getElementById('count').textContent").split()[0])


def test_every_control_of_the_examples(page: Page, address: str) -> None:
    load(page, address)
    cards = "document.querySelectorAll('#list article').length"
    everything = "document.getElementById('count').textContent.startsWith('{} ')"
    # Twelve translated sentences, and the English pair.
    page.until(everything.format(13))
    assert page.evaluate(cards) == 13
    choose(page, "search", "متسخة")
    page.until("document.querySelectorAll('#list article').length < 13")
    assert listed(page) == 2, "sentences repeat after eight"
    wrong = matching(lambda one: one.label != one.gold)
    positive = matching(lambda one: one.label == "positive")
    flagged = matching(lambda one: bool(one.flags))
    assert 0 < wrong < 13
    for name, value, expected in (
        ("search", "", 13), ("lang", "Hindi", 12), ("lang", "any", 13), ("outcome", "wrong", wrong),
        ("outcome", "any", 13), ("label", "positive", positive), ("label", "any", 13),
        ("flag", "flagged", flagged), ("flag", "any", 13),
        ("differ", "methods differ on the top word", 13), ("differ", "any", 13),
    ):  # fmt: skip
        choose(page, name, value)
        page.until(everything.format(expected), seconds=5)
    assert page.errors == []


def matching(keep: Callable[[Attribution], bool]) -> int:
    """How many of the twelve sentences and the pair have such an explanation by the method that is
    shown first, of any model and in any language."""
    count = 0
    for group in range(13):
        readings = [
            synthetic_study.explanation(
                group, lang, model, "integrated_gradients", pair=group == 12
            )
            for model, langs in synthetic_study.MODELS.items()
            for lang in langs
            if group < 12 or (model, lang) == ("multi", "en")
        ]
        count += any(map(keep, readings))
    return count


def test_views_put_methods_models_and_differences_side_by_side(page: Page, address: str) -> None:
    load(page, address)
    heads = "[...document.querySelector('#list article').querySelectorAll('.who b')].map(one => one.textContent)"
    choose(page, "model", "multi")
    choose(page, "lang", "English")
    choose(page, "view", "methods")
    page.until(f"{heads}.length === {len(synthetic_study.QUALITY)}")
    assert set(page.evaluate(heads)) == set(synthetic_study.QUALITY)
    choose(page, "view", "models")
    page.until(f"{heads}.length === 2")
    assert page.evaluate(heads) == ["multi", "mono-en"]
    choose(page, "view", "difference")
    choose(page, "method", "occlusion")
    choose(page, "method2", "random")
    page.until(f"{heads}.length === 3")
    assert page.evaluate(heads)[2] == "occlusion − random"
    choose(page, "model2", "mono-en")
    page.until(f"{heads}[2] === 'occlusion, multi − random, mono-en'")
    choose(page, "method2", "occlusion")
    page.until(f"{heads}[2] === 'multi − mono-en'")
    tints = "[...document.querySelectorAll('#list article:first-child .reading:last-child [data-tip], #list article:first-child .reading:last-child [title]')]"
    assert page.evaluate(f"{tints}.length") > 3
    page.evaluate("document.querySelector('#filters [type=reset]').click()")
    page.until("document.getElementById('view').value === 'translations'")
    assert page.evaluate(
        "document.getElementById('method').value !== document.getElementById('method2').value"
    )
    choose(page, "model", "multi")
    choose(page, "lang", "English")
    choose(page, "view", "translations")
    choose(page, "method", "attention")
    page.until("document.querySelectorAll('#list .bs-q').length > 20")
    assert page.evaluate("document.querySelectorAll('#list .bs-p, #list .bs-n').length") == 0
    assert page.evaluate("document.getElementById('legend-unsigned').hidden") is False
    assert page.evaluate("document.getElementById('legend-signed').hidden") is True
    assert page.errors == []


def test_sorting_by_a_metric_orders_the_list(page: Page, address: str) -> None:
    load(page, address)
    choose(page, "model", "multi")
    choose(page, "view", "models")
    choose(page, "lang", "English")
    choose(page, "sort", "comprehensiveness")
    values = """[...document.querySelectorAll('#list article')].map(card => Number(
        card.querySelector('.values').textContent.match(/comprehensiveness ([−.\\d]+)/)[1].replace('−', '-')))"""
    page.until(f"({values}).length > 5")
    shown = page.evaluate(values)
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) > 1


def test_an_example_has_an_address(page: Page, address: str) -> None:
    load(page, address)
    link = page.evaluate("document.querySelector('#list article .link').getAttribute('href')")
    group = page.evaluate("document.querySelector('#list article').getAttribute('aria-label')")
    load(page, address + link)
    page.until("document.querySelectorAll('#list article').length === 1")
    assert (
        page.evaluate("document.querySelector('#list article').getAttribute('aria-label')") == group
    )


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
    ink = "getComputedStyle(document.querySelector('.answer-chart text')).fill"
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
