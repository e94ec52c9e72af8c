// Charts: drawn by the server with the kit of the report; here they are shown, read and saved.

import { button, h, s } from "./dom.js";

const FORBIDDEN = "script, foreignObject, image, use, a, style, animate, set";

/** The SVG of the server as an element. Names in it are escaped; whatever is no shape or text is refused. */
function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.localName !== "svg" || parsed.querySelector(FORBIDDEN)) throw new Error("the server sent no chart");
  return document.importNode(parsed, true);
}

function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  document.documentElement.dataset.saved = `${name} ${blob.size}`;
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function savePicture(figure, name) {
  const image = new Image();
  image.onload = () => {
    const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(figure.svg)}`;
}

const SHAPES = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", "M0,-5L5,0L0,5L-5,0Z"];
const sample = (at) => s("svg", { class: "bs-chart", viewBox: "-7 -7 14 14", width: 14, height: 14, "aria-hidden": "true" }, s("path", { class: `s${at}`, d: SHAPES[at] }));

/** Charts side by side, their legend, the value under the pointer, and buttons to save them. */
export function chart(figure) {
  const readout = h("output", { class: "readout small" });
  const show = (event) => {
    const mark = event.target.closest?.(".mark, .cell, .k");
    if (mark) readout.textContent = mark.querySelector("title")?.textContent ?? "";
  };
  const panels = figure.charts.map((each) => h("div", { class: "figure", tabindex: 0, role: "group", "aria-label": figure.title }, picture(each)));
  const legend = [...figure.legend.map((name, at) => h("span", {}, sample(at), " ", name)), ...(figure.control ? [h("span", {}, h("i", { class: "grey" }), figure.control)] : [])];
  const name = figure.name.replace(/[^\w.-]+/g, "-");
  const kinds = { SVG: () => save(new Blob([figure.svg], { type: "image/svg+xml" }), `${name}.svg`), PNG: () => savePicture(figure, name), CSV: () => save(new Blob([figure.csv], { type: "text/csv" }), `${name}.csv`) };
  return h("div", { class: "chart", on: { pointerover: show, pointerdown: show } }, panels, readout,
    legend.length ? h("p", { class: "key small" }, legend) : null,
    figure.note ? h("p", { class: "faint small" }, figure.note) : null,
    h("p", { class: "save small faint" }, "Save ", Object.entries(kinds).map(([kind, run]) => button(kind, run, { "aria-label": `Save as ${kind}: ${figure.title}` }))));
}
