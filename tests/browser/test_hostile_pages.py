"""Every kind of page with scripts in every field, in a real browser: nothing of them runs, and the
page's own scripts do.

Two defences, each tested alone: what is written into a page is escaped, and a script that got in
all the same is stopped by the content security policy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import test_head_figure
import test_tokenization_page
import test_tradeoffs_page
from devtools import CHROMIUM, Page, browser

import synthetic_study
from babelscope.analyses.heads import figure
from babelscope.analyses.tokenization import section as tokenization
from babelscope.analyses.tokenization.tables import Tables
from babelscope.analyses.tradeoffs.section import section as tradeoffs
from babelscope.analyses.trust.section import page_html as trust_page
from babelscope.analyses.trust.values import Check, Stage, Trust
from babelscope.display.highlight import page_html
from babelscope.model.head_masks import head_mask
from babelscope.reporting.build import report, section_page
from babelscope.store import Cell, fail, open_store, put, write_study
from babelscope.types import Attribution, Failure
from hostile_study import HOSTILE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]


def explanation(number: int, lang: str, model: str, method: str) -> Attribution:
    """A made-up explanation with a script in every text, name and label."""
    plain = synthetic_study.explanation(number, lang, model, method)
    return replace(
        plain,
        id=f"{plain.id}{HOSTILE}",
        group=f"{plain.group}{HOSTILE}",
        lang=f"{lang}{HOSTILE}",
        model=f"{model}{HOSTILE}",
        texts=tuple(f"{text}{HOSTILE}" for text in plain.texts),
        target=f"{plain.target}{HOSTILE}",
        label=f"{plain.label}{HOSTILE}",
        gold=f"{plain.gold}{HOSTILE}",
        flags=(HOSTILE,),
        tokens=tuple(f"{token}{HOSTILE}" for token in plain.tokens),
        words=tuple(f"{word}{HOSTILE}" for word in plain.words),
    )


def hostile_values(value: Any) -> Any:
    """The strings among plain values, keys aside, each with a script behind it."""
    if isinstance(value, dict):
        return {name: hostile_values(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [hostile_values(part) for part in value]
    return f"{value}{HOSTILE}" if isinstance(value, str) else value


def report_page(folder: Path) -> str:
    """A report whose study, cells and failures hold scripts wherever users choose a text."""
    store = open_store(folder / "store")
    study = synthetic_study.study(4, ("multi",))
    kept = {name: study[name] for name in ("methods", "analyses")}
    write_study(store, hostile_values(study) | kept)
    for lang in synthetic_study.LANGUAGES:
        for method in synthetic_study.QUALITY:
            asked = {"model": f"multi{HOSTILE}", "lang": f"{lang}{HOSTILE}", "method": method,
                     "seed": 0}  # fmt: skip
            rows = [explanation(group, lang, "multi", method) for group in range(4)]
            values = [
                replace(value, id=row.id, group=row.group, lang=row.lang, model=row.model,
                        reason=HOSTILE if value.reason else "")
                for group, row in enumerate(rows)
                for value in synthetic_study.measures(
                    synthetic_study.explanation(group, lang, "multi", method))
            ]  # fmt: skip
            kinds = (("attributions", rows, "explanations"), ("measures", values, "faithfulness"))
            put(
                store,
                [
                    Cell(
                        {**asked, "kind": kind},
                        kind,
                        list(part),
                        synthetic_study.place(asked, name),
                    )
                    for kind, part, name in kinds
                ],
            )
    fail(store, Failure({"model": HOSTILE, "lang": HOSTILE, "analysis": HOSTILE}, HOSTILE, HOSTILE))
    return report(folder / "store", folder / "out").read_text("utf-8")


def explanations_page(folder: Path) -> str:
    return page_html([explanation(number, "en", "multi", "occlusion") for number in range(3)])


def trust(folder: Path) -> str:
    checks = tuple(
        Check(name, 0.5, 0.4, 0.6, verdict, HOSTILE)
        for name, verdict in (("completeness", "holds"), ("stability", "fails"))
    )
    stages = (Stage(HOSTILE, 0.4, 0.5, 0.1, 0.2),)
    return trust_page([Trust(explanation(0, "en", "multi", "occlusion"), checks, stages, 0.1)])


def heads(folder: Path) -> str:
    names = tuple(f"{name}{HOSTILE}" for name in ("nsubj", "obj", "amod", "advmod"))
    plain = test_head_figure.statistics("en")
    rows = replace(plain, model=HOSTILE, lang=f"en{HOSTILE}", corpus=HOSTILE, relations=names)
    return figure.page([(rows, head_mask(rows, positional=0.5))])


def tokenizers(folder: Path) -> str:
    plain = test_tokenization_page.drawn()
    rows = tuple(
        replace(row, tokenizer=f"{row.tokenizer}{HOSTILE}", lang=f"{row.lang}{HOSTILE}")
        for row in plain.measured
    )
    langs = {f"{lang}{HOSTILE}": f"{name}{HOSTILE}" for lang, name in plain.segmenters.items()}
    limits = {f"{name}{HOSTILE}": limit for name, limit in plain.limits.items()}
    pairs = tuple(
        replace(pair, first=f"{pair.first}{HOSTILE}", second=f"{pair.second}{HOSTILE}",
                lang=f"{pair.lang}{HOSTILE}")
        for pair in plain.agreed
    )  # fmt: skip
    data = replace(plain, measured=rows, agreed=pairs, segmenters=langs, limits=limits)
    return section_page(tokenization.section(Tables(data, (), ())))


def tradeoffs_page(folder: Path) -> str:
    values = test_tradeoffs_page.drawn()
    values["labels"] = [f"{label}{HOSTILE}" for label in values["labels"]]
    values["notes"] = [HOSTILE]
    texts = values["flipped_texts"]
    values["flipped_texts"] = {
        group: {lang: (f"{text}{HOSTILE}",) for lang, (text,) in part.items()}
        for group, part in texts.items()
    }
    return section_page(tradeoffs({f"topic{HOSTILE}": values}))


PAGES: dict[str, tuple[Callable[[Path], str], str]] = {
    "report": (report_page, "document.querySelectorAll('#list article').length > 0"),
    "explanations": (explanations_page, "true"),
    "trust": (trust, "true"),
    "heads": (heads, "true"),
    "tokenization": (tokenizers, "document.querySelectorAll('.panels .mark').length > 0"),
    "tradeoffs": (tradeoffs_page, "document.querySelectorAll('.panels .cell').length > 0"),
}
"""Every kind of page, and what is true once its own scripts have run."""


@pytest.fixture(scope="module", params=PAGES)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp(request.param)
    build, ready = PAGES[request.param]
    return build(folder), ready, folder / "page.html"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as tab:
        yield tab


def touched(page: Page) -> None:
    """Moves over, clicks and focuses everything that could be a trap."""
    page.evaluate(
        "[...document.querySelectorAll('*')].slice(0, 4000).forEach(part => {"
        " for (const kind of ['mouseover', 'focus', 'toggle'])"
        "  part.dispatchEvent(new Event(kind, {bubbles: true}));"
        " if (part.matches('a[href^=javascript]')) part.click(); })"
    )


def test_what_is_written_into_a_page_stays_text(written: Any, page: Page) -> None:
    text, ready, file = written
    file.write_text(text, "utf-8")
    page.errors.clear()
    page.open(file.as_uri())
    page.until(ready)
    title = page.evaluate("document.title")
    touched(page)
    assert page.evaluate("window.hostile === undefined")
    assert page.evaluate("document.title") == title != "hostile"
    for trap in ("img[onerror]", "svg[onload]", "a[href^=javascript]", "[onmouseover]",
                 "[onfocus]"):  # fmt: skip
        assert page.evaluate(f"document.querySelectorAll('{trap}').length") == 0, trap
    assert page.errors == []
    assert "onerror" in text, "the page shows the field"


def test_a_script_that_got_in_is_stopped(written: Any, page: Page) -> None:
    """The same page with the traps as markup: as if a template had forgotten to escape them."""
    text, ready, file = written
    assert text.count("<body>") == 1
    file.write_text(text.replace("<body>", f"<body><p>{HOSTILE}</p>"), "utf-8")
    page.open(file.as_uri())
    page.until(ready)
    touched(page)
    assert page.evaluate("document.querySelectorAll('a[href^=javascript]').length") == 1
    assert page.evaluate("window.hostile === undefined")
    page.errors.clear()


def test_no_page_allows_inline_scripts(written: Any) -> None:
    policies = re.findall(
        r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', written[0]
    )
    assert len(policies) == 1
    rules = dict(rule.strip().split(" ", 1) for rule in policies[0].split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in rules["script-src"]
