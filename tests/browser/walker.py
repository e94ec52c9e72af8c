"""Walks through every control of a page: whatever can be clicked, chosen, typed into or pointed at.

Controls are listed anew after each step, so that those which a step brings up are exercised too.
Equal ones, such as the links of twenty cards, count as one: their names without digits and texts
of the data agree.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from devtools import Page

LIST = r"""
(() => {
  const visible = (each) => each.checkVisibility() && each.getClientRects().length > 0 && !each.disabled;
  const plain = (text) => (text || "").replace(/\s+/g, " ").replace(/\d+/g, "#").replace(/ (into|in) \p{Lu}[\p{L} ]+$/u, "").trim().slice(0, 60);
  const label = (each) => each.dataset.name || each.id || each.dataset.save || each.dataset.part
    || (each.type === "checkbox" ? each.value : "") || (each.dataset.word ? "word" : "")
    || plain(each.closest("label")?.querySelector("span")?.textContent) || plain(each.getAttribute("aria-label") || each.textContent) || each.className;
  const kinds = ["[tabindex='0']", "svg .mark", "textarea", "input", "select", "summary", "a[href]", "[role=button]", "button"];
  const places = ["td", "article", ".card", ".chip", "figure", ".chart", ".menu", ".tags", ".answers", "nav", "footer", ".trust", ".toggles"];
  window.walked = new Map();
  for (const kind of kinds) for (const each of document.querySelectorAll(kind)) {
    if (!visible(each)) continue;
    const place = places.filter((name) => each.parentElement?.closest(name)).join(" ");
    const repeated = ["tbody", ".chip", ".tags"].some((name) => each.closest(name)) || (kind === "a[href]" && place.includes("article"));
    const figure = each.closest("figure")?.dataset.name || "";
    const name = kind === "svg .mark" ? figure : repeated ? "" : label(each);
    const key = `${kind} ${place}: ${name}`;
    if (!window.walked.has(key)) window.walked.set(key, each);
  }
  return [...window.walked].map(([key, each]) => ({
    key, kind: each.matches("svg .mark") ? "mark" : each.matches("select") ? "select" : each.matches("a[href]") ? "link"
      : each.matches("input[type=checkbox]") ? "check" : each.matches("input, textarea") ? "text"
      : each.matches("button, summary, [role=button]") ? "button" : "region",
    href: each.getAttribute("href"), options: each.matches("select") ? [...each.options].filter((one) => !one.disabled).map((one) => one.value) : [],
  }));
})()
"""
SET = """
((value) => {{ const each = window.walked.get({key}); if (!each.isConnected) return;
  each.value = value; each.dispatchEvent(new Event('input', {{bubbles: true}})); each.dispatchEvent(new Event('change', {{bubbles: true}})); }})({value})
"""
SHOWN = r"""
(document.body.innerText.match(/\bNaN\b|\[object \w+\]|Infinity/)
  || [...document.querySelectorAll("#list, #count, .cards, .pane > * > .result > .answer, .text, .tip, .readout")].map((each) => each.innerText.match(/undefined/)).find(Boolean))?.[0] ?? ""
"""
"""What a page shows where a value was not thought of."""


UNFOLD = """
document.querySelectorAll('details').forEach((each) => { each.open = true; });
document.querySelectorAll('button[aria-expanded=false]').forEach((each) => { each.click(); });
document.querySelector('[data-word]')?.click();
"""


WIDEST = """
[...document.querySelectorAll("body *")].filter((each) => each.checkVisibility() && !each.closest("nav, .box, .panel, .wide, .figure, .chips")).sort((a, b) =>
  b.getBoundingClientRect().right - a.getBoundingClientRect().right).slice(0, 6).map((each) => `${each.getBoundingClientRect().right} ${each.outerHTML.slice(0, 90)}`)
"""


class Walk:
    """What was seen and what was exercised; `settle` waits until the page is at rest."""

    def __init__(self, page: Page, settle: Callable[[], None], width: int) -> None:
        self.page, self.settle, self.width = page, settle, width
        self.seen: dict[str, dict[str, Any]] = {}
        self.done: dict[str, int] = {}

    def listed(self) -> list[dict[str, Any]]:
        controls: list[dict[str, Any]] = self.page.evaluate(LIST)
        self.seen |= {each["key"]: each for each in controls}
        return controls

    def through(
        self, reopen: Callable[[], None], leaves: Callable[[], bool], rounds: int = 4
    ) -> None:
        """Exercises everything that is listed; opens the page again where a control has left it,
        and, with everything unfolded, as long as something seen before is not exercised."""
        for turn in range(rounds):
            reopen()
            if turn:
                self.page.evaluate(UNFOLD)
                self.settle()
            while True:
                pending = [each for each in self.listed() if each["key"] not in self.done]
                if not pending:
                    break
                first = [each for each in pending if ".menu" in each["key"]]  # closes by itself
                self.exercise((first or pending)[0])
                if leaves():
                    reopen()
            if not self.missing():
                break

    def missing(self) -> list[str]:
        return sorted(set(self.seen) - set(self.done))

    def exercise(self, control: dict[str, Any]) -> None:
        steps = self._steps(control)
        for step in steps:
            self.page.evaluate(f"(() => {{ {step} }})()")
            self.settle()
            self.check(control["key"])
        self.done[control["key"]] = len(steps)

    def _steps(self, control: dict[str, Any]) -> list[str]:
        key = json.dumps(control["key"])
        element = f"window.walked.get({key})"
        if control["kind"] == "select":
            values = [*control["options"], control["options"][0]]
            return [self._set(key, value) for value in values]
        if control["kind"] == "check":
            return [f"if ({element}.isConnected) {element}.click();", *self._again(control)]
        if control["kind"] == "text":
            value = f"{element}.type === 'number' ? String(Number({element}.value || 0) + 1) : {element}.value"
            return [f"const v = {value}; {self._set(key, None, 'v')}"]
        if control["kind"] == "mark":
            over = "new Event('pointerover', {bubbles: true})"
            return [
                f"{element}.dispatchEvent({over}); const tip = document.querySelector('.tip:not([hidden])') || {element}.closest('.chart')?.querySelector('.readout'); if (!tip || !tip.textContent) throw new Error('nothing is said about a mark');"
            ]
        if control["kind"] == "region":
            return [
                f"{element}.focus(); if (document.activeElement !== {element}) throw new Error('cannot be reached by keyboard');"
            ]
        return [
            f"{element}.click ? {element}.click() : {element}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}));"
        ]

    def _again(self, control: dict[str, Any]) -> list[str]:
        """A second click on a box, which the first may have drawn anew."""
        return [f"{LIST.strip()}; window.walked.get({json.dumps(control['key'])})?.click();"]

    def _set(self, key: str, value: Any, variable: str = "") -> str:
        return SET.format(key=key, value=variable or json.dumps(value))

    def check(self, after: str) -> None:
        page = self.page
        refused = [each for each in page.errors if "status of 400" in each]
        if refused:  # an answer of the server to a choice that makes no sense, in one line
            told = page.evaluate(
                "[...document.querySelectorAll('.error')].map((each) => each.innerText)"
            )
            assert told, (after, refused)
            assert all(told), (after, refused)
            page.errors[:] = [each for each in page.errors if each not in refused]
        assert page.errors == [], (after, page.errors)
        assert page.evaluate(SHOWN) == "", (after, page.evaluate(SHOWN))
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= self.width, (after, wide, page.evaluate(WIDEST))
