// An opened conversation: its messages, older ones when the user scrolls up, and the input field.

import {GROUP, keyOf} from "../client/conversations.js";
import {Compose} from "./compose.js";
import {conversationMenu} from "./conversationmenu.js";
import {counted, element, icon} from "./dom.js";
import {MessageLog} from "./messagelog.js";
import {menuButton} from "./menu.js";
import {attempt} from "./notices.js";

export class ConversationView {
  #session; #key; #isSeen; #title = element("h3", {tabindex: "-1"}); #sub = element("span", {class: "hint"}); #log; #compose; #isClearing = false;
  #isLoaded = false;

  /// `back()` shows the list again; `isSeen()` tells whether the conversation is visible.
  constructor(session, conversation, {back, isSeen}) {
    this.#session = session;
    this.conversation = conversation;
    this.#key = keyOf(conversation);
    this.#isSeen = isSeen;
    this.#log = new MessageLog("Messages", {onStart: () => this.#older()});
    this.#compose = new Compose("Write a message", async text => session.conversations.send(conversation, text));
    const menu = menuButton(element("button", {type: "button", class: "round", data: {action: "conversation-menu"},
                                               "aria-label": "More for this conversation"}, icon("more")),
                            () => conversationMenu(session, {...conversation, ...this.#listed}, session.conversations.groups.get(this.#key) ?? null));
    this.node = element("div", {class: "conversation", data: {key: this.#key}},
                        element("div", {class: "conversation-head"},
                                element("button", {type: "button", class: "round", data: {action: "back"},
                                                   "aria-label": "Back to all conversations", onclick: back}, icon("back")),
                                element("div", {class: "titles"}, this.#title, this.#sub), menu),
                        this.#log.node, this.#compose.node);
  }

  get #listed() { return this.#session.conversations.get(this.#key); }

  begin() {
    this.#titles();
    this.#show();
    this.#log.toEnd();
    this.#title.focus();
    this.#askGroup();
    if (!this.#session.conversations.thread(this.#key)?.isLoaded) this.#older();
    this.seen();
  }

  changed(what, key) {
    if (what === "thread" && (key === null || key === this.#key)) this.#show();
    // The relay has another store, so the known messages were dropped.
    if (what === "thread" && !this.#session.conversations.thread(this.#key)) this.#older();
    if (what === "list" || what === "group") this.#titles();
    // Events about groups are not replayed after a lost connection.
    if (what === "availability" && this.#session.conversations.isOpen) {
      this.#askGroup();
      // The request for the first page may have been lost.
      if (!this.#session.conversations.thread(this.#key)?.isLoaded) this.#older();
    }
    this.seen();
  }

  /// Called when the panel becomes visible.
  shown() {
    this.#fill();
    this.seen();
  }

  /// Clears the unread count if the conversation is visible.
  seen() {
    if (this.#isClearing || !this.#listed?.unread || !this.#isSeen()) return;
    this.#isClearing = true;
    attempt(() => this.#session.conversations.clearUnread(this.conversation)).finally(() => { this.#isClearing = false; });
  }

  #askGroup() {
    if (this.conversation.type === GROUP) attempt(() => this.#session.conversations.group(this.conversation.id));
  }

  #titles() {
    const {groups} = this.#session.conversations, group = groups.get(this.#key), name = group?.name ?? this.#listed?.name ?? "";
    this.#title.textContent = name || this.conversation.id;
    this.#sub.textContent = group ? counted(group.size, "member") : "";
  }

  #older() {
    attempt(async () => {
      const {conversations} = this.#session, at = conversations.thread(this.#key)?.messages.length ?? 0;
      await conversations.loadOlder(this.conversation);
      if (!at) this.#log.toEnd();
    });
  }

  /// Loads older messages without scrolling if the log is too short to scroll.
  #fill() {
    const thread = this.#session.conversations.thread(this.#key);
    if (thread?.isLoaded && thread.hasOlder && !thread.isLoading && this.#log.isShort) this.#older();
  }

  #show() {
    const {conversations} = this.#session, {outbox, user} = conversations, thread = conversations.thread(this.#key);
    const isLoaded = thread?.isLoaded ?? false, isFirst = isLoaded && !this.#isLoaded;
    this.#isLoaded = isLoaded;
    const stored = (thread?.messages ?? []).map(({number, from, text, time}) =>
      ({key: String(number), from: from === user ? "You" : from, text, time, isOwn: from === user}));
    const under = outbox.of(this.conversation).map(entry => ({
      key: entry.id, from: "You", text: entry.text, time: entry.time, isOwn: true, status: entry.status,
      note: entry.error?.message ?? null, actions: entry.status !== "failed" ? [] : [
        {text: "Send again", name: "send-again", run: () => outbox.retry(entry)}, {text: "Discard", name: "discard", run: () => outbox.giveUp(entry)},
      ],
    }));
    this.#log.show([...stored, ...under], {isOld: isFirst});
    this.#fill();
  }
}
