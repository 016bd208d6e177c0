// Conversations outside the session: the list, unread counts, and the messages of opened conversations. Follows the relay's events, and
// requests the changes after a lost connection. Does not depend on the DOM.

import {Outbox} from "./outbox.js";
import {PASSING, VERSION, pauseAfter} from "./signaling.js";
import {Thread} from "./thread.js";

export const PEER = 0, GROUP = 2;
export const NOTIFY = 1, DO_NOT_DISTURB = 2;
/// Conversations or messages per request.
const PAGE = 30;
/// Maximum size of the list, because strangers can start any number of conversations. Older ones are requested again when needed.
const MAXIMUM_LIST = 500;
/// Requests for changes, 100 conversations each, before the whole list is read instead.
const MAXIMUM_ROUNDS = 5;
/// Maximum number of pages read after the last known message of a conversation. Beyond that only the newest page is read; the others follow
/// when the user scrolls up.
const MAXIMUM_PAGES = 10;
/// Errors of `login` that mean that conversations are unavailable: the relay has none, or the token names no user.
const UNAVAILABLE = new Set(["identityMissing", "tokenMissing", "messagingDisabled", "unknownMethod", "malformedMessage"]);
/// Errors of `history` for a conversation without messages.
const UNKNOWN = new Set(["unknownConversation", "unknownGroup"]);

export const keyOf = ({type, id}) => `${type}:${id}`;
/// Returns the distinct user ids of a text with one id per line.
export const identities = text => [...new Set(text.split("\n").map(one => one.trim()).filter(Boolean))];

/// Emits `change`; its `detail` is `{what, key}`, `what` one of
/// - `availability`: `isOpen` or `unavailable` changed
/// - `list`, `total`: the conversations or `totalUnread` changed
/// - `thread`: messages of conversation `key` were added, removed or queued; with `key` null, of any conversation
/// - `gone`: conversation `key` left the list
/// - `group`: a group became known or changed; `dismissed`: a group was dismissed
/// - `notification`: the user should be notified of `message`
export class Conversations extends EventTarget {
  /// Whether the relay keeps conversations of this user.
  isOpen = false;
  /// Error code that explains why conversations are unavailable; null if they are not.
  unavailable = null;
  /// Own user id.
  user = null;
  totalUnread = 0;
  hasMore = false;
  /// Key -> `{id, name, owner, size, members}` as last received; `members` is null if they have to be requested.
  groups = new Map();

  #request; #byKey = new Map(); #threads = new Map(); #store = null; #round = 0;
  /// Changes up to the cursor are known. Events advance it only while `#isInStep`: otherwise earlier changes may be missing.
  #cursor = 0; #isInStep = false;
  /// Changes that arrived before the list was read.
  #early = [];
  /// Key -> `change` with which a conversation left the list.
  #gone = new Map();
  /// `order` of the last conversation that was read in pages. Of older ones only changed ones are known.
  #readTo = 0;

  /// `request`: that of `Signaling`.
  constructor(request) {
    super();
    this.#request = request;
    this.outbox = new Outbox(request, (entry, {number, time}) => this.#sent(entry, number, time));
    this.outbox.addEventListener("change", () => this.#tell("thread"));
  }

  /// Conversations, newest first.
  get list() { return [...this.#byKey.values()].sort((a, b) => b.order - a.order); }
  get canLoadMore() { return this.hasMore && this.#byKey.size < MAXIMUM_LIST; }
  get(key) { return this.#byKey.get(key) ?? null; }
  thread(key) { return this.#threads.get(key) ?? null; }

  // MARK: Synchronisation with the relay

  /// Logs in, then reads the list or its changes. Called after each join and each resume. `name`: the display name.
  async open(name) {
    this.lost();
    const round = this.#round;
    try {
      await this.#patiently(round, () => this.#begin(round, name));
    } catch (error) {
      if (!UNAVAILABLE.has(error.code)) throw error;
      this.#refuse(error.code);
    }
  }

  /// Records that the connection was lost. Events of the next connection may follow a gap, which `open` fills.
  lost() {
    this.#round += 1;
    this.#isInStep = false;
    this.#early = [];
  }

  apply(event, data) {
    switch (event) {
    case "messageReceived":
      this.#received(data.message);
      break;
    case "conversationsChanged":
      this.#changes(data);
      if (this.#isInStep) this.#cursor = Math.max(this.#cursor, data.cursor);
      else this.#early.push(data);
      break;
    case "totalUnreadChanged":
      this.#total(data.total);
      break;
    case "notification":
      this.#tell("notification", keyOf(data.conversation), data);
      break;
    case "groupChanged":
      // The event has the size and the changes of the membership, but not all members.
      this.#group({...data, members: null});
      break;
    case "groupDismissed":
      this.groups.delete(keyOf({type: GROUP, id: data.group}));
      this.#tell("dismissed", keyOf({type: GROUP, id: data.group}));
      break;
    }
  }

  clear() {
    this.lost();
    this.outbox.clear();
  }

  // MARK: Actions of the user

  async loadMore() {
    if (!this.canLoadMore) return;
    const before = this.#readTo, page = await this.#request("conversations", {before, count: PAGE});
    // The list was replaced while the request was in progress.
    if (before !== this.#readTo) return;
    this.hasMore = page.hasMore;
    this.#readTo = page.conversations.at(-1)?.order ?? this.#readTo;
    for (const one of page.conversations) this.#take(one);
    this.#tell("list");
  }

  /// Reads messages of a conversation, which may not be in the list yet: the newest page first, then an older page per call.
  async loadOlder(conversation) {
    const key = keyOf(conversation), thread = this.#threads.get(key) ?? new Thread();
    this.#threads.set(key, thread);
    thread.clearThrough(this.get(key)?.clearedThrough);
    const {first} = thread;
    if (!thread.hasOlder || thread.isLoading) return;
    thread.isLoading = true;
    try {
      const page = await this.#request("history", {conversation: ref(conversation), ...(first !== null && {before: first}), count: PAGE});
      // If older messages were dropped or replaced during the request, the page does not connect to the others.
      if (thread.first === first) {
        Object.assign(thread, {isLoaded: true, hasOlder: page.hasMore});
        thread.add(page.messages);
      }
    } catch (error) {
      // The conversation has no messages yet.
      if (!UNKNOWN.has(error.code)) throw error;
      Object.assign(thread, {isLoaded: true, hasOlder: false});
    } finally {
      thread.isLoading = false;
    }
    this.#tell("thread", key);
  }

  send(conversation, text) { return this.outbox.send(ref(conversation), text); }
  clearUnread(conversation) { return this.#request("clearUnread", {conversation: ref(conversation)}); }
  setNotification(conversation, status) { return this.#request("setNotification", {conversation: ref(conversation), status}); }

  /// Removes a conversation from the list. Its messages stay, and a new message adds it again.
  delete(conversation) { return this.#request("deleteConversation", {conversation: ref(conversation)}); }

  /// Deletes the present messages for this user. A message that arrives during the request may stay.
  async deleteMessages(conversation) {
    const thread = this.#threads.get(keyOf(conversation)), last = thread?.last ?? 0;
    await this.#request("deleteMessages", {conversation: ref(conversation)});
    if (thread?.clearThrough(last)) this.#tell("thread", keyOf(conversation));
  }

  /// Returns a group; requests it if it is not known.
  async group(id) { return this.groups.get(keyOf({type: GROUP, id})) ?? this.#askGroup(id); }

  /// Returns the user ids of a group's members; requests them if they are not known.
  async members(id) { return this.groups.get(keyOf({type: GROUP, id}))?.members ?? (await this.#askGroup(id)).members; }

  async createGroup(name, members) { return this.#group(await this.#request("createGroup", {name, members})); }
  /// Invites users to a group. The event `groupChanged` follows with the new members.
  invite(group, members) { return this.#request("inviteToGroup", {group, members}); }
  leave(group) { return this.#request("leaveGroup", {group}); }
  dismiss(group) { return this.#request("dismissGroup", {group}); }

  // MARK: Implementation

  async #begin(round, name) {
    const {user, store, cursor} = await this.#login(name);
    if (round !== this.#round) return;
    this.user = user;
    // Events about groups are not replayed, so known groups may be outdated.
    this.groups.clear();
    const isKnown = store === this.#store && cursor >= this.#cursor;
    if (!isKnown || !await this.#catchUp(round)) await this.#readAnew(round, store, cursor);
    if (round !== this.#round) return;
    this.#isInStep = true;
    this.#early = [];
    Object.assign(this, {isOpen: true, unavailable: null});
    this.#tell("availability");
    await this.#backInStep();
  }

  /// Logs in; without the name if the relay refuses it, because the rules for stored names are stricter than those of a session. Others
  /// then see the previous name or the user id.
  async #login(name) {
    try {
      return await this.#request("login", {version: VERSION, name});
    } catch (error) {
      if (error.code !== "invalidField") throw error;
      return this.#request("login", {version: VERSION});
    }
  }

  /// Runs `work` and repeats it after transient errors, until the connection is lost; `open` starts again on the next connection.
  async #patiently(round, work) {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (round !== this.#round || error.code === "notConnected") return undefined;
        if (!PASSING.has(error.code)) throw error;
        await new Promise(done => setTimeout(done, pauseAfter(error)));
        if (round !== this.#round) return undefined;
      }
    }
  }

  /// Replaces everything by the first page of the list. Used if the relay has another store or an older backup, or if too much has changed.
  async #readAnew(round, store, cursor) {
    const page = await this.#request("conversations", {count: PAGE});
    if (round !== this.#round) return;
    this.#threads.clear();
    this.#gone.clear();
    this.#byKey = new Map(page.conversations.map(one => [keyOf(one), one]));
    this.#store = store;
    this.#cursor = cursor;
    this.#readTo = page.conversations.at(-1)?.order ?? 0;
    this.hasMore = page.hasMore;
    for (const changes of this.#early) this.#changes(changes);
    this.#tell("list");
    this.#total(page.totalUnread);
  }

  /// Reads the changes since the cursor. Returns false if reading the whole list is less work.
  async #catchUp(round) {
    for (let rounds = 0; rounds < MAXIMUM_ROUNDS; rounds++) {
      const changes = await this.#request("conversationChanges", {since: this.#cursor, count: 100});
      if (round !== this.#round) return true;
      this.#changes(changes);
      this.#cursor = changes.cursor;
      this.#total(changes.totalUnread);
      if (!changes.hasMore) return true;
    }
    return false;
  }

  #refuse(code) {
    Object.assign(this, {isOpen: false, unavailable: code, totalUnread: 0});
    // Forces a full read if conversations become available later.
    this.#store = null;
    this.#byKey.clear();
    this.#tell("availability");
    this.#tell("total");
  }

  /// Sends queued messages, and reads the messages that opened conversations missed while disconnected.
  async #backInStep() {
    this.outbox.flush();
    this.#tell("thread");
    await Promise.all([...this.#threads].filter(([, thread]) => thread.isLoaded).map(([key, thread]) => this.#fill(key, thread).done));
  }

  /// Reads the messages after the last known one. One reading per conversation runs at a time; `later` collects messages that arrive during
  /// it and would leave a gap.
  #fill(key, thread) {
    const round = this.#round;
    if (thread.filling?.round === round) return thread.filling;
    const filling = thread.filling = {round, later: []};
    filling.done = this.#patiently(round, () => this.#readNew(key, thread, filling))
      .finally(() => { if (thread.filling === filling) thread.filling = null; });
    return filling;
  }

  async #readNew(key, thread, {round, later}) {
    const conversation = {type: Number(key.slice(0, 1)), id: key.slice(2)};
    const read = where => this.#request("history", {conversation, ...where, count: PAGE}).catch(error => {
      if (!UNKNOWN.has(error.code)) throw error;
      return {messages: [], hasMore: false};
    });
    let hasMore = true;
    for (let pages = 0; hasMore && thread.last !== null && pages < MAXIMUM_PAGES; pages++) {
      const page = await read({after: thread.last});
      if (round !== this.#round) return;
      thread.add(page.messages);
      hasMore = page.hasMore;
    }
    // No message was known, or more than `MAXIMUM_PAGES` pages are missing: reads the newest page only.
    if (hasMore) {
      const page = await read({});
      if (round !== this.#round) return;
      thread.replace(page);
    }
    thread.add(later);
    thread.trim();
    this.#tell("thread", key);
  }

  #received(message) {
    const key = keyOf(message.conversation), thread = this.#threads.get(key);
    if (!thread?.isLoaded) return;
    if (thread.hasHole(message)) {
      const filling = this.#fill(key, thread);
      filling.later.push(message);
      // On failure the next message or the next connection starts another reading.
      return void filling.done.catch(() => {});
    }
    thread.add([message]);
    thread.trim();
    this.#tell("thread", key);
  }

  #sent({id, conversation, text}, number, time) { this.#received({id, number, conversation, from: this.user, text, time}); }

  /// Whether a state is older than the known one, listed or removed: the one with the larger `change` is newer.
  #isOld(one) {
    const key = keyOf(one);
    return Math.max(this.get(key)?.change ?? 0, this.#gone.get(key) ?? 0) > one.change;
  }

  #take(conversation) {
    if (this.#isOld(conversation)) return;
    this.#gone.delete(keyOf(conversation));
    this.#byKey.set(keyOf(conversation), conversation);
    this.#clearThrough(conversation);
  }

  #remove(deleted) {
    if (this.#isOld(deleted)) return;
    this.#gone.set(keyOf(deleted), deleted.change);
    this.#clearThrough(deleted);
    if (this.#byKey.delete(keyOf(deleted))) this.#tell("gone", keyOf(deleted));
  }

  /// Applies a deletion of messages by this user, on this or another device.
  #clearThrough(one) {
    const key = keyOf(one);
    if (this.#threads.get(key)?.clearThrough(one.clearedThrough)) this.#tell("thread", key);
  }

  #changes({conversations, deleted}) {
    for (const one of conversations) this.#take(one);
    for (const one of deleted) this.#remove(one);
    if (this.#byKey.size > MAXIMUM_LIST) {
      this.#byKey = new Map(this.list.slice(0, MAXIMUM_LIST).map(one => [keyOf(one), one]));
      this.#readTo = Math.max(this.#readTo, this.list.at(-1).order);
      this.hasMore = true;
    }
    this.#tell("list");
  }

  #total(total) {
    this.totalUnread = total;
    this.#tell("total");
  }

  async #askGroup(id) { return this.#group(await this.#request("group", {group: id})); }

  #group({id, name, owner, members, size = members.length}) {
    const key = keyOf({type: GROUP, id}), group = {id, name, owner, size, members};
    this.groups.set(key, group);
    this.#tell("group", key);
    return group;
  }

  #tell(what, key = null, data = null) { this.dispatchEvent(new CustomEvent("change", {detail: {what, key, data}})); }
}

const ref = ({type, id}) => ({type, id});
