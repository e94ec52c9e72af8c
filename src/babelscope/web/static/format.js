// Numbers and names as people read them: a true minus, a dash for what is undefined.

export function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** A score with its sign: three decimals, or three digits where it is too small or too large for them. */
export function significant(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const plain = size === 0 || (size >= 0.0005 && size < 1000);
  const text = (plain ? value.toFixed(digits) : String(Number(value.toPrecision(digits)))).replace("-", "−");
  return value > 0 ? `+${text}` : text;
}

export function percent(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  const value = 100 * share;
  const near = (value > 99 && value < 100) || (value > 0 && value < 1);
  return `${near ? value.toFixed(1) : Math.round(value)}\u00a0%`;
}

/** The direction of a text by its first letter that has one, as `dir=auto` would find it. */
export function direction(text) {
  const letter = text.match(/\p{L}/u);
  return letter && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter[0]) ? "rtl" : "ltr";
}

export const spoken = (name) => name.replaceAll("_", " ");

/** Methods that look at no model, to which the others are compared; a test compares them with the library's. */
const CONTROLS = { random: "random scores (control)", position: "position (control)", inverse_frequency: "inverse frequency (control)" };
export const isControl = (name) => name.split("[")[0] in CONTROLS;
export const methodName = (name) => CONTROLS[name] || spoken(name);
/** The method of the first view: in the study's order, with a sign where there is one, and no control. */
export function firstMethod(store) {
  const listed = store.names.method.filter((name) => !isControl(name));
  return listed.find((name) => !store.unsigned.includes(name)) || listed[0] || store.names.method[0] || "";
}

/** The last part of a path or hub id, which is enough where names are few. */
export const short = (name) => name.split("/").filter(Boolean).pop() || name;

const names = new Intl.DisplayNames(["en"], { type: "language" });
const known = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
/** The tag as an attribute, for screen readers and fonts: none where nobody knows the language. */
export function langAttribute(tag) {
  if (!tag || tag === "und") return null;
  try { return known.of(tag) ? tag : null; } catch { return null; }
}

export function language(tag) {
  if (!tag || tag === "und") return "not stated";
  try { return names.of(tag); } catch { return tag; }
}
