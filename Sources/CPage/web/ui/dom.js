// Functions that build the DOM. Content of other users is inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/// Makes an element with attributes and children. `on…` attributes are listeners, `data` is the dataset, true and false set and omit an
/// attribute; children are nodes or texts.
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter(child => child != null));
  return node;
}

/// Punctuation after a URL in a sentence, not part of the URL.
const AFTER_URL = /[.,;:!?'"’”)\]}>]+$/;

/// Returns a text as nodes, with its http and https URLs as links. A closing bracket belongs to a URL that contains the opening one.
export function linked(text) {
  const nodes = [];
  let done = 0;
  for (const {0: found, index} of text.matchAll(/\bhttps?:\/\/[^\s<>"]+/gi)) {
    let end = found.replace(AFTER_URL, "");
    if (end.includes("(") && found.startsWith(`${end})`)) end += ")";
    const url = URL.parse?.(end) ?? parsed(end);
    // A user name in a URL can disguise the host, so such URLs are not linked.
    if (!url || !["http:", "https:"].includes(url.protocol) || url.username || url.password) continue;
    nodes.push(text.slice(done, index), element("a", {href: url.href, target: "_blank", rel: "noopener noreferrer nofollow"}, end));
    done = index + end.length;
  }
  nodes.push(text.slice(done));
  return nodes.filter(node => node !== "");
}

function parsed(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

export function drawn(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/// Replaces the children of an element if they differ, and keeps the keyboard focus on the corresponding new child.
export function replaceWhereOther(parent, nodes) {
  const old = [...parent.children];
  if (old.length === nodes.length && old.every((node, index) => node.isEqualNode(nodes[index]))) return;
  const focused = old.findIndex(node => node.contains(document.activeElement)), label = document.activeElement?.textContent;
  parent.replaceChildren(...nodes);
  if (focused < 0) return;
  const buttons = [...parent.querySelectorAll("button:not(:disabled)")];
  (buttons.find(button => button.textContent === label) ?? buttons[0])?.focus();
}

/// Returns a count with its noun, such as "1 message" or "3 messages".
export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/// Marks a field as invalid, or removes the mark.
export function setInvalid(field, isInvalid) {
  if (isInvalid) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

export const isShown = node => node.getClientRects().length > 0;

export const byID = id => document.getElementById(id);

/// Icon outlines on a 24 x 24 grid.
const ICONS = {
  mic: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v4",
  micOff: "M9 6a3 3 0 0 1 6 0v5m-1.5 2.6A3 3 0 0 1 9 11V9M6 11a6 6 0 0 0 9 5.2M18 11a6 6 0 0 1-.4 2.2M12 17v4M4 4l16 16",
  camera: "M4 7h10a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1zM15 11l6-3v8l-6-3",
  cameraOff: "M9 7h5a1 1 0 0 1 1 1v3l6-3v8l-4-2M15 16a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1M4 4l16 16",
  screen: "M4 5h16v11H4zM9 20h6M12 16v4M12 13V8M9.5 10.5 12 8l2.5 2.5",
  image: "M4 5h16v14H4zM4 15l5-5 5 5 3-3 3 3M15.5 9.5h.01",
  people: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19a6 6 0 0 1 12 0M16 5.5a3 3 0 0 1 0 5M17 13.5a6 6 0 0 1 4 5.5",
  more: "M12 5h.01M12 12h.01M12 19h.01",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  leave: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  flag: "M6 21V4h11l-2 4 2 4H6",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  chart: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6",
  wave: "M3 12h3l2-6 4 12 3-9 2 3h4",
  panel: "M4 5h16v14H4zM14 5v14",
  subsessions: "M4 4h7v7H4zM14 4h6v7h-6zM4 14h7v6H4zM14 14h6v6h-6z",
  chat: "M4 5h16v11h-9l-5 4v-4H4z",
  mail: "M3 6h18v12H3zM3 7l9 6 9-6",
  bellOff: "M8 6a5 5 0 0 1 9 3c0 5 2 6 2 6M7 9c0 5-2 6-2 6h10M10 19a2 2 0 0 0 4 0M4 4l16 16",
  back: "M14 6l-6 6 6 6",
  send: "M4 12 20 4l-4 16-4-7zM12 13l8-9",
  end: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9h6v6H9z",
  hand: "M8 13V6.5a1.5 1.5 0 0 1 3 0V11M11 11V4.5a1.5 1.5 0 0 1 3 0V11M14 11V6.5a1.5 1.5 0 0 1 3 0V14a6 6 0 0 1-6 6c-3 0-4.5-1.5-6-4l-2-3.5a1.4 1.4 0 0 1 2.4-1.4L8 13",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  plus: "M12 5v14M5 12h14",
};

export function icon(name) {
  return drawn("svg", {viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true"}, drawn("path", {d: ICONS[name]}));
}

/// Formats a bit rate: 1,234,567 as "1.23 Mbit/s".
export function bitrate(bits) {
  if (bits == null) return "–";
  if (bits >= 1e6) return `${(bits / 1e6).toFixed(2)} Mbit/s`;
  return `${Math.round(bits / 1e3)} kbit/s`;
}

export const number = (value, digits = 0, unit = "") => value == null || Number.isNaN(value) ? "–" : `${value.toFixed(digits)}${unit}`;
