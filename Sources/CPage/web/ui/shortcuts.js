// Keyboard shortcuts of the session, and the dialog that lists them.

import {show} from "./dialogs.js";
import {element} from "./dom.js";
import {stored, store} from "./storage.js";

const KEY = "millrace.shortcuts";
/// Key, what it does.
export const SHORTCUTS = [
  ["m", "Mute or unmute"], ["v", "Stop or start your video"], ["h", "Raise or lower your hand"], ["f", "Full screen"], ["p", "Open or close the panel"],
  ["c", "Go to the chat"], ["i", "Invite others"], ["?", "This list"],
];

const isOn = () => stored(KEY) !== "off";

/// `actions`: key -> function. The end of it, as a function.
export function listen(actions) {
  const onKey = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || event.defaultPrevented) return;
    // The user types, or is in a dialog or a menu.
    if (event.target.closest?.("input, textarea, select, [contenteditable], dialog, [role=menu]") || document.querySelector("dialog[open]")) return;
    const action = actions[event.key.toLowerCase()];
    // The list stays, so that a shortcut can be switched on again.
    if (!action || (!isOn() && event.key !== "?")) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

export function showShortcuts() {
  // Single keys disturb speech input, so that they can be switched off (WCAG 2.2, 2.1.4).
  const box = element("input", {type: "checkbox", name: "shortcuts", onchange: () => store(KEY, box.checked ? "on" : "off")});
  box.checked = isOn();
  return show("Keyboard shortcuts", [
    element("dl", {class: "shortcuts"}, ...SHORTCUTS.flatMap(([key, text]) => [
      element("dt", {}, element("kbd", {}, key === "?" ? key : key.toUpperCase())), element("dd", {}, text),
    ])),
    element("p", {class: "hint"}, "Tab goes from part to part; arrow keys go along the toolbar, tabs and menus; Escape closes."),
    element("label", {class: "check"}, box, "Use single keys as shortcuts"),
  ], [element("button", {value: "", class: "primary"}, "Close")]);
}
