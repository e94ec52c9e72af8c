// The section below the panes that compares the explanations of translations.

import { h } from "./dom.js";
import { language, spoken } from "./format.js";
import { aim, job } from "./results.js";
import { ribbons } from "./ribbons.js";

export function ribbonSection(context) {
  const { state } = context;
  const controllers = new Set();
  const body = h("div", {});
  const box = h("input", { type: "checkbox", checked: state.ribbons, on: { change: () => { state.ribbons = box.checked; context.save(); refresh(); } } });
  const element = h("section", { class: "compare", "aria-label": "Comparison of the translations" }, h("label", { class: "check" }, box, " Show how the explanation flows between the translations"), body);

  const stop = () => { controllers.forEach((each) => each.abort()); controllers.clear(); };
  function refresh() {
    stop();
    const panes = state.panes.filter((pane) => pane.texts.every((text, at) => text.trim() || at >= context.model().fewest));
    element.hidden = state.panes.length < 2 || context.model().several;
    box.checked = state.ribbons;
    body.replaceChildren();
    if (element.hidden || !state.ribbons) return;
    for (const pane of panes.slice(1)) {
      const place = h("div", {});
      const [source, translation] = [panes[0], pane].map(({ lang, texts }) => ({ lang, texts: texts.filter((text) => text.trim()) }));
      body.append(h("h3", {}, `${language(source.lang)} → ${language(translation.lang)}`), h("p", { class: "faint small" }, `by ${spoken(state.methods[0].method)}, whole texts`), place);
      job(place, controllers, "ribbons", { ...aim(context, {}, state.methods[0]), model: state.models[0], source, translation }, ribbons);
    }
  }
  return { element, refresh, stop };
}
