"""The explorer in a real browser: every control, five scripts, phone and desktop, light and dark,
and hostile names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from devtools import CHROMIUM, Page, browser
from test_hostile_pages import HOSTILE, explanation

import synthetic_study
from babelscope.model.load import load
from babelscope.store import Cell, open_store, put, write_study
from babelscope.web.app import Explorer, make_app
from babelscope.web.indexing import read_index
from babelscope.web.models import load_models
from babelscope.web.service import Service
from conftest import tiny
from explorer import LANGUAGES, TEXTS, model_folder, reader, tagger, threaded

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
SCRIPTS = (*TEXTS[:-1], "ห้องสวยและอาหารอร่อยมาก")
"""A text that the tokenizer was trained on may be one of its tokens; in Thai it would be."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder(tmp_path_factory.mktemp("explorer") / "reviews")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    synthetic_study.store(folder.parent / "store")
    service = Service(load_models([str(folder)]))
    with threaded(make_app(Explorer(service, read_index(folder.parent / "store")))) as opened:
        yield opened


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


def settled(page: Page) -> None:
    """Waits until every pane has its explanations."""
    page.until(
        "document.querySelectorAll('.pane .text, .pane .error').length > 0 && !document.querySelector('[aria-busy]')"
    )


def fresh(page: Page, address: str, part: str = "live", **size: Any) -> None:
    """Opens a part of the explorer as on a first visit."""
    page.open("about:blank#x")
    page.errors.clear()
    page.open(f"{address}#{part}", **size)
    page.until("document.querySelector('#main h2') !== null")
    if part == "live":
        settled(page)
    else:
        page.until("document.querySelector('.card, .view table, .view .faint') !== null")


def click(page: Page, text: str, within: str = "body") -> None:
    """Clicks the first button or label of that text."""
    script = f"[...document.querySelector({within!r}).querySelectorAll('button, summary, label')].find((each) => each.textContent.trim().startsWith({json.dumps(text)}))"
    page.until(f"{script} !== undefined")
    page.evaluate(f"{script}.click()")


def choose(page: Page, name: str, value: str) -> None:
    page.evaluate(
        f"(() => {{ const field = document.querySelector('[data-name={json.dumps(name)}]'); field.value = {json.dumps(value)}; field.dispatchEvent(new Event('change', {{bubbles: true}})); field.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )


def write(page: Page, text: str, pane: int = 0) -> None:
    page.evaluate(
        f"(() => {{ const area = document.querySelectorAll('.pane textarea')[{pane}]; area.value = {json.dumps(text)}; area.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )


def shown(page: Page, selector: str) -> str:
    return str(page.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))


def test_the_first_visit_has_something_to_play_with(page: Page, address: str) -> None:
    fresh(page, address)
    assert page.evaluate("document.querySelectorAll('.pane').length") == 2
    assert "%" in shown(page, ".pane .answer")
    assert (
        page.evaluate(
            "document.querySelectorAll('.pane [data-word][class*=w-p], .pane [data-word][class*=w-n]').length"
        )
        > 5
    )
    assert page.evaluate("document.querySelectorAll('.chip').length") == 6
    assert page.errors == []
    assert all(each.startswith((address, "about:", "blob:", "data:")) for each in page.requests)


def test_words_are_erased_restored_and_replaced(page: Page, address: str) -> None:
    fresh(page, address)
    write(page, TEXTS[0])
    page.until(
        f"location.hash.length > 10 && [...document.querySelectorAll('.pane:first-child .text')].some((each) => each.textContent === {json.dumps(TEXTS[0])})"
    )
    settled(page)
    before = shown(page, ".pane .answer")
    page.evaluate("document.querySelector('.pane [data-word=\"3\"]').click()")
    assert "good" in shown(page, ".menu-title")
    click(page, "Erase", ".menu")
    page.until("document.querySelector('.pane .w-gone')?.textContent === 'good'")
    settled(page)
    assert f"was {before}" in shown(page, ".pane .answer")
    page.evaluate(
        "document.querySelector('.pane .w-gone').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
    )
    click(page, "Restore", ".menu")
    page.until("!document.querySelector('.w-gone')")
    settled(page)
    page.evaluate("document.querySelector('.pane [data-word=\"3\"]').click()")
    page.evaluate(
        "(() => { const form = document.querySelector('.menu form'); form.querySelector('input').value = 'awful'; form.requestSubmit(); })()"
    )
    page.until("document.querySelector('.pane textarea').value.includes('awful')")
    settled(page)
    assert "awful" in shown(page, ".pane .text")
    assert page.errors == []


def test_arrow_keys_move_between_words_and_escape_closes(page: Page, address: str) -> None:
    fresh(page, address)
    move = "document.querySelector('.pane .text').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))"
    page.evaluate("document.querySelector('.pane [data-word=\"0\"]').focus()")
    page.evaluate(move)
    assert page.evaluate("document.activeElement.dataset.word") == "1"
    assert (
        page.evaluate(
            "document.querySelectorAll('.pane:first-child .text [tabindex=\"0\"]').length"
        )
        == 1
    )
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', bubbles: true}))"
    )
    assert page.evaluate("document.querySelector('.menu').contains(document.activeElement)")
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))"
    )
    assert page.evaluate(
        "document.querySelector('.menu') === null && document.activeElement.dataset.word === '1'"
    )


def test_methods_targets_and_panels(page: Page, address: str) -> None:
    fresh(page, address)
    click(page, "Method")
    page.evaluate("document.querySelector('input[value=slalom]').click()")
    page.evaluate("document.querySelector('input[value=attention]').click()")
    page.until("document.querySelectorAll('.pane:first-child .explanation .text').length === 3")
    settled(page)
    assert page.evaluate("document.querySelectorAll('.w-size[data-word]').length") > 0
    click(page, "Value and importance", ".pane")
    page.until("document.querySelectorAll('.chart .mark').length > 3")
    page.evaluate(
        "document.querySelector('.chart .mark').dispatchEvent(new Event('pointerover', {bubbles: true}))"
    )
    assert "importance" in shown(page, ".chart .readout")
    assert page.evaluate("getComputedStyle(document.querySelector('.chart .s0')).fill") == (
        "rgb(47, 127, 209)"
    )
    for kind in ("SVG", "PNG", "CSV"):
        click(page, kind, ".chart .save")
        page.until(f"document.documentElement.dataset.saved?.startsWith('plane.{kind.lower()} ')")
    click(page, "Scores", ".pane")
    assert page.evaluate("document.querySelectorAll('.scores tbody tr').length") > 3
    click(page, "Can it be trusted?", ".pane")
    page.until("document.querySelectorAll('.trust tbody tr').length === 8")
    ran = page.evaluate(
        "[...document.querySelectorAll('.trust tbody tr')].map((row) => /v-(holds|fails|undecided)/.test(row.className))"
    )
    assert ran == sorted(ran, reverse=True), "checks with an outcome come first"
    assert any(ran)
    choose(page, "target", "positive")
    page.until("document.querySelector('.by')?.textContent.includes('explains positive')")
    choose(page, "contrast", "negative")
    page.until("document.querySelector('.by')?.textContent.includes('rather than negative')")
    click(page, "More options")
    choose(page, "operator", "delete")
    page.evaluate("document.querySelector('.choices[data-name=Method]').open = true")
    for name in ("slalom", "attention"):
        page.evaluate(f"document.querySelector('input[value={name}]').click()")
    page.until("document.querySelectorAll('.pane:first-child .explanation').length === 1")
    settled(page)
    assert page.errors == []


def test_a_slow_method_shows_progress_and_is_cancelled(page: Page, address: str) -> None:
    fresh(page, address)
    write(page, " ".join([TEXTS[0]] * 12))
    click(page, "Method")
    page.evaluate("document.querySelector('input[value=kernel_shap]').click()")
    click(page, "More options")
    page.evaluate(
        "(() => { const field = [...document.querySelectorAll('.more .field')].find((each) => each.textContent === 'kernel shap: samples').querySelector('input'); field.value = 20000; field.dispatchEvent(new Event('change')); })()"
    )
    page.until(
        "[...document.querySelectorAll('.wait:not([hidden]) progress')].some((each) => each.value > 0)"
    )
    page.evaluate(
        "[...document.querySelectorAll('.wait:not([hidden])')].find((each) => each.querySelector('progress').value > 0).querySelector('button').click()"
    )
    page.until("document.body.innerText.includes('Cancelled. Run it again')")
    page.evaluate(
        "document.querySelectorAll('.wait:not([hidden]) button').forEach((each) => each.click())"
    )
    assert page.errors == []


def test_panes_ribbons_link_and_export(page: Page, address: str) -> None:
    fresh(page, address)
    click(page, "+ Add the translation")
    page.until("document.querySelectorAll('.pane').length === 3")
    settled(page)
    click(page, "Show how the explanation flows")
    page.until("document.querySelectorAll('.compare .figure path').length > 5")
    assert "chance gives" in shown(page, ".compare")
    click(page, "Copy link")
    page.until("(document.querySelector('#status')?.textContent ?? '').length > 5")
    page.evaluate(
        "URL.createObjectURL = (blob) => { blob.text().then((text) => { window.exported = text; }); return '#'; }"
    )
    click(page, "Export as study file")
    page.until("(window.exported || '').includes('faithfulness')")
    assert "consistency" in page.evaluate("window.exported")
    link = page.evaluate("location.href")
    words = page.evaluate(
        "[...document.querySelectorAll('.pane .text')].map((each) => each.innerText)"
    )
    page.open("about:blank#x")
    page.open(link)
    page.until("document.querySelectorAll('.pane').length === 3")
    settled(page)
    page.until("document.querySelectorAll('.compare .figure svg').length === 2")
    assert (
        page.evaluate("[...document.querySelectorAll('.pane .text')].map((each) => each.innerText)")
        == words
    )
    page.evaluate("document.querySelector('.remove').click()")
    page.until("document.querySelectorAll('.pane').length === 2")
    page.evaluate("document.querySelectorAll('.chip')[2].click()")
    settled(page)
    assert page.evaluate("location.href") != link


@pytest.mark.parametrize(("lang", "text"), list(zip(LANGUAGES, SCRIPTS)), ids=LANGUAGES)
def test_scripts_of_the_world(page: Page, address: str, lang: str, text: str) -> None:
    fresh(page, address, width=390, height=800)
    page.evaluate(
        f"(() => {{ const field = document.querySelector('.lang select'); field.value = {lang!r}; field.dispatchEvent(new Event('change')); }})()"
    )
    write(page, text)
    page.until(f"document.querySelector('.pane .text')?.textContent === {json.dumps(text)}")
    settled(page)
    assert page.evaluate("getComputedStyle(document.querySelector('.pane .text')).direction") == (
        "rtl" if lang == "ar" else "ltr"
    )
    assert page.evaluate("document.querySelectorAll('.pane:first-child [data-word]').length") >= 4
    assert page.evaluate("document.documentElement.scrollWidth <= 390")


def test_examples_are_filtered_sorted_and_linked(page: Page, address: str) -> None:
    fresh(page, address, "examples")
    # At first random scores, the control, are not among what is shown.
    assert page.evaluate("document.querySelector('[data-name=method]').value") == "occlusion"
    click(page, "Clear filters")
    page.until("document.querySelector('[role=status]').textContent === '277 of 277 explanations'")
    for name, value in (
        ("lang", "ar"),
        ("model", "multi"),
        ("method", "occlusion"),
        ("right", "right"),
    ):
        choose(page, name, value)
    page.until(
        "document.querySelector('[role=status]').textContent.startsWith('5 of') || document.querySelector('[role=status]').textContent.length < 24"
    )
    page.until(
        "[...document.querySelectorAll('.card')].every((each) => each.innerText.includes('Arabic') && each.innerText.includes('occlusion'))"
    )
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.card .text')).direction") == "rtl"
    )
    choose(page, "sort", "-comprehensiveness")
    for name, value in (
        ("label", "positive"),
        ("gold", "positive"),
        ("flag", "none"),
        ("disagreement", "false"),
    ):
        choose(page, name, value)
    click(page, "Clear filters")
    page.until("document.querySelector('[role=status]').textContent.startsWith('277 of')")
    click(page, "Next →")
    page.until("document.querySelector('.pager').innerText.includes('21 to 40')")
    click(page, "← Previous")
    choose(page, "text", "रिसेप्शन")
    page.until(
        "document.querySelectorAll('.card').length > 3 && [...document.querySelectorAll('.card .text')].every((each) => each.innerText.includes('रिसेप्शन'))"
    )
    click(page, "Translations and other methods", ".card")
    page.until("document.querySelectorAll('.card .card').length > 3")
    click(page, "Scores", ".card")
    click(page, "Link", ".card")
    page.until("document.querySelectorAll('.cards > .card').length === 1")
    click(page, "Try it live", ".card")
    page.until("document.querySelector('.pane textarea')?.value.includes('रिसेप्शन')")
    assert page.errors == []


def test_the_views_of_a_store_lead_to_examples(page: Page, address: str) -> None:
    fresh(page, address, "words")
    page.until("document.querySelectorAll('.view table tbody tr').length > 5")
    page.evaluate("document.querySelector('.view table button').click()")
    page.until("document.querySelectorAll('.cards .card').length > 0")
    fresh(page, address, "disagreements")
    assert "disagree most" in shown(page, ".view .answer")
    assert " " in shown(page, ".view .stacked tbody button")  # a text, and no id
    page.evaluate("document.querySelector('.view table button').click()")
    page.until("document.querySelectorAll('.cards .card').length > 0")
    fresh(page, address, "trust")
    assert "No explanation here has a trust panel" in shown(page, ".view")
    assert page.errors == []


def test_pairs_questions_tags_and_two_models(page: Page) -> None:
    models = {
        "tiny": tiny("bert"),
        "other": tiny("xlm-roberta"),
        "reader": reader(),
        "tagger": tagger(),
    }
    text = "the food was not good but the room was lovely"
    with threaded(make_app(Explorer(Service(models)))) as address:
        fresh(page, address)
        write(page, text)
        click(page, "+ Add a second text", ".pane")
        write(page, "nobody liked the meal", 1)
        page.until("document.querySelectorAll('.pane:first-child .text').length === 2")
        click(page, "− Remove the last text", ".pane")
        page.until("document.querySelectorAll('.pane:first-child .text').length === 1")
        page.evaluate("document.querySelector('input[value=other]').click()")
        page.until("document.querySelectorAll('.pane:first-child .answer .who').length === 2")
        page.evaluate("document.querySelector('input[value=tagger]').click()")
        for name in ("tiny", "other"):
            page.evaluate(f"document.querySelector('input[value={name}]').click()")
        page.until("document.querySelectorAll('.pane:first-child .tag').length === 10")
        settled(page)
        page.evaluate("document.querySelectorAll('.pane:first-child .tag')[4].click()")
        page.until(
            "document.querySelectorAll('.pane:first-child .tag')[4]?.getAttribute('aria-pressed') === 'true' && !document.querySelector('[aria-busy]')"
        )
        page.evaluate("document.querySelector('input[value=reader]').click()")
        page.evaluate("document.querySelector('input[value=tagger]').click()")
        page.until(
            "document.querySelector('.pane textarea').getAttribute('aria-label') === 'Question'"
        )
        write(page, "what was good?")
        write(page, text, 1)
        page.until("document.querySelectorAll('.pane:first-child .text').length === 2")
        settled(page)
        assert page.evaluate("document.querySelector('.pane .answer bdi').textContent") in text


def test_scripts_in_texts_labels_and_names_stay_text(page: Page, tmp_path: Path) -> None:
    store = open_store(tmp_path / "store")
    write_study(store, {"name": f"study{HOSTILE}"})
    rows = [
        explanation(number, lang, "multi", "occlusion")
        for number in range(3)
        for lang in ("en", "ar")
    ]
    put(store, [Cell({"method": f"occlusion{HOSTILE}"}, "attributions", rows)])
    base = tiny("bert", ("negative", f"positive{HOSTILE}"))
    service = Service({f"model{HOSTILE}": load((base.hf, base.tokenizer)), "second": base})
    with threaded(make_app(Explorer(service, read_index(store.path)))) as address:
        fresh(page, address)
        write(page, f"good {HOSTILE}")
        page.until("document.querySelector('.pane .text')?.textContent.includes('onerror')")
        settled(page)
        page.evaluate("document.querySelector('.pane [data-word=\"1\"]').click()")
        click(page, "Erase", ".menu")
        page.until("document.querySelector('.pane .w-gone') !== null")
        settled(page)
        for part in ("examples", "words", "disagreements", "trust"):
            fresh(page, address, part)
        fresh(page, address, "examples")
        assert "</script>" in shown(page, "#main")
        assert page.evaluate("window.hostile === undefined && document.title !== 'hostile'")
        assert (
            page.evaluate("document.querySelectorAll('a.hostile, #main img, #main script').length")
            == 0
        )
