// Conversations outside the session: the list, its unread counts, the messages of those that were opened. In step with the relay by its
// events, and after a lost connection by asking what has changed. No DOM in here.

import {Outbox} from "./outbox.js";
import {PASSING, VERSION, pauseAfter} from "./signaling.js";
import {Thread} from "./thread.js";

export const PEER = 0, GROUP = 2;
export const NOTIFY = 1, DO_NOT_DISTURB = 2;
/// Conversations, or messages, that are asked for at once.
const PAGE = 30;
/// Conversations that are kept in the list; strangers can begin any number. Older ones are read again where they are wanted.
const MAXIMUM_LIST = 500;
/// Rounds of catching up, 100 conversations each, before the list is read anew.
const MAXIMUM_ROUNDS = 5;
/// Pages of one conversation that are read behind its last message; of more the newest alone, and the others as one scrolls up.
const MAXIMUM_PAGES = 10;
/// Errors of a relay without conversations, or of a user without an id: the token of the join is no help to it.
const UNAVAILABLE = new Set(["identityMissing", "tokenMissing", "messagingDisabled", "unknownMethod", "malformedMessage"]);
/// Errors of `history` where there is none.
const UNKNOWN = new Set(["unknownConversation", "unknownGroup"]);

export const keyOf = ({type, id}) => `${type}:${id}`;
/// User ids, one a line.
export const identities = text => [...new Set(text.split("\n").map(one => one.trim()).filter(Boolean))];

/// Emits `change`; its `detail` is `{what, key}`, `what` one of
/// - `availability`: `isOpen` or `unavailable`
/// - `list`, `total`: the conversations, `totalUnread`
/// - `thread`: messages of conversation `key` came, went or are under way
/// - `gone`: conversation `key` is off the list; `group`: a group is known, or has changed; `dismissed`: it is no more
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
  /// Key -> `{id, name, owner, size, members}` as the relay last told it; `members`: null where they have to be asked for.
  groups = new Map();

  #request; #byKey = new Map(); #threads = new Map(); #store = null; #round = 0;
  /// Everything up to here is known; events count only while nothing before them can be missing.
  #cursor = 0; #isInStep = false;
  /// Changes that came before the list was read.
  #early = [];
  /// Key -> `change` by which a conversation left the list.
  #gone = new Map();
  /// `order` of the last conversation that was read in pages: of those before it only what has changed is known.
  #readTo = 0;

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
    this.lost();
    const round = this.#round;
    try {
      await this.#patiently(round, () => this.#begin(round, name));
    } catch (error) {
      if (!UNAVAILABLE.has(error.code)) throw error;
      this.#refuse(error.code);
    }
  }

  /// The connection is lost: what comes on the next one may come after a gap, which `open` closes.
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
      // It says how many there are, and of the members only who is new or gone.
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

  // MARK: what a user does

  async loadMore() {
    if (!this.canLoadMore) return;
    const before = this.#readTo, page = await this.#request("conversations", {before, count: PAGE});
    // The list was read anew meanwhile.
    if (before !== this.#readTo) return;
    this.hasMore = page.hasMore;
    this.#readTo = page.conversations.at(-1)?.order ?? this.#readTo;
    for (const one of page.conversations) this.#take(one);
    this.#tell("list");
  }

  /// Messages of a conversation, which need not be in the list yet: the newest at first, older ones each time.
  async loadOlder(conversation) {
    const key = keyOf(conversation), thread = this.#threads.get(key) ?? new Thread();
    this.#threads.set(key, thread);
    thread.clearThrough(this.get(key)?.clearedThrough);
    const {first} = thread;
    if (!thread.hasOlder || thread.isLoading) return;
    thread.isLoading = true;
    try {
      const page = await this.#request("history", {conversation: ref(conversation), ...(first !== null && {before: first}), count: PAGE});
      // What it belongs to may have been forgotten meanwhile; then there is no place for it.
      if (thread.first === first) {
        Object.assign(thread, {isLoaded: true, hasOlder: page.hasMore});
        thread.add(page.messages);
      }
    } catch (error) {
      // Nobody has written anything yet.
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

  /// Takes it off the list; its messages stay, and a new one brings it back.
  delete(conversation) { return this.#request("deleteConversation", {conversation: ref(conversation)}); }

  /// The messages that there are now, for this user; what comes meanwhile may stay.
  async deleteMessages(conversation) {
    const thread = this.#threads.get(keyOf(conversation)), last = thread?.last ?? 0;
    await this.#request("deleteMessages", {conversation: ref(conversation)});
    if (thread?.clearThrough(last)) this.#tell("thread", keyOf(conversation));
  }

  /// Group of a conversation, asked for where it is not known.
  async group(id) { return this.groups.get(keyOf({type: GROUP, id})) ?? this.#askGroup(id); }

  /// User ids of a group's members, asked for where they are not known.
  async members(id) { return this.groups.get(keyOf({type: GROUP, id}))?.members ?? (await this.#askGroup(id)).members; }

  async createGroup(name, members) { return this.#group(await this.#request("createGroup", {name, members})); }
  /// Who is in it now is told by an event.
  invite(group, members) { return this.#request("inviteToGroup", {group, members}); }
  leave(group) { return this.#request("leaveGroup", {group}); }
  dismiss(group) { return this.#request("dismissGroup", {group}); }

  // MARK: inside

  async #begin(round, name) {
    const {user, store, cursor} = await this.#login(name);
    if (round !== this.#round) return;
    this.user = user;
    // Changes of groups are not told again.
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

  /// A session takes names that the store does not, which keeps them for long; without one others see the one of before, or the user id.
  async #login(name) {
    try {
      return await this.#request("login", {version: VERSION, name});
    } catch (error) {
      if (error.code !== "invalidField") throw error;
      return this.#request("login", {version: VERSION});
    }
  }

  /// Tries again what the relay cannot do just now, as long as the connection stands; the next one begins all of it anew.
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

  /// Of another store, one that has gone back, or one that is far ahead, nothing that is here can be trusted.
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

  /// False where so much has changed that reading the list is less work.
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
    // What is forgotten here has to be read again, should it open after all.
    this.#store = null;
    this.#byKey.clear();
    this.#tell("availability");
    this.#tell("total");
  }

  /// What was written while nobody listened, in conversations that were opened; and what waits to be sent.
  async #backInStep() {
    this.outbox.flush();
    this.#tell("thread");
    await Promise.all([...this.#threads].filter(([, thread]) => thread.isLoaded).map(([key, thread]) => this.#fill(key, thread).done));
  }

  /// Reads what is behind the last message that is known, once at a time; `later`: messages that came meanwhile, behind a hole.
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
    // There was nothing to go on from, or too much has come.
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
      // The next message, or the next connection, tries again.
      return void filling.done.catch(() => {});
    }
    thread.add([message]);
    thread.trim();
    this.#tell("thread", key);
  }

  #sent({id, conversation, text}, number, time) { this.#received({id, number, conversation, from: this.user, text, time}); }

  /// Of two states of a conversation the one with the larger `change` holds; to be off the list is one as well.
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

  /// This user has deleted messages, here or on another device.
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
