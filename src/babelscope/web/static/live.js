// Live: texts and their translations in panes, explained by the chosen models and methods.

import { file } from "./api.js";
import { controls } from "./controls.js";
import { announce, button, h } from "./dom.js";
import { language } from "./format.js";
import { makePane } from "./pane.js";
import { ribbonSection } from "./ribbon_section.js";
import { toAddress } from "./state.js";
import { legend } from "./words.js";

const FIRST = ["en", "hi", "ar"];
const DEFAULT_METHOD = "integrated_gradients";

function offered(about, model) {
  return model.corpus ? about.texts[model.corpus] || [] : [];
}

function emptyTexts(model) {
  return Array.from({ length: model.fewest }, () => "");
}

/** What is shown first: one meaning in two languages, the longest text, so that there is something to play with. */
function firstState(about) {
  const model = about.models[0];
  const texts = offered(about, model);
  const length = (row) => row.texts.join("").length;
  const group = texts.filter((row) => row.lang === texts[0].lang).sort((a, b) => length(b) - length(a))[0]?.group;
  const panes = FIRST.slice(0, 2).flatMap((lang) => texts.filter((row) => row.lang === lang && row.group === group))
    .map((row) => ({ lang: row.lang, texts: [...row.texts], erased: [] }));
  return {
    models: [model.name], methods: [{ method: model.methods.includes(DEFAULT_METHOD) ? DEFAULT_METHOD : "occlusion", options: {} }],
    target: "", contrast: "", quantity: "logit", part: "all", edge: "both", seed: 0, operator: "",
    panes: panes.length ? panes : [{ lang: "en", texts: emptyTexts(model), erased: [] }], ribbons: false,
  };
}

const KNOWN = { quantity: ["logit", "probability", "log_odds"], part: ["all", "first", "second"], edge: ["both", "start", "end"] };
const listOf = (value) => (Array.isArray(value) ? value : []);

/** A state from a link: what this server does not have is replaced by what it has, and said. */
function checked(state, about) {
  const first = firstState(about);
  if (!state) return first;
  const names = about.models.map((model) => model.name);
  const methods = new Set(about.methods.map((method) => method.name));
  const whole = { ...first };
  for (const [name, value] of Object.entries(first)) if (typeof state[name] === typeof value && (KNOWN[name] || [state[name]]).includes(state[name])) whole[name] = state[name];
  whole.models = listOf(state.models).filter((name) => names.includes(name));
  whole.methods = listOf(state.methods).filter((each) => methods.has(each?.method)).map((each) => ({ method: each.method, options: { ...each.options } }));
  whole.panes = listOf(state.panes).filter((pane) => Array.isArray(pane?.texts)).slice(0, 12)
    .map((pane) => ({ lang: String(pane.lang || "und"), texts: pane.texts.map(String), erased: listOf(pane.erased).filter(Number.isInteger), word: Number.isInteger(pane.word) ? pane.word : null }));
  const missing = [...listOf(state.models).filter((name) => !names.includes(name)), ...listOf(state.methods).map((each) => each?.method).filter((name) => !methods.has(name))];
  if (missing.length) announce(`This server does not have ${missing.map(String).join(", ")}: the page shows what it has.`);
  if (!whole.models.length) whole.models = first.models;
  if (!whole.methods.length) whole.methods = first.methods;
  if (!whole.panes.length) whole.panes = first.panes;
  return whole;
}

let leave = () => {};
/** Whoever leaves waits for nothing: the server goes on with the next request. */
export const leaveLive = () => leave();
window.addEventListener("pagehide", leaveLive);

export function live(main, whole, value) {
  const about = whole.live;
  const state = checked(value, about);
  const model = () => about.models.find((each) => each.name === state.models[0]);
  const grid = h("div", { class: "panes" });
  const bar = h("div", { class: "controls" });
  const chips = h("div", { class: "chips", role: "group", "aria-label": "Example texts" });
  const links = h("div", { class: "actions" });
  let panes = [];
  const save = () => toAddress("live", state);
  const context = { about, state, model, limits: whole.limits, save };
  const ribbons = ribbonSection(context);

  const key = h("div", {});
  const drawKey = () => {
    const signs = state.methods.map((each) => about.methods.find((method) => method.name === each.method).signed);
    key.replaceChildren(legend({ signed: signs.includes(true), unsigned: signs.includes(false) }));
  };
  const refresh = () => { save(); drawKey(); panes.forEach((pane) => pane.refresh()); ribbons.refresh(); };
  const rebuild = () => {
    panes.forEach((pane) => pane.stop());
    drawChips();
    panes = state.panes.map((pane) => makePane(pane, context, {
      remove: () => { state.panes.splice(state.panes.indexOf(pane), 1); rebuild(); },
      changed: () => { save(); ribbons.refresh(); },
    }));
    grid.replaceChildren(...panes.map((pane) => pane.element), addPane());
    refresh();
  };
  const rebuildAll = () => { controls(bar, context, { refresh, rebuildAll }); rebuild(); };
  context.rebuildAll = rebuildAll;

  function addPane() {
    const known = offered(about, model());
    const used = new Set(state.panes.map((pane) => pane.lang));
    const group = known.find((row) => state.panes.some((pane) => pane.texts.join("\n") === row.texts.join("\n")))?.group;
    const next = group && known.find((row) => row.group === group && !used.has(row.lang));
    const add = () => {
      state.panes.push({ lang: next ? next.lang : "und", texts: next ? [...next.texts] : emptyTexts(model()), erased: [] });
      rebuild();
      panes.at(-1).focus();
    };
    return button(next ? `+ Add the translation into ${language(next.lang)}` : "+ Add a translation", add, { class: "add", disabled: state.panes.length >= 12 });
  }

  function drawChips() {
    const known = offered(about, model());
    const langs = [state.panes[0]?.lang, known[0]?.lang];  // in the language of the first pane where there is one
    const lang = langs.find((each) => known.some((row) => row.lang === each));
    const lead = known.filter((row) => row.lang === lang);
    chips.replaceChildren(...(lead.length ? [h("span", { class: "faint small" }, "Try")] : []), ...lead.map((row) => button(
      row.texts[0].length > 44 ? `${row.texts[0].slice(0, 43)}…` : row.texts[0], () => {
        for (const pane of state.panes) {
          const same = known.find((each) => each.group === row.group && each.lang === pane.lang) || row;
          Object.assign(pane, { lang: same.lang, texts: [...same.texts], erased: [], word: null });
        }
        rebuild();
      }, { class: "chip", dir: "auto", lang, title: row.texts.join("\n") })));
  }

  const share = button("Copy link", async () => {
    save();
    const slow = new Promise((_, refuse) => setTimeout(refuse, 1500));  // a browser may wait for a permission
    try { await Promise.race([navigator.clipboard.writeText(location.href), slow]); announce("The link is copied; it holds the texts and the choices."); }
    catch { announce("Copy the address of this page: it holds the texts and the choices."); }
  });
  const download = button("Export as study file", async () => {
    const aim = { target: state.target || null, contrast: state.contrast || null, quantity: state.contrast ? "contrast" : state.quantity, part: state.part, edge: state.edge, seed: state.seed };
    const word = state.panes.find((pane) => Number.isInteger(pane.word))?.word ?? null;
    try {
      const text = await file("/api/export", {
        models: state.models, methods: state.methods.map((each) => ({ ...aim, ...each, word })),
        passages: state.panes.map(({ lang, texts }) => ({ lang, texts })), consistency: state.ribbons,
      });
      const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/yaml" })), download: "study.yaml" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 5000);
      announce(state.panes.some((pane) => pane.erased.length) ? "study.yaml is downloaded; it holds the whole texts, without erased words." : "study.yaml is downloaded.");
    } catch (error) { announce(error.message); }
  });
  links.append(share, download);
  main.append(h("h2", {}, "Which words made the model say that?"), h("p", { class: "lead" }, "Write a text, or click a word to erase or replace it: the prediction and the colours follow."), chips, bar, key, grid, ribbons.element, links);
  leave = () => { panes.forEach((pane) => pane.stop()); ribbons.stop(); };
  rebuildAll();
}
