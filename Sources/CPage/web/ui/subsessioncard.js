// The card of one subsession: its users and the button to join it.

import {counted, element} from "./dom.js";
import {attempt} from "./notices.js";

/// Maximum number of names shown; a subsession can have thousands of users.
const MAXIMUM = 30;

export class SubsessionCard {
  #name = element("h3", {}); #count = element("span", {class: "hint"}); #who = element("p", {class: "who-list"}); #button;
  #here = element("span", {class: "badge", hidden: true}, "You are here");

  /// `join()` requests to join the subsession.
  constructor({id = "", join}) {
    this.#button = element("button", {type: "button", data: {action: "join-subsession"}, onclick: () => attempt(join)}, "Join");
    this.node = element("li", {class: "subsession-card", data: {subsession: id}},
                        element("div", {class: "subsession-head"}, this.#name, this.#count, this.#here, this.#button), this.#who);
  }

  update({name, users, self, isOpen, isMain = false}) {
    const isHere = users.some(user => user.id === self);
    set(this.#name, name);
    set(this.#count, users.length ? counted(users.length, "person", "people") : "empty");
    const names = users.slice(0, MAXIMUM).map(user => user.id === self ? `${user.name} (you)` : user.name);
    set(this.#who, [...names, ...(users.length > MAXIMUM ? [`and ${users.length - MAXIMUM} more`] : [])].join(", "));
    this.#who.hidden = !users.length;
    this.#here.hidden = !isHere || !isOpen;
    this.#button.hidden = !isOpen || isHere;
    set(this.#button, isMain ? "Return" : "Join");
    this.#button.setAttribute("aria-label", isMain ? "Return to the main session" : `Join ${name}`);
    this.node.dataset.name = name;
    this.node.classList.toggle("is-here", isHere && isOpen);
  }
}

function set(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
