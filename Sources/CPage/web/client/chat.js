// The chat of a session: to all users in the same subsession, or to one of them. Messages are not stored: a user does not get those sent
// before it joined.

/// Maximum number of messages kept; the oldest are dropped.
const KEPT = 500;
/// Maximum length of a text in bytes of UTF-8, as the relay counts.
export const MAXIMUM_TEXT = 8192;

const encoder = new TextEncoder();

/// Whether the relay would refuse the text because of its length.
export const isTooLong = text => encoder.encode(text).length > MAXIMUM_TEXT;

/// Returns an id for a message: 128 random bits as hexadecimal digits. `randomUUID` is missing on pages of plain HTTP.
export const identifier = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");

/// Emits `message`; its `detail` is one of `messages`.
export class Chat extends EventTarget {
  /// `{id, from, fromName, to, toName, isOwn, text, time, subsession}`; `to` and `subsession` may be null. Names are those at the
  /// time of the message. `id` includes the session's id, because the relay numbers messages of each session from 1.
  messages = [];

  #request; #state; #known = new Set();

  /// `request`: that of `Signaling`; `state`: the `SessionState`.
  constructor(request, state) {
    super();
    this.#request = request;
    this.#state = state;
  }

  /// Sends a message. It has an id made here, so sending it again after a lost connection does not duplicate it.
  async send(text, to = null) {
    const {session, ownSubsession} = this.#state, params = {id: identifier(), text, ...(to && {to})};
    const say = () => this.#request("chat", params, {isRepeatable: true, isLocal: !!ownSubsession});
    const {message, time} = await say().catch(error => {
      // After a new join the relay detects a duplicate only if the token names a user. A message for a subsession is not sent again: the
      // user is in the main session then.
      if (error.code !== "notConnected" || ownSubsession || this.#state.session !== session || !this.#state.me?.identity) throw error;
      return say();
    });
    // Read after the request: it may have waited for a new connection, which changes these values.
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

  /// Adds a message once. An own message comes with the answer and possibly also as an event.
  #add({message, from, fromName, to, text, time, subsession}) {
    const {session, self, users} = this.#state, id = `${session}/${message}`, name = user => users.get(user)?.name ?? "A participant";
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const said = {id, from, fromName: fromName ?? name(from), to, toName: name(to), isOwn: from === self, text, time, subsession};
    this.messages.push(said);
    if (this.messages.length > KEPT) this.#known.delete(this.messages.shift().id);
    this.dispatchEvent(new CustomEvent("message", {detail: said}));
  }
}
