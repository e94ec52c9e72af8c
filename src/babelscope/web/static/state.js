// The state of the page in its address: what is shared by a link is the question, not the answer.

export function encode(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function decode(text) {
  try {
    const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const value = JSON.parse(new TextDecoder().decode(Uint8Array.from(raw, (sign) => sign.charCodeAt(0))));
    return value && typeof value === "object" ? value : null;
  } catch { return null; }
}

/** The part of the page and its state, from the address. */
export function fromAddress() {
  const [part, text] = location.hash.slice(1).split("=", 2);
  return { part: part || "", value: text ? decode(text) : null };
}

/** A browser refuses an address of megabytes, and one that changes too often: the page works without. */
export function toAddress(part, value) {
  try { history.replaceState(null, "", `#${part}=${encode(value)}`); } catch { /* the old address stays */ }
}
