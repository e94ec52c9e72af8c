// The parts of the explorer, chosen by the address: live models, and the pages of a store.

import { get } from "./api.js";
import { browse } from "./browse.js";
import { button, failure, h } from "./dom.js";
import { leaveLive, live } from "./live.js";
import { fromAddress } from "./state.js";
import { disagreementsView, trustView, wordsView } from "./views.js";

const LIVE = [["live", "Live", live]];
const STORE = [
  ["examples", "Examples", browse],
  ["words", "Words", wordsView],
  ["disagreements", "Disagreements", disagreementsView],
  ["trust", "Trust", trustView],
];

function show(about, parts, name, value) {
  const main = document.getElementById("main");
  const [part, title, render] = parts.find(([key]) => key === name) || parts[0];
  for (const tab of document.querySelectorAll("#tabs button")) {
    if (tab.dataset.part === part) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = `${title} · babelscope explorer`;
  leaveLive();
  main.replaceChildren();
  main.className = `part-${part}`;
  if (part !== "live" && !about.store.rows) {
    main.append(h("h2", {}, about.store.title), h("p", { class: "lead" }, "The store holds no explanations yet. Run a study into it with babelscope study run FILE --store STORE, and start the server again."));
    return;
  }
  render(main, about, value, (to, state) => { location.hash = ""; show(about, parts, to, state); window.scrollTo(0, 0); });
}

async function start() {
  const main = document.getElementById("main");
  try {
    const about = await get("/api/about");
    const parts = [...(about.live ? LIVE : []), ...(about.store ? STORE : [])];
    const tabs = document.getElementById("tabs");
    tabs.append(...parts.map(([part, title]) => button(title, () => { history.replaceState(null, "", `#${part}`); show(about, parts, part, null); }, { "data-part": part })));
    tabs.hidden = parts.length < 2;
    const { part, value } = fromAddress();
    show(about, parts, part, value);
  } catch (error) {
    main.replaceChildren(failure(Object.assign(error, { again: true }), () => location.reload(), "The explorer cannot start"));
  }
}

start();
