// Ribbons: how the weight of an explanation flows from the words of a text to those of its translation.

import { h, s } from "./dom.js";
import { number, percent } from "./format.js";

const FONT = 15, SPACE = 9, MARGIN = 16, TOP = 34, TALL = 150, SCALE = 380, LEAST = 0.002;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;

const measure = document.createElement("canvas").getContext("2d");
function wide(word) {
  measure.font = `${FONT}px system-ui, sans-serif`;
  return measure.measureText(word).width;
}

const size = (scores) => scores.reduce((sum, score) => sum + Math.abs(score || 0), 0) || 1;
const sign = (score) => (score >= 0 ? "for" : "against");

/** The words of a text in one line: their weights, their places, and its direction. */
function line(explanation) {
  const total = size(explanation.word_scores);
  const weights = explanation.word_scores.map((score) => Math.abs(score || 0) / total);
  const boxes = explanation.words.map((word, at) => Math.max(wide(word), SCALE * weights[at]));
  const length = boxes.reduce((sum, box) => sum + box + SPACE, -SPACE);
  const text = explanation.words.join("");
  const turned = (text.match(RIGHT_TO_LEFT) || []).length > text.length / 2;
  return { weights, boxes, length, turned, middles(width) {
    let at = (width - length) / 2;
    const places = boxes.map((box) => { const middle = at + box / 2; at += box + SPACE; return middle; });
    return turned ? places.map((place) => width - place) : places;
  } };
}

/** Where each ribbon begins at its word: side by side, in the order of where they go. */
function starts(flow, from, to, here, there) {
  const at = new Map();
  for (const each of [...flow].sort((a, b) => there[a[to]] - there[b[to]])) {
    const list = at.get(each[from]) || [];
    list.push(each);
    at.set(each[from], list);
  }
  const places = new Map();
  for (const [word, list] of at) {
    let x = here[word] - SCALE * list.reduce((sum, each) => sum + each[2], 0) / 2;
    for (const each of list) { places.set(each, x); x += SCALE * each[2]; }
  }
  return places;
}

export function ribbons(result) {
  const { source, translation } = result;
  const flow = result.flow.filter((each) => each[2] > LEAST && each[3] > 0);
  const lines = [line(source), line(translation)];
  const width = Math.max(...lines.map((each) => each.length)) + 2 * MARGIN;
  const [upper, lower] = lines.map((each) => each.middles(width));
  const [a, b] = [starts(flow, 0, 1, upper, lower), starts(flow, 1, 0, lower, upper)];
  const low = TOP + TALL, bend = TOP + TALL / 2;
  const paths = flow.map((each) => {
    const [x, z, thick] = [a.get(each), b.get(each), SCALE * each[2]];
    const d = `M${x},${TOP}C${x},${bend} ${z},${bend} ${z},${low}L${z + thick},${low}C${z + thick},${bend} ${x + thick},${bend} ${x + thick},${TOP}Z`;
    const words = `${source.words[each[0]]} → ${translation.words[each[1]]}`;
    return s("path", { d, class: sign(source.word_scores[each[0]]), opacity: 0.15 + 0.65 * Math.min(1, each[3]) },
      s("title", {}, `${words}: flow ${number(each[2])}, similarity ${number(each[3], 2)}`));
  });
  const texts = [[source, upper, TOP - 10, lines[0], TOP - 5], [translation, lower, low + 22, lines[1], low + 1]].flatMap(
    ([side, middles, y, shape, bar]) => side.words.flatMap((word, at) => [
      s("rect", { class: sign(side.word_scores[at]), x: middles[at] - SCALE * shape.weights[at] / 2, y: bar, width: SCALE * shape.weights[at], height: 4 }),
      s("text", { class: "middle", x: middles[at], y }, word)]));
  const c = `C ${number(result.c)}, by chance ${number(result.c_perm)}, at most ${number(result.ceil)}`;
  const picture = s("svg", { class: "ribbons", viewBox: `0 0 ${Math.round(width)} ${low + 34}`, width: Math.round(width), height: low + 34, role: "img", "aria-label": `Flow from ${source.lang} to ${translation.lang}: ${c}` }, paths, texts);
  const answer = result.reason ? `No comparison: ${result.reason}.`
    : `${percent(result.c)} of the explanation's weight lands on matching words; chance gives ${percent(result.c_perm)}, and at most ${percent(result.ceil)} is possible.`;
  return h("div", {}, h("p", {}, answer),
    h("div", { class: "figure", tabindex: 0, role: "group", "aria-label": "Ribbons between the translations" }, picture),
    h("p", { class: "faint small" }, `Width: weight that flows. Blue supports, orange opposes. Here ${result.about}.`));
}
