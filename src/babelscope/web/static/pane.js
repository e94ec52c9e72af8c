// A pane: one text in one language, what the models predict for it, and why.

import { button, h } from "./dom.js";
import { langAttribute, language } from "./format.js";
import { modelResult } from "./results.js";

const COMMON = ["en", "es", "fr", "de", "hi", "ar", "zh", "th", "sw", "tr", "ru", "ja", "ko", "pt", "it", "vi", "ur", "bn", "he", "fa", "id", "und"];
const PAUSE = 450;

function languageField(pane, changed) {
  const tags = COMMON.includes(pane.lang) ? COMMON : [pane.lang, ...COMMON];
  return h("label", { class: "lang" }, h("span", { class: "hidden" }, "Language of the text"),
    h("select", { on: { change: (event) => { pane.lang = event.target.value; changed(); } } },
      tags.map((tag) => h("option", { value: tag, selected: tag === pane.lang }, tag === "und" ? "Language not stated" : language(tag)))));
}

function grow(area) {
  area.style.blockSize = "auto";
  area.style.blockSize = `${area.scrollHeight + 2}px`;
}

export function makePane(pane, context, { remove, changed }) {
  const model = context.model();
  const results = h("div", { class: "results" });
  const fields = h("div", { class: "inputs" });
  const controllers = new Set();
  let timer = 0;

  const stop = () => { clearTimeout(timer); controllers.forEach((each) => each.abort()); controllers.clear(); };
  const refresh = () => {
    stop();
    const few = model.fewest;
    const texts = pane.texts.filter((text, at) => at < few || text.trim());
    if (texts.some((text) => !text.trim())) {
      results.replaceChildren(h("p", { class: "faint" }, "Type or paste a text."));
      return;
    }
    const most = context.limits.characters;
    const length = Array.from(texts.join("")).length;
    if (length > most) {
      results.replaceChildren(h("p", { class: "error", role: "alert" }, `This text has ${length.toLocaleString("en")} characters; ${most.toLocaleString("en")} are read here. Shorten it, or explain it with the command babelscope explain.`));
      return;
    }
    results.replaceChildren(...context.state.models.map((name) => modelResult({
      pane, context, texts, name, controllers, changed: edited,
    })));
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(() => { changed(); refresh(); }, PAUSE); };
  /** After a word was erased or replaced. */
  const edited = (texts) => {
    if (texts) { pane.texts = texts; pane.erased = []; drawFields(); }
    changed();
    refresh();
  };

  function field(place) {
    const several = model.several && place > 0;
    const name = several ? `${model.fields.at(-1)} ${place}` : model.fields[place] || `Text ${place + 1}`;
    const area = h("textarea", {
      rows: 2, dir: "auto", lang: langAttribute(pane.lang), value: pane.texts[place] || "",
      "aria-label": name, placeholder: name, spellcheck: "false",
      on: { input: () => { pane.texts[place] = area.value; pane.erased = []; pane.word = null; grow(area); later(); } },
    });
    requestAnimationFrame(() => grow(area));
    return pane.texts.length > 1 ? h("label", { class: "named" }, h("span", { class: "field-name" }, name), area) : area;
  }

  function drawFields() {
    const most = model.most ?? context.limits.texts;
    while (pane.texts.length < model.fewest) pane.texts.push("");
    pane.texts.length = Math.min(pane.texts.length, most);
    const parts = pane.texts.map((_, place) => field(place));
    if (pane.texts.length < most) {
      const name = model.several ? "candidate" : (model.fields.at(-1) || "second text").toLowerCase();
      parts.push(button(`+ Add a ${name}`, () => { pane.texts.push(""); drawFields(); fields.querySelectorAll("textarea")[pane.texts.length - 1].focus(); }, { class: "link small" }));
    }
    if (pane.texts.length > model.fewest) {
      parts.push(button(`− Remove the last ${model.several ? "candidate" : "text"}`, () => { pane.texts.pop(); pane.erased = []; drawFields(); edited(); }, { class: "link small" }));
    }
    fields.replaceChildren(...parts);
  }

  const cross = context.state.panes.length > 1 ? button("✕", remove, { class: "remove" }) : null;
  const head = h("div", { class: "pane-head" }, languageField(pane, () => { pane.erased = []; label(); drawFields(); edited(); }), cross);
  drawFields();
  const element = h("section", { class: "pane" }, head, fields, results);
  /** Names the pane after its language and its place, so that no two have the same name. */
  function label() {
    const place = context.state.panes.indexOf(pane) + 1;
    element.setAttribute("aria-label", `Text ${place} in ${language(pane.lang)}`);
    if (cross) cross.setAttribute("aria-label", `Remove text ${place} in ${language(pane.lang)}`);
  }
  label();
  return { element, refresh, stop, focus: () => fields.querySelector("textarea").focus() };
}
