// Keyboard shortcuts of the session, and the dialog that lists them.

import {show} from "./dialogs.js";
import {element} from "./dom.js";
import {stored, store} from "./storage.js";

const KEY = "millrace.shortcuts";
/// Pairs of key and description.
export const SHORTCUTS = [
  ["m", "Mute or unmute"], ["v", "Stop or start your video"], ["h", "Raise or lower your hand"], ["f", "Full screen"], ["p", "Open or close the panel"],
  ["c", "Go to the chat"], ["i", "Invite others"], ["?", "This list"],
];

const isOn = () => stored(KEY) !== "off";

/// Listens for shortcuts. `actions`: key -> function. Returns a function that stops listening.
export function listen(actions) {
  const onKey = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || event.defaultPrevented) return;
    // Ignores keys in input fields, dialogs and menus.
    if (event.target.closest?.("input, textarea, select, [contenteditable], dialog, [role=menu]") || document.querySelector("dialog[open]")) return;
    const action = actions[event.key.toLowerCase()];
    // `?` always works, because its dialog has the switch.
    if (!action || (!isOn() && event.key !== "?")) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

export function showShortcuts() {
  // Single-key shortcuts interfere with speech input and have to be switchable (WCAG 2.2, 2.1.4).
  const box = element("input", {type: "checkbox", name: "shortcuts", onchange: () => store(KEY, box.checked ? "on" : "off")});
  box.checked = isOn();
  return show("Keyboard shortcuts", [
    element("dl", {class: "shortcuts"}, ...SHORTCUTS.flatMap(([key, text]) => [
      element("dt", {}, element("kbd", {}, key === "?" ? key : key.toUpperCase())), element("dd", {}, text),
    ])),
    element("p", {class: "hint"}, "Tab moves between parts; arrow keys move within the toolbar, tabs and menus; Escape closes."),
    element("label", {class: "check"}, box, "Use single keys as shortcuts"),
  ], [element("button", {value: "", class: "primary"}, "Close")]);
}
