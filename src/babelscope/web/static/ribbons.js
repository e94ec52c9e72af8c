// Ribbons: how the weight of an explanation flows from the words of a text to those of its translation.

import { chart } from "./chart.js";
import { h } from "./dom.js";
import { percent } from "./format.js";

export function ribbons(result) {
  const answer = result.reason ? `No comparison: ${result.reason}.`
    : `${percent(result.c)} of the explanation's weight lands on matching words; chance gives ${percent(result.c_perm)}, and at most ${percent(result.ceil)} is possible.`;
  return h("div", {}, h("p", {}, answer), result.figure ? chart(result.figure) : null,
    h("p", { class: "faint small" }, `Here ${result.about}.`));
}
