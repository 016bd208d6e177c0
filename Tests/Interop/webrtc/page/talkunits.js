"use strict";
// Unit tests of rooms, chat and the display of messages, in addition to those of units.js.

const room = (id, name, users = []) => ({id, name, users});
const subsessions = (status, rooms, isManager = false) => ({status, subsessions: rooms, isManager});

Object.assign(UNITS, {
  async "rooms: membership is current at every event"({state: {SessionState}}) {
    const state = new SessionState(), seen = [];
    state.reset({...new PlayedRelay().joinAnswer(), users: ["me", "a", "b"].map(id => user(id, id)), isChatAllowed: false,
                 subsessions: subsessions("started", [room("1", "One", ["a"]), room("2", "Two")])});
    same([state.ownSubsession, state.isHere("a"), state.isHere("b"), state.isChatAllowed, state.may.manageSubsessions], [null, false, true, false, false],
         "at first");
    state.addEventListener("change", ({detail: {event, data, before}}) => seen.push(event === "ownSubsessionChanged" ? [event, data?.id ?? null,
        before?.id ?? null] : event));
    state.apply("subsessionUsersChanged", {changes: [{user: "me", to: "1"}, {user: "b", to: "2"}]});
    same([state.ownSubsession.name, state.isHere("a"), state.isHere("b"), [...state.ownSubsession.users]], ["One", true, false, ["a", "me"]], "in a room");
    state.apply("subsessionUsersChanged", {changes: [{user: "a", from: "1", to: "2"}, {user: "nobody", to: "3"}]});
    same([state.isHere("a"), [...state.subsessions.all.get("2").users], state.subsessions.of("nobody")], [false, ["b", "a"], null],
         "another participant has moved");
    state.apply("userLeft", {user: "a", reason: "left"});
    same([...state.subsessions.all.get("2").users], ["b"], "one has left");
    state.apply("subsessionsChanged", {change: "stopped", state: subsessions("none", [], true)});
    same([state.ownSubsession, state.isHere("b"), state.subsessions.all.size, state.may.manageSubsessions], [null, true, 0, true], "stopped");
    same(seen, ["subsessionUsersChanged", ["ownSubsessionChanged", "1", null], "subsessionUsersChanged", "userLeft", "subsessionsChanged",
                ["ownSubsessionChanged", null, "1"]], "events");
  },

  async "rooms: a request for help lasts as long as its author is present"({state: {SessionState}}) {
    const state = new SessionState(), asked = (request, user) => ({request, user, userName: user, subsession: "1", subsessionName: "One"});
    const open = () => [...state.subsessions.helpRequests.keys()];
    state.reset({...new PlayedRelay().joinAnswer(), users: ["me", "a", "b", "c"].map(id => user(id, id)),
                 subsessions: subsessions("started", [room("1", "One", ["a", "b", "c"]), room("2", "Two")], true)});
    for (const [request, who] of [["x", "a"], ["y", "b"], ["z", "c"], ["w", "c"]]) state.apply("helpRequested", asked(request, who));
    same(open(), ["x", "y", "z", "w"], "open");
    state.apply("helpEnded", {request: "w"});
    state.subsessions.answered("x");
    state.apply("subsessionUsersChanged", {changes: [{user: "b", from: "1", to: "2"}]});
    same(open(), ["z"], "after one was answered and one has moved");
    state.apply("subsessionRoleChanged", {isManager: false});
    same(open(), [], "for one who manages no longer");
    state.apply("subsessionRoleChanged", {isManager: true});
    for (let number = 0; number < 150; number++) state.apply("helpRequested", asked(`n${number}`, "c"));
    same([open().length, open()[0]], [100, "n50"], "a flood");
  },

  async "chat: each message appears once, with the room of its author"({chat: {Chat, isTooLong}, state: {SessionState}}) {
    const state = new SessionState(), said = [], relay = new PlayedRelay();
    state.reset({...relay.joinAnswer(), subsessions: subsessions("started", [room("1", "One", ["me"])])});
    const chat = new Chat(async (method, params) => { said.push([method, params]); return {message: "m1", time: 5}; }, state);
    await chat.send("hello", "a");
    chat.apply("chat", {message: "m1", from: "me", to: "a", text: "hello", time: 5, subsession: "1"});
    chat.apply("chat", {message: "m2", from: "a", text: "hi", time: 6, subsession: "1"});
    chat.apply("signal", {from: "a", type: "chat", data: "no"});
    same(said.map(([method, {id, ...params}]) => [method, params, id.length]), [["chat", {text: "hello", to: "a"}, 32]], "requests");
    same(chat.messages.map(one => [one.id, one.to, one.subsession]), [["s/m1", "a", "1"], ["s/m2", null, "1"]], "messages");
    for (let number = 0; number < 600; number++) chat.apply("chat", {message: `f${number}`, from: "a", text: "flood", time: 7});
    same([chat.messages.length, chat.messages[0].id], [500, "s/f100"], "a flood");
    same([isTooLong("x".repeat(8192)), isTooLong("ä".repeat(4097)), isTooLong("😀".repeat(2048))], [false, true, false], "lengths in UTF-8");
  },

  async "chat: a new session counts its messages from 1, and they are still shown"({chat: {Chat}, state: {SessionState}}) {
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

  async "chat: a message whose answer was lost is sent again with its id, if the relay recognises the id"(modules) {
    const {relay, client, said} = await joined(modules), state = new modules.state.SessionState();
    state.reset(relay.joinAnswer());
    const chat = new modules.chat.Chat((...call) => client.request(...call), state);
    /// Sends a message whose first answer is lost with the connection.
    const send = async text => {
      let count = 0;
      relay.answers.chat = () => count++ ? {message: text, time: 5} : undefined;
      const before = relay.of("chat").length, sent = refusal(chat.send(text, "a"));
      await later(5);
      relay.cut();
      const code = await sent, requests = relay.of("chat").slice(before);
      same(new Set(requests.map(one => one.id)).size, 1, "ids");
      return [code, ...requests.map(({text, to}) => [text, to])];
    };
    same(await send("one"), [null, ["one", "a"], ["one", "a"]], "resumed");
    relay.answers.resume = refuse("resumeExpired");
    same(await send("two"), ["notConnected", ["two", "a"]], "joined anew, without a user id");
    state.users.set("me", {...state.me, identity: "42"});
    same(await send("three"), [null, ["three", "a"], ["three", "a"]], "joined anew");
    state.subsessions.reset(subsessions("started", [room("1", "One", ["me"])]));
    same(await send("four"), ["notConnected", ["four", "a"]], "joined anew, from a room");
    // An unsent message waits, but is only ever sent to its own room.
    relay.cut();
    await until(() => client.status === "reconnecting", "the loss");
    const code = await refusal(chat.send("five"));
    same([code, relay.of("chat").some(one => one.text === "five")], ["notConnected", false], "while the connection is lost");
    same([chat.messages.map(one => one.text), said.joined], [["one", "three"], [false, true, true, true, true]], "messages and joins");
  },

  async "messages are shown as text, once, in order, wherever they are inserted"({messagelog: {MessageLog}}) {
    const evil = `<img src=x onerror="window.hit = 1"><b>bold</b>`, log = new MessageLog("Test");
    document.body.append(log.node);
    const row = (key, more = {}) => ({key: String(key), from: evil, text: evil, time: 1, ...more}),
        keys = () => [...log.node.querySelectorAll("li")].map(one => one.dataset.key);
    log.show([row(5)]);
    same(log.node.hasAttribute("aria-busy"), false, "the first that comes is read out");
    log.show([]);
    log.show([row(5), row(6)], {isOld: true});
    same(log.node.getAttribute("aria-busy"), "true", "a page of old ones is not");
    await until(() => !log.node.hasAttribute("aria-busy"), "the end of that");
    const kept = log.node.querySelector("[data-key='5']");
    log.show([row(3), row(4), row(5), row("x", {status: "sending"}), row(6)]);
    same([keys(), log.node.querySelector("[data-key='5']") === kept, log.node.getAttribute("aria-busy")], [["3", "4", "5", "x", "6"], true, "true"],
         "put in");
    Object.assign(log.node.style, {height: "2000px", maxHeight: "none"});
    same(log.isShort, true, "one that does not scroll");
    Object.assign(log.node.style, {height: "10px", minHeight: "0", overflow: "auto"});
    same(log.isShort, false, "one that does");
    log.node.hidden = true;
    same(log.isShort, false, "one that is not seen");
    log.node.hidden = false;
    log.show([row(4), row(5), row(6), row("x", {status: "failed", actions: [{text: "Again", name: "again", run() {}}]})]);
    same([keys(), log.node.querySelectorAll("button").length], [["4", "5", "6", "x"], 1], "moved and taken out");
    await later(50);
    same([document.querySelectorAll("img, b").length, window.hit ?? null, log.node.querySelector(".what").textContent], [0, null, evil], "markup");
    log.node.remove();
  },

  async "an invalid field is announced to screen readers"({dom: {setInvalid}}) {
    const field = document.createElement("input");
    setInvalid(field, true);
    same(field.getAttribute("aria-invalid"), "true", "wrong");
    setInvalid(field, false);
    same(field.hasAttribute("aria-invalid"), false, "right again");
  },
});
