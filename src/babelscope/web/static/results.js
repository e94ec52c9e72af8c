// What a model says about the text of a pane: the prediction first, then its explanations.

import { Cancelled, run } from "./api.js";
import { chart } from "./chart.js";
import { button, disclosure, failure, h } from "./dom.js";
import { direction, percent, short, spoken } from "./format.js";
import { wordMenu } from "./menu.js";
import { trustPanel } from "./trust.js";
import { colouredTexts, scoreTable, unitsOf } from "./words.js";

/** Runs a job into a place of the page: progress and a button to cancel while it is slow. `who` is named where it fails. */
export function job(place, controllers, kind, body, show, who = null) {
  const controller = new AbortController();
  controllers.add(controller);
  const bar = h("progress", { "aria-label": "Progress" });
  const note = h("span", { class: "faint small" }, "waiting");
  const wait = h("div", { class: "wait", hidden: true }, bar, note, button("Cancel", () => controller.abort(), { class: "link small" }));
  place.replaceChildren(wait);
  place.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => { wait.hidden = false; }, 250);
  const again = () => job(place, controllers, kind, body, show, who);
  const progress = (state) => {
    note.textContent = state.state === "busy" ? "the server is busy; trying again" : state.state === "running" ? `step ${state.step || 1}` : "waiting";
    if (state.total) { bar.max = state.total; bar.value = state.done; }
  };
  return run(kind, body, { signal: controller.signal, progress })
    .then((result) => place.replaceChildren(...[show(result)].flat().filter(Boolean)))
    .catch((error) => {
      if (error instanceof Cancelled) place.replaceChildren(h("p", { class: "faint small" }, "Cancelled. ", button("Run it again", again, { class: "link" })));
      else place.replaceChildren(failure(error, again, who));
    })
    .finally(() => { clearTimeout(slow); controllers.delete(controller); place.removeAttribute("aria-busy"); });
}

function likely(row) {
  const [name, share] = row;
  const bar = h("span", { class: "share" });
  bar.style.inlineSize = `${Math.round(100 * (share || 0))}%`;
  return h("li", {}, h("span", { class: "share-name" }, h("bdi", {}, name)), h("span", { class: "num faint" }, percent(share)), h("span", { class: "share-line", "aria-hidden": "true" }, bar));
}

/** The prediction in one line, and the likeliest classes below it. */
function prediction(result, model, several) {
  const now = result.erased || result;
  const name = (each) => h("bdi", {}, each.label === "" ? "no answer" : each.label);
  const whose = result.tags ? [h("bdi", {}, result.words[result.word]), ": "] : null;
  const line = h("p", { class: "answer", "aria-live": "polite" }, several ? h("span", { class: "who" }, short(model.name)) : null,
    h("strong", {}, whose, name(now)), h("span", { class: "num" }, ` ${percent(now.probability)}`),
    result.erased ? h("span", { class: "was" }, " was ", name(result), ` ${percent(result.probability)}`) : null);
  const parts = [line];
  if (now.classes.length > 1 && !now.tags) parts.push(h("ul", { class: "shares" }, now.classes.map(likely)));
  if (result.flags.length) parts.push(h("p", { class: "flag small" }, result.flags.join("; ")));
  return parts;
}

function tagList(result, pane, changed) {
  if (!result.tags) return null;
  const chosen = pane.word ?? result.word;
  return h("div", { class: "tags", dir: direction(result.words.join(" ")), role: "group", "aria-label": "Tags of the words" }, result.tags.map((tag, at) => button(
    h("span", {}, h("bdi", {}, result.words[at]), h("small", {}, tag)), () => { pane.word = at; changed(); },
    { class: `tag ${tag === "O" ? "tag-o" : ""}`, "aria-pressed": String(at === chosen) })));
}

/** The words of the whole text, with the scores of an explanation that may lack erased ones. */
function units(whole, pane, explanation) {
  const scores = new Map(unitsOf(explanation).map((unit) => [`${unit.segment} ${unit.start}`, unit.score]));
  return whole.words.map((word, index) => {
    const [start, end] = whole.offsets[index];
    const segment = whole.segment[index];
    return { index, word, start, end, segment, erased: pane.erased.includes(index), score: scores.get(`${segment} ${start}`) };
  });
}

function replaced(texts, unit, word) {
  return texts.map((text, place) => {
    if (place !== unit.segment) return text;
    const signs = Array.from(text);
    return signs.slice(0, unit.start).join("") + word + signs.slice(unit.end).join("");
  });
}

function aim(context, pane, each) {
  const { state } = context;
  return {
    method: each.method, options: each.options, target: state.target || null, contrast: state.contrast || null,
    quantity: state.contrast ? "contrast" : state.quantity, part: state.part, edge: state.edge, seed: state.seed, word: pane.word ?? null,
  };
}

export { aim };

function explanationOf(setting, whole, each, row) {
  const { pane, context, texts, controllers, changed } = setting;
  const body = { ...setting.body, ...aim(context, pane, each) };
  const click = (unit, anchor) => {
    const erase = pane.erased.includes(unit.index)
      ? ["Restore", () => { pane.erased = pane.erased.filter((at) => at !== unit.index); changed(); }]
      : ["Erase", () => { pane.erased = [...pane.erased, unit.index].sort((a, b) => a - b); changed(); }];
    const all = pane.erased.length > 1 ? [["Restore all", () => { pane.erased = []; changed(); }]] : [];
    wordMenu(unit, anchor, [erase, ...all], (word) => changed(replaced(texts, unit, word)));
  };
  const place = h("div", { class: "explanation" });
  job(place, controllers, "explain", body, (result) => {
    const listed = units(whole, pane, result);
    const contrast = result.contrast ? [" rather than ", h("bdi", {}, result.contrast)] : null;
    const tagged = result.tagged_word === null ? null : whole.words[pane.word ?? whole.word];
    const note = h("p", { class: "by small faint" }, `${spoken(each.method)} explains `, h("bdi", {}, result.target), tagged ? [" at ", h("bdi", {}, tagged)] : null, contrast);
    const trustPlace = () => {
      const inner = h("div", {});
      job(inner, controllers, "trust", body, trustPanel);
      return inner;
    };
    const details = [disclosure("Scores", () => scoreTable(listed, row.signed)), disclosure("Can it be trusted?", trustPlace)];
    if (result.plane) details.push(disclosure("Value and importance", () => chart(result.plane)));
    const flags = result.flags.filter((flag) => !whole.flags.includes(flag) && !(tagged && flag.startsWith("the tag of ")));
    return [
      ...colouredTexts(texts, listed, { lang: pane.lang, signed: row.signed, onWord: click, truncated: true, label: `Words and their scores by ${spoken(each.method)}` }),
      note, flags.length ? h("p", { class: "flag small" }, flags.join("; ")) : null,
      h("div", { class: "toggles" }, details.map(([toggle]) => toggle)), ...details.map(([, region]) => region),
    ];
  });
  return place;
}

/** The prediction and the explanations of one model. */
export function modelResult(setting) {
  const { pane, context, texts, name, controllers, changed } = setting;
  const { about, state } = context;
  const model = about.models.find((each) => each.name === name);
  const body = { model: name, texts, lang: pane.lang, erased: pane.erased, operator: model.operators.includes(state.operator) ? state.operator : null };
  const place = h("div", { class: "result" });
  job(place, controllers, "predict", body, (whole) => [
    ...prediction(whole, model, state.models.length > 1), tagList(whole, pane, changed),
    ...state.methods.map((each) => explanationOf({ ...setting, body }, whole, each, about.methods.find((method) => method.name === each.method))),
    pane.erased.length ? h("p", { class: "small faint" }, `${pane.erased.length} ${pane.erased.length === 1 ? "word is" : "words are"} erased. `, button("Restore all", () => { pane.erased = []; changed(); }, { class: "link" })) : null,
  ], state.models.length > 1 ? short(model.name) : null);
  return place;
}
