// The small dialog of a word: its score, and what can be done with it.

import { button, h } from "./dom.js";
import { significant } from "./format.js";

let open = null;

function close(focus = true) {
  if (!open) return;
  const { dialog, anchor, leave } = open;
  open = null;
  document.removeEventListener("pointerdown", leave);
  dialog.remove();
  if (focus && anchor.isConnected) anchor.focus();
}

function place(dialog, anchor) {
  const box = anchor.getBoundingClientRect();
  const width = dialog.offsetWidth;
  const left = Math.max(8, Math.min(box.left + window.scrollX, document.documentElement.clientWidth - width - 8));
  dialog.style.insetInlineStart = "auto";
  dialog.style.left = `${left}px`;
  dialog.style.top = `${box.bottom + window.scrollY + 6}px`;
}

/** `actions` are [text, function] pairs; `replace` takes the new word. */
export function wordMenu(unit, anchor, actions, replace) {
  close(false);
  const title = h("p", { class: "menu-title" }, h("bdi", {}, unit.word), unit.score === undefined ? "" : h("span", { class: "num faint" }, ` ${significant(unit.score)}`));
  const done = (action) => () => { close(); action(); };
  const field = h("input", { type: "text", value: unit.word, "aria-label": "Replace the word by", dir: "auto" });
  const form = h("form", { on: { submit: (event) => { event.preventDefault(); const text = field.value; close(); replace(text); } } },
    field, h("button", { type: "submit" }, "Replace"));
  const dialog = h("div", {
    class: "menu", role: "dialog", "aria-label": `The word ${unit.word}`,
    on: { keydown: (event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } } },
  }, title, h("div", { class: "menu-actions" }, actions.map(([text, action]) => button(text, done(action)))), form);
  const leave = (event) => { if (!dialog.contains(event.target)) close(false); };
  open = { dialog, anchor, leave };
  document.body.append(dialog);
  place(dialog, anchor);
  document.addEventListener("pointerdown", leave);
  dialog.querySelector("button, input").focus();
}
