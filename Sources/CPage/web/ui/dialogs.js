// Modal dialogs.

import {element} from "./dom.js";

/// Shows a dialog and resolves with the value of the button that closed it. `wide`: uses the wide layout.
export function show(title, body, buttons, {onOpen, wide = false} = {}) {
  return new Promise(done => {
    const form = element("form", {method: "dialog", class: `card${wide ? " is-wide" : ""}`}, element("h2", {id: "dialog-title"}, title), ...body,
                         element("div", {class: "row end"}, ...buttons));
    const dialog = element("dialog", {"aria-labelledby": "dialog-title"}, form);
    const end = () => {
      dialog.remove();
      done(dialog.returnValue);
    };
    form.addEventListener("submit", event => {
      // At once: the event `close` follows later, and a click in between would find what was chosen before.
      event.preventDefault();
      dialog.close(event.submitter?.value ?? "");
      end();
    });
    dialog.addEventListener("close", end);
    document.body.append(dialog);
    dialog.showModal();
    onOpen?.(dialog);
  });
}

const button = (text, value, kind = "") => element("button", {value, class: kind}, text);

/// Asks for confirmation; true if the user agrees.
export async function confirm(title, text, action, {danger = false} = {}) {
  const answer = await show(title, [element("p", {}, text)], [button("Cancel", ""), button(action, "yes", danger ? "danger" : "primary")]);
  return answer === "yes";
}

/// Asks for a text; null if the user cancels.
export async function ask(title, label, {value = "", action = "OK", maximum = 200, lines = 1} = {}) {
  const input = element(lines > 1 ? "textarea" : "input", {name: "answer", maxlength: maximum, ...(lines > 1 && {rows: lines})});
  input.value = value;
  const answer = await show(title, [element("label", {class: "field"}, label, input)], [
    element("button", {type: "button", onclick: event => event.target.closest("dialog").close("")}, "Cancel"), button(action, "yes", "primary"),
  ], {onOpen: () => input.select()});
  return answer === "yes" ? input.value : null;
}

/// Asks for several fields, `{name, label, hint, lines, maximum, isNeeded}` each. Resolves with an object from name to text, or null if the
/// user cancels.
export async function askFor(title, fields, {action = "OK"} = {}) {
  const inputs = fields.map(({name, lines = 1, maximum = 200, isNeeded = true}) => element(lines > 1 ? "textarea" : "input", {
    name, maxlength: maximum, required: isNeeded, autocomplete: "off", ...(lines > 1 && {rows: lines}),
  }));
  const labels = fields.map(({label, hint}, index) => element("label", {class: "field"}, label, inputs[index],
                                                              hint ? element("small", {}, hint) : null));
  const answer = await show(title, labels, [
    element("button", {type: "button", onclick: event => event.target.closest("dialog").close("")}, "Cancel"), button(action, "yes", "primary"),
  ], {onOpen: () => inputs[0].focus()});
  return answer === "yes" ? Object.fromEntries(inputs.map(input => [input.name, input.value.trim()])) : null;
}

/// Shows a text, and optionally a code to copy.
export function tell(title, text, code) {
  // Pages of plain HTTP have no clipboard API; there the text is selected instead.
  const select = () => getSelection().selectAllChildren(document.querySelector("dialog .code"));
  const copy = code && element("button", {type: "button", data: {action: "copy"}, onclick: async ({target}) => {
    if (!navigator.clipboard) return select();
    await navigator.clipboard.writeText(code).then(() => { target.textContent = "Copied"; }, select);
  }}, "Copy");
  return show(title, [element("p", {}, text), code ? element("output", {class: "code"}, code) : null].filter(Boolean),
              [copy, button("Close", "", "primary")].filter(Boolean));
}
