// The panel of conversations outside the session: shows the list or an opened conversation.

import {DO_NOT_DISTURB, GROUP, PEER, identities, keyOf} from "../client/conversations.js";
import {askFor} from "./dialogs.js";
import {byID, counted, element, icon} from "./dom.js";
import {ConversationList} from "./conversationlist.js";
import {ConversationView} from "./conversationview.js";
import {attempt, notice} from "./notices.js";

const NO_IDENTITY = "Your token has no user id, and messages need one. Join with another token, under “More options”.";
const UNAVAILABLE = {
  identityMissing: NO_IDENTITY,
  tokenMissing: NO_IDENTITY,
};

export class Messages {
  #session; #tabs; #list; #view = null; #note = element("p", {class: "hint", role: "status"}); #home; #panel = byID("panel-messages");

  constructor(session, tabs) {
    this.#session = session;
    this.#tabs = tabs;
    this.#list = new ConversationList(session, {open: conversation => this.open(conversation)});
    const button = (name, glyph, text, run) => element("button", {type: "button", data: {action: name}, onclick: () => attempt(run)}, icon(glyph),
                                                       text);
    this.#home = element("div", {class: "conversations"}, this.#note,
                         element("div", {class: "row wrap"}, button("new-message", "plus", "New message", () => this.#newMessage()),
                                 button("new-group", "people", "New group", () => this.#newGroup())),
                         this.#list.node);
    this.#panel.replaceChildren(this.#home);
    this.listener = ({detail}) => this.#changed(detail);
    session.conversations.addEventListener("change", this.listener);
    document.addEventListener("visibilitychange", this.#looks);
    this.#available();
    this.#mark();
  }

  end() {
    this.#session.conversations.removeEventListener("change", this.listener);
    document.removeEventListener("visibilitychange", this.#looks);
  }

  /// Opens a conversation `{type, id}`, which need not be in the list.
  open({type, id}) {
    this.#tabs.select("messages");
    byID("session").classList.add("has-side");
    this.#view = new ConversationView(this.#session, {type, id},
                                      {back: () => this.#back(), isSeen: () => this.#tabs.shows("messages") && !document.hidden});
    this.#panel.replaceChildren(this.#view.node);
    this.#view.begin();
  }

  /// Called when the panel becomes visible.
  shown() { this.#view?.shown(); }

  /// Marks messages as read when the user returns to the page.
  #looks = () => this.#view?.seen();

  #back() {
    const key = this.#view && keyOf(this.#view.conversation);
    this.#view = null;
    this.#panel.replaceChildren(this.#home);
    this.#list.render();
    this.#list.focus(key);
  }

  #changed({what, key, data}) {
    if (what === "availability") this.#available();
    if (["list", "group", "availability"].includes(what)) this.#list.soon();
    if (what === "total") this.#mark();
    if (what === "notification") this.#notify(key, data);
    if (["gone", "dismissed"].includes(what) && this.#view && keyOf(this.#view.conversation) === key) this.#back();
    if (what === "dismissed") notice("A group was dismissed");
    this.#view?.changed(what, key);
  }

  #available() {
    const {isOpen, unavailable, user} = this.#session.conversations;
    this.#note.textContent = isOpen ? `You are “${user}” here.` : unavailable ? UNAVAILABLE[unavailable] ?? "This relay keeps no messages." : "";
    for (const button of this.#home.querySelectorAll("button")) button.disabled = !isOpen;
  }

  #mark() {
    const {totalUnread} = this.#session.conversations;
    this.#tabs.mark("messages", totalUnread, counted(totalUnread, "unread message"));
  }

  /// Shows a notice of a new message, unless its conversation is visible or muted.
  #notify(key, {conversation, message}) {
    if (this.#view && keyOf(this.#view.conversation) === key && this.#tabs.shows("messages")) return;
    if (this.#session.conversations.get(key)?.notification === DO_NOT_DISTURB) return;
    const text = message?.text ?? "a message", short = [...text].length > 80 ? `${[...text].slice(0, 80).join("")}…` : text;
    const end = notice(`${message?.from ?? "Somebody"}: ${short}`,
                       {actions: [{text: "Read", name: "read-message", run: () => this.open(conversation)}]});
    setTimeout(end, 10_000);
  }

  async #newMessage() {
    const hint = "Any user of this relay, also one who is not in this session.";
    const answer = await askFor("New message", [{name: "user", label: "User id", hint, maximum: 35}], {action: "Write"});
    if (answer?.user) this.open({type: PEER, id: answer.user});
  }

  async #newGroup() {
    const answer = await askFor("New group", [
      {name: "name", label: "Name of the group", maximum: 200},
      {name: "members", label: "User ids of its members", hint: "One per line.", lines: 4, maximum: 20_000, isNeeded: false},
    ], {action: "Create"});
    if (!answer?.name) return;
    const group = await this.#session.conversations.createGroup(answer.name, identities(answer.members));
    this.open({type: GROUP, id: group.id});
  }
}
