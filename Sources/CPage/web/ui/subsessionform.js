// The form in which the host creates subsessions: one name per line, or a number of generated names.

import {element, setInvalid} from "./dom.js";
import {attempt} from "./notices.js";

const MAXIMUM = 50;

export class SubsessionForm {
  #session; #names; #count; #hint = element("small", {id: "subsession-names-hint"});

  constructor(session) {
    this.#session = session;
    this.#names = element("textarea", {name: "names", rows: 6, spellcheck: "false", "aria-describedby": "subsession-names-hint",
                                       oninput: () => this.#judge()});
    this.#count = element("input", {name: "count", type: "number", min: 1, max: MAXIMUM, value: 3, inputmode: "numeric"});
    this.node = element("form", {class: "subsession-form", onsubmit: event => { event.preventDefault(); this.#commit(); }},
                        element("div", {class: "row"}, element("label", {class: "field inline"}, "How many", this.#count),
                                element("button", {type: "button", data: {action: "fill-subsessions"}, onclick: () => this.#fill()}, "Fill in names")),
                        element("label", {class: "field"}, "Names, one per line", this.#names, this.#hint),
                        element("button", {class: "primary", data: {action: "commit-subsessions"}}, "Create"));
    this.#judge();
  }

  #fill() {
    const count = Math.min(MAXIMUM, Math.max(1, Math.round(Number(this.#count.value)) || 1));
    this.#count.value = count;
    this.#names.value = Array.from({length: count}, (_, index) => `Room ${index + 1}`).join("\n");
    this.#judge();
  }

  get #list() { return this.#names.value.split("\n").map(name => name.trim()).filter(Boolean); }

  #judge() {
    const {length} = this.#list;
    this.#hint.textContent = `${length} of at most ${MAXIMUM}`;
    setInvalid(this.#names, length > MAXIMUM);
  }

  #commit() {
    attempt(() => this.#session.request("commitSubsessions", {names: this.#list}));
  }
}
