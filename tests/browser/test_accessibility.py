"""axe-core finds no moderate or serious fault in any kind of page; of the explorer,
test_explorer.py asks the same.

It is an npm package, kept outside of the repository: `npm install --prefix FOLDER axe-core`, then
AXE_CORE=FOLDER/node_modules/axe-core/axe.min.js.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from devtools import CHROMIUM, browser

import hostile_study
import synthetic_study
from babelscope.reporting.build import report, section_page, sections
from babelscope.store import open_store, read_study

AXE = Path(os.environ.get("AXE_CORE", ""))
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
    pytest.mark.skipif(
        not AXE.is_file(), reason="AXE_CORE does not name axe.min.js (npm install axe-core)"
    ),
]


FAULTS = ("moderate", "serious", "critical")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every kind of page: reports of a made-up and of a run study, one against an earlier store,
    and every section on a page of its own."""
    folder = tmp_path_factory.mktemp("pages")
    synthetic_study.store(folder / "store", groups=8)
    run = hostile_study.store(folder)
    files = {
        "report": report(folder / "store", folder / "page"),
        "against": report(folder / "store", folder / "changes", against=folder / "store"),
        "all analyses": report(run, folder / "all"),
    }
    opened = open_store(run, create=False)
    for section in sections(opened, read_study(opened)):
        files[section.name] = folder / f"{section.name}.html"
        files[section.name].write_text(section_page(section), "utf-8")
    return files


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_fault(pages: dict[str, Path], dark: bool, width: int) -> None:
    found = {}
    with browser() as page:
        for name, file in pages.items():
            page.open(file.as_uri(), dark=dark, width=width)
            page.evaluate(
                "document.querySelectorAll('details').forEach(part => { part.open = true; })"
            )
            page.evaluate(AXE.read_text("utf-8") + "; 0")
            faults = page.evaluate(
                "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations"
                ".map(fault => [fault.impact, fault.id, fault.nodes[0].html]))"
            )
            found[name] = [fault for fault in faults if fault[0] in FAULTS]
    assert {name: faults for name, faults in found.items() if faults} == {}
