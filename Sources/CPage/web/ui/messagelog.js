// A log of messages with author and time. Screen readers read new messages; inserting older ones above keeps the scroll position.

import {element, linked} from "./dom.js";

/// Maximum distance from the lower edge, in pixels, at which the log follows new messages.
const AT_END = 40;
/// Distance from the upper edge, in pixels, at which older messages are requested.
const AT_START = 60;

export class MessageLog {
  #list; #rows = new Map(); #onStart;

  /// `onStart()` is called when the user has scrolled to the upper edge.
  constructor(label, {onStart = null} = {}) {
    this.#onStart = onStart;
    this.#list = element("ol", {class: "messages"});
    this.node = element("div", {class: "message-log", role: "log", "aria-live": "polite", "aria-label": label, tabindex: "0",
                                onscroll: () => this.#scrolled()}, this.#list);
  }

  /// Shows `rows`, `{key, from, text, time, isOwn, note, divider, status, actions}` each, in order; existing rows are kept. `isOld`: the
  /// rows are not new, so screen readers do not read them.
  show(rows, {isOld = false} = {}) {
    const {node} = this, wasAtEnd = this.isAtEnd, wanted = new Map(rows.map(row => [row.key, row]));
    const anchor = [...this.#list.children].find(child => wanted.has(child.dataset.key) && child.offsetTop + child.offsetHeight > node.scrollTop);
    const before = anchor ? anchor.offsetTop - node.scrollTop : 0;
    const isOlder = isOld || this.#rows.size > 0 && rows.length > 0 && !this.#rows.has(rows[0].key) && rows.some(row => this.#rows.has(row.key));
    // Older messages, inserted above, are not read by screen readers.
    if (isOlder) node.setAttribute("aria-busy", "true");
    for (const [key, entry] of this.#rows) {
      if (wanted.has(key)) continue;
      entry.row.remove();
      this.#rows.delete(key);
    }
    let at = this.#list.firstElementChild;
    for (const row of rows) {
      const known = this.#rows.get(row.key), look = JSON.stringify({...row, actions: row.actions?.map(one => one.text)});
      const made = known?.look === look ? known.row : render(row);
      if (known && made !== known.row) {
        if (at === known.row) at = made;
        known.row.replaceWith(made);
      }
      this.#rows.set(row.key, {row: made, look});
      if (made === at) at = at.nextElementSibling;
      else this.#list.insertBefore(made, at);
    }
    if (wasAtEnd) this.toEnd();
    else if (anchor) node.scrollTop = anchor.offsetTop - before;
    if (isOlder) requestAnimationFrame(() => node.removeAttribute("aria-busy"));
  }

  get isAtEnd() { return this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < AT_END; }
  toEnd() { this.node.scrollTop = this.node.scrollHeight; }

  /// Whether the log is too short to scroll to its upper edge; false while it is not visible.
  get isShort() {
    const {clientHeight, scrollHeight} = this.node;
    return clientHeight > 0 && scrollHeight <= clientHeight + AT_START;
  }

  #scrolled() { if (this.node.scrollTop < AT_START) this.#onStart?.(); }
}

function render({key, from, text, time, isOwn, note, divider, status, actions = []}) {
  if (divider !== undefined) return element("li", {class: "divider", data: {key}}, divider);
  return element("li", {class: `message${isOwn ? " is-own" : ""}${status === "failed" ? " is-failed" : ""}`, data: {key, status: status ?? ""}},
                 element("p", {class: "meta"}, element("span", {class: "who"}, from), note ? element("span", {class: "badge"}, note) : null,
                         element("time", {datetime: new Date(time).toISOString()}, clock(time))),
                 element("p", {class: "what"}, ...linked(text)),
                 status === "sending" ? element("p", {class: "meta state"}, "Sending…") : null,
                 ...actions.map(({text, name, run}) => element("button", {type: "button", data: {action: name}, onclick: run}, text)));
}

/// Formats a time as hours and minutes, with the day if it is not today.
export function clock(time) {
  const date = new Date(time), isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], {...(!isToday && {day: "numeric", month: "short"}), hour: "2-digit", minute: "2-digit"});
}
