"use strict";
// Unit tests of conversations outside the session, against the store of playedstore.js.

Object.assign(UNITS, {
  async "conversations: the list, its order and its counts follow the events"(modules) {
    const {store, conversations} = await talking(modules, store => { for (let at = 0; at < 40; at++) store.store({type: 0, id: `u${at}`}, `u${at}`,
        "hello"); });
    same([conversations.list.length, conversations.list[0].id, conversations.hasMore, conversations.totalUnread], [30, "u39", true, 40],
         "the first page");
    // A conversation further down has changed: those between must still be read.
    store.update({type: 0, id: "u0"}, {name: "Zero"});
    await until(() => conversations.get("0:u0"), "one that was not read yet");
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
    const numbers = () => numbersOf(conversations, "0:anna");
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
         "with a user who never received a message");
  },

  async "conversations: a message whose answer was lost is stored once; messages of the time offline are read"(modules) {
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

  async "conversations: an event before the page has synchronised does not hide missed messages"(modules) {
    const {relay, store, session, conversations} = await talking(modules, store => store.store(ANNA, "anna", "hello"));
    const {login} = relay.answers, changes = store.changes.bind(store), missed = upTo(1, 6).map(number => ({type: 0, id: `missed ${number}`}));
    let opened = 0;
    conversations.addEventListener("change", ({detail: {what}}) => { if (what === "availability") opened += 1; });
    // Each event arrives before the answer.
    relay.answers.login = () => { store.receive(BERT, "bert", "first"); return login(); };
    relay.answers.conversationChanges = ({since}) => {
      if (relay.of("conversationChanges").length === 1) store.receive(BERT, "bert", "second");
      return changes(since, 2);
    };
    await whileAway(relay, session, () => { for (const one of missed) store.store(one, one.id, "are you there?"); });
    await until(() => opened === 1, "in step");
    same([relay.of("conversationChanges").length, conversations.list.length], [4, 8], "pages, and all of them");
    same([conversations.totalUnread, conversations.get("0:bert").unread], [store.total, 2], "counts");
    same(relay.of("conversationChanges")[0].since, 1, "from where it was");
    store.receive(ANNA, "anna", "in step");
    await until(() => conversations.get("0:anna").unread === 2, "an event in step");
    relay.answers.login = login;
    await whileAway(relay, session, () => {});
    await until(() => opened === 2, "in step again");
    same(relay.of("conversationChanges")[4].since, store.changed.length, "from the last event");
  },

  async "conversations: changes while the list is read again are not lost"(modules) {
    const {relay, store, session, conversations} = await talking(modules, store => store.store(ANNA, "anna", "hello"));
    relay.answers.conversations = ({before, count}) => {
      const page = store.page(before, count);
      store.receive(BERT, "bert", "just now");
      return page;
    };
    await whileAway(relay, session, () => { store.name = "another"; });
    await until(() => conversations.get("0:bert")?.unread === 1, "it");
    same(conversations.list.map(one => one.id), ["bert", "anna"], "the list");
  },

  async "conversations: another store, or an older one, is read from the beginning"(modules) {
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
      await until(() => conversations.list.length === 1 && conversations.thread("0:anna") === null, "the list, without messages of the other store");
      await conversations.loadOlder(ANNA);
      store.store({type: 0, id: "bert"}, "bert", "again");
    }
    same(conversations.get("0:anna").unread, 1, "what stayed");
  },

  async "conversations: the newer of two states applies"(modules) {
    const {relay, conversations} = await talking(modules, store => store.store(ANNA, "anna", "hello")), now = conversations.get("0:anna");
    relay.tell("conversationsChanged", {conversations: [{...now, unread: 7, change: now.change + 2}], deleted: [], cursor: 5}, 0);
    relay.tell("conversationsChanged", {conversations: [{...now, unread: 3, change: now.change + 1}], deleted: [], cursor: 4}, 0);
    await until(() => conversations.get("0:anna").unread === 7, "the newer");
    await later(30);
    same(conversations.get("0:anna").unread, 7, "after the older");
  },

  async "conversations: a deletion applies to older messages, and to no newer ones"(modules) {
    const {relay, conversations} = await talking(modules, store => store.store(ANNA, "anna", "hello")), now = conversations.get("0:anna");
    const tell = (conversations, deleted) => relay.tell("conversationsChanged", {conversations, deleted, cursor: 2}, 0);
    const deleted = change => ({...ANNA, change, clearedThrough: 0});
    tell([{...now, unread: 5, change: now.change + 2}], []);
    tell([], [deleted(now.change + 1)]);
    await later(30);
    same(conversations.get("0:anna")?.unread, 5, "after an older deletion");
    tell([], [deleted(now.change + 3)]);
    await until(() => conversations.list.length === 0, "the deletion");
    tell([{...now, change: now.change + 2}], []);
    await later(30);
    same(conversations.list.length, 0, "after an older state");
    tell([{...now, change: now.change + 4}], []);
    await until(() => conversations.list.length === 1, "a newer state");
  },

  async "conversations: messages that another device deleted are removed here, too"(modules) {
    const {relay, store, session, conversations} = await talking(modules,
                                                                 store => { for (let at = 0; at < 40; at++) store.store(ANNA, "anna", "hello"); });
    const numbers = () => numbersOf(conversations, "0:anna"), told = [];
    await conversations.loadOlder(ANNA);
    conversations.addEventListener("change", ({detail: {what, key}}) => { if (what === "thread") told.push(key); });
    store.update(ANNA, {clearedThrough: 20});
    await until(() => numbers()[0] === 21, "those that stay");
    same([numbers(), conversations.thread("0:anna").hasOlder, told], [upTo(21, 40), false, ["0:anna"]], "some of them");
    // Removed from the list, and then deleted once more.
    await conversations.delete(ANNA);
    relay.answers.deleteMessages({conversation: ANNA});
    await until(() => numbers().length === 0, "the others");
    store.receive(ANNA, "anna", "and now?");
    await until(() => numbers().length === 1 && conversations.get("0:anna"), "a new one");
    same([numbers(), conversations.get("0:anna").clearedThrough], [[41], 40], "what there is");
    await whileAway(relay, session, () => {
      store.store(ANNA, "anna", "gone before it was read");
      store.update(ANNA, {clearedThrough: 42});
      store.store(ANNA, "anna", "still there");
    });
    await until(() => numbers()[0] === 43, "what was missed");
    same(numbers(), [43], "after the loss");
    const answer = relay.answers.deleteMessages;
    relay.answers.deleteMessages = params => { const done = answer(params); store.receive(ANNA, "anna", "at that moment"); return done; };
    await conversations.deleteMessages(ANNA);
    await until(() => numbers()[0] === 44, "what came meanwhile");
    same(numbers(), [44], "after one's own deletion");
  },

  async "conversations: after a long absence the newest messages are read, and older ones on scrolling"(modules) {
    const {relay, store, session, conversations} = await talking(modules, store => store.store(ANNA, "anna", "first"));
    const numbers = () => numbersOf(conversations, "0:anna"), thread = () => conversations.thread("0:anna");
    await conversations.loadOlder(ANNA);
    await conversations.loadOlder(BERT);
    const before = relay.of("history").length;
    await whileAway(relay, session, () => {
      for (let at = 0; at < 310; at++) store.store(ANNA, "anna", "still there?");
      for (let at = 0; at < 70; at++) store.store(BERT, "bert", "hello");
    });
    await until(() => numbers()[0] === 282 && conversations.thread("0:bert").messages.length === 30, "the newest");
    same([numbers(), thread().hasOlder, numbersOf(conversations, "0:bert"), conversations.thread("0:bert").hasOlder],
         [upTo(282, 311), true, upTo(41, 70), true], "the newest of both");
    same(relay.of("history").length - before, 12, "requests");
    await conversations.loadOlder(ANNA);
    same([numbers(), thread().hasOlder], [upTo(252, 311), true], "older ones");
    while (conversations.thread("0:bert").hasOlder) await conversations.loadOlder(BERT);
    same(numbersOf(conversations, "0:bert"), upTo(1, 70), "all of one that was empty");
  },

  async "conversations: a gap is filled once, even if messages arrive while it is read"(modules) {
    const {relay, store, conversations} = await talking(modules, store => store.store(ANNA, "anna", "first"));
    await conversations.loadOlder(ANNA);
    const seen = slowly(relay, "history", 40);
    for (let at = 0; at < 40; at++) store.store(ANNA, "anna", "not told");
    for (let at = 0; at < 5; at++) store.receive(ANNA, "anna", "told");
    await later(60);
    store.receive(ANNA, "anna", "told while it is filled");
    await until(() => conversations.thread("0:anna").messages.length === 47, "all");
    same([numbersOf(conversations, "0:anna"), seen.most, seen.asked], [upTo(1, 47), 1, 2], "messages, requests at once, requests");
    // Older messages that were in flight when the newest page replaced all others are discarded.
    const thread = conversations.thread("0:anna");
    thread.hasOlder = true;
    const older = conversations.loadOlder(ANNA);
    thread.replace({messages: store.messages.get("0:anna").slice(-5), hasMore: true});
    await older;
    same([numbersOf(conversations, "0:anna"), thread.hasOlder], [upTo(43, 47), true], "after the newest page");
  },

  async "conversations: the size of a group is known, and its members are requested only when needed"(modules) {
    const {relay, conversations} = await talking(modules), choir = {id: "g", name: "Choir", owner: "anna"};
    relay.answers.group = () => ({...choir, members: ["anna", "me", "bert"]});
    relay.tell("groupChanged", {...choir, size: 2, added: ["me"], removed: []}, 0);
    await until(() => conversations.groups.get("2:g"), "the group");
    same([(await conversations.group("g")).size, relay.of("group").length], [2, 0], "as it was told");
    same([await conversations.members("g"), relay.of("group").length], [["anna", "me", "bert"], 1], "its members");
    await conversations.members("g");
    same([relay.of("group").length, conversations.groups.get("2:g").size], [1, 3], "known by now");
    relay.tell("groupChanged", {...choir, size: 700, added: ["carl"], removed: ["bert"]}, 0);
    await until(() => conversations.groups.get("2:g").size === 700, "another size");
    await conversations.members("g");
    same(relay.of("group").length, 2, "asked again");
  },

  async "conversations: a relay that cannot open the store now is asked again"(modules) {
    const codes = ["storageFailed", "limitReached", "rateLimited", "internalError", "connectFailed"], left = [...codes];
    const {relay, conversations} = await talking(modules, (store, relay) => {
      const {login, conversations: page} = relay.answers;
      relay.answers.login = () => left.length > 1 ? refuse(left.shift(), 0.01)() : login();
      relay.answers.conversations = params => left.length ? refuse(left.shift(), 0.01)() : page(params);
      store.store(ANNA, "anna", "hello");
    });
    same([relay.of("login").length, conversations.list.length, conversations.unavailable], [codes.length + 1, 1, null], "tries");
  },

  async "conversations: a refused message stays until it is sent again or discarded"(modules) {
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

  async "conversations: a message that the relay cannot store now is sent again automatically"(modules) {
    const {relay, store, conversations} = await talking(modules), answer = relay.answers.sendMessage;
    const codes = ["connectFailed", "rateLimited", "limitReached", "storageFailed", "internalError", "draining", "requestTimeout"], left = [...codes];
    relay.answers.sendMessage = params => left.length ? refuse(left.shift(), 0.01)() : answer(params);
    const entry = conversations.send(ANNA, "once");
    await until(() => conversations.outbox.entries.length === 0, "an empty outbox");
    same([entry.status, relay.of("sendMessage").length, store.messages.get("0:anna").length], ["sending", codes.length + 1, 1], "requests");
  },

  async "conversations: a name that the store refuses does not prevent login"(modules) {
    const {relay, conversations} = await talking(modules, (store, relay) => {
      const {login} = relay.answers;
      relay.answers.login = params => params.name === undefined ? login() : refuse("invalidField")();
      store.store(ANNA, "anna", "hello");
    });
    same([relay.of("login").map(params => params.name ?? null), conversations.list.length], [["Me", null], 1], "tries");
  },

  async "conversations: without a user id, or a store, the page reports it"(modules) {
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
});
