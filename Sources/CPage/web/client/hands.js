// Raised hands: a signal to all of the session, as the relay knows no hands. A client with a raised hand tells it to those who join later.

/// Type of the signal; its data is `up`, `down`, or `lower` from a host or manager.
export const HAND = "millrace-hand";
/// Users that join together and are told one by one of a raised hand; more are told together with all others.
const MOST_TOLD_ALONE = 5;

/// Emits `change`; its `detail` is `{user, isRaised}`, or null if all have changed.
export class Hands extends EventTarget {
  /// Connection ids in the order in which they were raised.
  raised = new Set();

  #session;

  constructor(session) {
    super();
    this.#session = session;
    session.addEventListener("change", ({detail}) => this.#changed(detail));
  }

  get isRaised() { return this.raised.has(this.#session.state.self); }

  /// Raises or lowers the own hand.
  async set(isRaised) {
    await this.#say(isRaised ? "up" : "down");
    this.#set(this.#session.state.self, isRaised);
  }

  /// Asks a user to lower the hand; only a host's or manager's request is followed.
  lower(user) { return this.#say("lower", user); }

  #say(data, to = null) { return this.#session.request("signal", {type: HAND, data, ...(to && {to})}); }

  #set(user, isRaised) {
    if (this.raised.has(user) === isRaised) return;
    if (isRaised) this.raised.add(user);
    else this.raised.delete(user);
    this.dispatchEvent(new CustomEvent("change", {detail: {user, isRaised}}));
  }

  #changed({event, data}) {
    const {state} = this.#session;
    switch (event) {
    case "signal":
      if (data.type === HAND) this.#told(data);
      break;
    case "userJoined":
      if (this.isRaised && data.user.id !== state.self) this.#say("up", data.user.id).catch(() => {});
      break;
    case "userLeft":
      this.#set(data.user, false);
      break;
    case "usersChanged": {
      for (const {user} of data.left) this.#set(user, false);
      const others = data.joined.filter(user => user.id !== state.self);
      if (!this.isRaised || !others.length) break;
      // In a large session one signal to all costs less than one signal to each.
      if (others.length > MOST_TOLD_ALONE) this.#say("up").catch(() => {});
      else for (const {id} of others) this.#say("up", id).catch(() => {});
      break;
    }
    case "reset": {
      // After a new join under another id the others do not know of the hand.
      const wasRaised = this.wasRaised;
      this.raised.clear();
      this.dispatchEvent(new CustomEvent("change", {detail: null}));
      if (wasRaised && state.self) this.set(true).catch(() => {});
      break;
    }
    }
    this.wasRaised = this.isRaised;
  }

  #told({from, data}) {
    const {state} = this.#session, user = state.users.get(from);
    // Only hands of known users: others would stay for ever.
    if (!user) return;
    if (data === "up" || data === "down") this.#set(from, data === "up");
    else if (data === "lower" && ["host", "manager"].includes(user.role) && this.isRaised) this.set(false).catch(() => {});
  }
}
