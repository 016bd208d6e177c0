// The panel of subsessions, which the page calls rooms: the host creates them, managers open and close them, each user chooses one.

import {byID, element, isShown, replaceWhereOther} from "./dom.js";
import {confirm} from "./dialogs.js";
import {attempt, notice} from "./notices.js";
import {SubsessionCard} from "./subsessioncard.js";
import {SubsessionForm} from "./subsessionform.js";

const STATES = {
  none: may => may.commitSubsessions ? "Rooms divide a session into smaller groups. Name them; they open when you start them." : "There are no rooms.",
  committed: may => `The rooms are ready. They open when ${may.manageSubsessions ? "you start" : "a manager starts"} them.`,
  started: () => "The rooms are open. People in a room see and hear only each other.",
  stopping: () => "The rooms are being closed; everyone returns to the main session.",
};

export class SubsessionPanel {
  #session; #form; #state = element("p", {class: "hint", role: "status"}); #main; #cards = new Map(); #waiting = false;
  #list = element("ul", {class: "subsessions", "aria-label": "Rooms"}); #buttons = element("div", {class: "row wrap"});
  #helpRequests = element("ul", {class: "help-requests", "aria-label": "Requests for help"});
  #broadcast;

  constructor(session) {
    this.#session = session;
    this.#form = new SubsessionForm(session);
    this.#main = new SubsessionCard({join: () => session.request("returnToMainSession")});
    this.#broadcast = element("form", {class: "broadcast", onsubmit: event => { event.preventDefault(); this.#say(); }},
                              element("label", {class: "field"}, "To everyone in all rooms",
                                      element("textarea", {name: "text", rows: 2, maxlength: 8192, required: true}),
                                      element("small", {}, "Can be sent from the main session.")),
                              element("button", {class: "primary"}, "Broadcast"));
    byID("panel-subsessions").replaceChildren(this.#state, this.#form.node, this.#helpRequests, this.#list, this.#buttons, this.#broadcast);
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
    const panel = byID("panel-subsessions"), isInside = panel.contains(document.activeElement);
    this.#update();
    // The focused button may have been removed; the keyboard focus stays in the panel.
    if (isInside && !(panel.contains(document.activeElement) && isShown(document.activeElement))) {
      [...panel.querySelectorAll("button:not(:disabled)")].find(isShown)?.focus();
    }
  }

  #update() {
    const {state} = this.#session, {subsessions, may} = state, {status} = subsessions, text = STATES[status]?.(may) ?? "";
    if (this.#state.textContent !== text) this.#state.textContent = text;
    this.#form.node.hidden = !(status === "none" && may.commitSubsessions);
    this.#renderCards();
    this.#renderHelpRequests();
    replaceWhereOther(this.#buttons, this.#actions());
    this.#broadcast.hidden = !(status === "started" && may.manageSubsessions);
    this.#broadcast.querySelector("button").disabled = state.ownSubsession !== null;
  }

  #renderCards() {
    const {state} = this.#session, {subsessions} = state, isStarted = subsessions.status === "started";
    for (const [id, card] of this.#cards) {
      if (subsessions.all.has(id)) continue;
      card.node.remove();
      this.#cards.delete(id);
    }
    for (const subsession of subsessions.all.values()) {
      if (!this.#cards.has(subsession.id)) {
        const join = () => this.#session.request("joinSubsession", {subsession: subsession.id});
        this.#cards.set(subsession.id, new SubsessionCard({id: subsession.id, join}));
      }
      const card = this.#cards.get(subsession.id);
      card.update({name: subsession.name, users: [...subsession.users].map(id => state.users.get(id)).filter(Boolean), self: state.self, isOpen: isStarted});
      if (card.node.parentNode !== this.#list) this.#list.append(card.node);
    }
    this.#main.update({name: "Main session", users: [...state.users.values()].filter(user => !subsessions.of(user.id)), self: state.self,
                       isOpen: isStarted, isMain: true});
    if (isStarted) this.#list.prepend(this.#main.node);
    else this.#main.node.remove();
    this.#list.hidden = !subsessions.all.size;
  }

  #renderHelpRequests() {
    const {helpRequests} = this.#session.state.subsessions;
    replaceWhereOther(this.#helpRequests, [...helpRequests.values()].map(one => element("li", {data: {request: one.request}},
      element("span", {}, element("strong", {}, one.userName), ` needs help in ${one.subsessionName}`),
      element("button", {type: "button", data: {action: "accept-help"}, "aria-label": `Join ${one.userName} in ${one.subsessionName}`,
                         onclick: () => this.#answer(one, true)}, "Join"),
      element("button", {type: "button", data: {action: "ignore-help"}, "aria-label": `Ignore ${one.userName}`,
                         onclick: () => this.#answer(one, false)}, "Ignore"))));
    this.#helpRequests.hidden = !helpRequests.size;
  }

  #answer(helpRequest, isAccepted) { attempt(() => answerHelp(this.#session, helpRequest, isAccepted)); }

  #actions() {
    const {state} = this.#session, {subsessions: {status}, may} = state, buttons = [];
    const add = (name, text, kind, run) => buttons.push(element("button",
                                                                {type: "button", class: kind, data: {action: name}, onclick: () => attempt(run)},
        text));
    const request = (method, params) => () => this.#session.request(method, params);
    if (status === "committed" && may.manageSubsessions) add("start-subsessions", "Start", "primary", request("startSubsessions"));
    if (status === "committed" && may.commitSubsessions) add("withdraw-subsessions", "Withdraw", "", request("withdrawSubsessions"));
    if (status === "started" && may.manageSubsessions) {
      add("stop-subsessions", "Close the rooms…", "danger", async () => {
        if (await confirm("Close the rooms", "Everyone returns to the main session.", "Close",
                          {danger: true})) await request("stopSubsessions")();
      });
    }
    return buttons;
  }

  #say() {
    const {text} = this.#broadcast.elements;
    attempt(async () => {
      await this.#session.request("broadcast", {text: text.value});
      text.value = "";
      notice("Sent to all rooms");
    });
  }
}

/// Accepts or declines a help request. Another manager may have answered it first.
export async function answerHelp(session, {request}, isAccepted) {
  try {
    await session.request("answerHelp", {request, isAccepted});
  } finally {
    session.state.subsessions.answered(request);
    session.dispatchEvent(new CustomEvent("change", {detail: {event: "helpAnswered", data: {request}}}));
  }
}
