// The chat of a session: to everybody in the same room, or to one of them. Not kept anywhere: what was said before one came is unknown.

/// Messages that are kept here; of more the oldest are forgotten.
const KEPT = 500;
/// Bytes of UTF-8 that a text may have; the relay counts the same.
export const MAXIMUM_TEXT = 8192;

const encoder = new TextEncoder();

/// Whether the relay would refuse the text for its length.
export const isTooLong = text => encoder.encode(text).length > MAXIMUM_TEXT;

/// A message's id: 128 random bits as hexadecimal digits; pages of plain http have no `randomUUID`.
export const identifier = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");

/// Emits `message`, `detail` one of `messages`.
export class Chat extends EventTarget {
  /// `{id, from, fromName, to, toName, isOwn, text, time, subsession}`; `to` and `subsession` may be null. Names are those of the time, and
  /// `id` is another in each session: the relay counts from 1 in every one.
  messages = [];

  #request; #state; #known = new Set();

  /// `request(method, params)`: of `Signaling`; `state`: of the session.
  constructor(request, state) {
    super();
    this.#request = request;
    this.#state = state;
  }

  /// Said once, though it may have to be sent again: it has an id from here.
  async send(text, to = null) {
    const {session, place} = this.#state, params = {id: identifier(), text, ...(to && {to})};
    const say = () => this.#request("chat", params, {isRepeatable: true, isLocal: !!place});
    const {message, time} = await say().catch(error => {
      // Joined anew the relay knows it by its user alone; and one is in the main session then, where a room's words do not belong.
      if (error.code !== "notConnected" || place || this.#state.session !== session || !this.#state.me?.identity) throw error;
      return say();
    });
    // Only now: the request may have waited for a connection that is another one.
    const {self, subsessions} = this.#state;
    this.#add({message, from: self, to, text, time, subsession: subsessions.of(self)});
  }

  apply(event, {message, from, name, to = null, text, time, subsession = null}) {
    if (event === "chat") this.#add({message, from, fromName: name, to, text, time, subsession});
  }

  clear() {
    this.messages = [];
    this.#known.clear();
  }

  /// One's own message is known from its answer, and may come as an event besides.
  #add({message, from, fromName, to, text, time, subsession}) {
    const {session, self, users} = this.#state, id = `${session}/${message}`, name = user => users.get(user)?.name ?? "Somebody";
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const said = {id, from, fromName: fromName ?? name(from), to, toName: name(to), isOwn: from === self, text, time, subsession};
    this.messages.push(said);
    if (this.messages.length > KEPT) this.#known.delete(this.messages.shift().id);
    this.dispatchEvent(new CustomEvent("message", {detail: said}));
  }
}
