// Elements and SVG shapes. Whatever comes from data becomes a text node or an attribute, never HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "value" && "value" in element && !(element instanceof SVGElement)) element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element with attributes, listeners (`on`) and children: elements or texts. */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** A button; `pressed` and `expanded` are for screen readers. */
export function button(text, click, props = {}) {
  return h("button", { type: "button", on: { click }, ...props }, text);
}

/** A labelled select; `options` are [value, text] pairs or texts. */
export function select(label, options, value, change, props = {}) {
  const list = options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return h("option", { value: key, selected: key === value }, text);
  });
  const control = h("select", { on: { change: (event) => change(event.target.value) }, ...props }, list);
  return h("label", { class: "field" }, h("span", {}, label), control);
}

/** A button that shows and hides what `content` makes when it is first opened. */
export function disclosure(text, content, props = {}) {
  const region = h("div", { class: "disclosed", hidden: true });
  const toggle = button(text, () => {
    const open = region.hidden;
    region.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
    if (open && !region.childNodes.length) region.append(...[content(region)].flat().filter(Boolean));
  }, { class: "link", "aria-expanded": "false", ...props });
  return [toggle, region];
}

/** What went wrong, and a button to try again where that may help. */
export function failure(error, again, who = null) {
  return h("div", { class: "failure", role: "alert" }, who ? h("p", { class: "answer" }, h("span", { class: "who" }, who)) : null,
    h("p", { class: "error" }, error.message), error.again ? button("Try again", again, { class: "link small" }) : null);
}

let timer = 0;
/** Says something to screen readers, and for a moment on the page. */
export function announce(text) {
  let place = document.getElementById("status");
  if (!place) {
    place = h("div", { id: "status", role: "status", class: "toast" });
    document.body.append(place);
  }
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove("shown"), 4000);
}
