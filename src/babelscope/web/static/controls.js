// The controls above the panes: models, methods with their options, and what is explained.

import { button, h, select } from "./dom.js";
import { short, spoken } from "./format.js";

/** A menu of checkboxes that says in its title what is chosen. */
function choices(label, groups, chosen, change) {
  const title = h("summary", {}, h("span", { class: "field-name" }, label), h("span", { class: "chosen" }, chosen.map((name) => short(spoken(name))).join(", ")));
  const boxes = groups.map(([heading, rows]) => h("fieldset", {}, heading ? h("legend", {}, heading) : null, rows.map(([name, about, disabled]) => {
    const box = h("input", { type: "checkbox", value: name, checked: chosen.includes(name), disabled, on: { change: () => change(name, box.checked) } });
    return h("label", { title: about }, box, h("span", {}, spoken(short(name)), h("small", { class: "faint" }, ` ${about}`)));
  })));
  const menu = h("details", { class: "choices", "data-name": label, on: { keydown: (event) => { if (event.key === "Escape" && menu.open) { menu.open = false; title.focus(); } } } }, title, h("div", { class: "choices-list" }, boxes));
  return menu;
}

document.addEventListener("pointerdown", (event) => {
  for (const menu of document.querySelectorAll(".choices[open]")) if (!menu.contains(event.target)) menu.open = false;
});

function toggled(list, name, on) {
  const rest = list.filter((each) => each !== name);
  return on ? [...rest, name] : rest.length ? rest : list;
}

function modelChoice(context, redraw) {
  const { about, state } = context;
  const rows = about.models.map((model) => [model.name, `${model.task}; ${model.description}`]);
  return choices("Model", [["", rows]], state.models, (name, on) => { state.models = toggled(state.models, name, on); redraw("Model"); });
}

function methodChoice(context, redraw) {
  const { about, state, model } = context;
  const works = new Set(model().methods);
  // Controls look at no model: they are for comparison, and come last.
  const families = [...new Set(about.methods.map((method) => method.family))].sort((a, b) => (a === "control") - (b === "control"));
  const groups = families.map((family) => [family, about.methods.filter((method) => method.family === family).map((method) => [method.name, method.summary, !works.has(method.name)])]);
  return choices("Method", groups, state.methods.map((each) => each.method), (name, on) => {
    const names = toggled(state.methods.map((each) => each.method), name, on);
    state.methods = names.map((each) => state.methods.find((old) => old.method === each) || { method: each, options: {} });
    redraw("Method");
  });
}

/** What is explained: a class by name, or a text for answers and tokens. */
function targetFields(context, refresh, redraw) {
  const { state } = context;
  const model = context.model();
  const set = (name) => (value) => { state[name] = value; refresh(); };
  const labels = model.labels.map((label) => [label, label]);
  const fields = [];
  if (labels.length) {
    fields.push(select("Explain", [["", "what it predicts"], ...labels], state.target, (value) => { state.target = value; redraw(); }, { "data-name": "target" }));
  } else if (model.named || model.generates) {
    const field = h("input", { type: "text", value: state.target, placeholder: "what it predicts", dir: "auto", "data-name": "target", on: { change: (event) => set("target")(event.target.value) } });
    fields.push(h("label", { class: "field" }, h("span", {}, model.spans ? "Explain the answer" : "Explain"), field));
  }
  if (model.contrasts) {
    fields.push(select("rather than", [["", "nothing"], ...labels.filter(([label]) => label !== state.target)], state.contrast, set("contrast"), { "data-name": "contrast" }));
  }
  return fields;
}

function option(each, name, value, refresh) {
  const chosen = each.options[name] ?? value;
  const change = (event) => {
    const text = event.target.value;
    if (text === "" || text === String(value)) delete each.options[name];
    else each.options[name] = typeof value === "number" ? Number(text) : typeof value === "boolean" ? text === "true" : text;
    refresh();
  };
  const field = typeof value === "boolean"
    ? h("select", { on: { change } }, ["false", "true"].map((text) => h("option", { value: text, selected: String(chosen) === text }, text)))
    : h("input", { type: typeof value === "number" ? "number" : "text", step: "any", value: chosen ?? "", placeholder: "default", on: { change } });
  return h("label", { class: "field small" }, h("span", {}, `${spoken(each.method)}: ${spoken(name)}`), field);
}

function more(context, refresh) {
  const { about, state } = context;
  const model = context.model();
  const set = (name) => (value) => { state[name] = name === "seed" ? Math.max(0, Math.trunc(Number(value)) || 0) : value; refresh(); };
  const quantities = (model.probabilities ? ["logit", "probability", "log_odds"] : ["logit"]).map((name) => [name, spoken(name)]);
  const fields = [
    select("Quantity", quantities, state.quantity, set("quantity"), { disabled: Boolean(state.contrast) }),
    select("Erase words by", [["", `default (${model.operators[0]})`], ...model.operators.slice(1)], state.operator, set("operator"), { "data-name": "operator" }),
  ];
  if (model.most !== 1) fields.push(select("Explain the words of", [["all", "all texts"], ["first", "the first text"], ["second", "the others"]], state.part, set("part")));
  if (model.spans) fields.push(select("Edge of the answer", [["both", "both"], ["start", "start"], ["end", "end"]], state.edge, set("edge")));
  const rows = state.methods.map((each) => [each, about.methods.find((method) => method.name === each.method)]);
  if (rows.some(([, row]) => row.seeded)) {
    fields.push(h("label", { class: "field" }, h("span", {}, "Seed"), h("input", { type: "number", min: 0, value: state.seed, on: { change: (event) => set("seed")(event.target.value) } })));
  }
  const hidden = new Set(["corpus", "heads"]);
  fields.push(...rows.flatMap(([each, row]) => Object.entries(row.options).filter(([name]) => !hidden.has(name)).map(([name, value]) => option(each, name, value, refresh))));
  return h("div", { class: "fields" }, fields);
}

/** Draws the controls; `rebuildAll` after a choice of models, which changes everything else. */
export function controls(bar, context, { refresh, rebuildAll }) {
  const open = bar.querySelector("[aria-expanded=true]") !== null;
  const panel = h("div", { class: "more", hidden: !open });
  const draw = () => panel.replaceChildren(more(context, refresh));
  const redraw = (name) => {
    if (name === "Model") rebuildAll(); else { controls(bar, context, { refresh, rebuildAll }); refresh(); }
    const menu = name && bar.querySelector(`details[data-name=${name}]`);
    if (menu) { menu.open = true; menu.querySelector("summary").focus(); }
  };
  const toggle = button("More options", () => {
    panel.hidden = !panel.hidden;
    toggle.setAttribute("aria-expanded", String(!panel.hidden));
  }, { class: "link", "aria-expanded": String(open) });
  draw();
  bar.replaceChildren(h("div", { class: "fields" }, modelChoice(context, redraw), methodChoice(context, redraw), targetFields(context, refresh, () => redraw()), toggle), panel);
}
