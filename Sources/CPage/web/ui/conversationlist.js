// The list of conversations, newest first.

import {DO_NOT_DISTURB, GROUP, keyOf} from "../client/conversations.js";
import {counted, element, icon} from "./dom.js";
import {conversationMenu} from "./conversationmenu.js";
import {clock} from "./messagelog.js";
import {menuButton} from "./menu.js";
import {attempt} from "./notices.js";

export class ConversationList {
  #session; #waiting = false; #open; #list = element("ul", {class: "conversation-list", "aria-label": "Conversations"}); #more;
  #empty = element("p", {class: "hint"}, "No conversations yet.");

  /// `open(conversation)` shows a conversation.
  constructor(session, {open}) {
    this.#session = session;
    this.#open = open;
    this.#more = element("button", {type: "button", data: {action: "more-conversations"},
                                    onclick: () => attempt(() => session.conversations.loadMore())}, "Show older");
    this.node = element("div", {class: "list-frame"}, this.#empty, this.#list, this.#more);
    this.render();
  }

  /// Renders once per animation frame, however many events arrive.
  soon() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.render();
    });
  }

  /// Returns the focus to the row of a conversation, else to the list.
  focus(key) { (this.#row(key) ?? this.#list).querySelector("button")?.focus(); }

  render() {
    const {conversations} = this.#session, {list} = conversations;
    const focused = this.#list.contains(document.activeElement) ? document.activeElement : null;
    const key = focused?.closest("[data-key]").dataset.key, action = focused?.dataset.action;
    this.#list.replaceChildren(...list.map(one => this.#render(one)));
    if (focused) this.#row(key)?.querySelector(`[data-action="${action}"]`)?.focus();
    this.#empty.hidden = list.length > 0 || !conversations.isOpen;
    this.#more.hidden = !conversations.canLoadMore;
  }

  #row(key) { return [...this.#list.children].find(row => row.dataset.key === key); }

  #render(conversation) {
    const {conversations} = this.#session, {type, name, id, unread, lastMessage, notification} = conversation;
    const isMuted = notification === DO_NOT_DISTURB, title = name || id;
    const author = lastMessage?.from === conversations.user ? "You: " : type === GROUP ? `${lastMessage?.from}: ` : "";
    const menu = menuButton(element("button", {type: "button", class: "round", data: {action: "menu"}, "aria-label": `More for ${title}`},
                                    icon("more")),
                            () => conversationMenu(this.#session, conversation));
    return element("li", {data: {key: keyOf(conversation), unread: String(unread)}, class: isMuted ? "is-muted" : ""},
                   element("button", {type: "button", class: "open", data: {action: "open-conversation"}, onclick: () => this.#open(conversation)},
                           element("span", {class: "name"}, type === GROUP ? icon("people") : null, title, isMuted ? icon("bellOff") : null,
                                   isMuted ? element("span", {class: "unseen"}, "do not disturb") : null),
                           type === GROUP ? element("span", {class: "unseen"}, "group") : null,
                           lastMessage ? element("time", {datetime: new Date(lastMessage.time).toISOString()}, clock(lastMessage.time)) : null,
                           element("span", {class: "said"}, lastMessage ? author + lastMessage.text : ""),
                           unread ? element("span", {class: "count"}, element("span", {"aria-hidden": "true"}, unread > 99 ? "99+" : String(unread)),
                                            element("span", {class: "unseen"}, counted(unread, "unread message"))) : null), menu);
  }
}
