// The panel of signals: short application messages to one user or to all.

import {HAND} from "../client/hands.js";
import {byID, element} from "./dom.js";
import {attempt} from "./notices.js";

const KEPT = 200;

export class Signals {
  #session; #log = element("ol", {class: "log", "aria-live": "polite", "aria-label": "Signals received"}); #to;

  constructor(session) {
    this.#session = session;
    this.#to = element("select", {name: "to"});
    const form = element("form", {class: "signal-form", onsubmit: event => { event.preventDefault(); this.#send(form); }},
                         element("label", {class: "field"}, "To", this.#to),
                         element("label", {class: "field"}, "Type", element("input", {name: "type", value: "note", maxlength: 128, spellcheck: "false"})),
                         element("label", {class: "field"}, "Data", element("input", {name: "data", maxlength: 8192, autocomplete: "off"})),
                         element("button", {class: "primary"}, "Send"));
    byID("panel-signals").replaceChildren(element("p", {class: "hint"}, "Signals are short messages of an application, delivered at once and in order."), this.#log, form);
    session.addEventListener("change", ({detail: {event, data}}) => {
      if (event === "signal" && data.type !== HAND) this.#received(data);
      else if (["reset", "userJoined", "userChanged", "userLeft", "usersChanged"].includes(event)) this.#receivers();
    });
    this.#receivers();
  }

  #send(form) {
    const {type, data} = form.elements, to = this.#to.value;
    attempt(async () => {
      await this.#session.request("signal", {type: type.value, data: data.value, ...(to && {to})});
      data.value = "";
    });
  }

  #received({from, type, data}) {
    const {state} = this.#session, name = from == null ? "the application" : from === state.self ? "you" : state.users.get(from)?.name ?? "somebody who left";
    this.#log.append(element("li", {data: {type}}, element("span", {class: "who"}, name), element("code", {}, type), element("span", {class: "what"}, data)));
    while (this.#log.children.length > KEPT) this.#log.firstElementChild.remove();
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #receivers() {
    const {state} = this.#session, chosen = this.#to.value;
    const options = [...state.users.values()].filter(user => user.kind === "client").slice(0, KEPT)
      .map(user => element("option", {value: user.id}, user.id === state.self ? `${user.name} (you)` : user.name));
    this.#to.replaceChildren(element("option", {value: ""}, "everybody"), ...options);
    this.#to.value = state.users.has(chosen) ? chosen : "";
  }
}
