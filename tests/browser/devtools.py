"""Debian's chromium over the DevTools pipe (file descriptors 3 and 4): nothing but the standard
library.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
)  # fmt: skip


class Page:
    """One tab. `errors` collects uncaught exceptions and console errors; `requests` every address
    it asked for.
    """

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back, self._rest, self._count = to, back, b"", 0
        self._session = ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self._send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._send("Target.attachToTarget", {"targetId": target, "flatten": True})[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._send(f"{domain}.enable")

    def open(
        self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False
    ) -> None:
        """Loads the address at that size, and waits until it has loaded."""
        self.resize(width, height)
        self.dark(dark)
        self._send("Page.navigate", {"url": address})
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def resize(self, width: int, height: int = 900) -> None:
        self._send(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )

    def dark(self, on: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self._send("Emulation.setEmulatedMedia", {"features": [scheme]})

    def media(self, name: str) -> None:
        """The page as in print, or as on a screen again."""
        self._send("Emulation.setEmulatedMedia", {"media": name, "features": []})

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        found = self._send(
            "Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True}
        )
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def until(self, script: str, seconds: float = 300.0) -> None:
        """Waits until the expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)

    def screenshot(self, file: Path, *, clip: dict[str, float] | None = None) -> None:
        """The whole page, or a part of it."""
        asked: dict[str, Any] = {"format": "png", "captureBeyondViewport": True}
        size = self._send("Page.getLayoutMetrics")["cssContentSize"]
        asked["clip"] = {
            **(clip or {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}),
            "scale": 1,
        }
        file.write_bytes(base64.b64decode(self._send("Page.captureScreenshot", asked)["data"]))

    def _send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params or {}}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            found = self._receive()
            if found.get("id") == self._count:
                assert "error" not in found, found
                answer: dict[str, Any] = found["result"]
                return answer
            self._note(found)

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(
                str(params["exceptionDetails"].get("exception", {}).get("description", params))
            )
        if event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            got = os.read(self._back, 1 << 20)
            assert got, "chromium went away"
            self._rest += got
        text, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found


@contextmanager
def browser() -> Iterator[Page]:
    """A fresh chromium with one tab, gone afterwards."""
    assert CHROMIUM
    reads, to = os.pipe()
    back, writes = os.pipe()

    def wire() -> None:
        first, second = os.dup(reads), os.dup(writes)
        os.dup2(first, 3)
        os.dup2(second, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={profile}"], preexec_fn=wire, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(reads)
        os.close(writes)
        try:
            yield Page(to, back)
        finally:
            os.close(to)
            os.close(back)
            process.terminate()
            process.wait(300)
