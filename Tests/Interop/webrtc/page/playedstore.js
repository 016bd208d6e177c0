"use strict";
// A store of conversations next to the simulated relay of units.js, and helpers that its unit tests share.

/// Keeps conversations like the relay, as far as a client can observe: numbers, unread counts, an order, and the changes since a cursor.
class PlayedStore {
  name = "store";
  order = 0;
  conversations = new Map();
  /// Deleted conversations, as the field `deleted` reports them.
  deleted = new Map();
  messages = new Map();
  sent = new Map();
  changed = [];

  constructor(relay, user) {
    this.relay = relay;
    this.user = user;
    Object.assign(relay.answers, {
      login: () => ({user, store: this.name, cursor: this.changed.length}),
      conversations: ({before, count}) => this.page(before, count),
      conversationChanges: ({since, count}) => this.changes(since, count),
      history: params => this.history(params),
      sendMessage: ({conversation, message, text}) => this.store(conversation, this.user, text, message),
      clearUnread: ({conversation}) => this.update(conversation, {unread: 0}),
      setNotification: ({conversation, status}) => this.update(conversation, {notification: status}),
      deleteConversation: ({conversation}) => {
        const {clearedThrough} = this.conversations.get(this.key(conversation));
        this.conversations.delete(this.key(conversation));
        return this.remove(conversation, clearedThrough);
      },
      deleteMessages: ({conversation}) => {
        const key = this.key(conversation), clearedThrough = this.messages.get(key).at(-1).number;
        if (!this.conversations.has(key)) return this.remove(conversation, clearedThrough);
        return this.update(conversation, {unread: 0, lastMessage: null, clearedThrough});
      },
    });
  }

  key({type, id}) { return `${type}:${id}`; }
  get total() { return [...this.conversations.values()].reduce((sum, one) => sum + (one.notification === 2 ? 0 : one.unread), 0); }

  page(before, count) {
    const all = [...this.conversations.values()].sort((a, b) => b.order - a.order).filter(one => before == null || one.order < before);
    return {conversations: all.slice(0, count), totalUnread: this.total, hasMore: all.length > count};
  }

  changes(since, count) {
    const refs = this.changed.slice(since, since + count), known = refs.map(one => this.conversations.get(this.key(one)));
    return {conversations: known.filter(Boolean), deleted: refs.map(one => this.deleted.get(this.key(one))).filter(Boolean), totalUnread: this.total,
            store: this.name, cursor: since + refs.length, hasMore: this.changed.length > since + refs.length};
  }

  history({conversation, before, after, count}) {
    const key = this.key(conversation), {clearedThrough} = this.conversations.get(key) ?? this.deleted.get(key) ?? {clearedThrough: 0};
    if (!this.messages.has(key)) refuse("unknownConversation")();
    const all = this.messages.get(key).filter(one => one.number > clearedThrough);
    if (after != null) {
      const later = all.filter(one => one.number > after);
      return {messages: later.slice(0, count), hasMore: later.length > count};
    }
    const earlier = all.filter(one => before == null || one.number < before);
    return {messages: earlier.slice(-count), hasMore: earlier.length > count};
  }

  store(conversation, from, text, id = `${from}-${this.order}`) {
    if (this.sent.has(id)) return this.sent.get(id);
    const key = this.key(conversation), all = this.messages.get(key) ?? [], number = (all.at(-1)?.number ?? 0) + 1, time = 1_000 + this.order;
    const message = {id, number, conversation, from, text, time};
    this.messages.set(key, [...all, message]);
    this.sent.set(id, {number, time});
    const {clearedThrough = 0} = this.deleted.get(key) ?? {};
    const before = this.conversations.get(key) ?? {...conversation, name: "", unread: 0, notification: 1, clearedThrough};
    this.deleted.delete(key);
    this.conversations.set(key, {...before, lastMessage: message, order: ++this.order, change: this.order,
                                 unread: from === this.user ? before.unread : before.unread + 1});
    this.changed.push(conversation);
    return this.sent.get(id);
  }

  update(conversation, change) {
    const key = this.key(conversation);
    this.conversations.set(key, {...this.conversations.get(key), ...change, change: ++this.order});
    this.changed.push(conversation);
    this.tell(conversation);
    return {};
  }

  /// Removes a conversation from the list, or deletes messages of one that is already removed.
  remove({type, id}, clearedThrough) {
    const deleted = {type, id, change: ++this.order, clearedThrough};
    this.deleted.set(this.key(deleted), deleted);
    this.changed.push(deleted);
    this.relay.tell("conversationsChanged", {conversations: [], deleted: [deleted], cursor: this.changed.length}, 0);
    this.relay.tell("totalUnreadChanged", {total: this.total}, 0);
    return {};
  }

  /// Receives a message of another user, with the events that it causes.
  receive(conversation, from, text) {
    this.store(conversation, from, text);
    this.relay.tell("messageReceived", {message: this.messages.get(this.key(conversation)).at(-1)}, 0);
    this.tell(conversation);
  }

  tell(conversation) {
    this.relay.tell("conversationsChanged", {conversations: [this.conversations.get(this.key(conversation))], deleted: [],
                                             cursor: this.changed.length}, 0);
    this.relay.tell("totalUnreadChanged", {total: this.total}, 0);
  }
}

/// Returns a session that has joined, as user id `me`, with a store.
async function talking(modules, prepare = () => {}) {
  const relay = new PlayedRelay(), store = new PlayedStore(relay, "me"), join = relay.joinAnswer.bind(relay);
  relay.joinAnswer = () => ({...join(), users: [user("me", "Me", "host", {identity: "me"}), user("a", "A", "participant", {identity: "anna"})]});
  prepare(store, relay);
  window.WebSocket = relay.Socket;
  const session = new modules.session.Session("ws://nowhere");
  started.push(session);
  await session.join({session: "room", name: "Me", token: "t"});
  await until(() => session.conversations.isOpen, "conversations");
  return {relay, store, session, conversations: session.conversations};
}

const ANNA = {type: 0, id: "anna"}, BERT = {type: 0, id: "bert"};
const numbersOf = (conversations, key) => conversations.thread(key).messages.map(one => one.number);
const upTo = (first, last) => Array.from({length: last - first + 1}, (_, at) => first + at);

/// Cuts the connection, and lets the page reconnect after `meanwhile`.
async function whileAway(relay, session, meanwhile) {
  relay.isDown = true;
  relay.cut();
  await until(() => session.status === "reconnecting", "reconnecting");
  meanwhile();
  relay.isDown = false;
  await until(() => session.status === "connected", "the connection");
}

/// Delays the relay's answers to a method, and counts them.
function slowly(relay, method, milliseconds) {
  const answer = relay.answers[method], seen = {asked: 0, now: 0, most: 0};
  relay.answers[method] = async params => {
    seen.asked += 1;
    seen.most = Math.max(seen.most, ++seen.now);
    await later(milliseconds);
    seen.now -= 1;
    return answer(params);
  };
  return seen;
}
