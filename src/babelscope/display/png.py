"""SVG to PNG, rendered by an installed browser: it knows every script and its ligatures."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from babelscope.errors import InputError

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
SCALE = 2
"""Pixels per unit of the SVG: sharp in print and on high-resolution screens."""


def png(svg: str) -> bytes:
    """The SVG as a PNG, twice its size in pixels; refused in one line where there is no browser."""
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        raise InputError(
            f"a .png is rendered by a browser, and none of {', '.join(BROWSERS[:3])} is installed; "
            "write an .svg file"
        )
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    if size is None:
        raise InputError("a picture without a viewBox has no size; pass the SVG of a plane")
    with tempfile.TemporaryDirectory() as folder:
        page, picture = Path(folder) / "page.html", Path(folder) / "page.png"
        page.write_text(
            "<!doctype html><meta "
            f'charset="utf-8"><style>body{{margin:0}}svg{{display:block}}</style>{svg}',
            "utf-8",
        )
        process = subprocess.run(
            [
                browser, *FLAGS, f"--user-data-dir={folder}/profile",
                f"--window-size={size[1]},{size[2]}", f"--force-device-scale-factor={SCALE}",
                f"--screenshot={picture}", page.as_uri(),
            ],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        if not picture.is_file():
            reason = (process.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise InputError(f"{browser} rendered nothing: {reason}; write an .svg file")
        return picture.read_bytes()
