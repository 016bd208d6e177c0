// The line above the videos that names the user's subsession, and notices about subsessions.

import {byID, element} from "./dom.js";
import {attempt, notice} from "./notices.js";
import {answerHelp} from "./subsessionpanel.js";

const RESULTS = {
  idle: "A manager comes to this room",
  busy: "All managers are busy; ask again later",
  ignored: "No manager is available now",
  hostAlreadyInSubsession: "A manager is in this room already",
};
const CHANGES = {
  committed: "Rooms are ready", withdrawn: "The rooms were withdrawn", started: "The rooms are open: choose one",
  stopping: "The rooms are being closed", stopped: "The rooms are closed; everyone is in the main session",
};

export class SubsessionBanner {
  #session; #isAsking = false; #line = byID("subsession-banner"); #text = element("span", {role: "status"}); #help; #back; #choose; #asked = new Map();

  /// `onChoose()` shows the panel of subsessions.
  constructor(session, {onChoose}) {
    this.#session = session;
    const button = (name, text, run) => element("button", {type: "button", data: {action: name}, onclick: run}, text);
    this.#help = button("ask-help", "Ask for help", () => this.#askHelp());
    this.#back = button("return", "Return to the main session", () => attempt(() => session.request("returnToMainSession")));
    this.#choose = button("choose-subsession", "Choose a room", onChoose);
    this.#line.replaceChildren(this.#text, this.#help, this.#back, this.#choose);
    session.addEventListener("change", ({detail}) => this.#changed(detail));
    this.render();
  }

  end() {
    this.#line.hidden = true;
    for (const end of this.#asked.values()) end();
  }

  render() {
    const {subsessions, ownSubsession, may} = this.#session.state, isStarted = subsessions.status === "started";
    this.#line.hidden = !ownSubsession && !isStarted;
    this.#line.classList.toggle("is-away", !!ownSubsession);
    const text = ownSubsession ? `You are in ${ownSubsession.name}` : isStarted ? "You are in the main session; rooms are open" : "";
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#help.hidden = !ownSubsession || may.manageSubsessions;
    this.#help.disabled = this.#isAsking;
    this.#help.textContent = this.#isAsking ? "Help requested" : "Ask for help";
    this.#back.hidden = !ownSubsession;
    this.#choose.hidden = !!ownSubsession || !isStarted;
  }

  #changed({event, data, before}) {
    const {state} = this.#session;
    switch (event) {
    case "subsessionsChanged":
      if (CHANGES[data.change]) notice(CHANGES[data.change]);
      break;
    case "subsessionRoleChanged":
      notice(data.isManager ? "You manage the rooms now" : "You no longer manage the rooms");
      break;
    case "broadcast":
      notice(`${state.users.get(data.from)?.name ?? "A manager"} to all rooms: ${data.text}`, {stays: true});
      break;
    case "helpRequested":
      this.#asksForHelp(data);
      break;
    case "helpResult":
      this.#isAsking = false;
      notice(RESULTS[data.result] ?? data.result, {stays: true});
      break;
    case "reset":
      this.#isAsking = false;
      break;
    case "ownSubsessionChanged":
      this.#isAsking = false;
      if (!data && before && state.subsessions.status === "started") notice("You are back in the main session");
      break;
    }
    for (const [request, end] of this.#asked) {
      if (state.subsessions.helpRequests.has(request)) continue;
      end();
      this.#asked.delete(request);
    }
    this.render();
  }

  #asksForHelp(helpRequest) {
    const {request, userName, subsessionName} = helpRequest;
    const answer = isAccepted => attempt(() => answerHelp(this.#session, helpRequest, isAccepted));
    this.#asked.get(request)?.();
    this.#asked.set(request, notice(`${userName} needs help in ${subsessionName}`, {actions: [
      {text: "Join", name: "accept-help", run: () => answer(true)}, {text: "Ignore", name: "ignore-help", run: () => answer(false)},
    ]}));
  }

  /// Requests help. The button shows the open request until the result arrives, which may be before the answer.
  #askHelp() {
    this.#isAsking = true;
    this.render();
    attempt(async () => {
      try {
        await this.#session.request("requestHelp");
      } catch (error) {
        this.#isAsking = false;
        this.render();
        throw error;
      }
    });
  }
}
