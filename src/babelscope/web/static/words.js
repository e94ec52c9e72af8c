// Coloured words: the text as it was written, each word in the colour of its score.

import { h } from "./dom.js";
import { langAttribute, significant } from "./format.js";

export const STEPS = 10;

/** How strongly a word is coloured, from -10 (opposes) to 10 (supports); as in babelscope.display. */
export function shade(score, largest) {
  if (score === null || score === undefined || !Number.isFinite(score) || largest <= 0) return 0;
  const step = Math.min(STEPS, Math.ceil(STEPS * (Math.abs(score) / largest) - 1e-9));
  return score > 0 ? step : -step;
}

export function largest(scores) {
  return Math.max(0, ...scores.filter((score) => Number.isFinite(score)).map(Math.abs));
}

function kind(unit, most, signed) {
  if (unit.erased) return "w-gone";
  if (unit.score === undefined) return "w-plain";
  if (unit.score === null) return "w-undefined";
  const step = shade(unit.score, most);
  if (!step) return "w-zero";
  if (!signed) return `w-size w-s${Math.abs(step)}`;
  return step > 0 ? `w-for w-p${step}` : `w-against w-n${-step}`;
}

function label(unit) {
  if (unit.erased) return `${unit.word}, erased`;
  if (unit.score === undefined) return unit.word;
  return `${unit.word}, score ${significant(unit.score)}`;
}

/** Moves the focus between the words of a text with the arrow keys; one of them is a tab stop. */
function arrows(event) {
  const words = [...event.currentTarget.querySelectorAll("[data-word]")];
  const at = words.indexOf(document.activeElement);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, Home: -words.length, End: words.length }[event.key];
  if (at < 0 || !step) return;
  const sign = getComputedStyle(event.currentTarget).direction === "rtl" && event.key.match(/Left|Right/) ? -1 : 1;
  const next = words[Math.max(0, Math.min(words.length - 1, at + sign * step))];
  event.preventDefault();
  words.forEach((word) => { word.tabIndex = word === next ? 0 : -1; });
  next.focus();
}

function word(unit, text, most, options, stop) {
  const props = { class: `w ${kind(unit, most, options.signed !== false)}`, title: unit.score === undefined ? null : significant(unit.score) };
  if (!options.onWord) return h("span", props, text);
  const press = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    options.onWord(unit, event.currentTarget);
  };
  return h("span", {
    ...props, role: "button", tabindex: stop ? 0 : -1, "data-word": unit.index, "aria-label": label(unit),
    "aria-haspopup": "dialog", on: { click: press, keydown: press },
  }, text);
}

/** Paragraphs, one for each text. `units` have start, end, segment, word, and score: null where it is
    undefined, missing where the word was not explained. Offsets count characters, not UTF-16 units. */
export function colouredTexts(texts, units, options = {}) {
  const most = options.most ?? largest(units.map((unit) => unit.score));
  let stop = true;
  return texts.map((text, place) => {
    const signs = Array.from(text);
    const parts = [];
    let at = 0;
    for (const unit of units.filter((each) => each.segment === place).sort((a, b) => a.start - b.start)) {
      const start = Math.max(unit.start, at);
      const end = Math.min(unit.end, signs.length);
      if (start >= end) continue;
      parts.push(signs.slice(at, start).join(""), word(unit, signs.slice(start, end).join(""), most, options, stop));
      stop = false;
      at = end;
    }
    const rest = signs.slice(at).join("");
    parts.push(options.truncated && rest.trim() ? h("span", { class: "w-cut", title: "the model did not read this" }, rest) : rest);
    const props = { class: "text", dir: "auto", lang: langAttribute(options.lang) };
    if (options.onWord) Object.assign(props, { role: "group", "aria-label": options.label || "Words with their scores", on: { keydown: arrows } });
    return h("p", props, parts);
  });
}

/** The units of a stored or fresh explanation. */
export function unitsOf(explanation) {
  return explanation.words.map((name, index) => ({
    index, word: name, start: explanation.word_offsets[index][0], end: explanation.word_offsets[index][1],
    segment: explanation.word_segment[index], score: explanation.word_scores[index],
    gold: explanation.rationale ? explanation.rationale[index] : null,
  }));
}

/** A table of the words, the largest scores first, each with a bar. */
export function scoreTable(units, signed = true) {
  const most = largest(units.map((unit) => unit.score)) || 1;
  const listed = units.filter((unit) => unit.score !== undefined).sort((a, b) => Math.abs(b.score ?? 0) - Math.abs(a.score ?? 0));
  const rows = listed.slice(0, 40).map((unit) => {
    const bar = h("span", { class: `bar ${!signed ? "bar-size" : unit.score < 0 ? "bar-against" : "bar-for"}` });
    bar.style.inlineSize = `${100 * Math.abs(unit.score ?? 0) / most}%`;
    return h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, unit.word)), h("td", { class: "num" }, significant(unit.score)), h("td", { class: "bars" }, bar));
  });
  const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "word"), h("th", { scope: "col" }, "score"), h("td", {})));
  return h("table", { class: "scores" }, head, h("tbody", {}, rows));
}

/** What the colours mean: those of methods with a sign, of others, or of both. */
export function legend({ signed = true, unsigned = true } = {}) {
  const sample = (style, text) => h("span", { class: `w ${style}` }, text);
  return h("p", { class: "legend" },
    signed ? h("span", {}, sample("w-for w-p4", "weak"), " ", sample("w-for w-p10", "strong"), " supports the explained class") : null,
    signed ? h("span", {}, sample("w-against w-n4", "weak"), " ", sample("w-against w-n10", "strong"), " opposes it") : null,
    unsigned ? h("span", {}, sample("w-size w-s4", "weak"), " ", sample("w-size w-s10", "strong"), " size without a sign") : null,
    h("span", {}, sample("w-undefined", "hatched"), " no score"));
}
