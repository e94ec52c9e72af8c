"""axe-core finds no serious fault in a report.

It is an npm package, kept outside of the repository: `npm install --prefix FOLDER axe-core`, then
AXE_CORE=FOLDER/node_modules/axe-core/axe.min.js.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from devtools import CHROMIUM, browser

import synthetic_study
from babelscope.reporting.build import report

AXE = Path(os.environ.get("AXE_CORE", ""))
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
    pytest.mark.skipif(
        not AXE.is_file(), reason="AXE_CORE does not name axe.min.js (npm install axe-core)"
    ),
]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_serious_fault(tmp_path: Path, dark: bool, width: int) -> None:
    synthetic_study.store(tmp_path / "store", groups=8)
    address = report(tmp_path / "store", tmp_path / "page").as_uri()
    with browser() as page:
        page.open(address, dark=dark, width=width)
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        page.evaluate(AXE.read_text("utf-8") + "; 0")
        faults = page.evaluate(
            "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations"
            ".map(fault => [fault.impact, fault.id, fault.nodes[0].html]))"
        )
    assert [fault for fault in faults if fault[0] in ("serious", "critical")] == []
