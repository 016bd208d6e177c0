// The list of users.

import {byID, element, icon} from "./dom.js";
import {menuButton} from "./menu.js";

const ROLES = {host: "Host", manager: "Manager", participant: ""};
const ORDER = {host: 0, manager: 1, participant: 2};
/// Maximum number of rows, because a session can have thousands of users.
const MAXIMUM = 200;

export class People {
  #panel = byID("panel-people"); #session; #menu; #list = element("ul", {class: "people"}); #count = element("p", {class: "hint"}); #waiting = false; #hands;

  constructor(session, menu, hands) {
    this.#session = session;
    this.#hands = hands;
    hands.addEventListener("change", () => this.#soon());
    this.#menu = menu;
    this.#panel.replaceChildren(this.#count, this.#list);
    session.addEventListener("change", () => this.#soon());
    this.render();
  }

  /// Renders once per animation frame, however many events arrive.
  #soon() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.render();
    });
  }

  render() {
    const {state} = this.#session;
    // Users with raised hands come first, in the order in which they raised them.
    const hands = [...this.#hands.raised], turn = user => hands.includes(user.id) ? hands.indexOf(user.id) : hands.length;
    const users = [...state.users.values()].sort((a, b) => turn(a) - turn(b) || ORDER[a.role] - ORDER[b.role] || a.joinedAt - b.joinedAt);
    const shown = Math.min(users.length, MAXIMUM);
    this.#count.textContent = state.userCount > shown ? `${state.userCount} here, ${shown} are shown` : `${state.userCount} here`;
    // The rows are replaced; the keyboard focus moves to the new row of the same user.
    const focused = this.#list.contains(document.activeElement) ? document.activeElement.closest("[data-user]")?.dataset.user : null;
    this.#list.replaceChildren(...users.slice(0, MAXIMUM).map(user => this.#row(user, state)));
    if (focused) this.#list.querySelector(`[data-user="${CSS.escape(focused)}"] button`)?.focus();
  }

  #row(user, state) {
    const marks = [["audio", "mic", "micOff", "microphone"], ["video", "camera", "cameraOff", "camera"], ["share", "screen", "screen", "screen"]]
      .filter(([kind]) => user[kind] !== "off")
      .map(([kind, on, off, word]) => element("span", {class: `mark is-${user[kind]}`, title: `${word} ${user[kind]}`}, icon(user[kind] === "on" ? on : off),
                                              element("span", {class: "unseen"}, `${word} ${user[kind]}`)));
    if (this.#hands.raised.has(user.id)) {
      marks.unshift(element("span", {class: "mark hand", title: "hand raised"}, icon("hand"), element("span", {class: "unseen"}, "hand raised")));
    }
    const button = element("button", {type: "button", class: "round", data: {action: "menu"}, "aria-label": `More for ${user.name}`}, icon("more"));
    menuButton(button, () => this.#menu(user, state.streamsOf(user.id)[0] ?? null));
    const subsession = state.subsessions.subsessionOf(user.id);
    return element("li", {data: {user: user.id, role: user.role, audio: user.audio, name: user.name, hand: String(this.#hands.raised.has(user.id))}, class: user.isConnected ? "" : "is-dropped"},
                   element("span", {class: "name", ...(user.identity && {title: `User id: ${user.identity}`})},
                           user.id === state.self ? `${user.name} (you)` : user.name),
                   element("span", {class: "badges"},
                           ROLES[user.role] ? element("span", {class: "badge"}, ROLES[user.role]) : null,
                           subsession ? element("span", {class: "badge subsession", title: `In ${subsession.name}`}, subsession.name) : null,
                           user.isConnected ? null : element("span", {class: "badge warn"}, "Connection lost")),
                   element("span", {class: "marks"}, ...marks), button);
  }
}
