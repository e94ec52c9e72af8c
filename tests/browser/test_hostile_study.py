"""A study with scripts in every field that a user chooses, run for all analyses: no page, picture,
notebook cell or Markdown file that is made of it runs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from devtools import CHROMIUM, Page, browser
from markdown_it import MarkdownIt
from test_explorer import click, fresh, settled, write
from test_hostile_pages import explanation, touched
from test_plane import answers

import hostile_study
import synthetic_study
from babelscope.analyses import ANALYSES
from babelscope.analyses.trust.values import Check, Trust
from babelscope.display.answers import answer_page
from babelscope.display.highlight import page_html
from babelscope.display.plane import plane_svg
from babelscope.display.results import Attributions, Measures
from babelscope.methods.slalom.corpus import explain_function
from babelscope.model.load import load
from babelscope.reporting.build import report, section_page, sections
from babelscope.reporting.card import card
from babelscope.reporting.figures import figure_files
from babelscope.reporting.papers import PAPERS
from babelscope.reporting.papers.write import write_paper
from babelscope.store import open_store, read_study
from babelscope.types import AnswerExplanation
from babelscope.web.app import Explorer, make_app
from babelscope.web.indexing import read_index
from babelscope.web.service import Service
from explorer import threaded
from hostile_study import HOSTILE, RUN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
TRAPS = "img[onerror], svg[onload], a[href^=javascript], [onmouseover], [onfocus], .hostile"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_study.store(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as tab:
        yield tab


def check_page(page: Page, file: Path) -> None:
    """Opens a file and touches everything: nothing ran, and no trap is markup."""
    assert "onerror" in file.read_text("utf-8"), "it shows a field"
    page.errors.clear()
    page.open(file.as_uri())
    title = page.evaluate("document.title")
    touched(page)
    assert page.evaluate("window.hostile === undefined"), file.name
    assert page.evaluate("document.title") == title != "hostile"
    assert page.evaluate(f"document.querySelectorAll({TRAPS!r}).length") == 0, file.name
    assert page.errors == []


def test_reports(store: Path, page: Page, tmp_path: Path) -> None:
    listed = sections(open_store(store, create=False), read_study(open_store(store, create=False)))
    # Surrogates are of made-up languages: a study of their own, below.
    assert {section.name for section in listed} == set(ANALYSES) - {"surrogates"}
    check_page(page, report(store, tmp_path / "page"))
    check_page(page, report(store, tmp_path / "changes", against=store))


def test_pages_and_pictures_of_single_analyses(store: Path, page: Page, tmp_path: Path) -> None:
    opened = open_store(store, create=False)
    listed = sections(opened, read_study(opened))
    for section in listed:
        (tmp_path / f"{section.name}.html").write_text(section_page(section), "utf-8")
        check_page(page, tmp_path / f"{section.name}.html")
    pictures = figure_files(listed)
    assert len(pictures) > len(listed)
    for name, svg in pictures.items():
        if "onerror" in svg:
            (tmp_path / f"{name}.svg").write_text(svg, "utf-8")
            check_page(page, tmp_path / f"{name}.svg")
    assert len(list(tmp_path.glob("*.svg"))) > 2


def test_surrogates(page: Page, tmp_path: Path) -> None:
    store = hostile_study.surrogate_store(tmp_path)
    opened = open_store(store, create=False)
    (section,) = sections(opened, read_study(opened))
    assert section.name == "surrogates"
    assert "onerror" in section.body, "names of models and tasks are shown"
    check_page(page, report(store, tmp_path / "page"))
    (tmp_path / "section.html").write_text(section_page(section), "utf-8")
    check_page(page, tmp_path / "section.html")


def rendered(text: str) -> str:
    """Markdown as a site shows it that allows HTML."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(text)


def test_markdown(store: Path, page: Page, tmp_path: Path) -> None:
    (tmp_path / "card.html").write_text(rendered(card(store)), "utf-8")
    check_page(page, tmp_path / "card.html")
    for paper in PAPERS:
        write_paper(store, paper, tmp_path / paper)
    named = [file for file in tmp_path.glob("*/*.md") if "onerror" in file.read_text("utf-8")]
    assert len({file.parent for file in named}) > 1
    for file in named:
        file.with_suffix(".html").write_text(rendered(file.read_text("utf-8")), "utf-8")
        check_page(page, file.with_suffix(".html"))


def test_explanations_of_answers_and_functions(page: Page, tmp_path: Path) -> None:
    hostile = explanation(0, "en", "multi", "occlusion")
    answer = AnswerExplanation((HOSTILE,), hostile, (hostile,))
    (plane,) = explain_function(answers, f"good {HOSTILE}", options={"samples": 100})
    files = {
        "answer.html": answer_page([answer]),
        "plane.svg": str(plane_svg(plane)),
        "plane.html": page_html([replace(plane, target=HOSTILE, label=HOSTILE)]),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
        check_page(page, tmp_path / name)


def test_notebooks(page: Page, tmp_path: Path) -> None:
    """Their pages have no policy of ours: nothing but escaping protects them."""
    hostile = explanation(0, "en", "multi", "occlusion")
    plain = synthetic_study.explanation(0, "en", "multi", "occlusion")
    measures = tuple(
        replace(value, model=HOSTILE, lang=HOSTILE) for value in synthetic_study.measures(plain)
    )
    shown = {
        "attributions": Attributions((hostile,)),
        "measures": Measures(measures),
        "trust": Trust(hostile, (Check("stability", 0.5, 0.4, 0.6, "fails", HOSTILE),), (), 0.1),
    }
    for name, value in shown.items():
        (tmp_path / f"{name}.html").write_text(value._repr_html_(), "utf-8")
        check_page(page, tmp_path / f"{name}.html")


def test_the_explorer(store: Path, page: Page) -> None:
    """Live with the plane of a surrogate, flows between panes and the panel of trust, and all pages
    of the store."""
    names = {f"{lang}{HOSTILE}": load(str(store.parent / lang)) for lang in hostile_study.TEXTS}
    with threaded(make_app(Explorer(Service(names), read_index(store)))) as address:
        fresh(page, address)
        write(page, f'good <img src=x onerror="{RUN}"> film')
        page.until("document.querySelector('.pane .text')?.textContent.includes('onerror')")
        click(page, "Method")
        page.evaluate("document.querySelector('input[value=slalom]').click()")
        settled(page)
        click(page, "Value and importance", ".pane")
        page.until("document.querySelectorAll('.pane .chart .mark').length > 1")
        click(page, "Can it be trusted?", ".pane")
        page.until("document.querySelectorAll('.trust tbody tr').length > 3")
        unharmed(page)
        for part in ("examples", "words", "disagreements", "trust"):
            fresh(page, address, part)
            unharmed(page)
        assert page.errors == []


def unharmed(page: Page) -> None:
    """Touches everything: nothing has run, and no trap is markup."""
    touched(page)
    assert page.evaluate("window.hostile === undefined && document.title !== 'hostile'")
    assert page.evaluate(f"document.querySelectorAll({TRAPS!r}).length") == 0
