// The examples of a store: filtered, sorted, coloured, and beside their translations and other methods.

import { get } from "./api.js";
import { button, disclosure, failure, h, select } from "./dom.js";
import { firstMethod, language, methodName, number, percent, short, spoken } from "./format.js";
import { toAddress } from "./state.js";
import { colouredTexts, legend, scoreTable, unitsOf } from "./words.js";

const PAGE = 20;
const FIELDS = ["lang", "model", "method", "task", "label", "gold", "right", "flag", "disagreement", "trust", "sort"];

/** The filters of a store; `fields` says which of them. */
export function filters(store, state, change, fields) {
  const all = [["", "all"]];
  const names = (field) => store.names[field];
  const set = (field) => (value) => { state[field] = value; change(); };
  const options = {
    lang: () => ["Language", [...all, ...names("lang").map((tag) => [tag, language(tag)])]],
    model: () => ["Model", [...all, ...names("model").map((name) => [name, short(name)])]],
    method: () => ["Method", [...all, ...names("method").map((name) => [name, methodName(name)])]],
    task: () => ["Task", [...all, ...names("task").map((name) => [name, name || "–"])]],
    label: () => ["Predicted", [...all, ...names("label")]],
    gold: () => ["Gold", [...all, ...names("gold")]],
    right: () => ["Outcome", [...all, ["right", "right"], ["wrong", "wrong"], ["unknown", "without gold"]]],
    flag: () => ["Flag", [...all, ["any", "any flag"], ["none", "no flag"], ...store.flags]],
    disagreement: () => ["Disagreement", [...all, ["true", "languages disagree"], ["false", "languages agree"]]],
    trust: () => ["Trust", [...all, ["fails", "a check fails"], ["no failure", "no check fails"], ["not checked", "not checked"]]],
    sort: () => ["Sort by", [["", "text, translations together"], ...store.numbers.flatMap((name) => [[name, `${spoken(name)}, lowest first`], [`-${name}`, `${spoken(name)}, highest first`]]), ...["lang", "model", "method", "label"].map((name) => [name, name])]],
  };
  const useful = { task: names("task").length > 1, trust: store.panels, flag: store.flags.length > 0, disagreement: store.disagreements, label: names("label").length > 0, gold: names("gold").length > 0, right: store.judged };
  return fields.filter((field) => useful[field] !== false).map((field) => {
    const [label, list] = options[field]();
    return select(label, list, state[field] || "", set(field), { "data-name": field });
  });
}

export function query(state) {
  const { sort = "", ...rest } = state;
  return { ...rest, sort: sort.replace(/^-/, ""), descending: sort.startsWith("-") || "" };
}

function facts(example) {
  const shown = Object.entries(example.numbers).filter(([name, value]) => name !== "probability" && value !== null);
  return shown.map(([name, value]) => (name === "failed checks" ? `${value} failed ${value === 1 ? "check" : "checks"}` : `${spoken(name)} ${number(value)}`)).join(" · ");
}

/** Translations of an example and other methods, from the server. */
async function beside(region, example, store, open) {
  region.replaceChildren(h("p", { class: "faint" }, "Loading …"));
  try {
    const answer = await get(`/api/store/related/${example.row}`);
    const others = answer.examples.filter((each) => each.row !== example.row);
    store.explainColours(others);
    region.replaceChildren(...(others.length ? others.map((each) => card(each, store, open, false)) : [h("p", { class: "faint" }, "There are none.")]));
  } catch (error) { region.replaceChildren(failure(error, () => beside(region, example, store, open))); }
}

function card(example, store, open, related = true) {
  const signed = !store.unsigned.includes(example.method);
  const units = unitsOf(example);
  const wrong = example.gold !== null && example.gold !== example.label;
  const head = h("p", { class: "answer small-answer" }, h("strong", {}, h("bdi", {}, example.label)), h("span", { class: "num" }, ` ${percent(example.probability)}`),
    wrong ? h("span", { class: "wrong" }, "gold is ", h("bdi", {}, example.gold)) : null,
    example.disagrees ? h("span", { class: "pill" }, "languages disagree") : null);
  const who = h("p", { class: "faint small" }, `${language(example.lang)} · ${short(example.model)} · ${methodName(example.method)} explains `, h("bdi", {}, example.target), " · ", h("bdi", {}, example.id));
  const details = [disclosure("Scores", () => scoreTable(units, signed))];
  if (related) details.push(disclosure("Translations and other methods", (region) => { beside(region, example, store, open); }));
  const link = button("Link", () => open({ id: example.id, lang: example.lang, model: example.model, method: example.method }), { class: "link", title: "Show this example alone, with its own address" });
  const play = store.live ? button("Try it live", () => store.live(example), { class: "link" }) : null;
  return h("article", { class: "card" }, head, ...colouredTexts(example.texts, units, { lang: example.lang, signed }), who,
    facts(example) ? h("p", { class: "small num faint" }, facts(example)) : null,
    example.flags.length ? h("p", { class: "flag small" }, example.flags.join("; ")) : null,
    h("div", { class: "toggles" }, details.map(([toggle]) => toggle), related ? link : null, play), ...details.map(([, region]) => region));
}

export function browse(main, whole, value, go) {
  const store = { ...whole.store };
  if (whole.live) store.live = (example) => go("live", { panes: [{ lang: example.lang, texts: example.texts }] });
  const state = { offset: 0, ...(value || { method: firstMethod(store) }) };
  const list = h("div", { class: "cards" });
  const count = h("p", { class: "answer small-answer", role: "status" });
  const pager = h("nav", { class: "pager", "aria-label": "Pages of examples" });
  const form = h("div", { class: "fields" });
  const key = h("div", {});
  const signs = new Set();
  /** The legend has the colours of all methods on the page, also of those that are opened beside an example. */
  store.explainColours = (examples) => {
    examples.forEach((example) => signs.add(!store.unsigned.includes(example.method)));
    key.replaceChildren(...(signs.size ? [legend({ signed: signs.has(true), unsigned: signs.has(false) })] : []));
  };
  let turn = 0;

  let folded = true;
  const toggle = button("", () => { folded = !folded; fold(); }, { class: "link more-filters" });
  /** On a phone only the first filters are there at once, and how many others are set. */
  function fold() {
    const set = FIELDS.filter((field) => field !== "lang" && state[field]).length;
    form.classList.toggle("folded", folded);
    toggle.setAttribute("aria-expanded", String(!folded));
    toggle.textContent = folded ? `More filters${set ? ` (${set} set)` : ""}` : "Fewer filters";
  }
  const change = () => { state.offset = 0; fold(); load(); };
  const open = (filter) => { Object.keys(state).forEach((name) => delete state[name]); Object.assign(state, filter, { offset: 0 }); draw(); load(); window.scrollTo(0, 0); };
  function draw() {
    const search = h("input", { type: "search", value: state.text || "", "data-name": "text", maxlength: 200, dir: "auto", on: { input: () => { clearTimeout(search.timer); search.timer = setTimeout(() => { state.text = search.value; change(); }, 250); } } });
    const alone = state.id || state.group;
    form.replaceChildren(h("label", { class: "field" }, h("span", {}, "Text contains"), search),
      ...filters(store, state, change, FIELDS), toggle,
      alone ? button("Show all examples", () => open({}), { class: "link" }) : button("Clear filters", () => open({}), { class: "link" }));
    fold();
  }
  async function load() {
    toAddress("examples", state);
    turn += 1;
    const now = turn;
    try {
      const answer = await get("/api/store/examples", { ...query(state), limit: PAGE });
      if (now !== turn) return;
      signs.clear();
      store.explainColours(answer.examples);
      count.textContent = `${answer.total.toLocaleString("en")} of ${store.rows.toLocaleString("en")} explanations`;
      list.replaceChildren(...(answer.total ? answer.examples.map((example) => card(example, store, open)) : [h("p", { class: "faint" }, "No explanation matches these filters.")]));
      pager.hidden = !answer.total;
      const last = Math.max(0, answer.total - 1);
      const turnTo = (offset) => { state.offset = offset; load(); count.scrollIntoView(); };
      pager.replaceChildren(
        button("← Previous", () => turnTo(Math.max(0, answer.offset - PAGE)), { disabled: answer.offset === 0 }),
        h("span", { class: "faint" }, `${answer.offset + 1} to ${Math.min(answer.offset + PAGE, answer.total)}`),
        button("Next →", () => turnTo(answer.offset + PAGE), { disabled: answer.offset + PAGE > last }));
    } catch (error) {
      if (now === turn) list.replaceChildren(failure(error, load));
    }
  }
  const damaged = store.damaged.length ? h("p", { class: "flag" }, `${store.damaged.length} parts of the store cannot be read: ${store.damaged.slice(0, 3).join("; ")}`) : null;
  main.append(h("h2", {}, store.title), ...(damaged ? [damaged] : []), h("div", { class: "controls" }, form), key, count, list, pager);
  draw();
  load();
}
