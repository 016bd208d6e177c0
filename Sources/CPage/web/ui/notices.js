// What the user is told in passing; read out by screen readers, gone after a while unless it asks something.

import {byID, element} from "./dom.js";
import {explained} from "./words.js";

const SHOWN = 6000;
const MAXIMUM = 5;

/// `actions`: [{text, name, run}]; with them, or where it `stays`, the notice is there until one is taken or it is dismissed. Its end, as a function.
export function notice(text, {isError = false, actions = [], stays = actions.length > 0} = {}) {
  const place = byID(isError ? "alerts" : "notices");
  const node = element("div", {class: `notice${isError ? " is-error" : ""}`}, element("span", {}, text));
  const end = () => node.remove();
  for (const action of actions) {
    node.append(element("button", {type: "button", data: {action: action.name ?? ""}, onclick: () => { end(); action.run(); }}, action.text));
  }
  node.append(element("button", {type: "button", class: "quiet", "aria-label": "Dismiss", onclick: end}, "×"));
  place.append(node);
  while (place.children.length > MAXIMUM) place.firstElementChild.remove();
  if (!stays) setTimeout(end, isError ? 2 * SHOWN : SHOWN);
  return end;
}

/// Takes away what a session told and asked that is over: an answer would be one to nobody. Errors stay.
export function clearNotices() { byID("notices").replaceChildren(); }

/// Runs something asynchronous; an error becomes a notice.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") notice(explained(error), {isError: true});
    return undefined;
  }
}
