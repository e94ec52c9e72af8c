"""A picture as PNG, painted by a browser that is installed here: it knows every script and its ligatures."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from babelscope.errors import InputError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
SCALE = 2
"""Pixels per unit of the SVG: sharp on paper and on fine screens."""


def png(svg: str) -> bytes:
    """The SVG as a PNG, twice its size in pixels; refused in one line where there is no browser."""
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        raise InputError(
            f"a .png is painted by a browser, and none of {', '.join(BROWSERS[:3])} is installed; write an .svg file"
        )
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    if size is None:
        raise InputError("a picture without a viewBox has no size; give the SVG of a plane")
    with tempfile.TemporaryDirectory() as folder:
        page, painted = Path(folder) / "page.html", Path(folder) / "page.png"
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><style>body{{margin:0}}svg{{display:block}}</style>{svg}', "utf-8"
        )
        told = subprocess.run(
            [
                browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--window-size={size[1]},{size[2]}",
                f"--force-device-scale-factor={SCALE}", f"--screenshot={painted}", page.as_uri(),
            ],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        if not painted.is_file():
            raise InputError(f"{browser} painted nothing: {(told.stderr.strip().splitlines() or ['no reason given'])[-1]}")
        return painted.read_bytes()
