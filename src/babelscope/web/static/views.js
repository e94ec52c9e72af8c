// Aggregated views of a store: words by class, languages that disagree, explanations that fail.

import { get } from "./api.js";
import { filters, query } from "./browse.js";
import { button, failure, h } from "./dom.js";
import { firstMethod, isControl, langAttribute, language, methodName, number, percent, short, spoken } from "./format.js";
import { toAddress } from "./state.js";

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** A view with filters; `draw` turns an answer into elements. */
function view(main, part, title, lead, { store, state, fields, path, draw }) {
  const body = h("div", { class: "view" });
  let turn = 0;
  const load = async () => {
    toAddress(part, state);
    turn += 1;
    const now = turn;
    try {
      const answer = await get(path, query(state));
      if (now === turn) body.replaceChildren(...[draw(answer)].flat().filter(Boolean));
    } catch (error) { if (now === turn) body.replaceChildren(failure(error, load)); }
  };
  main.append(h("h2", {}, title), h("p", { class: "lead" }, lead), h("div", { class: "controls" }, h("div", { class: "fields" }, filters(store, state, load, fields))), body);
  load();
}

const table = (heads, rows, name, style = null) => h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": name },
  h("table", { class: style }, h("thead", {}, h("tr", {}, heads.map((head) => (head ? h("th", { scope: "col" }, head) : h("td", {}))))), h("tbody", {}, rows)));

export function wordsView(main, whole, value, go) {
  const { store } = whole;
  const state = { method: firstMethod(store), model: store.largest, ...(value || {}) };
  const most = (words) => Math.max(...words.map((word) => word.influence), 1e-9);
  const draw = (answer) => {
    const filled = answer.views.filter((each) => each.words.length);
    if (!filled.length) return h("p", { class: "faint" }, "No word occurs twice here; choose other filters.");
    return h("div", { class: "grid" }, filled.map((each) => {
      const top = most(each.words);
      return h("section", { class: "card" }, h("h3", {}, `${language(each.lang)}: `, h("bdi", {}, each.target)), h("p", { class: "faint small" }, `${counted(each.texts, "explanation")}${each.punctuation ? ` · ${counted(each.punctuation, "punctuation mark")} not listed` : ""}`),
        table(["word", "", "count", "mean", ...(store.rationales ? ["gold"] : [])], each.words.map((word) => {
          const bar = h("span", { class: "bar bar-for" });
          bar.style.inlineSize = `${100 * word.influence / top}%`;
          return h("tr", {}, h("th", { scope: "row" }, button(h("bdi", {}, word.word), () => go("examples", { text: word.word, lang: each.lang, method: state.method, model: state.model }), { class: "link", title: "Show the examples" })),
            h("td", { class: "bars" }, bar), h("td", { class: "num" }, String(word.count)), h("td", { class: "num" }, number(word.mean, 2)),
            store.rationales ? h("td", { class: "num" }, percent(word.gold)) : null);
        }), `Words for ${each.target} in ${language(each.lang)}`));
    }));
  };
  view(main, "words", "Most influential words", `For each class and language, the words whose scores speak most for it: the sum of their shares of the largest score in each text.${store.rationales ? " Gold is the share of their occurrences that annotators marked." : ""}`,
    { store, state, fields: ["model", "method", "lang", "right"], path: "/api/store/words", draw });
}

/** The first words of an example. */
function beginning(texts, most = 80) {
  const signs = Array.from(texts.join(" / "));
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : signs.join("");
}

export function disagreementsView(main, whole, value, go) {
  const { store } = whole;
  const state = { model: store.names.model.length === 1 ? store.names.model[0] : "", ...(value || {}) };
  const draw = (answer) => {
    const pairs = answer.pairs.filter((pair) => pair.texts).sort((a, b) => b.differ / b.texts - a.differ / a.texts);
    if (!pairs.length) return h("p", { class: "faint" }, "The store holds no translations of the same text.");
    const worst = pairs[0];
    const sentence = worst.differ ? `${language(worst.langs[0])} and ${language(worst.langs[1])} disagree most: ${worst.differ} of ${worst.texts} translations get different labels (${percent(worst.differ / worst.texts)}).` : "No two languages disagree.";
    const rows = pairs.map((pair) => {
      const bar = h("span", { class: "bar bar-size" });
      bar.style.inlineSize = `${100 * pair.differ / pair.texts}%`;
      return h("tr", {}, h("th", { scope: "row" }, pair.langs.map(language).join(" and ")), h("td", { class: "bars" }, bar), h("td", { class: "num" }, percent(pair.differ / pair.texts)), h("td", { class: "num faint" }, `${pair.differ} of ${pair.texts}`));
    });
    const groups = answer.groups.map((group) => h("tr", {},
      h("th", { scope: "row", title: group.group }, button(h("bdi", { lang: langAttribute(group.lang) }, beginning(group.texts)), () => go("examples", { group: group.group, model: group.model }), { class: "link" })),
      h("td", { "data-head": "model" }, short(group.model || "")), h("td", { "data-head": "gold" }, group.gold === null ? "–" : h("bdi", {}, group.gold)),
      h("td", { "data-head": "predicted" }, Object.entries(group.labels).map(([lang, label], at) => [at ? ", " : "", `${language(lang)} `, h("bdi", { class: label === group.gold ? "" : "wrong" }, label)]).flat())));
    return [h("p", { class: "answer" }, sentence), table(["languages", "", "differ", "texts"], rows, "Pairs of languages", "scores pairs"),
      h("h3", {}, "Texts on which languages disagree"), groups.length ? table(["text", "model", "gold", "predicted"], groups, "Texts on which languages disagree", "stacked") : h("p", { class: "faint" }, "There are none.")];
  };
  view(main, "disagreements", "Where languages disagree", "Translations say the same, so the model should say the same about them.",
    { store, state, fields: ["model", "gold"], path: "/api/store/disagreements", draw });
}

export function trustView(main, whole, value, go) {
  const { store } = whole;
  const state = { ...(value || {}) };
  const draw = (answer) => {
    if (!answer.views.length) return h("p", { class: "faint" }, "No explanation here has a trust panel: add the block trust to the study.");
    const run = (counts) => counts.holds + counts.fails + counts.undecided;
    const checks = Object.keys(answer.views[0].checks).filter((name) => answer.views.some((each) => run(each.checks[name])));
    const cell = (counts, name) => h("td", { class: `num ${counts.fails ? "wrong" : ""} ${run(counts) ? "" : "empty"}`, "data-head": spoken(name) }, run(counts) ? `${counts.fails} of ${run(counts)}` : "–");
    const ordered = [...answer.views].sort((a, b) => isControl(a.method) - isControl(b.method));
    const without = answer.views.some((each) => isControl(each.method)) ? " Controls, which look at no model, are not counted." : "";
    const rows = ordered.map((each) => h("tr", {},
      h("th", { scope: "row" }, button(methodName(each.method), () => go("examples", { method: each.method, lang: each.lang, trust: "fails" }), { class: "link", title: "Show the explanations that fail" })),
      h("td", { "data-head": "language" }, language(each.lang)), h("td", { class: "num", "data-head": "checked" }, String(each.explanations)), checks.map((name) => cell(each.checks[name], name))));
    const real = answer.views.filter((each) => !isControl(each.method));
    const total = real.reduce((sum, each) => sum + checks.reduce((inner, name) => inner + each.checks[name].fails, 0), 0);
    const defined = real.reduce((sum, each) => sum + checks.reduce((inner, name) => inner + run(each.checks[name]), 0), 0);
    return [h("p", { class: "answer" }, `${total ? `${total.toLocaleString("en")} of ${defined.toLocaleString("en")} checks fail.` : "No check fails."}${without}`), table(["method", "language", "checked", ...checks.map(spoken)], rows, "Checks that fail", "stacked dense")];
  };
  view(main, "trust", "Where the explanation is not trusted", "How many checks of the trust panels fail, of those that are defined.",
    { store, state, fields: ["model", "method", "lang"], path: "/api/store/untrusted", draw });
}
