// Notices: short messages, read by screen readers, that disappear after some seconds unless they have actions.

import {byID, element} from "./dom.js";
import {explained} from "./words.js";

const SHOWN = 6000;
const MAXIMUM = 5;

/// Shows a notice. `actions`: [{text, name, run}]; with actions or `stays` it remains until an action is chosen or it is dismissed. Returns
/// a function that removes it.
export function notice(text, {isError = false, actions = [], stays = actions.length > 0} = {}) {
  const list = byID(isError ? "alerts" : "notices");
  const node = element("div", {class: `notice${isError ? " is-error" : ""}`}, element("span", {}, text));
  const end = () => node.remove();
  for (const action of actions) {
    node.append(element("button", {type: "button", data: {action: action.name ?? ""}, onclick: () => { end(); action.run(); }}, action.text));
  }
  node.append(element("button", {type: "button", class: "quiet", "aria-label": "Dismiss", onclick: end}, "×"));
  list.append(node);
  while (list.children.length > MAXIMUM) list.firstElementChild.remove();
  if (!stays) setTimeout(end, isError ? 2 * SHOWN : SHOWN);
  return end;
}

/// Removes the notices of an ended session, because their actions have no effect any more. Errors stay.
export function clearNotices() { byID("notices").replaceChildren(); }

/// Runs an asynchronous function; an error becomes a notice.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") notice(explained(error), {isError: true});
    return undefined;
  }
}
