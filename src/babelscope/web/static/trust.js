// The trust panel: every check beside what chance gives, and how the explanation fades.

import { h, s } from "./dom.js";
import { number, spoken } from "./format.js";

const MARKS = { holds: "✓", fails: "✗", undecided: "?", undefined: "–" };

/** The verdict in one sentence. */
export function verdict(checks) {
  const count = (name) => checks.filter((check) => check.verdict === name).length;
  const defined = checks.length - count("undefined");
  if (!defined) return "No check could be run on this explanation.";
  if (count("fails")) return `Do not trust it yet: ${count("fails")} of ${defined} checks fail.`;
  if (count("undecided")) return `Undecided: ${count("holds")} of ${defined} checks hold, none fails.`;
  return `All ${defined} checks that apply hold.`;
}

function fading(stages) {
  const wide = 520, high = 130, left = 36, known = [1, ...stages.map((stage) => stage.similarity)];
  const x = (at) => left + 10 + at * (wide - left - 20) / Math.max(1, known.length - 1);
  const y = (value) => 10 + (high - 20) * (1 - Math.max(-0.5, value)) / 1.5;
  const dots = known.map((value, at) => [at, value]).filter(([, value]) => value !== null);
  const last = stages.at(-1);
  return h("div", { class: "figure", tabindex: 0, role: "group", "aria-label": "Fading under randomisation" }, s("svg", { class: "fading", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "How alike the explanation stays while the weights are shuffled from the top down" },
    last && last.low !== null ? s("rect", { class: "band", x: left, y: y(last.high), width: wide - left, height: Math.max(1, y(last.low) - y(last.high)) }) : null,
    [1, 0.5, 0].map((tick) => s("text", { class: "tick end", x: left - 6, y: y(tick) + 4 }, number(tick, 1))),
    s("polyline", { class: "curve", points: dots.map(([at, value]) => `${x(at)},${y(value)}`).join(" ") }),
    dots.map(([at, value]) => s("circle", { class: "dot", cx: x(at), cy: y(value), r: 3.5 }, s("title", {}, `${at ? stages[at - 1].part : "trained"}: ${number(value, 2)}`)))));
}

export function trustPanel(result) {
  const rows = result.checks.map((check) => h("tr", { class: `v-${check.verdict}` },
    h("td", { class: "mark" }, h("span", { "aria-hidden": "true" }, MARKS[check.verdict]), h("span", { class: "hidden" }, check.verdict)),
    h("th", { scope: "row" }, spoken(check.name)),
    h("td", { class: "num" }, number(check.value, 2)),
    h("td", { class: "num faint" }, check.low === null ? "" : `${number(check.low, 2)} to ${number(check.high, 2)}`),
    h("td", {}, check.question, h("span", { class: "faint" }, ` ${check.said}.`))));
  const heads = ["", "check", "value", "chance", "what it asks"].map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {})));
  const measures = Object.entries(result.measures).map(([name, value]) => `${spoken(name)} ${typeof value === "number" ? number(value) : `undefined (${value})`}`);
  return h("div", { class: "trust" },
    h("p", { class: "answer" }, verdict(result.checks)),
    h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Checks of the explanation" }, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))),
    result.stages.length ? [h("p", { class: "faint small" }, "Similarity of the explanation while the model's weights are shuffled from the top down; 1 is unchanged, the band is chance."), fading(result.stages)] : null,
    h("p", { class: "faint small" }, measures.join(" · ")));
}
