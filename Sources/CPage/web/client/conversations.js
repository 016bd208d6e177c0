// Conversations outside the session: the list, its unread counts, the messages of those that were opened. In step with the relay by its
// events, and after a lost connection by asking what has changed. No DOM in here.

import {Outbox} from "./outbox.js";
import {VERSION} from "./signaling.js";
import {Thread} from "./thread.js";

export const PEER = 0, GROUP = 2;
export const NOTIFY = 1, DO_NOT_DISTURB = 2;
/// Conversations, or messages, that are asked for at once.
const PAGE = 30;
/// Conversations that are kept in the list; strangers can begin any number. Older ones are read again where they are wanted.
const MAXIMUM_LIST = 500;
/// Rounds of catching up, 100 conversations each, before the list is read anew.
const MAXIMUM_ROUNDS = 5;
/// Errors of a relay without conversations, or of a user without an id: the token of the join is no help to it.
const UNAVAILABLE = new Set(["identityMissing", "tokenMissing", "messagingDisabled", "unknownMethod", "malformedMessage"]);

export const keyOf = ({type, id}) => `${type}:${id}`;
/// User ids, one a line.
export const identities = text => [...new Set(text.split("\n").map(one => one.trim()).filter(Boolean))];

/// Emits `change`; its `detail` is `{what, key}`, `what` one of
/// - `availability`: `isOpen` or `unavailable`
/// - `list`, `total`: the conversations, `totalUnread`
/// - `thread`: messages of conversation `key` came, went or are under way
/// - `gone`: conversation `key` is off the list; `group`: members of a group; `dismissed`: it is no more
/// - `notification`: the user should be told of `message`
export class Conversations extends EventTarget {
  /// Whether the relay keeps conversations of this user.
  isOpen = false;
  /// The error code that says why not.
  unavailable = null;
  /// Own user id.
  user = null;
  totalUnread = 0;
  hasMore = false;
  /// Key -> group as the relay last told it.
  groups = new Map();

  #request; #byKey = new Map(); #threads = new Map(); #store = null; #cursor = 0; #round = 0;

  /// `request(method, params, options)`: of `Signaling`.
  constructor(request) {
    super();
    this.#request = request;
    this.outbox = new Outbox(request, (entry, {number, time}) => this.#sent(entry, number, time));
    this.outbox.addEventListener("change", () => this.#tell("thread"));
  }

  /// Newest first.
  get list() { return [...this.#byKey.values()].sort((a, b) => b.order - a.order); }
  get canLoadMore() { return this.hasMore && this.#byKey.size < MAXIMUM_LIST; }
  get(key) { return this.#byKey.get(key) ?? null; }
  thread(key) { return this.#threads.get(key) ?? null; }

  // MARK: in step with the relay

  /// After each join and each resumed connection: reads the list, or what has changed in it. `name`: what others are to see.
  async open(name) {
    const round = ++this.#round;
    try {
      const {user, store, cursor} = await this.#request("login", {version: VERSION, name});
      if (round !== this.#round) return;
      const isKnown = store === this.#store && cursor >= this.#cursor;
      this.user = user;
      // Of another store, or one that has gone back, nothing that is here can be trusted.
      if (!isKnown) this.#threads.clear();
      if (!isKnown || !await this.#catchUp(round)) await this.#readAnew(round, store, cursor);
      if (round !== this.#round) return;
      Object.assign(this, {isOpen: true, unavailable: null});
      this.#tell("availability");
      await this.#backInStep();
    } catch (error) {
      if (UNAVAILABLE.has(error.code)) return this.#refuse(error.code);
      // Lost again; the next connection tries it again.
      if (error.code !== "notConnected") throw error;
    }
  }

  apply(event, data) {
    switch (event) {
    case "messageReceived":
      this.#received(data.message);
      break;
    case "conversationsChanged":
      this.#changes(data);
      break;
    case "totalUnreadChanged":
      this.#total(data.total);
      break;
    case "notification":
      this.#tell("notification", keyOf(data.conversation), data);
      break;
    case "groupChanged":
      this.#group(data.group);
      break;
    case "groupDismissed":
      this.groups.delete(keyOf({type: GROUP, id: data.group}));
      this.#tell("dismissed", keyOf({type: GROUP, id: data.group}));
      break;
    }
  }

  clear() {
    this.#round += 1;
    this.outbox.clear();
  }

  // MARK: what a user does

  async loadMore() {
    const {list} = this;
    if (!this.canLoadMore || !list.length) return;
    const page = await this.#request("conversations", {before: list.at(-1).order, count: PAGE});
    this.hasMore = page.hasMore;
    for (const one of page.conversations) if (!this.#byKey.has(keyOf(one))) this.#byKey.set(keyOf(one), one);
    this.#tell("list");
  }

  /// Messages of a conversation, which need not be in the list yet: the newest at first, older ones each time.
  async loadOlder(conversation) {
    const key = keyOf(conversation), thread = this.#threads.get(key) ?? new Thread();
    this.#threads.set(key, thread);
    if (!thread.hasOlder || thread.isLoading) return;
    thread.isLoading = true;
    try {
      const page = await this.#request("history", {conversation: ref(conversation), ...(thread.first !== null && {before: thread.first}),
                                                   count: PAGE});
      thread.isLoaded = true;
      thread.hasOlder = page.hasMore;
      thread.add(page.messages);
    } catch (error) {
      // Nobody has written anything yet.
      if (!["unknownConversation", "unknownGroup"].includes(error.code)) throw error;
      Object.assign(thread, {isLoaded: true, hasOlder: false});
    } finally {
      thread.isLoading = false;
    }
    this.#tell("thread", key);
  }

  send(conversation, text) { return this.outbox.send(ref(conversation), text); }
  clearUnread(conversation) { return this.#request("clearUnread", {conversation: ref(conversation)}); }
  setNotification(conversation, status) { return this.#request("setNotification", {conversation: ref(conversation), status}); }

  /// Takes it off the list; its messages stay, and a new one brings it back.
  delete(conversation) { return this.#request("deleteConversation", {conversation: ref(conversation)}); }

  async deleteMessages(conversation) {
    await this.#request("deleteMessages", {conversation: ref(conversation)});
    this.#threads.get(keyOf(conversation))?.clear();
    this.#tell("thread", keyOf(conversation));
  }

  /// Group of a conversation, asked for where it is not known.
  async group(id) { return this.groups.get(keyOf({type: GROUP, id})) ?? this.#group(await this.#request("group", {group: id})); }
  async createGroup(name, members) { return this.#group(await this.#request("createGroup", {name, members})); }
  async invite(group, members) { return this.#group(await this.#request("inviteToGroup", {group, members})); }
  leave(group) { return this.#request("leaveGroup", {group}); }
  dismiss(group) { return this.#request("dismissGroup", {group}); }

  // MARK: inside

  async #readAnew(round, store, cursor) {
    const page = await this.#request("conversations", {count: PAGE});
    if (round !== this.#round) return;
    this.#byKey = new Map(page.conversations.map(one => [keyOf(one), one]));
    this.#store = store;
    this.#cursor = cursor;
    this.hasMore = page.hasMore;
    this.#tell("list");
    this.#total(page.totalUnread);
  }

  /// False where so much has changed that reading the list is less work.
  async #catchUp(round) {
    for (let rounds = 0; rounds < MAXIMUM_ROUNDS; rounds++) {
      const changes = await this.#request("conversationChanges", {since: this.#cursor, count: 100});
      if (round !== this.#round) return true;
      this.#changes(changes);
      this.#total(changes.totalUnread);
      if (!changes.hasMore) return true;
    }
    return false;
  }

  #refuse(code) {
    Object.assign(this, {isOpen: false, unavailable: code, totalUnread: 0});
    this.#byKey.clear();
    this.#tell("availability");
    this.#tell("total");
  }

  /// What was written while nobody listened, in conversations that were opened; and what waits to be sent.
  async #backInStep() {
    this.outbox.flush();
    this.#tell("thread");
    await Promise.all([...this.#threads].filter(([, thread]) => thread.isLoaded).map(([key, thread]) => this.#fill(key, thread)));
  }

  /// Everything behind the last message that is known.
  async #fill(key, thread) {
    const [type, id] = [Number(key.slice(0, 1)), key.slice(2)];
    for (let hasMore = true; hasMore;) {
      const page = await this.#request("history", {conversation: {type, id}, ...(thread.last !== null && {after: thread.last}), count: PAGE})
        .catch(error => { if (["unknownConversation", "unknownGroup", "notConnected"].includes(error.code)) return {messages: []}; throw error; });
      const fresh = thread.add(page.messages);
      hasMore = page.hasMore && fresh.length > 0 && thread.last !== null;
    }
    this.#tell("thread", key);
  }

  #received(message) {
    const key = keyOf(message.conversation), thread = this.#threads.get(key);
    if (!thread?.isLoaded) return;
    if (thread.hasHole(message)) return void this.#fill(key, thread).catch(() => {});
    thread.add([message]);
    thread.trim();
    this.#tell("thread", key);
  }

  #sent({id, conversation, text}, number, time) { this.#received({id, number, conversation, from: this.user, text, time}); }

  /// Of two states of a conversation the one with the larger `change` holds.
  #changes({conversations, deleted, cursor}) {
    for (const one of conversations) if (!(this.get(keyOf(one))?.change > one.change)) this.#byKey.set(keyOf(one), one);
    this.#cursor = Math.max(this.#cursor, cursor);
    for (const one of deleted) {
      if (this.#byKey.delete(keyOf(one))) this.#tell("gone", keyOf(one));
    }
    if (this.#byKey.size > MAXIMUM_LIST) {
      this.#byKey = new Map(this.list.slice(0, MAXIMUM_LIST).map(one => [keyOf(one), one]));
      this.hasMore = true;
    }
    this.#tell("list");
  }

  #total(total) {
    this.totalUnread = total;
    this.#tell("total");
  }

  #group(group) {
    this.groups.set(keyOf({type: GROUP, id: group.id}), group);
    this.#tell("group", keyOf({type: GROUP, id: group.id}));
    return group;
  }

  #tell(what, key = null, data = null) { this.dispatchEvent(new CustomEvent("change", {detail: {what, key, data}})); }
}

const ref = ({type, id}) => ({type, id});
