// A menu button for mouse and keyboard (menu button pattern of WAI-ARIA).

import {element} from "./dom.js";

let open = null;

/// Closes the open menu, if any.
export function closeMenu(returnFocus = false) {
  if (!open) return;
  const {menu, button} = open;
  open = null;
  menu.remove();
  button.setAttribute("aria-expanded", "false");
  if (returnFocus) button.focus();
}

/// Makes a button open a menu. `items()` is called each time and returns [{text, name, run, danger}], with null for a separator.
export function menuButton(button, items) {
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", event => {
    event.stopPropagation();
    if (open?.button === button) return closeMenu(true);
    closeMenu();
    show(button, items());
  });
  return button;
}

function show(button, items) {
  const menu = element("div", {role: "menu", class: "menu", tabindex: "-1", "aria-label": button.getAttribute("aria-label") ?? button.textContent});
  for (const item of items) {
    menu.append(item === null ? element("hr", {role: "separator"}) : element("button", {
      type: "button", role: "menuitem", tabindex: "-1", class: item.danger ? "danger-text" : "", data: {action: item.name},
      onclick: () => { closeMenu(true); item.run(); },
    }, item.text));
  }
  if (!menu.querySelector("button")) menu.append(element("p", {class: "empty"}, "Nothing to do here"));
  menu.addEventListener("keydown", event => onKey(event, menu));
  // In full screen only descendants of the full-screen element are visible.
  (document.fullscreenElement ?? document.body).append(menu);
  position(menu, button.getBoundingClientRect());
  button.setAttribute("aria-expanded", "true");
  open = {menu, button};
  // Without entries the menu itself takes the focus, so that keys can close it.
  (menu.querySelector("button") ?? menu).focus();
}

function position(menu, anchor) {
  const {width, height} = menu.getBoundingClientRect(), gap = 6;
  const above = anchor.top - height - gap, below = anchor.bottom + gap;
  const left = Math.min(Math.max(gap, anchor.right - width), innerWidth - width - gap);
  const top = below + height <= innerHeight - gap ? below : Math.max(gap, above);
  Object.assign(menu.style, {left: `${left}px`, top: `${top}px`});
}

function onKey(event, menu) {
  const buttons = [...menu.querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
  const to = {ArrowDown: (at + 1) % buttons.length, ArrowUp: (at - 1 + buttons.length) % buttons.length, Home: 0, End: buttons.length - 1}[event.key];
  if (to !== undefined) {
    event.preventDefault();
    buttons[to]?.focus();
  } else if (event.key === "Escape") {
    event.preventDefault();
    closeMenu(true);
  } else if (event.key === "Tab") {
    closeMenu();
  }
}

document.addEventListener("click", event => { if (open && !open.menu.contains(event.target)) closeMenu(); });
addEventListener("resize", () => closeMenu());
