"use strict";
// Units of rooms, chat and conversations, beside those of units.js; against the relay that is played there.

const room = (id, name, users = []) => ({id, name, users});
const subsessions = (status, rooms, isManager = false) => ({status, subsessions: rooms, isManager});

/// Keeps conversations as the relay does, as far as a client sees it: numbers, unread counts, an order, and what changed when.
class PlayedStore {
  name = "store";
  order = 0;
  conversations = new Map();
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
        this.conversations.delete(this.key(conversation));
        this.changed.push(conversation);
        this.relay.tell("conversationsChanged", {conversations: [], deleted: [conversation], cursor: this.changed.length}, 0);
        this.relay.tell("totalUnreadChanged", {total: this.total}, 0);
        return {};
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
    return {conversations: known.filter(Boolean), deleted: refs.filter((_, index) => !known[index]), totalUnread: this.total,
            store: this.name, cursor: since + refs.length, hasMore: this.changed.length > since + refs.length};
  }

  history({conversation, before, after, count}) {
    const all = this.messages.get(this.key(conversation));
    if (!all) refuse("unknownConversation")();
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
    const before = this.conversations.get(key) ?? {...conversation, name: "", unread: 0, notification: 1};
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

  /// A message of another's, with the events that it causes.
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

/// A session that has joined, as user id `me`, with a store.
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

const ANNA = {type: 0, id: "anna"};

Object.assign(UNITS, {
  async "rooms: who is where is true at every event"({state: {SessionState}}) {
    const state = new SessionState(), seen = [];
    state.reset({...new PlayedRelay().joinAnswer(), users: ["me", "a", "b"].map(id => user(id, id)), isChatAllowed: false,
                 subsessions: subsessions("started", [room("1", "One", ["a"]), room("2", "Two")])});
    same([state.place, state.isHere("a"), state.isHere("b"), state.isChatAllowed, state.may.manageSubsessions], [null, false, true, false, false],
         "at first");
    state.addEventListener("change", ({detail: {event, data, before}}) => seen.push(event === "placeChanged" ? [event, data?.id ?? null,
        before?.id ?? null] : event));
    state.apply("subsessionUsersChanged", {changes: [{user: "me", to: "1"}, {user: "b", to: "2"}]});
    same([state.place.name, state.isHere("a"), state.isHere("b"), [...state.place.users]], ["One", true, false, ["a", "me"]], "in a room");
    state.apply("subsessionUsersChanged", {changes: [{user: "a", from: "1", to: "2"}, {user: "nobody", to: "3"}]});
    same([state.isHere("a"), [...state.subsessions.rooms.get("2").users], state.subsessions.of("nobody")], [false, ["b", "a"], null],
         "another has moved");
    state.apply("userLeft", {user: "a", reason: "left"});
    same([...state.subsessions.rooms.get("2").users], ["b"], "one has left");
    state.apply("subsessionsChanged", {change: "stopped", state: subsessions("none", [], true)});
    same([state.place, state.isHere("b"), state.subsessions.rooms.size, state.may.manageSubsessions], [null, true, 0, true], "stopped");
    same(seen, ["subsessionUsersChanged", ["placeChanged", "1", null], "subsessionUsersChanged", "userLeft", "subsessionsChanged",
                ["placeChanged", null, "1"]], "events");
  },

  async "rooms: calls for help last as long as who calls is there"({state: {SessionState}}) {
    const state = new SessionState(), call = (request, user) => ({request, user, userName: user, subsession: "1", subsessionName: "One"});
    const calls = () => [...state.subsessions.calls.keys()];
    state.reset({...new PlayedRelay().joinAnswer(), users: ["me", "a", "b", "c"].map(id => user(id, id)),
                 subsessions: subsessions("started", [room("1", "One", ["a", "b", "c"]), room("2", "Two")], true)});
    for (const [request, who] of [["x", "a"], ["y", "b"], ["z", "c"], ["w", "c"]]) state.apply("helpRequested", call(request, who));
    same(calls(), ["x", "y", "z", "w"], "open");
    state.apply("helpEnded", {request: "w"});
    state.subsessions.answered("x");
    state.apply("subsessionUsersChanged", {changes: [{user: "b", from: "1", to: "2"}]});
    same(calls(), ["z"], "after one was answered and one has moved");
    state.apply("subsessionRoleChanged", {isManager: false});
    same(calls(), [], "for one who manages no longer");
    state.apply("subsessionRoleChanged", {isManager: true});
    for (let number = 0; number < 150; number++) state.apply("helpRequested", call(`n${number}`, "c"));
    same([calls().length, calls()[0]], [100, "n50"], "a flood");
  },

  async "chat: each message once, with the room it was said in"({chat: {Chat, isTooLong}, state: {SessionState}}) {
    const state = new SessionState(), said = [], relay = new PlayedRelay();
    state.reset({...relay.joinAnswer(), subsessions: subsessions("started", [room("1", "One", ["me"])])});
    const chat = new Chat(async (method, params) => { said.push([method, params]); return {message: "m1", time: 5}; }, state);
    await chat.send("hello", "a");
    chat.apply("chat", {message: "m1", from: "me", to: "a", text: "hello", time: 5, subsession: "1"});
    chat.apply("chat", {message: "m2", from: "a", text: "hi", time: 6, subsession: "1"});
    chat.apply("signal", {from: "a", type: "chat", data: "no"});
    same(said, [["chat", {text: "hello", to: "a"}]], "requests");
    same(chat.messages.map(one => [one.id, one.to, one.subsession]), [["s/m1", "a", "1"], ["s/m2", null, "1"]], "messages");
    for (let number = 0; number < 600; number++) chat.apply("chat", {message: `f${number}`, from: "a", text: "flood", time: 7});
    same([chat.messages.length, chat.messages[0].id], [500, "s/f100"], "a flood");
    same([isTooLong("x".repeat(8192)), isTooLong("ä".repeat(4097)), isTooLong("😀".repeat(2048))], [false, true, false], "lengths in UTF-8");
  },

  async "chat: a session that began anew counts its messages from 1, and they are shown all the same"({chat: {Chat}, state: {SessionState}}) {
    const state = new SessionState(), relay = new PlayedRelay(), users = [user("me", "Me"), user("a", "A")];
    state.reset({...relay.joinAnswer(), users});
    let count = 0;
    const chat = new Chat(async () => ({message: `m${++count}`, time: 5}), state);
    await chat.send("before");
    chat.apply("chat", {message: "m2", from: "a", text: "hi", time: 6});
    state.reset({...relay.joinAnswer(), session: "another", connection: "me again", users: [user("me again", "Me"), user("a", "A")]});
    count = 0;
    await chat.send("after");
    chat.apply("chat", {message: "m1", from: "me again", text: "after", time: 5});
    chat.apply("chat", {message: "m2", from: "a", text: "welcome back", time: 6});
    same(chat.messages.map(one => [one.text, one.isOwn]), [["before", true], ["hi", false], ["after", true], ["welcome back", false]], "messages");
    same(new Set(chat.messages.map(one => one.id)).size, 4, "ids");
  },

  async "conversations: the list, its order and its counts follow the events"(modules) {
    const {store, conversations} = await talking(modules, store => { for (let at = 0; at < 40; at++) store.store({type: 0, id: `u${at}`}, `u${at}`,
        "hello"); });
    same([conversations.list.length, conversations.list[0].id, conversations.hasMore, conversations.totalUnread], [30, "u39", true, 40],
         "the first page");
    await conversations.loadMore();
    same([conversations.list.length, conversations.list.at(-1).id, conversations.hasMore], [40, "u0", false], "the second");
    store.receive({type: 0, id: "u3"}, "u3", "again");
    await until(() => conversations.totalUnread === 41, "the new total");
    same([conversations.list[0].id, conversations.list[0].unread, conversations.list[0].lastMessage.text, conversations.list.length],
         ["u3", 2, "again", 40], "a new message");
    await conversations.setNotification({type: 0, id: "u3"}, 2);
    await until(() => conversations.totalUnread === 39, "the total without it");
    await conversations.clearUnread({type: 0, id: "u39"});
    await until(() => conversations.totalUnread === 38 && conversations.get("0:u39").unread === 0, "one that was read");
    await conversations.delete({type: 0, id: "u38"});
    await until(() => conversations.totalUnread === 37 && conversations.get("0:u38") === null, "one that was deleted");
    store.receive({type: 0, id: "u38"}, "u38", "I am back");
    await until(() => conversations.list[0].id === "u38" && conversations.list.length === 40, "a new message in it");
  },

  async "conversations: history page by page, each message once"(modules) {
    const {store, conversations} = await talking(modules, store => { for (let at = 1; at <= 70; at++) store.store(ANNA, "anna", `text ${at}`); });
    const numbers = () => conversations.thread("0:anna").messages.map(one => one.number),
        upTo = (first, last) => Array.from({length: last - first + 1}, (_, at) => first + at);
    await conversations.loadOlder(ANNA);
    same(numbers(), upTo(41, 70), "the newest");
    store.receive(ANNA, "anna", "meanwhile");
    await until(() => numbers().at(-1) === 71, "a new one");
    await conversations.loadOlder(ANNA);
    await conversations.loadOlder(ANNA);
    await conversations.loadOlder(ANNA);
    same([numbers(), conversations.thread("0:anna").hasOlder], [upTo(1, 71), false], "all");
    await conversations.loadOlder({type: 0, id: "stranger"});
    same([conversations.thread("0:stranger").messages, conversations.thread("0:stranger").hasOlder], [[], false],
         "with somebody one has never written to");
  },

  async "conversations: a message whose answer was lost is stored once; what came meanwhile is fetched"(modules) {
    const {relay, store, session, conversations} = await talking(modules, store => store.store(ANNA, "anna", "first"));
    await conversations.loadOlder(ANNA);
    const answer = relay.answers.sendMessage;
    relay.answers.sendMessage = params => { answer(params); };
    conversations.send(ANNA, "said <b>once</b>");
    conversations.send(ANNA, "and then this");
    await until(() => store.messages.get("0:anna").length === 2, "the first of them");
    relay.isDown = true;
    relay.cut();
    await until(() => session.status === "reconnecting", "reconnecting");
    same(conversations.outbox.of(ANNA).map(one => one.status), ["sending", "sending"], "while it is lost");
    for (let at = 0; at < 65; at++) store.store(ANNA, "anna", `meanwhile ${at}`);
    store.store({type: 0, id: "bert"}, "bert", "hello");
    relay.answers.sendMessage = answer;
    relay.isDown = false;
    await until(() => conversations.thread("0:anna").messages.length === 68, "all messages");
    same(conversations.thread("0:anna").messages.filter(one => one.from === "me").map(one => [one.number, one.text]),
         [[2, "said <b>once</b>"], [68, "and then this"]], "mine");
    same([conversations.outbox.entries.length, conversations.get("0:bert").unread, conversations.totalUnread], [0, 1, store.total], "in step");
    same(new Set(relay.of("sendMessage").map(one => one.message)).size, 2, "ids");
  },

  async "conversations: another store, or an older one, is read anew"(modules) {
    const {relay, store, session, conversations} = await talking(modules,
                                                                 store => { for (const id of ["anna", "bert"]) store.store({type: 0, id}, id,
        "hello"); });
    await conversations.loadOlder(ANNA);
    for (const change of [() => { store.name = "another"; }, () => { store.changed.length = 0; }]) {
      change();
      store.conversations.delete("0:bert");
      const before = relay.of("conversations").length;
      relay.cut();
      await until(() => session.status === "connected" && relay.of("conversations").length > before, "the list read again");
      await until(() => conversations.list.length === 1, "what is there now");
      same(conversations.thread("0:anna"), null, "messages of the other store");
      await conversations.loadOlder(ANNA);
      store.store({type: 0, id: "bert"}, "bert", "again");
    }
    same(conversations.get("0:anna").unread, 1, "what stayed");
  },

  async "conversations: of two states the newer holds"(modules) {
    const {relay, conversations} = await talking(modules, store => store.store(ANNA, "anna", "hello")), now = conversations.get("0:anna");
    relay.tell("conversationsChanged", {conversations: [{...now, unread: 7, change: now.change + 2}], deleted: [], cursor: 5}, 0);
    relay.tell("conversationsChanged", {conversations: [{...now, unread: 3, change: now.change + 1}], deleted: [], cursor: 4}, 0);
    await until(() => conversations.get("0:anna").unread === 7, "the newer");
    await later(30);
    same(conversations.get("0:anna").unread, 7, "after the older");
  },

  async "conversations: a refused message stays until it is sent again or given up"(modules) {
    const {relay, conversations} = await talking(modules), answer = relay.answers.sendMessage;
    relay.answers.sendMessage = refuse("unknownGroup");
    const [one, two] = [conversations.send(ANNA, "one"), conversations.send(ANNA, "two")];
    await until(() => two.status === "failed", "the refusals");
    same([one.status, one.error.code], ["failed", "unknownGroup"], "the first");
    relay.answers.sendMessage = answer;
    conversations.outbox.retry(one);
    conversations.outbox.giveUp(two);
    await until(() => conversations.outbox.entries.length === 0, "an empty outbox");
    same([relay.of("sendMessage").length, await refusal((async () => conversations.send(ANNA, "ä".repeat(5000)))())], [3, "textTooLong"], "requests");
  },

  async "conversations: a message that the relay cannot take just now is sent again by itself"(modules) {
    const {relay, store, conversations} = await talking(modules), answer = relay.answers.sendMessage;
    const codes = ["connectFailed", "rateLimited", "limitReached", "storageFailed", "internalError", "draining", "requestTimeout"], left = [...codes];
    relay.answers.sendMessage = params => left.length ? refuse(left.shift(), 0.01)() : answer(params);
    const entry = conversations.send(ANNA, "once");
    await until(() => conversations.outbox.entries.length === 0, "an empty outbox");
    same([entry.status, relay.of("sendMessage").length, store.messages.get("0:anna").length], ["sending", codes.length + 1, 1], "requests");
  },

  async "conversations: without a user id, or a store, the page says so"(modules) {
    for (const code of ["identityMissing", "tokenMissing", "messagingDisabled"]) {
      const relay = new PlayedRelay();
      window.WebSocket = relay.Socket;
      relay.answers.login = refuse(code);
      const session = new modules.session.Session("ws://nowhere");
      started.push(session);
      await session.join({session: "room", name: "Me", token: "t"});
      await until(() => session.conversations.unavailable === code, code);
      same(session.conversations.isOpen, false, "open");
    }
  },

  async "messages are shown as text, once, in order, wherever they come in"({messagelog: {MessageLog}}) {
    const evil = `<img src=x onerror="window.hit = 1"><b>bold</b>`, log = new MessageLog("Test");
    document.body.append(log.node);
    const row = (key, more = {}) => ({key: String(key), from: evil, text: evil, time: 1, ...more}),
        keys = () => [...log.node.querySelectorAll("li")].map(one => one.dataset.key);
    log.show([row(5), row(6)]);
    const kept = log.node.querySelector("[data-key='5']");
    log.show([row(3), row(4), row(5), row("x", {status: "sending"}), row(6)]);
    same([keys(), log.node.querySelector("[data-key='5']") === kept, log.node.getAttribute("aria-busy")], [["3", "4", "5", "x", "6"], true, "true"],
         "put in");
    log.show([row(4), row(5), row(6), row("x", {status: "failed", actions: [{text: "Again", name: "again", run() {}}]})]);
    same([keys(), log.node.querySelectorAll("button").length], [["4", "5", "6", "x"], 1], "moved and taken out");
    await later(50);
    same([document.querySelectorAll("img, b").length, window.hit ?? null, log.node.querySelector(".what").textContent], [0, null, evil], "markup");
    log.node.remove();
  },
});
