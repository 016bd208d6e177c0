// The panel of the session's chat: messages to all users in the same subsession, or to one of them.

import {byID, counted, element} from "./dom.js";
import {Compose} from "./compose.js";
import {MessageLog} from "./messagelog.js";
import {attempt} from "./notices.js";

/// Maximum number of users offered as receivers.
const MAXIMUM = 200;

export class ChatPanel {
  #session; #tabs; #log = new MessageLog("Chat"); #compose; #to = element("select", {name: "to"}); #hint = element("p", {class: "hint"});
  #switch; #unread = 0;

  constructor(session, tabs) {
    this.#session = session;
    this.#tabs = tabs;
    this.#compose = new Compose("Write a message", text => session.chat.send(text, this.#to.value || null), {
      before: [element("label", {class: "field inline"}, "To", this.#to)],
    });
    const allow = () => attempt(() => session.request("setChatAllowed", {isAllowed: box.checked})).then(() => this.render());
    const box = element("input", {type: "checkbox", onchange: allow});
    this.#switch = element("label", {class: "check"}, box, "Chat is allowed");
    byID("panel-chat").replaceChildren(this.#hint, this.#switch, this.#log.node, this.#compose.node);
    session.chat.addEventListener("message", ({detail}) => this.#came(detail));
    session.addEventListener("change", ({detail: {event}}) => {
      if (["reset", "userJoined", "userChanged", "userLeft", "usersChanged", "hostChanged", "ownSubsessionChanged", "subsessionUsersChanged", "subsessionsChanged",
           "chatAllowedChanged"].includes(event)) this.render();
    });
    this.render();
  }

  /// Called when the panel becomes visible.
  shown() {
    this.#unread = 0;
    this.#mark();
    this.#log.toEnd();
  }

  render() {
    const {state} = this.#session, {ownSubsession, may} = state, isOff = !state.isChatAllowed;
    const where = ownSubsession ? `in ${ownSubsession.name}` : state.subsessions.status === "started" ? "in the main session" : "in the session";
    this.#hint.textContent = isOff ? "The chat is switched off." : `To those who are ${where}.`;
    this.#compose.set(isOff, isOff ? "The chat is switched off" : "Write a message");
    this.#switch.hidden = !may.allowChat;
    this.#switch.querySelector("input").checked = state.isChatAllowed;
    this.#receivers();
    this.#show();
  }

  #receivers() {
    const {state} = this.#session, chosen = this.#to.value;
    const users = [...state.users.values()].filter(user => user.kind === "client" && user.id !== state.self && state.isHere(user.id)).slice(0,
        MAXIMUM);
    this.#to.replaceChildren(element("option", {value: ""}, "everybody here"), ...users.map(user => element("option", {value: user.id}, user.name)));
    this.#to.value = users.some(user => user.id === chosen) ? chosen : "";
  }

  #came(message) {
    if (!message.isOwn && !this.#tabs.shows("chat")) this.#unread += 1;
    this.#show();
    this.#mark();
  }

  #show() {
    const {state, chat} = this.#session, rows = [];
    let scope = null;
    for (const message of chat.messages) {
      if (message.subsession !== scope) {
        scope = message.subsession;
        rows.push({key: `before ${message.id}`, divider: scope ? state.subsessions.all.get(scope)?.name ?? "Another room" : "Main session"});
      }
      const {isOwn} = message;
      const note = !message.to ? null : isOwn ? `to ${message.toName}` : "to you";
      rows.push({key: message.id, from: isOwn ? "You" : message.fromName, text: message.text, time: message.time, isOwn, note});
    }
    this.#log.show(rows);
  }

  #mark() { this.#tabs.mark("chat", this.#unread, counted(this.#unread, "new message")); }
}
