// The plane of SLALOM: every word at its value (across) and its importance (up).

import { h, s } from "./dom.js";
import { number } from "./format.js";

const WIDE = 620, HIGH = 360, MARGIN = 44;

function ticks(values) {
  let low = Math.min(0, ...values), high = Math.max(0, ...values);
  if (high - low < 1e-9) { low -= 1; high += 1; }
  let step = 10 ** Math.floor(Math.log10((high - low) / 3));
  step *= [1, 2, 5, 10].find((times) => (high - low) / (step * times) <= 7);
  const count = Math.ceil(high / step) - Math.floor(low / step);
  return Array.from({ length: count + 1 }, (_, at) => Number(((Math.floor(low / step) + at) * step).toPrecision(10)));
}

export function plane(points, target) {
  const across = ticks(points.flatMap((p) => [p.value - (p.value_sd || 0), p.value + (p.value_sd || 0)]));
  const up = ticks(points.flatMap((p) => [p.importance - (p.importance_sd || 0), p.importance + (p.importance_sd || 0)]));
  const x = (value) => MARGIN + (value - across[0]) / (across.at(-1) - across[0]) * (WIDE - 2 * MARGIN);
  const y = (value) => HIGH - MARGIN - (value - up[0]) / (up.at(-1) - up[0]) * (HIGH - 2 * MARGIN);
  const grid = [
    ...across.flatMap((tick) => [
      s("line", { class: tick === 0 ? "axis" : "grid", x1: x(tick), x2: x(tick), y1: MARGIN, y2: HIGH - MARGIN }),
      s("text", { class: "tick middle", x: x(tick), y: HIGH - MARGIN + 16 }, String(tick).replace("-", "−"))]),
    ...up.flatMap((tick) => [
      s("line", { class: tick === 0 ? "axis" : "grid", x1: MARGIN, x2: WIDE - MARGIN, y1: y(tick), y2: y(tick) }),
      s("text", { class: "tick end", x: MARGIN - 6, y: y(tick) + 4 }, String(tick).replace("-", "−"))]),
  ];
  const marks = points.map((p) => {
    const sign = p.value >= 0 ? "for" : "against";
    const about = `${p.name}: value ${number(p.value)}, importance ${number(p.importance)}`;
    return s("g", { class: sign },
      s("line", { x1: x(p.value - (p.value_sd || 0)), x2: x(p.value + (p.value_sd || 0)), y1: y(p.importance), y2: y(p.importance) }),
      s("line", { x1: x(p.value), x2: x(p.value), y1: y(p.importance - (p.importance_sd || 0)), y2: y(p.importance + (p.importance_sd || 0)) }),
      s("circle", { cx: x(p.value), cy: y(p.importance), r: 4 }, s("title", {}, about)),
      s("text", { class: "point", x: x(p.value) + 7, y: y(p.importance) - 6 }, p.name));
  });
  const picture = s("svg", { class: "plane", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `Value and importance of ${points.length} words for ${target}` },
    grid, marks,
    s("text", { class: "tick middle", x: WIDE / 2, y: HIGH - 8 }, `value for ${target}, the word alone`),
    s("text", { class: "tick", x: MARGIN, y: MARGIN - 16 }, "importance among the other words"));
  return h("div", { class: "figure", tabindex: 0, role: "group", "aria-label": "Plane of value and importance" }, picture);
}
