// The chat of a session: to everybody in the same room, or to one of them. Not kept anywhere: what was said before one came is unknown.

/// Messages that are kept here; of more the oldest are forgotten.
const KEPT = 500;
/// Bytes of UTF-8 that a text may have; the relay counts the same.
export const MAXIMUM_TEXT = 8192;

const encoder = new TextEncoder();

/// Whether the relay would refuse the text for its length.
export const isTooLong = text => encoder.encode(text).length > MAXIMUM_TEXT;

/// Emits `message`, `detail` one of `messages`.
export class Chat extends EventTarget {
  /// `{id, from, fromName, to, toName, text, time, subsession}`; `to` and `subsession` may be null. Names are those of the time.
  messages = [];

  #request; #state; #known = new Set();

  /// `request(method, params)`: of `Signaling`; `state`: of the session.
  constructor(request, state) {
    super();
    this.#request = request;
    this.#state = state;
  }

  async send(text, to = null) {
    const {self, subsessions} = this.#state, subsession = subsessions.of(self);
    const {message, time} = await this.#request("chat", {text, ...(to && {to})});
    this.#add({id: message, from: self, to, text, time, subsession});
  }

  apply(event, {message, from, to = null, text, time, subsession = null}) {
    if (event === "chat") this.#add({id: message, from, to, text, time, subsession});
  }

  clear() {
    this.messages = [];
    this.#known.clear();
  }

  /// One's own message is known from its answer, and may come as an event besides.
  #add(message) {
    if (this.#known.has(message.id)) return;
    this.#known.add(message.id);
    message.fromName = this.#state.users.get(message.from)?.name ?? "Somebody";
    message.toName = this.#state.users.get(message.to)?.name ?? "Somebody";
    this.messages.push(message);
    if (this.messages.length > KEPT) this.#known.delete(this.messages.shift().id);
    this.dispatchEvent(new CustomEvent("message", {detail: message}));
  }
}
