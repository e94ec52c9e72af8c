// The trust panel: every check beside what chance gives, and how the explanation fades.

import { chart } from "./chart.js";
import { h } from "./dom.js";
import { number, spoken } from "./format.js";

const MARKS = { holds: "✓", fails: "✗", undecided: "?", undefined: "–", "not run": "○", "does not apply": "·" };

/** The verdict in one sentence. */
export function verdict(checks) {
  const count = (name) => checks.filter((check) => check.verdict === name).length;
  const defined = count("holds") + count("fails") + count("undecided");
  if (!defined) return "No check could be run on this explanation.";
  if (count("fails")) return `Do not trust it yet: ${count("fails")} of ${defined} checks fail.`;
  if (count("undecided")) return `Undecided: ${count("holds")} of ${defined} checks hold, none fails.`;
  return `All ${defined} checks that apply hold.`;
}

/** Whether a check has an outcome: these come first. */
const ran = (check) => ["holds", "fails", "undecided"].includes(check.verdict);

/** As the beginning of a sentence; a name in code stays as it is. */
const capital = (text) => (/^\S*_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

/** On a phone every row is a small grid, so that nothing is cut; the roles keep it a table for screen readers. */
export function trustPanel(result) {
  const ordered = [...result.checks].sort((first, second) => ran(second) - ran(first));
  const rows = ordered.map((check) => h("tr", { role: "row", class: `v-${check.verdict.replaceAll(" ", "-")}` },
    h("td", { role: "cell", class: "mark" }, h("span", { "aria-hidden": "true" }, MARKS[check.verdict]), h("span", { class: "hidden" }, check.verdict)),
    h("th", { role: "rowheader", scope: "row" }, spoken(check.name)),
    h("td", { role: "cell", class: "num" }, number(check.value, 2)),
    h("td", { role: "cell", class: "num faint" }, check.low === null ? "" : `${number(check.low, 2)} to ${number(check.high, 2)}`),
    h("td", { role: "cell", class: "asks" }, check.question, h("span", { class: "faint" }, ` ${capital(check.said)}.`))));
  const heads = ["", "check", "value", "chance", "what it asks"].map((name) => h(name ? "th" : "td", { role: name ? "columnheader" : "cell" }, name));
  const measures = Object.entries(result.measures).map(([name, value]) => `${spoken(name)} ${typeof value === "number" ? number(value) : `undefined (${value})`}`);
  return h("div", { class: "trust" },
    h("p", { class: "answer" }, verdict(result.checks)),
    h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Checks of the explanation" }, h("table", { role: "table" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), h("tbody", { role: "rowgroup" }, rows))),
    result.fading ? [h("p", { class: "faint small" }, "Similarity of the explanation while the model's weights are shuffled from the top down; it should fall to what chance gives."), chart(result.fading)] : null,
    h("p", { class: "faint small" }, measures.join(" · ")));
}
